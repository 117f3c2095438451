// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/parts/counts_obstacle.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/target_schedules.hpp>
#include <stagecut/plan/parts/target_stages.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

// Which changed plans a target can be told.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Tells of plans of one model, on as many devices with as many chunks, whether a target can be told them. Without a target
/// all are allowed.
class target_plans {
 public:
  /// @param made  one of the plans
  /// @pre `check_target_model` refuses nothing
  target_plans(framework to, const plan& made) : to_(to), chunks_(made.chunks) {
    if (to == framework::none) {
      blocks_ = layer_blocks(made.profile);
      return;
    }
    const target_entry& entry = entry_of(to);
    kept_ = kept_by_target(entry, made.profile);
    blocks_ = layer_blocks(made.profile, {}, kept_);
    std::vector<std::size_t> each;
    for (std::size_t i = 0; i <= made.profile.layers.size(); ++i) each.push_back(i);
    stages_ = {entry, made.profile, cuts(std::move(each)), made.devices, made.chunks};
    some_whole_ = entry.weights_behind_inputs && !apart_until(made.profile).empty();
    const target_kinds kinds(entry, made.profile);
    for (std::size_t i = 0; i < made.profile.layers.size(); ++i) decoder_.push_back(kinds.is_decoder(i));
  }

  /// The layers between which it is cut.
  [[nodiscard]] const cuts& blocks() const noexcept { return blocks_; }

  /// Whether the target can be told the schedule and the cuts of a plan.
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
    for (const target_schedule& each : entry.schedules) {
      if (std::string_view(each.called).empty()) return true;  // it reads any order from a file
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
  std::vector<bool> decoder_{};  // of every layer
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
