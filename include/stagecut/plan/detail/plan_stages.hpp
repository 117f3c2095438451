// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/parts/any_constraint.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/plan/detail/check_inference.hpp>
#include <stagecut/plan/detail/decoder_layouts.hpp>
#include <stagecut/plan/detail/explain_infeasible_plan.hpp>
#include <stagecut/plan/detail/layer_costs.hpp>
#include <stagecut/plan/detail/least_time_per_token.hpp>
#include <stagecut/plan/detail/moments_kept.hpp>
#include <stagecut/plan/detail/objective_cut.hpp>
#include <stagecut/plan/detail/shared_devices.hpp>
#include <stagecut/plan/detail/target_reason.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/target_stages.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

// Plans by the costs of stages.
namespace stagecut::inline STAGECUT_ABI::detail {

// Errors in a request whose stages are cut by their costs, and what these keep.

/// Rejects microbatches that the schedule of a request cannot run, like the schedule itself.
inline void check_shape_of(const plan_request& request) {
  const schedule_entry& meant = entry_of(requested_kind(request));
  if (request.microbatches == 0 || request.group != 0 || meant.fits == nullptr) return;
  if (meant.fits(request.devices, request.stages_per_rank, request.microbatches)) return;
  (void)schedule_of_request(request);
}

/// Whether it is known what stages keep: by a rule, or by the order of a schedule that can be made.
[[nodiscard]] inline bool knows_in_flight(const plan_request& request) {
  const bool rule = request.stages_per_rank == 1 && entry_of(request.schedule).most_in_flight != nullptr;
  return rule || !request.in_flight.empty() || prediction_obstacle(request).empty();
}

/// Rejects what cannot be planned by the costs of stages.
inline void check_stages_request(std::string_view function, const profile& model, const plan_request& request) {
  check_request(function, model, request);
  const auto refuse = [&](const char* argument, const std::string& value, const std::string& requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  const bool spread = request.objective == plan_objective::range || request.objective == plan_objective::variance;
  if (spread && !(request.speeds.empty() && request.links.empty() && !request.topology)) {
    refuse("objective", to_string(request.objective),
           "is of equal devices without messages: times that do not add up to the same whatever the cut have no mean "
           "to be near");
  }
  if (request.objective == plan_objective::makespan) refuse("objective", "makespan", "is what make_plan minimises");
  const schedule_entry& entry = entry_of(request.schedule);
  if (needs_more(entry)) refuse("schedule", entry.name, "is not one that a chain is planned for");
  if (entry.stages_per_rank == 0 && request.stages_per_rank == 1)
    refuse("schedule", entry.name, "needs stages_per_rank above 1");
  if (request.stages_per_rank > 1 && entry_of(entry.with_stages_per_rank).stages_per_rank == 1) {
    refuse("schedule", entry.name, "has one stage on each device: stages_per_rank must be 1");
  }
  if (request.stages_per_rank == 1 && entry.stages_per_rank > 1) {
    refuse("schedule", entry.name,
           joined({"has ", entry.stages_per_rank, " stages on each device: set stages_per_rank"}));
  }
  check_shape_of(request);
  if (recomputes_apart(request)) {
    refuse("memory_accounting.checkpoint", "always", joined({"needs a schedule that runs B as one, not ", entry.name}));
  }
  if (request.memory_limit && !knows_in_flight(request)) {
    const bool one = request.memory_limit.for_all().has_value();
    refuse(one ? "memory_limit" : "memory_limit",
           one ? std::to_string(*request.memory_limit.for_all()) : std::string("{…}"),
           joined({"limits what the order of ", entry_of(requested_kind(request)).name,
                   " keeps, and that is not known: ", prediction_obstacle(request)}));
  }
  if (request.memory_accounting.checkpoint == checkpointing::except_last && !may_keep_last(entry)) {
    const auto may = [](const schedule_entry& each) { return may_keep_last(each); };
    refuse("memory_accounting.checkpoint", "except_last",
           joined({"needs the schedule ", stagecut::list_names(schedules, " or ", may),
                   ", where the last microbatch is the first to go back"}));
  }
}

/// Microbatches in flight, for each stage; empty if unknown. In inference groups of requests, one by default.
[[nodiscard]] inline std::vector<std::size_t> microbatches_kept(const profile& model, const plan_request& request) {
  std::vector<std::size_t> result = request.in_flight;
  if (model.inference) {
    result.resize(request.devices, 1);
    return result;
  }
  const schedule_entry& entry = entry_of(request.schedule);
  const bool rule = request.stages_per_rank == 1 && entry.most_in_flight != nullptr;
  if (result.empty() && !rule && prediction_obstacle(request).empty()) {
    return microbatches_in_flight(schedule_of_request(request));
  }
  const bool all = rule && entry.most_in_flight(request.devices, 0) == all_in_flight;
  if (result.empty() && rule && (!all || request.microbatches != 0 || request.memory_limit)) {
    return microbatches_in_flight(request.schedule, request.devices, request.microbatches);
  }
  for (std::size_t& each : result) {
    if (request.microbatches != 0 && request.microbatches < each) each = request.microbatches;
  }
  return result;
}

/// The most even cut of blocks into stages of at most `most` layers: it has the least sum of squared layer counts; ties
/// go to the cut whose first stage is longest, then the next, and so on.
///
/// @param blocks   the layers of each item of the chain
/// @param stages   k
/// @param most     layers of a stage; a cut within that must be allowed
/// @param allowed  whether the blocks `[first, last)` may be a stage: called for all that have at most `most` layers
/// @return         cut points between blocks
///
/// If the n layers are one block each, O(k (k most - n + 1) most) calls of `allowed`.
[[nodiscard]] inline cuts even_cut(const cuts& blocks, std::size_t stages, std::size_t most,
                                   function_ref<bool(std::size_t stage, std::size_t first, std::size_t last)> allowed) {
  struct suffix {
    std::size_t squares = ~std::size_t{0};  // none is known
    std::size_t end = 0;                    // of its first stage
  };
  const std::size_t n = blocks.stages();
  // Stage s begins at a block from lowest[s] on, so that the stages before it, and from it on, can hold their layers.
  std::vector<std::size_t> lowest(stages + 1);
  std::vector<std::vector<suffix>> from(stages + 1);
  std::size_t first = 0, last = 0;
  for (std::size_t s = 0; s <= stages; ++s) {
    const std::size_t behind = (stages - s) * most;
    while (blocks[first] + behind < blocks[n]) ++first;
    while (last < n && blocks[last + 1] <= s * most) ++last;
    lowest[s] = first;
    from[s].resize(last < first ? 0 : last - first + 1);
  }
  from[stages].back().squares = 0;
  for (std::size_t s = stages; s-- != 0;) {
    for (std::size_t at = 0; at < from[s].size(); ++at) {
      const std::size_t begin = lowest[s] + at;
      for (std::size_t next = 0; next < from[s + 1].size(); ++next) {
        const std::size_t end = lowest[s + 1] + next;
        if (end <= begin || from[s + 1][next].squares == ~std::size_t{0}) continue;
        const std::size_t layers = blocks[end] - blocks[begin];
        if (layers > most) break;
        const std::size_t squares = from[s + 1][next].squares + layers * layers;
        if (squares <= from[s][at].squares && allowed(s, begin, end)) from[s][at] = {squares, end};
      }
    }
  }
  std::vector<std::size_t> points = {0};
  for (std::size_t s = 0; s < stages; ++s) points.push_back(from[s][points.back() - lowest[s]].end);
  return cuts(std::move(points));
}

/// Evens out a cut whose longest stage is as short as possible.
/// @param blocks  the layers of each of its items
/// @param within  the constraint that it satisfies
template <stage_constraint Constraint>
[[nodiscard]] outcome<objective_cut> evened(outcome<objective_cut> found, const cuts& blocks,
                                            const Constraint& within) {
  if (!found) return found;
  const auto allowed = [&](std::size_t s, std::size_t first, std::size_t last) -> bool {
    return within(s, first, last);
  };
  found->cuts = even_cut(blocks, found->cuts.stages(), static_cast<std::size_t>(found->value), allowed);
  for (std::size_t s = 0; s < found->costs.size(); ++s) {
    found->costs[s] = static_cast<double>(blocks[found->cuts[s + 1]] - blocks[found->cuts[s]]);
  }
  return found;
}

/// The cut with equally many layers per stage, or the stage that does not fit.
[[nodiscard]] inline outcome<objective_cut> uniform_cut(const plan_request& request, std::size_t layers,
                                                        const training_memory& memory,
                                                        const std::vector<stage_moments>& held) {
  const std::vector<std::size_t> rank_of = placement_of(request);
  const auto uniform = uniform_cuts(layers, request.devices * request.stages_per_rank);
  const auto most = static_cast<double>(uniform->value);
  objective_cut result{uniform->cuts, most, most, {}};
  for (std::size_t s = 0; s < result.cuts.stages(); ++s) {
    const interval items = result.cuts.stage(s);
    result.costs.push_back(static_cast<double>(items.size()));
    if (!request.memory_limit) continue;
    const double bytes = bytes_allowed(request, rank_of[s]);
    const double needed = memory.most(items.first, items.last, held[s]);
    if (needed <= bytes) continue;
    return outcome<objective_cut>::infeasible({reason::cause::memory, engine::whole_bytes(needed),
                                               engine::floor_bytes(bytes), joined({"stage ", s}),
                                               "cut by time or parameters instead, it may fit"});
  }
  return outcome<objective_cut>::optimal(std::move(result));
}

/// Bytes that each stage may use: a share of its device's.
[[nodiscard]] inline std::vector<double> bytes_of_stages(const plan_request& request, double share) {
  std::vector<double> result;
  for (const std::size_t rank : placement_of(request)) result.push_back(share * bytes_allowed(request, rank));
  return result;
}

/// Whether a request asks for equally many layers per stage, each layer a block of its own.
[[nodiscard]] inline bool is_uniform(const plan_request& request, const cuts& blocks) noexcept {
  return request.by == measure::layers && is_bottleneck(request.objective) && blocks.stages() == blocks.items();
}

/// Cuts the blocks of layers that share a stage.
///
/// @param share  the share of its device's memory that a stage may use, if there is a limit
[[nodiscard]] inline outcome<objective_cut> best_stages_of(std::string_view function, const profile& model,
                                                           const plan_request& request, const cuts& blocks,
                                                           const layer_costs& measured, const training_memory& memory,
                                                           const std::vector<stage_moments>& held, double share,
                                                           const target_stages& allowed) {
  const prefix_sums layers(measured.values);
  const known_prefixes<double> cost{merged_items<const prefix_sums<double>&>(layers, blocks)};
  if (is_uniform(request, blocks) && !allowed.any()) {
    return uniform_cut(request, layers.size(), memory, held);
  }
  const bool timed = request.by == measure::time && measured.of == "time";
  if (timed) check_speeds(function, request, cost(0, cost.size()));
  const bool per_token = request.objective == plan_objective::time_per_token;
  if (per_token && !timed) fail(invalid_input("model", "no layer has a time"));
  const auto best = [&](const auto& within) {
    if (request.by == measure::layers && is_bottleneck(request.objective)) {
      return detail::evened(detail::best_by_objective(cost, request.devices * request.stages_per_rank, request, within),
                            blocks, within);
    }
    if (per_token) return detail::least_time_per_token(cost, model, blocks, request, within);
    return timed ? detail::best_by_time(cost, model, blocks, request, within)
                 : detail::best_by_objective(cost, request.devices * request.stages_per_rank, request, within);
  };
  if (!request.memory_limit) return allowed.any() ? best(any_constraint(allowed)) : best(no_constraint());
  const memory_cap<const training_memory&> cap(memory, bytes_of_stages(request, share), held);
  const merged_constraint<const decltype(cap)&> within(cap, blocks);
  if (allowed.any()) {
    const all_of both{constraint_ref(allowed), constraint_ref(within)};
    return best(any_constraint(both));
  }
  auto found = best(any_constraint(within));
  if (found) return found;
  if (request.stages_per_rank == 1) {
    return outcome<objective_cut>::infeasible(stage_shortage(model, request, blocks, memory, held));
  }
  return outcome<objective_cut>::infeasible(lone_stage_shortage(request, blocks, memory, held));
}

/// The same; if a target can express only few cuts, the best of those.
[[nodiscard]] inline outcome<objective_cut> best_layout_of(std::string_view function, const profile& model,
                                                           const plan_request& request, const cuts& blocks,
                                                           const layer_costs& measured, const training_memory& memory,
                                                           const std::vector<stage_moments>& held, double share,
                                                           target_stages& allowed) {
  const std::vector<cuts> layouts = layouts_of(request, model, blocks);
  if (layouts.empty()) return outcome<objective_cut>::infeasible({reason::cause::constraint});
  const auto lower = [](const cuts&) { return -std::numeric_limits<double>::infinity(); };
  const auto evaluate = [&](const cuts& layout) {
    allowed.pin(layout);
    return best_stages_of(function, model, request, blocks, measured, memory, held, share, allowed);
  };
  const auto value = [](const objective_cut& cut) { return cut.value; };
  auto found = best_layout<objective_cut>(layouts, lower, evaluate, value, 0);
  if (!found) return found;
  objective_cut answer = *std::move(found);
  answer.bound = answer.value;
  return outcome<objective_cut>::optimal(std::move(answer));
}

/// Why a search for stages that a target can express found none.
[[nodiscard]] inline reason explain_infeasible_stages(const profile& model, const plan_request& request,
                                                      const cuts& blocks, const training_memory& memory,
                                                      const std::vector<stage_moments>& held,
                                                      const target_stages& allowed) {
  const target_entry& entry = entry_of(request.target);
  const auto rule = target_conflict(entry, model, blocks, allowed, request.devices, request.stages_per_rank);
  if (rule) return *rule;
  if (!request.memory_limit) {
    return {reason::cause::constraint, 0, 0, joined({entry.name, ": no cut has every layer in its place"}), ""};
  }
  if (!request.memory_limit.of_ranks().empty()) return stage_shortage(model, request, blocks, memory, held);
  const auto bytes = [&](std::size_t s, std::size_t first, std::size_t last) {
    return memory.most(blocks[first], blocks[last], held[s]);
  };
  return target_shortage(entry, blocks, allowed, layouts_of(request, model, blocks),
                         request.devices * request.stages_per_rank, bytes_allowed(request, 0), bytes);
}

/// Plans a chain by the costs of its stages, on behalf of `function`. See `plan_chain`.
[[nodiscard]] inline outcome<plan> plan_stages(std::string_view function, const profile& model,
                                               const plan_request& given) {
  const plan_request request = with_target(model, given);
  check_stages_request(function, model, request);
  const cuts blocks = blocks_of(function, model, request.forbidden_cuts, request.kept_together);
  const std::size_t stages = request.devices * request.stages_per_rank;
  if (stages > blocks.stages()) {
    return outcome<plan>::infeasible(too_many_target_stages(model, request, blocks, stages));
  }
  const training_memory memory(model, memory_of_request(model, request));
  const std::vector<std::size_t> in_flight = microbatches_kept(model, request);
  check_memory(memory, request, in_flight);
  const std::vector<stage_moments> held = moments_kept(model, request, in_flight);
  const layer_costs measured = measured_costs(model, request, memory);
  target_stages allowed = stages_of_target(model, request, blocks);
  const auto cut_within = [&](const plan_request& asked, double share) {
    return has_layouts(request)
               ? best_layout_of(function, model, asked, blocks, measured, memory, held, share, allowed)
               : best_stages_of(function, model, asked, blocks, measured, memory, held, share, allowed);
  };
  const auto planned = [&](const objective_cut& found, stagecut::state proved) {
    plan result;
    result.cuts = expanded(function, blocks, found.cuts);
    const plan_objective reached = is_bottleneck(request.objective) ? plan_objective::bottleneck : request.objective;
    result.objective = {to_string(reached), measured.of, found.value, found.bound, proved};
    describe(result, model, request, memory, placement_of(request), in_flight);
    for (std::size_t s = 0; s < stages; ++s) result.stages[s].cost = found.costs[s];
    const schedule_entry& meant = entry_of(requested_kind(request));
    if (request.microbatches != 0) result.schedule = {meant.name, request.microbatches, {}, request.group};
    if (prediction_obstacle(request).empty()) predict(result, meant.splits_backward);
    return result;
  };
  const auto found = cut_within(request, 1);
  if (!found) {
    return outcome<plan>::infeasible(
        allowed.any() ? explain_infeasible_stages(model, request, blocks, memory, held, allowed) : found.why());
  }
  plan result = planned(*found, found.state());
  if (request.memory_limit && request.stages_per_rank > 1) {
    if (const auto over = fullest_over_limit(result)) {
      if (is_uniform(request, blocks) && !allowed.any()) return outcome<plan>::infeasible(*over);
      return detail::within_shared_devices(request, *over, result, cut_within, planned);
    }
  }
  return found.state() == state::optimal ? outcome<plan>::optimal(std::move(result))
                                         : outcome<plan>::feasible(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
