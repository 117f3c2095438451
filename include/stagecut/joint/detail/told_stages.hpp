// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/target_stages.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Which layers of a chain may form a stage in a framework, for any number of stages.
class told_stages {
 public:
  /// @pre `check_target_model` rejects nothing
  told_stages(const target_entry& entry, const profile& model)
      : kept_(kept_by_target(entry, model)), counts_(entry.counts), before_(model.layers.size() + 1) {
    std::vector<std::size_t> each;
    for (std::size_t i = 0; i <= model.layers.size(); ++i) each.push_back(i);
    stages_ = {entry, model, cuts(std::move(each)), 3, 1};
    const target_kinds kinds(entry, model);
    for (std::size_t i = 0; i < model.layers.size(); ++i) before_[i + 1] = before_[i] + (kinds.is_decoder(i) ? 1 : 0);
  }

  /// Requires this number of decoders on each stage between the first and the last; unset: any number.
  void set_middle(std::optional<std::size_t> decoders) { middle_ = decoders; }

  /// Requires that a layer has the same recomputation as all others passed here.
  void run_alike(std::size_t layer) { alike_.push_back(layer); }
  /// The layers passed to `run_alike`.
  [[nodiscard]] const std::vector<std::size_t>& alike() const noexcept { return alike_; }

  /// Whether all stages between the first and the last must have the same number.
  [[nodiscard]] bool has_equal_middles() const noexcept { return counts_ == decoder_counts::equal_or_ends; }

  /// The possible numbers for these stages, for a total number of stages; unset: no stage in between, or too few
  /// decoders.
  [[nodiscard]] std::vector<std::optional<std::size_t>> middles(std::size_t stages) const {
    std::vector<std::optional<std::size_t>> result;
    for (std::size_t each = 1; stages > 2 && each * (stages - 2) + 2 <= before_.back(); ++each)
      result.emplace_back(each);
    if (result.empty()) result.emplace_back();
    return result;
  }

  /// Whether the layers `[first, last)` may form a stage.
  [[nodiscard]] bool operator()(std::size_t first, std::size_t last) const {
    for (const interval& each : kept_) {
      if (inside(each, first) || inside(each, last)) return false;
    }
    const std::size_t decoders = before_[last] - before_[first];
    const bool at_end = last + 1 == before_.size();
    if (first == 0 && at_end) return counts_ == decoder_counts::none || decoders > 0;
    if (first != 0 && !at_end && middle_ && decoders != *middle_) return false;
    return stages_(first == 0 ? 0 : at_end ? 2 : 1, first, last);
  }

 private:
  [[nodiscard]] static bool inside(const interval& kept, std::size_t point) noexcept {
    return kept.first < point && point < kept.last;
  }

  std::vector<interval> kept_;
  decoder_counts counts_;
  std::vector<std::size_t> before_;  // decoders before each layer
  target_stages stages_{};
  std::optional<std::size_t> middle_{};
  std::vector<std::size_t> alike_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
