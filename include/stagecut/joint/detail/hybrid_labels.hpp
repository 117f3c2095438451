// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What the stages behind a point take, as far as those before it can tell.
struct hybrid_label {
  double sum = 0;      ///< of what the stages take
  double exposed = 0;  ///< of their exchange of gradients, less what one stage before hides; of all, at the input
  std::uint32_t devices = 0;  ///< that they take
  std::uint32_t load = 0;     ///< what the stage before must keep more, by the rule for memory
  std::uint32_t stages = 0;   ///< how many they are, where that is fixed
  bool is_below = false;      ///< whether none of them takes as long as the threshold, where that counts
};

/// The labels of a point of which none is beaten: by one that is nowhere greater, on as many devices modulo a period.
///
/// Whatever stages come before: they fit before the better label as well, and their sum, as it is computed, is no greater,
/// since `a <= b` gives `t + a <= t + b` in doubles too. So a least sum is found among the labels that are left.
class hybrid_labels {
 public:
  /// Adds a label.
  void add(const hybrid_label& label, std::uint32_t period);

  /// Drops what is beaten; `period` is 0 where only labels on as many devices are compared. O(labels log labels), and times
  /// the labels left of a number of devices if they differ in more than sum and load.
  void settle(std::uint32_t period);

  void clear() { labels_.clear(), settled_ = 0; }

  [[nodiscard]] bool empty() const noexcept { return labels_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return labels_.size(); }
  [[nodiscard]] auto begin() const noexcept { return labels_.begin(); }
  [[nodiscard]] auto end() const noexcept { return labels_.end(); }

 private:
  std::vector<hybrid_label> labels_{};
  std::size_t settled_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_labels.ipp>
#endif
