// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/makespan/detail/limit_rows.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The parts of the set of all cuts that remain to be examined, smallest bound first.
class domain_queue {
 public:
  /// A set of cuts.
  struct part {
    double bound = 0;  ///< a lower bound on all of them
    point_domains domains{0, 0};
    std::vector<load_limit> loads{};    ///< limits that they keep
    std::vector<double> combination{};  ///< factors of the row that bounds them best; empty: none known
    double rounded = 1;                 ///< weight of the rounding errors in them, as a number of combinations
  };

  [[nodiscard]] bool empty() const noexcept { return parts_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
  void clear() noexcept { parts_.clear(); }

  /// The smallest bound.
  /// @pre not empty
  [[nodiscard]] double least() const noexcept { return parts_[0].bound; }

  /// Adds a part. A heap: O(log size).
  void push(part&& added) {
    std::size_t at = parts_.size();
    parts_.push_back(std::move(added));
    for (; at > 0 && parts_[at].bound < parts_[(at - 1) / 2].bound; at = (at - 1) / 2) {
      std::swap(parts_[at], parts_[(at - 1) / 2]);
    }
  }

  /// Removes and returns the part with the smallest bound.
  /// @pre not empty
  [[nodiscard]] part pop() {
    part result = std::move(parts_[0]);
    if (parts_.size() > 1) parts_[0] = std::move(parts_.back());
    parts_.pop_back();
    for (std::size_t at = 0;;) {
      std::size_t least = at;
      for (std::size_t child = 2 * at + 1; child < 2 * at + 3 && child < parts_.size(); ++child) {
        if (parts_[child].bound < parts_[least].bound) least = child;
      }
      if (least == at) return result;
      std::swap(parts_[at], parts_[least]);
      at = least;
    }
  }

 private:
  std::vector<part> parts_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
