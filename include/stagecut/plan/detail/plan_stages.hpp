// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/detail/any_constraint.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/plan/detail/check_inference.hpp>
#include <stagecut/plan/detail/check_memory.hpp>
#include <stagecut/plan/detail/check_request.hpp>
#include <stagecut/plan/detail/describe_plan.hpp>
#include <stagecut/plan/detail/even_cut.hpp>
#include <stagecut/plan/detail/layer_costs.hpp>
#include <stagecut/plan/detail/least_time_per_token.hpp>
#include <stagecut/plan/detail/objective_cut.hpp>
#include <stagecut/plan/detail/requested_schedule.hpp>
#include <stagecut/plan/detail/why_no_plan.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/sequence/detail/stage_windows.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

// Plans by what the stages cost.
namespace stagecut::inline v0::detail {

/// Refuses what cannot be planned by the costs of stages.
inline void check_stages_request(std::string_view function, const profile& model, const plan_request& request) {
  check_request(function, model, request);
  const auto refuse = [&](const char* argument, const std::string& value, const std::string& requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  if (has_memory_limit(request) && request.chunks > 1) {
    const bool one = request.memory_per_device.has_value();
    refuse(one ? "memory_per_device" : "memory_of_devices",
           one ? std::to_string(*request.memory_per_device) : std::string("{…}"),
           "is not supported with chunks above 1, whose stages share a device: see make_plan");
  }
  const bool spread = request.objective == plan_objective::range || request.objective == plan_objective::variance;
  if (spread && !(request.speeds.empty() && request.links.empty() && !request.topology)) {
    refuse("objective", to_string(request.objective),
           "is of equal devices without messages: times that do not add up to the same whatever the cut have no mean "
           "to be near");
  }
  if (request.objective == plan_objective::makespan) refuse("objective", "makespan", "is what make_plan minimises");
  const schedule_entry& entry = entry_of(request.schedule);
  if (!entry.by_stage_costs) {
    const auto is_known = [](const schedule_entry& each) { return each.by_stage_costs; };
    refuse("schedule", entry.name, joined({"must be ", stagecut::list_names(schedules, " or ", is_known)}));
  }
  if (entry.chunks == 0 && request.chunks == 1) refuse("schedule", entry.name, "needs chunks above 1");
  if (request.chunks > 1 && entry_of(entry.with_chunks).chunks == 1) {
    refuse("schedule", entry.name, "has one stage on each device: chunks must be 1");
  }
  if (request.memory.checkpoint == checkpointing::except_last && !may_keep_last(entry)) {
    const auto may = [](const schedule_entry& each) { return may_keep_last(each); };
    refuse("memory.checkpoint", "except_last",
           joined({"needs the schedule ", stagecut::list_names(schedules, " or ", may),
                   ", where the last microbatch is the first to go back"}));
  }
}

/// Microbatches in flight, of every stage; empty if that is not known. In inference groups of requests, one unless said.
[[nodiscard]] inline std::vector<std::size_t> microbatches_kept(const profile& model, const plan_request& request) {
  std::vector<std::size_t> result = request.in_flight;
  if (model.inference) {
    result.resize(request.devices, 1);
    return result;
  }
  if (result.empty() && request.chunks > 1 && prediction_obstacle(request).empty()) {
    return microbatches_in_flight(schedule_of_request(request));
  }
  const schedule_entry& entry = entry_of(request.schedule);
  const bool all = entry.most_in_flight != nullptr && entry.most_in_flight(request.devices, 0) == all_in_flight;
  if (result.empty() && request.chunks == 1 && (!all || request.microbatches != 0 || has_memory_limit(request))) {
    return microbatches_in_flight(request.schedule, request.devices, request.microbatches);
  }
  for (std::size_t& each : result) {
    if (request.microbatches != 0 && request.microbatches < each) each = request.microbatches;
  }
  return result;
}

/// As many layers each, or the stage that does not fit.
[[nodiscard]] inline outcome<objective_cut> uniform_cut(const plan_request& request, std::size_t layers,
                                                        const training_memory& memory,
                                                        const std::vector<std::size_t>& in_flight) {
  const auto uniform = uniform_cuts(layers, request.devices * request.chunks);
  const auto most = static_cast<double>(uniform->cost);
  objective_cut result{uniform->cuts, most, most, {}};
  for (std::size_t s = 0; s < result.cuts.stages(); ++s) {
    const interval items = result.cuts.stage(s);
    result.costs.push_back(static_cast<double>(items.size()));
    if (!has_memory_limit(request)) continue;
    const double bytes = bytes_allowed(request, s);
    const double needed = memory(items.first, items.last, in_flight[s]).total();
    if (needed <= bytes) continue;
    return outcome<objective_cut>::infeasible({reason::cause::memory, whole_bytes(needed),
                                               static_cast<std::size_t>(floor_bytes(bytes)), joined({"stage ", s}),
                                               "cut by time or parameters instead, it may fit"});
  }
  return outcome<objective_cut>::optimal(std::move(result));
}

/// Cuts the blocks of layers that share a stage.
[[nodiscard]] inline outcome<objective_cut> best_stages_of(std::string_view function, const profile& model,
                                                           const plan_request& request, const cuts& blocks,
                                                           const layer_costs& measured, const training_memory& memory,
                                                           const std::vector<std::size_t>& in_flight) {
  const prefix_sums layers(measured.values);
  const known_prefixes<double> cost{merged_items(layers, blocks)};
  if (request.by == measure::layers && is_bottleneck(request.objective) && blocks.stages() == layers.size()) {
    return uniform_cut(request, layers.size(), memory, in_flight);
  }
  const bool timed = request.by == measure::time && measured.of == "time";
  if (timed) check_speeds(function, request, cost(0, cost.size()));
  const bool per_token = request.objective == plan_objective::time_per_token;
  if (per_token && !timed) fail(invalid_input("model", "no layer has a time"));
  const auto best = [&](const auto& within) {
    if (request.by == measure::layers && is_bottleneck(request.objective)) {
      return detail::evened(detail::best_by_objective(cost, request.devices * request.chunks, request, within), blocks,
                            within);
    }
    if (per_token) return detail::least_time_per_token(cost, model, blocks, request, within);
    return timed ? detail::best_by_time(cost, model, blocks, request, within)
                 : detail::best_by_objective(cost, request.devices * request.chunks, request, within);
  };
  if (!has_memory_limit(request)) return best(no_constraint());
  const memory_cap cap(memory, in_flight, bytes_of_devices(request));
  const merged_constraint within(cap, blocks);
  auto found = best(any_constraint(within));
  if (found) return found;
  return outcome<objective_cut>::infeasible(stage_shortage(model, request, blocks, memory, in_flight));
}

/// Plans a chain by what its stages cost, in the name of `function`. See `plan_chain`.
[[nodiscard]] inline outcome<plan> plan_stages(std::string_view function, const profile& model,
                                               const plan_request& request) {
  check_stages_request(function, model, request);
  const cuts blocks = blocks_of(function, model, request.forbidden_cuts, request.kept_together);
  const std::size_t stages = request.devices * request.chunks;
  if (stages > blocks.stages()) return outcome<plan>::infeasible(too_many_stages(blocks, stages));
  const training_memory memory(model, memory_of_request(model, request));
  const std::vector<std::size_t> in_flight = microbatches_kept(model, request);
  check_memory(memory, request, in_flight);
  const layer_costs measured = measured_costs(model, request, memory);
  const auto found = best_stages_of(function, model, request, blocks, measured, memory, in_flight);
  if (!found) return outcome<plan>::infeasible(found.why());

  plan result;
  result.cuts = expanded(function, blocks, found->cuts);
  const plan_objective reached = is_bottleneck(request.objective) ? plan_objective::bottleneck : request.objective;
  result.objective = {to_string(reached), measured.of, found->value, found->bound, found.state()};
  describe(result, model, request, memory, loop_placement(request.devices, request.chunks), in_flight);
  for (std::size_t s = 0; s < stages; ++s) result.stages[s].cost = found->costs[s];
  if (request.microbatches != 0) {
    result.schedule = {to_string(requested_kind(request)), request.microbatches};
  }
  if (prediction_obstacle(request).empty()) predict(result, false);
  return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                         : outcome<plan>::feasible(std::move(result));
}

}  // namespace stagecut::inline v0::detail
