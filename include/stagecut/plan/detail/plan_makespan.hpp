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
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/with_speeds.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/minimize_cut_and_schedule.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/plan/chain_model.hpp>
#include <stagecut/plan/detail/decoder_layouts.hpp>
#include <stagecut/plan/detail/explain_infeasible_plan.hpp>
#include <stagecut/plan/detail/target_reason.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/parts/check_makespan_request.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/stage_devices.hpp>
#include <stagecut/plan/parts/target_stages.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// Plans by the makespan of an iteration.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A chain on devices of different speeds, whose stage 0 may run its backward pass whole at W, and nothing at I.
class staged_chain : public with_speeds<chain_model> {
 public:
  /// No axioms: stages differ.
  using axioms = stagecut::axioms<>;

  /// @param speeds  of each stage
  staged_chain(chain_model chain, std::vector<double> speeds, bool whole_first)
      : with_speeds(std::move(chain), std::move(speeds)), whole_first_(whole_first) {}

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] double backward_weight(std::size_t stage, std::size_t item) const {
    return is_whole(stage) ? with_speeds::backward(stage, item) : with_speeds::backward_weight(stage, item);
  }
  [[nodiscard]] double backward_input(std::size_t stage, std::size_t item) const {
    return is_whole(stage) ? 0 : with_speeds::backward_input(stage, item);
  }
  /// @}

 private:
  [[nodiscard]] bool is_whole(std::size_t stage) const noexcept { return whole_first_ && stage == 0; }

  bool whole_first_;
};

/// Whether a schedule runs whole backward passes in addition to I and W, as DualPipeV does.
[[nodiscard]] inline bool mixes_backward(const schedule& order) {
  return has_kind(order, op_kind::backward) && has_kind(order, op_kind::backward_input);
}

/// The model with split gradients that take at most as long as together. Planners for the makespan know only I and W,
/// and use both for a whole backward pass: so nothing counts more than it takes, and a bound for the cuts of this model
/// is one for the model itself.
[[nodiscard]] inline profile least_gradients(profile model) {
  for (auto& layer : model.layers) {
    if (!layer.backward_input || !layer.backward_weight) continue;
    double& weight = *layer.backward_weight;
    double& input = *layer.backward_input;
    if (weight > layer.backward) weight = layer.backward;
    if (input > layer.backward - weight) input = layer.backward - weight;
  }
  return model;
}

/// Whether a search is limited by nodes alone, so that its results are the same on every machine.
[[nodiscard]] inline bool by_nodes(const search_options& limits) { return limits.node_limit && !limits.time_limit; }

/// A chain on its devices: the search for its best cut, with any memory.
class device_chain {
 public:
  /// @param whole_first  as in `staged_chain`
  device_chain(const chain_model& chain, std::vector<double> speeds, target_stages allowed, bool whole_first = false)
      : chain_(chain), speeds_(std::move(speeds)), allowed_(std::move(allowed)), whole_first_(whole_first) {}

  [[nodiscard]] outcome<makespan_cut> best(const makespan_request& asked) const {
    return is_plain() ? minimize_makespan(chain_, asked, allowed_)
                      : minimize_makespan(staged(asked.schedule.rank_of.size()), asked, allowed_);
  }

  /// The best cut and the order that runs it.
  [[nodiscard]] outcome<cut_and_schedule> best(const cut_and_schedule_request& asked) const {
    return is_plain() ? minimize_cut_and_schedule(chain_, asked, allowed_)
                      : minimize_cut_and_schedule(staged(asked.rank_of.size()), asked, allowed_);
  }

  /// The best of these cuts. Each is optimal by itself: what remains to prove is which one wins.
  [[nodiscard]] outcome<makespan_cut> best_of(const std::vector<cuts>& layouts, const makespan_request& asked,
                                              double end) {
    const bool split = has_kind(asked.schedule, op_kind::backward_input);
    std::vector<double> before = {0};
    for (std::size_t b = 0; b < chain_.size(); ++b) {
      const double backward =
          split ? chain_.backward_input(0, b) + chain_.backward_weight(0, b) : chain_.backward(0, b);
      before.push_back(before.back() + chain_.forward(0, b) + backward);
    }
    // A device takes at least the time of all its passes.
    const auto lower = [&](const cuts& layout) {
      double most = 0;
      for (std::size_t s = 0; s < layout.stages(); ++s) {
        const double speed = speeds_.empty() ? 1 : speeds_[s];
        const double here = (before[layout[s + 1]] - before[layout[s]]) / speed;
        most = std::max(most, here);
      }
      return most * static_cast<double>(asked.schedule.microbatches) * (1 - 0x1p-30);
    };
    const auto evaluate = [&](const cuts& layout) {
      allowed_.pin(layout);
      return best(asked);
    };
    const auto value = [](const makespan_cut& cut) { return cut.value; };
    outcome<makespan_cut> found = best_layout<makespan_cut>(layouts, lower, evaluate, value, end);
    if (!found) return found;
    makespan_cut answer = *found;
    answer.bound = found.state() == state::optimal ? answer.value : least_of(layouts, lower);
    return found.state() == state::optimal ? outcome<makespan_cut>::optimal(std::move(answer))
                                           : outcome<makespan_cut>::feasible(std::move(answer));
  }

