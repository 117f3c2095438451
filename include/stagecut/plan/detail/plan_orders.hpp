// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/plan/chain_model.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/detail/target_reason.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/parts/check_makespan_request.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/stage_devices.hpp>
#include <stagecut/plan/parts/target_stages.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule.hpp>

// Plans by the makespan of an iteration together with the order of passes.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The possible placements of a request's stages.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> placements_of(const plan_request& request) {
  std::vector<std::vector<std::size_t>> result;
  if (request.stages_per_rank == 2 && request.devices > 1) result.push_back(v_placement(request.devices));
  result.push_back(loop_placement(request.devices, request.stages_per_rank));
  return result;
}

/// The search request for one placement of the stages.
///
/// PyTorch has nothing to compute for I of the first stage, and leaves everything to its W: that stage runs a whole B
/// at W.
[[nodiscard]] inline cut_and_schedule_request order_request_of(const profile& model, const plan_request& request,
                                                               std::vector<std::size_t> rank_of,
                                                               std::size_t placements) {
  cut_and_schedule_request asked;
  asked.rank_of = std::move(rank_of);
  asked.microbatches = request.microbatches;
  asked.family = request.best_in_flight ? schedule_family::in_flight : schedule_family::any;
  asked.split = !request.best_in_flight && model.splits_backward() &&
                request.memory_accounting.checkpoint == checkpointing::never;
  if (asked.split && request.target != framework::none && entry_of(request.target).weights_behind_inputs) {
    asked.whole.assign(asked.rank_of.size(), false);
    asked.whole[0] = true;
  }
  asked.links = links_of(request, asked.rank_of);
  asked.transfers = request.transfers;
  asked.search = request.search;
  if (asked.search.time_limit) *asked.search.time_limit /= static_cast<double>(placements);
  if (asked.search.node_limit) *asked.search.node_limit /= placements;
  asked.backends = request.backends;
  asked.memory_limit = request.memory_limit.scaled(1 - request.buffer_fraction);
  return asked;
}

/// The best of some answers; their bound is the least of theirs.
[[nodiscard]] inline outcome<cut_and_schedule> best_answer(const std::vector<outcome<cut_and_schedule>>& answers) {
  const outcome<cut_and_schedule>* best = nullptr;
  double bound = std::numeric_limits<double>::infinity();
  for (const auto& answer : answers) {
    if (answer.state() == state::infeasible) continue;
    bound = std::min(bound, answer ? answer->bound : 0);
    if (best == nullptr || !*best || (answer && answer->value < (*best)->value)) best = &answer;
  }
  if (best == nullptr || !*best) return best == nullptr ? answers[0] : *best;
  cut_and_schedule made = **best;
  made.bound = std::min(bound, made.value);
  return made.bound == made.value ? outcome<cut_and_schedule>::optimal(std::move(made))
                                  : outcome<cut_and_schedule>::feasible(std::move(made));
}

/// Plans a chain for the least makespan with the best order. See `make_plan`.
/// @param obstacle  why there is no makespan to minimise; empty: there is one
[[nodiscard]] inline outcome<plan> plan_orders(const profile& model, const plan_request& given,
                                               const std::string& obstacle) {
  if (!obstacle.empty()) {
    const bool made = given.schedule == schedule_kind::synthesized;
    fail(argument_error("make_plan", made ? "schedule" : "best_in_flight", made ? to_string(given.schedule) : "true",
                        joined({"is found by the makespan: ", obstacle})));
  }
  const plan_request request = with_target(model, given);
  check_makespan_request(model, request);
  const double began = seconds_now();
  const cuts blocks = blocks_of("make_plan", model, request.forbidden_cuts, request.kept_together);
  const std::size_t stages = request.devices * request.stages_per_rank;
  if (stages > blocks.stages()) {
    return outcome<plan>::infeasible(too_many_target_stages(model, request, blocks, stages));
  }
  const training_memory memory(model, request.memory_accounting);
  check_memory(memory, request, std::vector<std::size_t>(stages, request.microbatches));
  const chain_model chain(model, request.memory_accounting, blocks);
  // The search asks which stages run whole, and makes the order for that.
  const target_stages allowed = stages_of_target(model, request, blocks).of_order(std::vector<bool>(stages, false));
  const auto placements = placements_of(request);
  std::vector<outcome<cut_and_schedule>> answers;
  for (const auto& rank_of : placements) {
    const device_chain on(chain, speeds_of_stages(request, rank_of), allowed);
    cut_and_schedule_request asked = order_request_of(model, request, rank_of, placements.size());
    asked.start = start_of(request, blocks);
    answers.push_back(on.best(asked));
  }
  const outcome<cut_and_schedule> found = best_answer(answers);
  if (found.state() == state::infeasible) {
    cut_and_schedule_request asked = order_request_of(model, request, placements[0], 1);
    if (allowed.runs_some_whole()) asked.split = false;
    makespan_request one;
    one.schedule = one_at_a_time(asked);
    one.links = asked.links;
    one.memory_limit = asked.memory_limit;
    one.search = request.search;
    const device_chain on(chain, speeds_of_stages(request, placements[0]), allowed);
    return outcome<plan>::infeasible(
        explain_infeasible_best_cut(on, model, request, blocks, memory, one, allowed, began));
  }
  if (!found) return outcome<plan>::unknown(found.why());
  const makespan_cut cut{{found->value, found->bound}, found->cuts};
  plan made = plan_of(model, request, found->schedule, memory, chain, cut, found.state());
  return made.objective.state == state::optimal ? outcome<plan>::optimal(std::move(made))
                                                : outcome<plan>::feasible(std::move(made));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
