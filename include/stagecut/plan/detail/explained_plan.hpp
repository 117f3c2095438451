// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/chosen_figures.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

// A plan whose stages can be rebuilt from its layers, to see the effect of another layer or another cut.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The profile of a plan with the figures that its layers run with, and without what a new plan would take from its
/// machine.
[[nodiscard]] inline profile profile_as_run(const plan& made) {
  profile result = made.profile;
  result.machine = {};
  for (std::size_t i = 0; i < made.choices.size() && i < result.layers.size(); ++i) {
    if (made.choices[i] == layer_choice{}) continue;
    const chosen_figures as = detail::chosen_figures_of(made.profile, made, i);
    const char* const why = as.wrong[0] != '\0' ? as.wrong : as.unknown;
    if (why[0] != '\0') fail(invalid_input(layer_text(made.profile, i), why));
    layer& each = result.layers[i];
    each.forward = as.forward;
    each.backward = as.backward;
    each.backward_weight = as.backward_weight;
    each.backward_input = as.backward_input;
    each.parameters = as.parameters;
    each.resident = as.resident;
    each.activations = as.activations;
    each.workspace = as.workspace;
    each.recomputed = as.recomputed;
    each.output = as.output;
    each.update = as.update;
  }
  return result;
}

/// A plan, and what is needed to rebuild its stages.
class explained_plan {
 public:
  /// @param made  a chain of stages with a schedule
  /// @throws      invalid_input for stages whose times differ from those of their layers, and as `schedule_of`
  explicit explained_plan(const plan& made) : made_(made) {
    made_.profile = detail::profile_as_run(made);
    made_.choices.clear();
    made_.timeline.clear();
    like_.speeds = made.speeds;
    like_.memory_accounting.parameter_multiplier = made.memory.parameter_multiplier;
    like_.memory_accounting.boundary_buffers = made.memory.boundary_buffers;
    find_checkpointing();
    find_memory();
    for (std::size_t s = 0; s < made_.stages.size(); ++s) remake(made_, s);  // to the last bit
    order_ = schedule_of(made_);
  }

  /// The plan, without its timeline; its layers as they are run.
  [[nodiscard]] const plan& made() const noexcept { return made_; }
  /// Its schedule.
  [[nodiscard]] const schedule& order() const noexcept { return order_; }
  /// What is recomputed, how memory is computed, and how fast devices are.
  [[nodiscard]] const plan_request& like() const noexcept { return like_; }
  /// Whether the memory of other stages is known.
  [[nodiscard]] bool knows_memory() const noexcept { return memory_.has_value(); }

  /// Rebuilds a stage of a changed plan from the layers between its cuts, at the speed of its device.
  void remake(plan& changed, std::size_t s) const {
    planned_stage& stage = changed.stages[s];
    plan_request like;
    like.speeds = changed.speeds;
    like.memory_accounting.checkpoint = like_.memory_accounting.checkpoint;
    const double all_reduce = stage.all_reduce;
    stage.forward = stage.backward = stage.all_reduce = 0;
    stage.backward_kept.reset();
    stage.backward_input.reset();
    stage.backward_weight.reset();
    detail::describe_passes(stage, changed.profile, changed.cuts.stage(s), like);
    if (whole_[s]) run_whole(stage, *whole_[s]);
    if (!updates_known_) stage.all_reduce = all_reduce;
    if (memory_) {
      stage.memory =
          detail::memory_of(*memory_, changed.profile, changed.cuts.stage(s), like_.memory_accounting.checkpoint);
    }
  }

  /// The end of the iteration of a changed plan with a schedule.
  [[nodiscard]] static double makespan_of(const plan& changed, const schedule& order) {
    return simulate(order, stagecut::times_of(changed, has_kind(order, op_kind::backward_input)), transfers_of(changed))
        .makespan;
  }

