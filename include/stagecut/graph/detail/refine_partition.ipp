// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/refine_partition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/search_end.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/communication_refiner.hpp>
#include <stagecut/graph/detail/finished_graph_plan.hpp>
#include <stagecut/graph/detail/given_partition.hpp>
#include <stagecut/graph/detail/graph_makespan_bound.hpp>
#include <stagecut/graph/detail/load_bounds.hpp>
#include <stagecut/graph/detail/load_refiner.hpp>
#include <stagecut/graph/detail/makespan_refiner.hpp>
#include <stagecut/graph/detail/explain_infeasible_graph_plan.hpp>
#include <stagecut/graph/detail/explain_infeasible_partition.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/refine_request.hpp>
#include <stagecut/graph/stage_figures.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects an invalid request.
inline void check_refine_request(const refine_request& request) {
  const auto refuse = [](const char* argument, const std::string& value, const char* requirement) {
    fail(argument_error("refine_partition", argument, value, requirement));
  };
  const bool makespan = request.objective == refine_objective::makespan;
  if (!is_finite(request.imbalance) || is_negative(request.imbalance)) {
    refuse("imbalance", std::to_string(request.imbalance), "must be finite and not negative");
  }
  const bool cpus = std::find(request.on_cpu.begin(), request.on_cpu.end(), true) != request.on_cpu.end();
  if (cpus && request.objective != refine_objective::max_load) refuse("on_cpu", "true", "goes with max_load alone");
  if (!makespan) return;
  if (request.microbatches == 0) refuse("microbatches", "0", "must be at least 1");
  if (request.transfers != transfer_kind::link && request.transfers != transfer_kind::latency) {
    refuse("transfers", to_string(request.transfers), "must be latency or link");
  }
  if (!request.load.speeds.empty() || !request.load.constants.empty()) {
    refuse(request.load.speeds.empty() ? "load.constants" : "load.speeds", "{…}", "does not go with makespan");
  }
}

/// Improves one partition.
class partition_refinement {
 public:
  using ticks = operator_costs::ticks;
  using answer = outcome<refined_partition>;

  partition_refinement(const operator_graph& graph, const std::vector<std::size_t>& given,
                       const refine_request& request)
      : graph_(graph),
        request_(request),
        makespan_(request.objective == refine_objective::makespan),
        parts_(graph, makespan_ ? backward_edges::lead : backward_edges::follow),
        given_("refine_partition", graph, parts_, given, request.stages,
               request.on_cpu.empty() && request.load.speeds.empty() && request.load.constants.size() < 2),
        kinds_(request.on_cpu.begin(), request.on_cpu.end()) {
    if (kinds_.empty()) kinds_.resize(given_.stages);
    if (kinds_.size() != given_.stages) {
      fail(argument_error("refine_partition", "on_cpu.size()", std::to_string(kinds_.size()),
                          joined({"must be 0 or the number of stages, ", given_.stages})));
    }
  }

  [[nodiscard]] answer run() {
    if (makespan_) return by_makespan();
    const operator_costs costs(graph_, parts_, request_.load, given_.stages);
    if (auto why = why_not_given(costs)) return *std::move(why);
    return request_.objective == refine_objective::communication ? by_communication(costs) : by_load(costs);
  }

