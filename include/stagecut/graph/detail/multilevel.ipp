// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/multilevel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/vector_property_map.hpp>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/dag_partition.hpp>
#include <stagecut/graph/detail/dag_multilevel.hpp>
#include <stagecut/graph/detail/multilevel_load.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<dag_partition> multilevel_fn::operator()(const weighted_dag& graph,
                                                               const multilevel_request& request) const {
  check(request);
  if (graph.size() < request.parts) {
    return answer::infeasible({reason::cause::more_stages_than_layers, request.parts, graph.size()});
  }
  return detail::recorded(request, [&](const multilevel_request& asked) {
    return asked.objective == dag_objective::load ? least_load(graph, asked) : least_cut(graph, asked);
  });
}

STAGECUT_DECL void multilevel_fn::check(const multilevel_request& request) {
  const auto refuse = [](const char* what, const std::string& value, const char* requirement) {
    detail::fail(argument_error("multilevel", what, value, requirement));
  };
  if (request.parts == 0) refuse("parts", "0", "must be at least 1");
  if (request.trials == 0) refuse("trials", "0", "must be at least 1");
  if (!is_finite(request.imbalance) || is_negative(request.imbalance)) {
    refuse("imbalance", std::to_string(request.imbalance), "must be finite and not negative");
  }
  if (request.search.time_limit && !(*request.search.time_limit >= 0)) {
    refuse("search.time_limit", std::to_string(*request.search.time_limit), "must not be negative");
  }
}

STAGECUT_DECL std::int64_t multilevel_fn::most_weight(const weighted_dag& graph, const multilevel_request& request) {
  const auto parts = static_cast<std::int64_t>(request.parts);
  if (1 + request.imbalance >= static_cast<double>(request.parts)) return graph.weight();
  // Only the excess over the average is in floating point.
  const std::int64_t average = graph.weight() / parts;
  const std::int64_t left = graph.weight() % parts;
  const double more = request.imbalance * static_cast<double>(graph.weight()) + static_cast<double>(left);
  const std::int64_t most = average + static_cast<std::int64_t>(more / static_cast<double>(parts));
  return std::clamp(most, average + (left != 0 ? 1 : 0), graph.weight());
}

STAGECUT_DECL std::int64_t multilevel_fn::least_cut_of(const weighted_dag& graph, const multilevel_request& request,
                                                       std::int64_t most) {
  const auto parts = static_cast<std::int64_t>(request.parts);
  const std::int64_t others = parts - 1;
  if (others == 0 || most > (graph.weight() - 1) / others) return 0;  // fewer parts hold all
  // Property maps of Boost, as its functions for plain pointers are hidden once a Boost graph is included.
  using number_of = boost::vector_property_map<std::size_t>;
  boost::disjoint_sets<number_of, number_of> joined(number_of{}, number_of{});
  for (std::size_t v = 0; v < graph.size(); ++v) joined.make_set(v);
  auto components = static_cast<std::int64_t>(graph.size());
  std::int64_t lightest = graph.weight();
  bool any = false;
  for (std::size_t v = 0; v < graph.size(); ++v) {
    graph.flat().out.each(v, [&](detail::dag_vertex to, std::int64_t weight) {
      lightest = !any || weight < lightest ? weight : lightest;
      any = true;
      const std::size_t a = joined.find_set(v);
      const std::size_t b = joined.find_set(std::size_t{to});
      if (a == b) return;
      joined.link(a, b);
      --components;
    });
  }
  return components > others ? 0 : (parts - components) * lightest;
}

STAGECUT_DECL auto multilevel_fn::least_cut(const weighted_dag& graph, const multilevel_request& request) -> answer {
  const std::int64_t most = most_weight(graph, request);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.flat().weight[i] <= most) continue;
    return answer::infeasible(
        {reason::cause::constraint, 0, 0,
         detail::joined({"vertex ", graph.order()[i], " weighs ", std::to_string(graph.flat().weight[i]),
                         ", and one of ", request.parts, " parts may weigh ", std::to_string(most)})});
  }
  if (most >= graph.weight()) {
    return answer::optimal(measure_partition(graph, std::vector<std::size_t>(graph.size(), 0), request.parts));
  }
  detail::dag_parts best;
  const auto keep = [&](detail::dag_parts found) {
    if (best.most.empty() || found.better_than(best)) best = std::move(found);
  };
  detail::deadline end(request.search.time_limit, request.search.stop, request.search.ended);
  const std::vector<std::int64_t> limits(request.parts, most);
  for (std::size_t i = 0; i < request.trials && (i == 0 || !end.over()); ++i) {
    detail::dag_multilevel trial(graph.flat(), limits, request.search.seed + i);
    const bool small = graph.size() <= most_bisected;
    if (small) keep(trial.by_bisection(graph.size() <= 2000 ? 6 : 3));
    if (!small || !end.over()) keep(trial.by_merging(small ? &best : nullptr));
  }
  if (best.excess() > 0) return answer::unknown({reason::cause::limit_reached});
  dag_partition result = described(graph, best.part, request.parts);
  result.bound = std::min(least_cut_of(graph, request, most), result.value);
  return result.bound == result.value ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
}

STAGECUT_DECL auto multilevel_fn::least_load(const weighted_dag& graph, const multilevel_request& request) -> answer {
  detail::deadline end(request.search.time_limit, request.search.stop, request.search.ended);
  const detail::dag_nets nets = detail::nets_of_outputs(graph.flat(), graph.outputs());
  detail::multilevel_load search(graph.flat(), nets, request.parts, 0);
  const auto late = [&] { return end.over(); };
  for (std::size_t i = 0; i < request.trials && (i == 0 || !end.over()); ++i) {
    search.run(request.search.seed + i, graph.size() <= most_bisected, late);
  }
  if (search.best().part.empty()) return answer::unknown({reason::cause::limit_reached});
  dag_partition result = described(graph, search.best().part, request.parts);
  result.value = result.load();
  result.bound = search.bound();
  return result.bound == result.value ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
}

STAGECUT_DECL dag_partition multilevel_fn::described(const weighted_dag& graph, const std::vector<std::uint32_t>& part,
                                                     std::size_t parts) {
  std::vector<std::size_t> part_of(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) part_of[graph.order()[i]] = part[i];
  return measure_partition(graph, part_of, parts);
}

}  // namespace stagecut::inline STAGECUT_ABI
