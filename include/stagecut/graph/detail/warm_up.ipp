// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/warm_up.hpp>

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

STAGECUT_DECL std::vector<std::size_t> warm_up_by_rank(std::size_t stages) {
  std::vector<std::size_t> result(stages);
  for (std::size_t s = 0; s < stages; ++s) result[s] = stages - 1 - s;
  return result;
}

STAGECUT_DECL std::vector<std::size_t> warm_up_by_depth(const stage_pipeline& of) {
  std::vector<std::size_t> result(of.stages());
  for (std::size_t s = of.stages(); s-- > 0;) {
    for (const auto& [from, to] : of.edges) {
      if (from == s && result[s] <= result[to]) result[s] = result[to] + 1;
    }
  }
  return result;
}

STAGECUT_DECL schedule warm_up_schedule_fn::operator()(const stage_pipeline& of, view<const std::size_t> warm_up,
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
  for (const std::size_t count : warm_up) in_flight.push_back((count < microbatches ? count : microbatches - 1) + 1);
  schedule result = detail::one_stage_a_rank("in-flight", in_flight, microbatches);
  result.edges = of.edges;
  return result;
}

STAGECUT_DECL void warm_up_schedule_fn::refuse(const char* argument, const std::string& value,
                                               const char* requirement) {
  detail::fail(argument_error("warm_up_schedule", argument, value, requirement));
}

STAGECUT_DECL outcome<warm_up_choice> choose_warm_up_fn::operator()(const stage_pipeline& of, std::size_t microbatches,
                                                                    transfer_kind transfers,
                                                                    std::optional<double> memory_limit) const {
  detail::check_pipeline("choose_warm_up", of, microbatches, transfers);
  if (memory_limit && (is_nan(*memory_limit) || is_negative(*memory_limit))) {
    detail::fail(argument_error("choose_warm_up", "memory_limit", std::to_string(*memory_limit),
                                "must not be negative"));
  }
  std::vector<std::size_t> most;
  for (std::size_t s = 0; s < of.stages(); ++s) {
    const auto fits =
        detail::warm_up_climb::most_of(of.resident[s], of.activations[s], memory_limit, microbatches);
    if (!fits) {
      return outcome<warm_up_choice>::infeasible(
          {reason::cause::memory, static_cast<std::size_t>(of.resident[s] + of.activations[s]),
           static_cast<std::size_t>(*memory_limit), detail::joined({"stage ", s})});
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

}  // namespace stagecut::inline STAGECUT_ABI
