// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/load_pipeline.hpp>
#include <stagecut/graph/detail/stage_simulator.hpp>
#include <stagecut/graph/detail/warm_up_climb.hpp>
#include <stagecut/graph/stage_makespan.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Warm-up counts of 1F1B where the stages are a graph.
struct warm_up_choice {
  std::vector<std::size_t> warm_up{};  ///< of every stage
  double makespan = 0;                 ///< with them
};

/// As many forward passes ahead as there are stages of higher numbers: what 1F1B does in a chain.
/// @param stages  number of stages k
[[nodiscard]] inline std::vector<std::size_t> warm_up_by_rank(std::size_t stages) {
  std::vector<std::size_t> result(stages);
  for (std::size_t s = 0; s < stages; ++s) result[s] = stages - 1 - s;
  return result;
}

/// As many forward passes ahead as there are stages on the longest path behind: the fewest with which no two stages
/// that an edge joins take turns.
/// @param of  its edges lead from lower to higher stages
[[nodiscard]] inline std::vector<std::size_t> warm_up_by_depth(const stage_pipeline& of) {
  std::vector<std::size_t> result(of.stages());
  for (std::size_t s = of.stages(); s-- > 0;) {
    for (const auto& [from, to] : of.edges) {
      if (from == s && result[s] <= result[to]) result[s] = result[to] + 1;
    }
  }
  return result;
}

/// See `warm_up_schedule`.
struct warm_up_schedule_fn {
  /// See `warm_up_schedule`.
  [[nodiscard]] schedule operator()(const stage_pipeline& of, view<const std::size_t> warm_up,
                                    std::size_t microbatches) const {
    const stage_makespan check(of, microbatches);
    if (warm_up.size() != of.stages()) {
      refuse("warm_up.size()", std::to_string(warm_up.size()), "must be the number of stages");
    }
    if (!check.runs(warm_up)) refuse("warm_up", "{…}", "must not rise along an edge: deadlock");
    if (of.edges.empty() && of.stages() > 1) {
      refuse("of.edges", "{}", "must join some stages: without edges the stages of a schedule are a chain");
    }
    std::vector<std::size_t> in_flight;
    for (const std::size_t each : warm_up) in_flight.push_back((each < microbatches ? each : microbatches - 1) + 1);
    schedule result = detail::one_stage_a_rank("in-flight", in_flight, microbatches);
    result.edges = of.edges;
    return result;
  }

 private:
  static void refuse(const char* argument, const std::string& value, const char* requirement) {
    detail::fail(argument_error("warm_up_schedule", argument, value, requirement));
  }
};

/// The schedule of warm-up counts: `in-flight` with the edges of the stages.
///
/// @param of            stages and edges
/// @param warm_up       of every stage, as `stage_makespan` takes them
/// @param microbatches  of an iteration, m
/// @return              one rank a stage. Where no stage has more than one of a lower number, what `in_flight_order`
///                      makes of one more each, beside the edges
/// @throws              argument_error where `stage_makespan` throws, and for several stages that no edge joins at all,
///                      which a schedule cannot say
inline constexpr warm_up_schedule_fn warm_up_schedule{};

/// See `choose_warm_up`.
struct choose_warm_up_fn {
  /// See `choose_warm_up`.
  [[nodiscard]] outcome<warm_up_choice> operator()(const stage_pipeline& of, std::size_t microbatches,
                                                   transfer_kind transfers = transfer_kind::link,
                                                   std::optional<double> memory_per_device = {}) const {
    detail::check_pipeline("choose_warm_up", of, microbatches, transfers);
    if (memory_per_device && (is_nan(*memory_per_device) || is_negative(*memory_per_device))) {
      detail::fail(argument_error("choose_warm_up", "memory_per_device", std::to_string(*memory_per_device),
                                  "must not be negative"));
    }
    std::vector<std::size_t> most;
    for (std::size_t s = 0; s < of.stages(); ++s) {
      const auto fits =
          detail::warm_up_climb::most_of(of.resident[s], of.activations[s], memory_per_device, microbatches);
      if (!fits) {
        return outcome<warm_up_choice>::infeasible(
            {reason::cause::memory, static_cast<std::size_t>(of.resident[s] + of.activations[s]),
             static_cast<std::size_t>(*memory_per_device), detail::joined({"stage ", s})});
      }
      most.push_back(*fits);
    }
    detail::stage_simulator simulator(microbatches, transfers == transfer_kind::link);
    detail::load_pipeline(simulator, of);
    detail::warm_up_climb climb(simulator);
    climb.limit(most);
    warm_up_choice result;
    static_cast<void>(climb.choose(result.warm_up, most));
    const bool proved = climb.exhaust(result.warm_up, most);
    result.makespan = climb.price(result.warm_up);
    return proved ? outcome<warm_up_choice>::optimal(std::move(result))
                  : outcome<warm_up_choice>::feasible(std::move(result));
  }
};

/// Chooses warm-up counts for a short makespan: from those by rank, by depth, twice that, the most and none, one stage
/// more or fewer with those that must follow, while that makes the iteration shorter, or leaves it with less in flight.
/// Where memory and m leave at most 4096 vectors of counts, it looks at all of them.
///
/// @param of                 stages, edges and messages
/// @param microbatches       of an iteration, m
/// @param transfers          `latency` or `link`
/// @param memory_per_device  bytes that no stage may exceed with min(w + 1, m) microbatches in flight; unset: any
/// @return                   counts of at most m - 1 with their makespan: optimal if it looked at all, else feasible;
///                           infeasible, `memory`, with the first stage that cannot hold one microbatch
/// @throws                   as `stage_makespan`; argument_error for memory that is NaN or negative
///
/// Deterministic; of counts of the same makespan those of the least sum. O(k) simulations for each step.
inline constexpr choose_warm_up_fn choose_warm_up{};

}  // namespace stagecut::inline STAGECUT_ABI
