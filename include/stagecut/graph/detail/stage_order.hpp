// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Searches for a topological order of k stages, some of them at fixed positions.
class stage_order {
 public:
  /// @param pinned  stages whose position is their number
  explicit stage_order(std::vector<bool> pinned)
      : pinned_(static_cast<std::vector<bool>&&>(pinned)), first_(pinned_.size()), last_(pinned_.size()) {}

  /// @param order   is written if there is such an order; unchanged if it is one
  /// @param before  `before(a, b)`: whether a must be before b
  /// @return        whether there is one
  ///
  /// Earliest deadline first among available stages; ties keep the given order. That finds an order if there is one:
  /// positions are unit tasks with release times and deadlines consistent with the precedence (Garey, Johnson, Simons
  /// and Tarjan, SIAM J. Comput. 10(2), 1981, section 1). O(k^2) if the order stays, else O(k^3).
  template <class Before>
  [[nodiscard]] bool find(std::vector<std::size_t>& order, const Before& before) {
    const std::size_t k = order.size();
    bool stays = true;
    for (std::size_t i = 0; i < k && stays; ++i) {
      for (std::size_t j = 0; j < i && stays; ++j) stays = !before(order[i], order[j]);
    }
    if (stays) return true;
    if (!set_windows(order, before)) return false;
    found_.clear();
    placed_.assign(k, false);
    for (std::size_t place = 0; place < k; ++place) {
      std::size_t next = k;
      for (const std::size_t s : order) {
        if (placed_[s] || first_[s] > place) continue;
        if (next == k || last_[s] < last_[next]) next = s;
      }
      if (next == k || last_[next] < place) return false;
      placed_[next] = true;
      found_.push_back(next);
    }
    order = found_;
    return true;
  }

 private:
  /// The first and the last position of each stage, from its predecessors and successors; false on a cycle.
  template <class Before>
  [[nodiscard]] bool set_windows(const std::vector<std::size_t>& order, const Before& before) {
    const std::size_t k = order.size();
    for (std::size_t s = 0; s < k; ++s) {
      first_[s] = pinned_[s] ? s : 0;
      last_[s] = pinned_[s] ? s : k - 1;
    }
    for (std::size_t round = 0;; ++round) {
      bool changed = false;
      for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = 0; b < k; ++b) {
          if (a == b || !before(a, b)) continue;
          if (first_[b] <= first_[a]) first_[b] = first_[a] + 1, changed = true;
          if (last_[a] >= last_[b]) {
            if (last_[b] == 0) return false;
            last_[a] = last_[b] - 1, changed = true;
          }
          if (first_[b] > last_[b] || first_[a] > last_[a]) return false;
        }
      }
      if (!changed) return true;
      if (round > k) return false;
    }
  }

  std::vector<bool> pinned_;
  std::vector<std::size_t> first_;
  std::vector<std::size_t> last_;
  std::vector<std::size_t> found_{};
  std::vector<bool> placed_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