  /// Whether every device of a changed plan has enough memory.
  /// @param share  the share of the plan's memory that is available
  [[nodiscard]] bool fits(const plan& changed, const schedule& order, double share = 1) const {
    if (!changed.memory.memory_limit) return true;
    const stage_bytes bytes = bytes_of(changed);
    if (!memory_ || bytes.resident.empty()) return false;
    const auto ranks = stagecut::memory_curve(order, simulation<double>(), bytes);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::optional<double> limit = memory_limit_of(changed, r);
      if (!limit || detail::clearly_above(ranks[r].peak(), *limit * share)) return false;
    }
    return true;
  }

 private:
  /// At which part a stage runs its whole backward pass although its layers have parts; unset: at none.
  [[nodiscard]] static std::optional<bool> as_whole(const planned_stage& said, const planned_stage& found) {
    const std::optional<bool> for_weight = whole_for_weight(said);
    const bool own = for_weight && found.backward_weight && nearly_equal(*said.backward_weight, *found.backward_weight);
    return own ? std::nullopt : for_weight;
  }

  /// Whether its stages follow from its layers with that recomputation.
  [[nodiscard]] bool is_made_with(checkpointing checkpoint) {
    like_.memory_accounting.checkpoint = checkpoint;
    bool same = true;
    bool updates = true;
    whole_.assign(made_.stages.size(), std::nullopt);
    for (std::size_t s = 0; s < made_.stages.size(); ++s) {
      const planned_stage& said = made_.stages[s];
      planned_stage found;
      found.device = said.device;
      detail::describe_passes(found, made_.profile, made_.cuts.stage(s), like_);
      whole_[s] = as_whole(said, found);
      if (whole_[s]) run_whole(found, *whole_[s]);
      same = same && nearly_equal(said.forward, found.forward) && nearly_equal(said.backward, found.backward);
      same = same && said.backward_kept.has_value() == found.backward_kept.has_value();
      same = same && nearly_equal(said.backward_kept.value_or(0), found.backward_kept.value_or(0));
      if (said.backward_weight) {
        same = same && found.backward_weight && nearly_equal(*said.backward_weight, *found.backward_weight);
      }
      const auto input = [](const planned_stage& of) {
        return of.backward_input.value_or(of.backward - of.backward_weight.value_or(0));
      };
      same = same && nearly_equal(input(said), input(found), said.backward);
      updates = updates && nearly_equal(said.all_reduce, found.all_reduce);
      if (!same) wrong_ = s;
      if (!same) return false;
    }
    updates_known_ = updates;
    return true;
  }

  void find_checkpointing() {
    for (const named<checkpointing>& entry : checkpointing_names) {
      if (!made_.memory.checkpoint.empty() && made_.memory.checkpoint != entry.name) continue;
      if (is_made_with(entry.value)) return;
    }
    fail(invalid_input(joined({"stage ", wrong_}),
                       "its times are not the sums over its layers, which prices are computed from"));
  }

  /// Finds how the memory of the stages was computed, if that can be determined.
  void find_memory() {
    bool reckoned = !made_.memory.optimizer.empty();
    for (const planned_stage& stage : made_.stages) reckoned = reckoned && stage.in_flight != 0;
    for (const bool resident : {true, false}) {
      if (!reckoned) return;
      like_.memory_accounting.use_resident = resident;
      memory_.emplace(made_.profile, like_.memory_accounting);
      bool same = true;
      for (std::size_t s = 0; s < made_.stages.size() && same; ++s) {
        const planned_memory& said = made_.stages[s].memory;
        const planned_memory found =
            detail::memory_of(*memory_, made_.profile, made_.cuts.stage(s), like_.memory_accounting.checkpoint);
        same =
            nearly_equal(said.resident, found.resident, memory_->share(0, memory_->size(), 1)) &&
            nearly_equal(said.activations, found.activations, memory_->of_microbatch(0, memory_->size())) &&
            nearly_equal(said.workspace, found.workspace) && nearly_equal(said.buffers, found.buffers) &&
            nearly_equal(said.recomputed, found.recomputed, memory_->of_microbatch(0, memory_->size())) &&
            nearly_equal(said.recomputed_apart, found.recomputed_apart, memory_->recomputed_apart(0, memory_->size()));
      }
      if (same) return;
    }
    memory_.reset();
  }

  plan made_;
  plan_request like_{};
  schedule order_{};
  std::optional<training_memory> memory_{};
  bool updates_known_ = false;
  std::size_t wrong_ = 0;
  std::vector<std::optional<bool>> whole_{};  // for each stage, see `as_whole`
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
