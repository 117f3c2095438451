// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/minimize_graph_makespan.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/finished_graph_plan.hpp>
#include <stagecut/graph/detail/graph_makespan_bound.hpp>
#include <stagecut/graph/detail/graph_makespan_search.hpp>
#include <stagecut/graph/detail/linear_starts.hpp>
#include <stagecut/graph/detail/explain_infeasible_graph_plan.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<graph_makespan> minimize_graph_makespan_fn::operator()(
    const operator_graph& graph, const graph_makespan_request& request,
    const std::vector<std::vector<std::size_t>>& starts) const {
  check(request);
  detail::check_operators(graph);
  const contraction elements(graph, backward_edges::lead);
  if (graph.operators.empty()) refuse("graph.operators.size()", "0", "must be at least 1");
  const detail::stage_ranges ranges(graph, elements, request.devices);
  if (auto why = detail::explain_infeasible_graph_plan(graph, elements, request, ranges)) {
    return outcome<graph_makespan>::infeasible(*why);
  }
  const double bound = detail::graph_makespan_bound(graph, elements).of(request.devices, request.microbatches);
  return detail::recorded(request, [&](const graph_makespan_request& asked) {
    detail::graph_makespan_search search(graph, elements, asked, ranges.pinned, bound);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      check_start(graph, elements, asked, starts[i], i);
      search.offer(starts[i]);
    }
    offer_linear(graph, elements, asked, ranges, search);
    search.run();
    return answer(graph, asked, ranges, search, bound);
  });
}

STAGECUT_DECL void minimize_graph_makespan_fn::refuse(const std::string& argument, const std::string& value,
                                                      const std::string& requirement) {
  detail::fail(argument_error("minimize_graph_makespan", argument, value, requirement));
}

STAGECUT_DECL void minimize_graph_makespan_fn::check(const graph_makespan_request& request) {
  if (request.devices == 0) refuse("devices", "0", "must be at least 1");
  if (request.microbatches == 0) refuse("microbatches", "0", "must be at least 1");
  if (request.transfers != transfer_kind::link && request.transfers != transfer_kind::latency) {
    refuse("transfers", to_string(request.transfers), "must be latency or link");
  }
  const auto check_number = [](const char* argument, const std::optional<double>& value) {
    if (value && (is_nan(*value) || is_negative(*value))) {
      refuse(argument, std::to_string(*value), "must not be negative");
    }
  };
  if (!request.memory_limit.of_ranks().empty()) refuse("memory_limit", "{…}", "must be one value: devices are alike");
  check_number("memory_limit", request.memory_limit.for_all());
  check_number("search.time_limit", request.search.time_limit);
}

STAGECUT_DECL void minimize_graph_makespan_fn::check_start(const operator_graph& graph, const contraction& elements,
                                                           const graph_makespan_request& request,
                                                           const std::vector<std::size_t>& stage_of,
                                                           std::size_t which) {
  detail::check_assignment(graph, stage_of, request.devices);
  const auto refuse_operator = [&](std::size_t v, const std::string& requirement) {
    refuse(detail::joined({"starts[", which, "][", v, "]"}), std::to_string(stage_of[v]), requirement);
  };
  for (std::size_t v = 0; v < stage_of.size(); ++v) {
    const std::size_t first = elements.operators_of(elements.element_of(v))[0];
    if (stage_of[v] != stage_of[first]) {
      refuse_operator(v, detail::joined({"must be that of operator ", first, ", from which it cannot be parted"}));
    }
    if (graph.operators[v].stage != graph_operator::none && graph.operators[v].stage != stage_of[v]) {
      refuse_operator(v, detail::joined({"must be ", graph.operators[v].stage, ", which is fixed"}));
    }
  }
}

STAGECUT_DECL void minimize_graph_makespan_fn::offer_linear(const operator_graph& graph, const contraction& elements,
                                                            const graph_makespan_request& request,
                                                            const detail::stage_ranges& ranges,
                                                            detail::graph_makespan_search& search) {
  using next = detail::linear_starts::next;
  const detail::linear_starts starts(graph, elements, ranges.least, ranges.most);
  detail::random_bits random(request.search.seed);
  const double falling = 1 - 1 / (static_cast<double>(request.microbatches) + 1);
  for (const next which : {next::as_listed, next::newest, next::oldest, next::any, next::any, next::any, next::any}) {
    const std::vector<std::size_t> order = starts.order(which, random);
    for (const double ratio : {1.0, falling, falling * falling, 1 / falling}) {
      search.offer(starts.cut(order, request.devices, ratio));
    }
  }
}

STAGECUT_DECL outcome<graph_makespan> minimize_graph_makespan_fn::answer(const operator_graph& graph,
                                                                         const graph_makespan_request& request,
                                                                         const detail::stage_ranges& ranges,
                                                                         const detail::graph_makespan_search& search,
                                                                         double bound) {
  using result_t = outcome<graph_makespan>;
  if (!search.best().value.fits()) return result_t::unknown({});
  const bool numbered = std::find(ranges.pinned.begin(), ranges.pinned.end(), true) != ranges.pinned.end();
  graph_makespan result = detail::finished_plan(graph, search.best(), request, numbered);
  if (result.assignment.empty()) return result_t::unknown({});
  result.statistics.nodes = search.simulations();
  const bool proved = result.value <= bound * (1 + 2 * detail::graph_makespan_bound::rounding);
  result.bound = proved ? result.value : bound;
  return proved ? result_t::optimal(std::move(result)) : result_t::feasible(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI
