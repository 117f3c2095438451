// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/minimize_nested_time.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/joint/baselines/detail/nested_level.hpp>
#include <stagecut/joint/baselines/detail/nested_prices.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_nested_machines(const char* function, const pipeline_states& states,
                                         const nested_machines& machines) {
  const auto refuse = [&](const std::string& name, const std::string& value, const char* requirement) {
    fail(argument_error(function, name, value, requirement));
  };
  const auto shown = [](double value) { return is_nan(value) ? std::string("NaN") : number_text(value); };
  const auto is_figure = [](double value) { return is_finite(value) && !is_negative(value); };
  if (machines.levels.empty()) refuse("levels.size()", "0", "must be at least 1");
  if (!is_finite(machines.compression) || !(machines.compression > 0)) {
    refuse("compression", shown(machines.compression), "must be finite and greater than 0");
  }
  if (machines.memory_limit && (is_nan(*machines.memory_limit) || is_negative(*machines.memory_limit))) {
    refuse("memory_limit", shown(*machines.memory_limit), "must not be negative");
  }
  double greatest = 0;
  for (const double each : states.output) greatest = each > greatest ? each : greatest;
  std::size_t devices = 1;
  for (std::size_t l = 0; l < machines.levels.size(); ++l) {
    const auto [count, bandwidth] = machines.levels[l];
    if (count == 0) refuse(joined({"levels[", l, "].count"}), "0", "must be at least 1");
    if (devices > 0xffffffffU / count) refuse("levels", joined({devices, " x ", count}), "must be below 2^32 in all");
    devices *= count;
    if (!is_figure(bandwidth)) {
      refuse(joined({"levels[", l, "].bandwidth"}), shown(bandwidth), "must be finite and not negative");
    }
    if (bandwidth == 0) continue;
    const double time = 4 * static_cast<double>(devices) * states.parameters[states.size()] / bandwidth +
                        2 * greatest / bandwidth / machines.compression;
    if (!is_finite(time))
      refuse(joined({"levels[", l, "].bandwidth"}), shown(bandwidth), "is too slow: a time is not finite");
  }
}

STAGECUT_DECL nested_search::nested_search(const pipeline_states& states, const nested_machines& machines, bool memory)
    : states_(states), machines_(machines), memory_(memory), least_(no_nested_plan) {
  const std::size_t levels = machines.levels.size();
  const std::size_t points = states.size() + 1;
  costs_.resize(levels);  // costs_[l] is what level l gets from the level below
  for (std::size_t l = 0; l + 1 < levels; ++l) {
    const nested_prices prices(states, machines, l, costs_[l], memory);
    nested_level level(prices, 1, points);
    std::vector<double>& costs = costs_[l + 1];
    costs.assign(points * points, no_nested_plan);
    for (std::size_t first = states.size(); first-- > 0;) {
      level.open(first, &costs[first * points + 1]);
      level.add(first);
    }
  }
  const nested_prices prices(states, machines, levels - 1, costs_.back(), memory);
  nested_level level(prices, states.size(), points);
  for (std::size_t first = states.size(); first-- > 1;) level.add(first);
  level.open(0, &least_);
}

STAGECUT_DECL nested_cut nested_search::told() const {
  nested_cut result{{least_, least_}};
  const std::size_t levels = machines_.levels.size();
  nested_stage of{0, states_.size(), std::vector<std::size_t>(levels), std::vector<std::size_t>(levels)};
  tell(levels - 1, least_, of, result.stages);
  return result;
}

STAGECUT_DECL void nested_search::tell(std::size_t at, double cost, nested_stage& of,
                                       std::vector<nested_stage>& stages) const {
  const nested_prices prices(states_, machines_, at, costs_[at], memory_);
  nested_level level(prices, of.last, of.last + 1);
  for (std::size_t point = of.last; point-- > of.first + 1;) level.add(point);
  for (const auto& each : level.told(of.first, of.last, cost)) {
    of.first = each.first;
    of.last = each.last;
    of.replicas[at] = each.replicas;
    if (at == 0) {
      stages.push_back(of);
    } else {
      tell(at - 1, costs_[at][each.first * (states_.size() + 1) + each.last], of, stages);
    }
    ++of.parts[at];
  }
}

STAGECUT_DECL std::size_t most_stages(const pipeline_states& states) {
  if (states.later.empty()) return states.size();
  std::vector<std::size_t> most(states.size() + 1);
  for (std::size_t first = states.size(); first-- > 0;) {
    for (const std::size_t last : states.later[first]) {
      if (most[last] + 1 > most[first]) most[first] = most[last] + 1;
    }
  }
  return most[0];
}

/// Explains why there is no plan.
[[nodiscard]] inline reason why_not_nested(const pipeline_states& states, const nested_machines& machines) {
  const nested_search roomy(states, machines, true);
  if (roomy.least() == no_nested_plan) {
    std::size_t devices = 1;
    for (const machine_level& level : machines.levels) devices *= level.count;
    return {reason::cause::more_stages_than_layers, devices, most_stages(states)};
  }
  const double limit = *machines.memory_limit;
  return {reason::cause::memory, engine::whole_bytes(roomy.least()), engine::floor_bytes(limit), "a stage",
          joined({"there is a plan for devices of ", bytes_text(engine::whole_bytes(roomy.least()))})};
}

}  // namespace detail

STAGECUT_DECL outcome<nested_cut> minimize_nested_time_fn::operator()(const pipeline_states& states,
                                                                      const nested_machines& machines) const {
  check_pipeline_states(states);
  detail::check_nested_machines("minimize_nested_time", states, machines);
  const detail::nested_search search(states, machines, false);
  if (search.least() == detail::no_nested_plan) {
    return outcome<nested_cut>::infeasible(detail::why_not_nested(states, machines));
  }
  return outcome<nested_cut>::optimal(search.told());
}

}  // namespace stagecut::inline STAGECUT_ABI