  /// Whether some cut fits into that many bytes on the device that has most; unset if not known at the time `end`.
  [[nodiscard]] std::optional<bool> fits(makespan_request asked, double bytes, double end) const {
    const double left = end - seconds_now();
    if (left < 0) return std::nullopt;
    // The first cut that fits is enough.
    bool found_one = false;
    const auto watch = [&](const search_progress& now) { found_one = found_one || now.value > 0; };
    const auto user = asked.search.stop;
    const auto stop = [&] { return found_one || (user && user()); };
    if (asked.memory_limit.of_ranks().empty()) asked.memory_limit = bytes;
    if (!asked.memory_limit.of_ranks().empty()) asked.memory_limit = stretched(asked.memory_limit.of_ranks(), bytes);
    asked.search = {.time_limit = left, .node_limit = by_nodes(asked.search) ? asked.search.node_limit : std::nullopt};
    asked.search.progress = watch;
    asked.search.stop = stop;
    const outcome<makespan_cut> made = best(asked);
    if (made.state() == state::unknown) return std::nullopt;
    return made.has_value();
  }

 private:
  /// Whether all stages are alike.
  [[nodiscard]] bool is_plain() const noexcept { return speeds_.empty() && !whole_first_; }
  [[nodiscard]] staged_chain staged(std::size_t stages) const {
    return {chain_, speeds_.empty() ? std::vector<double>(stages, 1) : speeds_, whole_first_};
  }

  [[nodiscard]] static double least_of(const std::vector<cuts>& layouts, function_ref<double(const cuts&)> lower) {
    double least = std::numeric_limits<double>::infinity();
    for (const cuts& layout : layouts) least = lower(layout) < least ? lower(layout) : least;
    return least;
  }

  const chain_model& chain_;
  std::vector<double> speeds_;
  target_stages allowed_;
  bool whole_first_;
};

/// The initial cut, of blocks; unset if there is none, or it has other stages, or splits a block.
[[nodiscard]] inline std::optional<cuts> start_of(const plan_request& request, const cuts& blocks) {
  if (request.start.stages() == 0 || request.start.stages() != request.devices * request.stages_per_rank)
    return std::nullopt;
  std::vector<std::size_t> points;
  for (std::size_t b = 0; b <= blocks.stages() && points.size() <= request.start.stages(); ++b) {
    if (blocks[b] == request.start[points.size()]) points.push_back(b);
  }
  return points.size() == request.start.stages() + 1 ? std::optional(cuts(std::move(points))) : std::nullopt;
}

/// The deadline of a search that began then for why nothing fits: within the time limit, and after 4 seconds; none if
/// only nodes are counted.
[[nodiscard]] inline double end_of_reasons(const plan_request& request, double began) {
  if (by_nodes(request.search)) return std::numeric_limits<double>::infinity();
  const double end = seconds_now() + 4;
  const auto& limit = request.search.time_limit;
  return limit && end > began + *limit ? began + *limit : end;
}

/// A plan with the cuts that were found.
[[nodiscard]] inline plan plan_of(const profile& model, const plan_request& request, const schedule& order,
                                  const training_memory& memory, const chain_model& chain, const makespan_cut& found,
                                  stagecut::state proved) {
  plan result;
  result.cuts = chain.expand(found.cuts);
  describe(result, model, request, memory, order.rank_of, microbatches_in_flight(order));
  result.schedule = {order.name, request.microbatches, {}, request.group};
  if (order.name.empty()) result.schedule.orders = order.orders;
  const bool split = has_kind(order, op_kind::backward_input);
  for (planned_stage& stage : result.stages) {
    const bool parts = split && stage.backward_input && !mixes_backward(order);  // whole ones are the same sum
    stage.cost = stage.forward + (parts ? *stage.backward_input + *stage.backward_weight : stage.backward);
  }
  predict(result, split);
  // Both sum the same times in different orders: the proof outweighs a difference in rounding.
  const double value = last_pass(result);
  const double bound = found.bound < value ? found.bound : value;
  const bool optimal = proved == state::optimal && value - bound <= value * 0x1p-30;
  result.objective = {"makespan", "time", value, bound, optimal ? state::optimal : state::feasible};
  return result;
}