 private:
  /// What is wrong with the given stages: an element that fits on no device, or not on its own.
  [[nodiscard]] std::optional<answer> why_not_given(const operator_costs& costs) const {
    const auto cpus =
        static_cast<std::size_t>(std::count_if(kinds_.begin(), kinds_.end(), [](auto k) { return k != 0; }));
    if (auto why = explain_infeasible_partition(graph_, parts_, costs, {kinds_.size() - cpus, cpus, true})) {
      return answer::infeasible(*std::move(why));
    }
    std::vector<operator_set> sets(kinds_.size(), operator_set(costs));
    for (std::size_t e = 0; e < given_.stage_of.size(); ++e) sets[given_.stage_of[e]].add(e);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const stage_role role{kinds_[s], s, sets.size()};
      if (sets[s].fits(role)) continue;
      const std::string name = joined({"stage ", s, " as given"});
      if (role.kind == 0 && sets[s].memory(role) > costs.limit()) {
        return answer::unknown({reason::cause::memory, engine::floor_bytes(costs.bytes_of(sets[s].memory(role))),
                                engine::floor_bytes(costs.bytes_of(costs.limit())), name});
      }
      return answer::unknown({reason::cause::constraint, 0, 0, name + " holds what does not run there"});
    }
    return std::nullopt;
  }

  /// Whether the caller ends the search.
  [[nodiscard]] bool is_stopped() const {
    if (!request_.search.stop || !request_.search.stop()) return false;
    record_end(request_.search.ended, search_end::stopped);
    return true;
  }

  template <class Refiner>
  [[nodiscard]] refined_partition refined(Refiner& refiner) const {
    refined_partition result;
    for (; result.passes < request_.most_passes && !is_stopped();) {
      ++result.passes;
      if (!refiner.pass(request_.search.stop)) break;
    }
    result.moves = refiner.moves();
    const std::vector<std::uint32_t> stages = parts_.expanded(refiner.stages().all());
    result.assignment.assign(stages.begin(), stages.end());
    result.stages = stage_figures(graph_, result.assignment, kinds_, request_.load);
    return result;
  }

  [[nodiscard]] static answer answered(refined_partition result, bool proved) {
    if (proved || result.bound > result.value) result.bound = result.value;
    return proved ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

  [[nodiscard]] answer by_load(const operator_costs& costs) const {
    load_refiner refiner(costs, parts_.below(), given_.stage_of, kinds_, request_.may_empty);
    const ticks before = refiner.greatest();
    refined_partition result = refined(refiner);
    stage_counts counts;
    counts.cpus = static_cast<std::size_t>(std::count_if(kinds_.begin(), kinds_.end(), [](auto k) { return k != 0; }));
    counts.devices = kinds_.size() - counts.cpus;
    const ticks bound = weight_bound(operator_set(costs), counts);
    result.before = costs.seconds(before);
    result.value = costs.seconds(refiner.greatest());
    result.bound = costs.seconds(bound);
    return answered(std::move(result), refiner.greatest() <= bound);
  }

  [[nodiscard]] answer by_communication(const operator_costs& costs) const {
    ticks total = 0;
    ticks heaviest = 0;
    for (std::size_t e = 0; e < costs.size(); ++e) {
      const ticks work = costs.of(e).forward + costs.of(e).backward;
      total += work;
      heaviest = std::max(heaviest, work);
    }
    const double share = static_cast<double>(total) / static_cast<double>(given_.stages) * (1 + request_.imbalance);
    const ticks cap = std::max(heaviest, share < 0x1p60 ? static_cast<ticks>(share) : total);
    communication_refiner refiner(costs, parts_.below(), given_.stage_of, given_.stages, cap, request_.may_empty,
                                  request_.search.seed);
    const ticks before = refiner.value();
    const ticks excess = refiner.excess();
    refined_partition result = refined(refiner);
    result.before = costs.seconds(before);
    result.value = costs.seconds(refiner.value());
    result.excess_before = costs.seconds(excess);
    result.excess = costs.seconds(refiner.excess());
    return answered(std::move(result), refiner.value() == 0 && refiner.excess() == 0);
  }

  [[nodiscard]] answer by_makespan() const {
    graph_makespan_request request;
    request.devices = given_.stages;
    request.at_most = true;  // the given partition may have stages without operators
    request.microbatches = request_.microbatches;
    request.transfers = request_.transfers;
    request.memory_limit = request_.load.memory_limit;
    request.search.seed = request_.search.seed;
    check_operators(graph_);
    const stage_ranges ranges(graph_, parts_, request.devices);
    if (auto why = explain_infeasible_graph_plan(graph_, parts_, request, ranges)) return answer::infeasible(*std::move(why));
    std::vector<bool> used(given_.stages);
    for (const std::uint32_t s : given_.stage_of) used[s] = true;
    request.at_most = request_.may_empty || std::find(used.begin(), used.end(), false) != used.end();
    const std::vector<std::uint32_t> stages = parts_.expanded(given_.stage_of);
    makespan_refiner refiner(graph_, parts_, request, {stages.begin(), stages.end()}, ranges.pinned);
    if (!refiner.point().value.fits()) return does_not_fit(refiner.point().stages);
    const bool numbered = std::find(ranges.pinned.begin(), ranges.pinned.end(), true) != ranges.pinned.end();
    const graph_makespan before = finished_plan(graph_, refiner.point(), request, numbered);
    refined_partition result;
    while (result.passes < request_.most_passes && !is_stopped()) {
      ++result.passes;
      if (!refiner.pass(request_.samples, request_.search.stop)) break;
    }
    graph_makespan after = finished_plan(graph_, refiner.point(), request, numbered);
    if (before.assignment.empty() || after.assignment.empty())
      return answer::unknown({});                          // sums that round past the memory
    if (before.value < after.value) after = before;  // by rounding alone
    const double bound = graph_makespan_bound(graph_, parts_).of(request.devices, request.microbatches);
    result.moves = refiner.moves();
    result.before = before.value;
    result.value = after.value;
    result.bound = bound;
    result.stages = stage_figures(graph_, after.assignment, std::vector<std::uint8_t>(after.stages()), request_.load);
    result.assignment = std::move(after.assignment);
    result.warm_up = std::move(after.warm_up);
    return answered(std::move(result), after.value <= bound * (1 + 2 * graph_makespan_bound::rounding));
  }

  [[nodiscard]] answer does_not_fit(const moving_stages& stages) const {
    for (std::size_t s = 0; s < stages.stages(); ++s) {
      const double needed = stages.resident(s) + stages.activations(s);
      if (needed <= *request_.load.memory_limit) continue;
      return answer::unknown({reason::cause::memory, engine::floor_bytes(needed),
                              engine::floor_bytes(*request_.load.memory_limit), joined({"stage ", s, " as given"})});
    }
    return answer::unknown({});
  }

  const operator_graph& graph_;
  const refine_request& request_;
  bool makespan_;
  contraction parts_;
  given_partition given_;
  std::vector<std::uint8_t> kinds_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<refined_partition> refine_partition_fn::operator()(const operator_graph& graph,
                                                                         const std::vector<std::size_t>& stage_of,
                                                                         const refine_request& request) const {
  detail::check_refine_request(request);
  return detail::recorded(request, [&](const refine_request& asked) {
    return detail::partition_refinement(graph, stage_of, asked).run();
  });
}

}  // namespace stagecut::inline STAGECUT_ABI
