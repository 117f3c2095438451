// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/counts_obstacle.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/target_schedules.hpp>
#include <stagecut/plan/parts/target_stages.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

// Which changes of a plan help.
namespace stagecut::inline STAGECUT_ABI::detail {

// Which changed plans a target can express.

/// Whether a target can express plans of one model with the same devices and chunks. Without a target all are allowed.
class target_plans {
 public:
  /// @param made  one of the plans
  /// @pre `check_target_model` rejects nothing
  target_plans(framework to, const plan& made) : to_(to), chunks_(made.stages_per_rank) {
    if (to == framework::none) {
      blocks_ = layer_blocks(made.profile);
      return;
    }
    const target_entry& entry = entry_of(to);
    kept_ = kept_by_target(entry, made.profile);
    blocks_ = layer_blocks(made.profile, {}, kept_);
    std::vector<std::size_t> each;
    for (std::size_t i = 0; i <= made.profile.layers.size(); ++i) each.push_back(i);
    stages_ = {entry, made.profile, cuts(std::move(each)), made.devices, made.stages_per_rank};
    some_whole_ = entry.weights_behind_inputs && !apart_until(made.profile).empty();
    const target_kinds kinds(entry, made.profile);
    for (std::size_t i = 0; i < made.profile.layers.size(); ++i) decoder_.push_back(kinds.is_decoder(i));
  }

  /// The blocks of layers between which the model is cut.
  [[nodiscard]] const cuts& blocks() const noexcept { return blocks_; }

  /// Whether the target can express the schedule and the cuts of a plan.
  [[nodiscard]] bool allows(const plan& changed) const {
    return to_ == framework::none || (allows_schedule(changed) && allows_cuts(changed.cuts) &&
                                      (!some_whole_ || whole_obstacle(entry_of(to_), changed).empty()));
  }

 private:
  [[nodiscard]] bool allows_schedule(const plan& changed) const {
    const target_entry& entry = entry_of(to_);
    if (chunks_ != 1 && !entry.several_chunks) return false;
    if (changed.schedule.orders.empty()) {
      return schedule_obstacle(entry, changed.schedule.name, changed.devices, chunks_, changed.schedule.microbatches,
                               changed.schedule.group)
          .empty();
    }
    for (const target_schedule& schedule : entry.schedules) {
      if (std::string_view(schedule.called).empty()) return true;  // it reads any order from a file
    }
    return entry.schedules.empty();
  }

  [[nodiscard]] bool allows_cuts(const cuts& at) const {
    const bool equal = entry_of(to_).counts == decoder_counts::equal_or_ends;
    std::vector<std::size_t> decoders(at.stages());
    for (std::size_t s = 0; s < at.stages(); ++s) {
      if (!stages_(s, at[s], at[s + 1])) return false;
      for (const interval& each : kept_) {
        if (each.first < at[s] && at[s] < each.last) return false;
      }
      for (std::size_t i = at[s]; i < at[s + 1]; ++i) decoders[s] += decoder_[i] ? 1U : 0U;
    }
    return !equal || counts_obstacle(decoders, chunks_).empty();
  }

  framework to_;
  std::size_t chunks_;
  bool some_whole_ = false;  // whether stages with some layers run whole
  cuts blocks_{};
  std::vector<interval> kept_{};
  target_stages stages_{};
  std::vector<bool> decoder_{};  // for each layer
};

/// Tries changes of a plan, and keeps of each kind the one that saves most.
class change_list {
 public:
  change_list(const explained_plan& of, double makespan, framework to, const search_options& limits)
      : of_(of), makespan_(makespan), told_(to, of.made()), clock_(limits.time_limit, limits.stop) {}

  /// Whether all changes were tried.
  [[nodiscard]] bool complete() const noexcept { return !clock_.was_over(); }

