// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/detail/sort.hpp>

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
  void add(const hybrid_label& label, std::uint32_t period) {
    labels_.push_back(label);
    if (labels_.size() >= 2 * settled_ + 512) settle(period);
  }

  /// Drops what is beaten; `period` is 0 where only labels on as many devices are compared. O(labels log labels), and times
  /// the labels left of a number of devices if they differ in more than sum and load.
  void settle(std::uint32_t period) {
    const auto key = [period](const hybrid_label& x) { return period == 0 ? x.devices : x.devices % period; };
    detail::sort(labels_, [&key](const hybrid_label& a, const hybrid_label& b) {
      if (key(a) != key(b)) return key(a) < key(b);
      if (a.stages != b.stages) return a.stages < b.stages;
      if (a.sum != b.sum) return a.sum < b.sum;
      if (a.devices != b.devices) return a.devices < b.devices;
      if (a.load != b.load) return a.load < b.load;
      if (a.exposed != b.exposed) return a.exposed < b.exposed;
      return a.is_below < b.is_below;
    });
    std::size_t kept = 0;
    std::size_t begin = 0;  // of those that may beat the next one
    for (const hybrid_label& each : labels_) {
      if (kept > 0 && (key(labels_[kept - 1]) != key(each) || labels_[kept - 1].stages != each.stages)) begin = kept;
      bool is_beaten = false;
      for (std::size_t i = kept; i-- > begin && !is_beaten;) {
        const hybrid_label& other = labels_[i];
        is_beaten = other.load <= each.load && other.devices <= each.devices && other.exposed <= each.exposed &&
                    other.is_below <= each.is_below;
      }
      if (!is_beaten) labels_[kept++] = each;
    }
    labels_.resize(kept);
    settled_ = kept;
  }

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
