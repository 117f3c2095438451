// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A move of an element between stages.
struct stage_step {
  std::size_t element = 0;
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Stages of elements in which no pair leads to a lower number, so that the stages form no cycle. Moves maintain this:
/// a move has to look only at the element's predecessors and successors.
class numbered_stages {
 public:
  /// @param below     which elements may not be on later stages than others; must outlive this object
  /// @param stage_of  satisfies that
  numbered_stages(const precedence& below, std::vector<std::uint32_t> stage_of, std::size_t stages)
      : below_(&below), stage_of_(std::move(stage_of)), members_(stages) {
    for (const std::uint32_t s : stage_of_) ++members_[s];
    assert(holds());
  }

  [[nodiscard]] std::size_t stages() const noexcept { return members_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return stage_of_.size(); }
  [[nodiscard]] std::size_t operator[](std::size_t e) const noexcept { return stage_of_[e]; }
  [[nodiscard]] const std::vector<std::uint32_t>& all() const noexcept { return stage_of_; }
  [[nodiscard]] const precedence& below() const noexcept { return *below_; }
  /// Number of elements on a stage.
  [[nodiscard]] std::size_t members(std::size_t s) const noexcept { return members_[s]; }

  /// The first and the last stage on which an element may be. O(predecessors and successors).
  [[nodiscard]] std::pair<std::size_t, std::size_t> window(std::size_t e) const noexcept {
    std::uint32_t least = 0;
    auto most = static_cast<std::uint32_t>(members_.size() - 1);
    for (const precedence::element from : below_->predecessors(e)) least = std::max(least, stage_of_[from]);
    for (const precedence::element to : below_->successors(e)) most = std::min(most, stage_of_[to]);
    return {least, most};
  }

  /// @pre the stage is in the element's window
  void move(std::size_t e, std::size_t to) {
    assert(window(e).first <= to && to <= window(e).second);
    --members_[stage_of_[e]];
    ++members_[to];
    stage_of_[e] = static_cast<std::uint32_t>(to);
  }

  /// Whether no pair leads to a lower number. O(pairs).
  [[nodiscard]] bool holds() const noexcept {
    for (std::size_t e = 0; e < stage_of_.size(); ++e) {
      const auto [least, most] = window(e);
      if (stage_of_[e] < least || stage_of_[e] > most) return false;
    }
    return true;
  }

 private:
  const precedence* below_;
  std::vector<std::uint32_t> stage_of_;
  std::vector<std::size_t> members_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