  /// @param again      the plan recut for the least makespan; null: it was not
  /// @param work       for each device
  [[nodiscard]] std::vector<plan_change> best(std::size_t most, const plan* again, const std::vector<double>& work) {
    move_boundaries();
    if (again != nullptr) cut_anew(*again);
    try_schedules();
    const std::size_t m = of_.made().schedule.microbatches;
    try_microbatches(m + of_.made().devices);
    try_microbatches(2 * m);
    try_groups();
    try_bandwidth();
    double busiest = 0;
    for (const double each : work) busiest = each > busiest ? each : busiest;
    for (std::size_t d = 0; d < work.size(); ++d) {
      if (work[d] >= busiest * (1 - 0x1p-40)) try_device(d);  // ties are the rule, and their effects differ
    }
    std::vector<plan_change> result;
    while (result.size() < most && !found_.empty()) {
      std::size_t first = 0;
      for (std::size_t i = 1; i < found_.size(); ++i) first = found_[i].saved > found_[first].saved ? i : first;
      result.push_back(std::move(found_[first]));
      found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return result;
  }

 private:
  /// A change that keeps the plan's own fields.
  [[nodiscard]] plan_change change_of(change_kind kind, std::size_t index, const plan& changed) const {
    plan_change result;
    result.kind = kind;
    result.index = index;
    result.cuts = changed.cuts;
    result.schedule = changed.schedule.name;
    result.microbatches = changed.schedule.microbatches;
    return result;
  }

  /// Keeps a change if the target can express it, and it fits and helps more than the best so far of its kind.
  void consider(plan_change change, const plan& changed, const schedule& order) {
    if (clock_.over() || !told_.allows(changed)) return;
    change.makespan = explained_plan::makespan_of(changed, order);
    const auto before = static_cast<double>(of_.made().schedule.microbatches);
    const auto now = static_cast<double>(change.microbatches);
    change.saved = makespan_ - (before == now ? change.makespan : change.makespan * (before / now));
    if (!(change.saved > makespan_ * 1e-12)) return;  // rounding is no help
    plan_change* same = nullptr;
    for (plan_change& each : found_) same = each.kind == change.kind ? &each : same;
    if (same != nullptr && !(change.saved > same->saved)) return;
    if (!of_.fits(changed, order)) return;
    if (same != nullptr) {
      *same = std::move(change);
    } else {
      found_.push_back(std::move(change));
    }
  }

  /// Moves every boundary one block of layers to the left and to the right.
  void move_boundaries() {
    const plan& made = of_.made();
    const cuts& blocks = told_.blocks();
    for (std::size_t b = 1; b < made.cuts.stages() && !clock_.over(); ++b) {
      std::optional<std::size_t> left;
      std::optional<std::size_t> right;
      for (std::size_t i = 0; i < blocks.stages(); ++i) {
        const std::size_t start = blocks[i];
        if (made.cuts[b - 1] < start && start < made.cuts[b]) left = start;
        if (!right && made.cuts[b] < start && start < made.cuts[b + 1]) right = start;
      }
      if (left) move(b, *left);
      if (right) move(b, *right);
    }
  }

  void move(std::size_t b, std::size_t to) {
    plan changed = of_.made();
    std::vector<std::size_t> points(changed.cuts.points().begin(), changed.cuts.points().end());
    points[b] = to;
    changed.cuts = cuts(std::move(points));
    of_.remake(changed, b - 1);
    of_.remake(changed, b);
    consider(change_of(change_kind::boundary, b, changed), changed, of_.order());
  }

  /// The cuts that a search found, unless a moved boundary gives them already.
  void cut_anew(const plan& again) {
    plan changed = of_.made();
    changed.cuts = again.cuts;
    for (std::size_t s = 0; s < changed.stages.size(); ++s) of_.remake(changed, s);
    for (const plan_change& change : found_) {
      if (change.cuts == changed.cuts) return;
    }
    consider(change_of(change_kind::cuts, 0, changed), changed, of_.order());
  }

  /// Tries the usual schedules with as many stages per rank.
  void try_schedules() {
    const plan& made = of_.made();
    const checkpointing again = of_.like().memory_accounting.checkpoint;
    if (again == checkpointing::except_last) return;  // gpipe alone keeps the last microbatch
    const std::size_t m = made.schedule.microbatches;
    for (const schedule_kind kind : usual_schedules(made.profile)) {
      const schedule_entry& entry = entry_of(kind);
      if (clock_.over()) return;
      if (entry.name == made.schedule.name || !has_shape(kind, made.devices, made.stages_per_rank, m)) continue;
      // Recomputed activations would stay between I and W, and their memory is not modelled.
      if (entry.splits_backward && again != checkpointing::never) continue;
      schedule_shape shape;
      shape.ranks = made.devices;
      shape.stages_per_rank = made.stages_per_rank;
      shape.microbatches = m;
      const schedule order = make_schedule(kind, shape);
      plan changed = made;
      changed.schedule = {entry.name, m};
      if (!place(changed, order)) continue;
      consider(change_of(change_kind::schedule, 0, changed), changed, order);
    }
  }

  /// Places the stages on the devices of a schedule; false: links are for other neighbours.
  [[nodiscard]] bool place(plan& changed, const schedule& order) const {
    const std::vector<std::size_t> in_flight = microbatches_in_flight(order);
    for (std::size_t s = 0; s < changed.stages.size(); ++s) {
      planned_stage& stage = changed.stages[s];
      if (stage.in_flight != 0) stage.in_flight = in_flight[s];
      if (stage.device == order.rank_of[s]) continue;
      if (changed.messages.links.size() > 1) return false;
      stage.device = order.rank_of[s];
      of_.remake(changed, s);
    }
    return true;
  }

  /// Tries that many microbatches, if its schedule supports them.
  void try_microbatches(std::size_t m) {
    const plan& made = of_.made();
    const schedule_entry* const entry = find_schedule(made.schedule.name);
    if (clock_.over() || entry == nullptr || m > most_predicted / made.stages.size()) return;
    const bool told = entry->takes == shape_figure::in_flight;
    if (!told && !has_shape(entry->kind, made.devices, made.stages_per_rank, m, made.schedule.group)) return;
    plan changed = made;
    changed.schedule.microbatches = m;
    const schedule order = schedule_of(changed);
    if (!place(changed, order)) return;
    consider(change_of(change_kind::microbatches, 0, changed), changed, order);
  }

  /// Tries other microbatch groups of the same schedule: all, or some that are spread evenly.
  void try_groups() {
    constexpr std::size_t most = 32;
    const plan& made = of_.made();
    const std::size_t m = made.schedule.microbatches;
    const schedule_entry* const entry = find_schedule(made.schedule.name);
    if (made.stages_per_rank == 1 || entry == nullptr || entry->fits_group == nullptr) return;
    plan changed = made;
    std::vector<std::size_t> groups;
    for (std::size_t group = 1; group <= m; ++group) {
      changed.schedule.group = group;
      if (entry->fits_group(made.devices, made.stages_per_rank, m, group) && told_.allows(changed))
        groups.push_back(group);
    }
    for (std::size_t i = 0; i < groups.size() && !clock_.over(); i += (groups.size() + most - 1) / most) {
      changed.schedule.group = groups[i];
      const schedule order = schedule_of(changed);
      if (place(changed, order)) consider(change_of(change_kind::group, groups[i], changed), changed, order);
    }
  }

  void try_bandwidth() {
    plan changed = of_.made();
    for (link_speed& link : changed.messages.links) link.bandwidth *= 2;
    consider(change_of(change_kind::bandwidth, 0, changed), changed, of_.order());
  }

  void try_device(std::size_t d) {
    plan changed = of_.made();
    if (changed.speeds.empty()) changed.speeds.assign(changed.devices, 1);
    changed.speeds[d] *= 1.1;
    for (std::size_t s = 0; s < changed.stages.size(); ++s) {
      if (changed.stages[s].device == d) of_.remake(changed, s);
    }
    consider(change_of(change_kind::device, d, changed), changed, of_.order());
  }

  const explained_plan& of_;
  double makespan_;
  target_plans told_;
  deadline clock_;
  std::vector<plan_change> found_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