/// Searches the best cut of a chain among the few that a target can express.
[[nodiscard]] inline outcome<makespan_cut> best_expressible_cut(device_chain& on, const profile& model,
                                                                const plan_request& request, const cuts& blocks,
                                                                const makespan_request& asked, double began) {
  const std::vector<cuts> layouts = layouts_of(request, model, blocks);
  if (layouts.empty()) return outcome<makespan_cut>::infeasible({reason::cause::constraint});
  const auto& limit = request.search.time_limit;
  return on.best_of(layouts, asked, limit ? began + *limit : 0);
}

/// Why a search for a cut found none.
[[nodiscard]] inline reason explain_infeasible_best_cut(const device_chain& on, const profile& model,
                                                        const plan_request& request, const cuts& blocks,
                                                        const training_memory& memory, const makespan_request& asked,
                                                        const target_stages& allowed, double began) {
  const std::vector<stage_moments> held_then = engine::moments_of(asked.schedule);
  if (request.target != framework::none) {
    const target_entry& entry = entry_of(request.target);
    const auto rule = target_conflict(entry, model, blocks, allowed, request.devices, request.stages_per_rank);
    if (rule) return *rule;
    if (!request.memory_limit) {
      return {reason::cause::constraint, 0, 0, joined({entry.name, ": no cut has every layer in its place"}), ""};
    }
    if (request.stages_per_rank == 1 && request.memory_limit.of_ranks().empty()) {
      const auto held = [&](std::size_t s, std::size_t first, std::size_t last) {
        return memory.most(blocks[first], blocks[last], held_then[s]);
      };
      return target_shortage(entry, blocks, allowed, layouts_of(request, model, blocks), request.devices,
                             bytes_allowed(request, 0), held);
    }
  }
  if (request.stages_per_rank == 1) return stage_shortage(model, request, blocks, memory, held_then);
  const double end = end_of_reasons(request, began);
  const auto fits = [&](double bytes) { return on.fits(asked, bytes, end); };
  return detail::chunks_shortage(request, fits);
}

/// Plans a chain by the makespan of an iteration. See `make_plan`.
/// @pre the initial cut breaks no rule
[[nodiscard]] inline outcome<plan> plan_makespan(const profile& model, const plan_request& given) {
  const plan_request request = with_target(model, given);
  const whole_stages whole = whole_stages_of(request);
  const profile run = whole == whole_stages::all ? with_whole_backward(model) : model;
  check_makespan_request(run, request);
  const double began = seconds_now();
  const cuts blocks = blocks_of("make_plan", model, request.forbidden_cuts, request.kept_together);
  const std::size_t stages = request.devices * request.stages_per_rank;
  makespan_request asked;
  asked.schedule = schedule_of_request(request);
  if (stages > blocks.stages()) {
    return outcome<plan>::infeasible(too_many_target_stages(model, request, blocks, stages));
  }
  asked.links = links_of(request, asked.schedule.rank_of);
  asked.transfers = request.transfers;
  if (!has_layouts(request)) asked.start = start_of(request, blocks);
  asked.search = request.search;
  asked.backends = request.backends;
  asked.memory_limit = request.memory_limit.scaled(1 - request.buffer_fraction);
  const training_memory memory(model, request.memory_accounting);
  check_memory(memory, request, microbatches_in_flight(asked.schedule));
  const bool mixed = mixes_backward(asked.schedule);
  const chain_model chain = mixed ? chain_model(least_gradients(run), request.memory_accounting, blocks)
                                  : chain_model(run, request.memory_accounting, blocks);
  const target_stages allowed = stages_of_target(model, request, blocks);
  device_chain on(chain, speeds_of_stages(request, asked.schedule.rank_of), allowed, whole == whole_stages::first);
  const auto found =
      has_layouts(request) ? best_expressible_cut(on, model, request, blocks, asked, began) : on.best(asked);
  if (found.state() == state::infeasible) {
    return outcome<plan>::infeasible(
        explain_infeasible_best_cut(on, model, request, blocks, memory, asked, allowed, began));
  }
  if (!found) return outcome<plan>::unknown(found.why());
  plan made = plan_of(model, request, asked.schedule, memory, chain, *found, found.state());
  return made.objective.state == state::optimal ? outcome<plan>::optimal(std::move(made))
                                                : outcome<plan>::feasible(std::move(made));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
