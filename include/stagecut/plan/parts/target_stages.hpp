// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The layers that a target allows on each stage.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The layers that a target allows on a stage, as a constraint on stages of blocks of layers; or the stages of one cut.
/// Without a target it allows everything. Not hereditary if a stage needs a decoder; O(1).
class target_stages {
 public:
  /// `explain_infeasible_target_cut` explains why no cut satisfies it.
  using unexplained = void;

  /// Allows everything.
  target_stages() = default;

  /// The constraint of a target for that model on `devices` of `chunks` stages each.
  /// @pre `kinds_obstacle` finds none
  target_stages(const target_entry& entry, const profile& model, cuts blocks, std::size_t devices, std::size_t chunks)
      : blocks_(std::move(blocks)),
        last_(devices * chunks - 1),
        late_(last_ + 1 - devices),
        needs_decoder_(entry.counts != decoder_counts::none),
        ends_without_(ends_without_decoders(entry, devices * chunks, chunks) != 0) {
    const std::size_t n = model.layers.size();
    first_only_.resize(n + 1);
    last_only_.resize(n + 1);
    late_only_.resize(n + 1);
    decoders_.resize(n + 1);
    const target_kinds kinds(entry, model);
    for (std::size_t i = 0; i < n; ++i) {
      const layer_place place = kinds.place(i);
      first_only_[i + 1] = first_only_[i] + (place == layer_place::first_stage ? 1 : 0);
      last_only_[i + 1] = last_only_[i] + (place == layer_place::last_stage ? 1 : 0);
      late_only_[i + 1] = late_only_[i] + (place == layer_place::one_of_the_last ? 1 : 0);
      decoders_[i + 1] = decoders_[i] + (kinds.is_decoder(i) ? 1 : 0);
    }
  }

  /// From now on backward passes run whole where I and W cannot be split: see `apart_until`. `of_order` sets for which
  /// stages an order splits them; until then, for all.
  void run_apart(const profile& model, const cuts& blocks) {
    until_ = apart_until(model);
    blocks_ = blocks;
  }

  /// Whether the blocks `[first, last)` as stage s run their backward passes whole.
  [[nodiscard]] bool runs_whole(std::size_t s, std::size_t first, std::size_t last) const {
    return s != 0 && !until_.empty() && blocks_[last] > until_[blocks_[first]];
  }
  /// Whether any stage might.
  [[nodiscard]] bool runs_some_whole() const noexcept { return !until_.empty(); }

  /// The constraint under an order that splits I and W of these stages.
  [[nodiscard]] target_stages of_order(std::vector<bool> apart) const {
    target_stages result = *this;
    result.apart_ = std::move(apart);
    return result;
  }

  /// Allows only that cut of blocks.
  void pin(cuts only) { only_ = std::move(only); }

  /// Whether it forbids anything.
  [[nodiscard]] bool any() const noexcept { return !decoders_.empty() || !until_.empty(); }

  /// Whether the blocks `[first, last)` may be stage s.
  [[nodiscard]] bool operator()(std::size_t s, std::size_t first, std::size_t last) const {
    if (!any()) return true;
    if (only_ && ((*only_)[s] != first || (*only_)[s + 1] != last)) return false;
    if (is_parted(s, first, last)) return false;
    const std::size_t i = blocks_[first], j = blocks_[last];
    return places_allow(s, i, j) && (!needs_decoder(s) || decoders_[i] < decoders_[j]);
  }

  /// Whether neither they nor any extension of them may be stage s.
  [[nodiscard]] bool hopeless(std::size_t s, std::size_t first, std::size_t last) const {
    if (!any()) return false;
    if (only_ && ((*only_)[s] != first || (*only_)[s + 1] < last)) return true;
    if (is_parted(s, first, last)) return true;
    const std::size_t i = blocks_[first], j = blocks_[last];
    return !places_allow(s, i, j) || (needs_decoder(s) && decoders_[i] == decoders_.back());
  }

  /// Number of decoders in the model.
  [[nodiscard]] std::size_t decoders() const noexcept { return any() ? decoders_.back() : 0; }

 private:
  /// Whether the order splits I and W of a stage that runs whole.
  [[nodiscard]] bool is_parted(std::size_t s, std::size_t first, std::size_t last) const {
    return (apart_.empty() || apart_[s]) && runs_whole(s, first, last);
  }

  [[nodiscard]] bool needs_decoder(std::size_t s) const noexcept {
    return needs_decoder_ && !(ends_without_ && (s == 0 || s == last_));
  }

  [[nodiscard]] bool places_allow(std::size_t s, std::size_t i, std::size_t j) const {
    return (s == 0 || first_only_[i] == first_only_[j]) && (s == last_ || last_only_[i] == last_only_[j]) &&
           (s >= late_ || late_only_[i] == late_only_[j]);
  }

  cuts blocks_{};
  std::size_t last_ = 0;  // stage
  std::size_t late_ = 0;  // the first stage that is the last of its device
  bool needs_decoder_ = false;
  bool ends_without_ = false;  // whether the first and the last stage need no decoder
  std::vector<std::size_t> first_only_{}, last_only_{}, late_only_{}, decoders_{};  // prefix counts over layers
  std::optional<cuts> only_{};
  std::vector<std::size_t> until_{};  // see `apart_until`
  std::vector<bool> apart_{};         // for each stage, whether the order splits I and W; empty: for all
};

/// The constraint of a request's target; everything is allowed without one.
[[nodiscard]] inline target_stages stages_of_target(const profile& model, const plan_request& request,
                                                    const cuts& blocks) {
  if (request.target == framework::none) return {};
  target_stages result(entry_of(request.target), model, blocks, request.devices, request.stages_per_rank);
  const bool made = finds_order(request) && !request.best_in_flight && model.splits_backward();
  const bool apart = made || entry_of(requested_kind(request)).splits_backward;
  if (apart && entry_of(request.target).weights_behind_inputs) result.run_apart(model, blocks);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
