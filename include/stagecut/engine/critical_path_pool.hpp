// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Critical paths of simulated candidates, mixed or not: how often each passes through every stage and kind, as rows of
/// one width. No candidate is shorter than its sum over any of them, or over a mean of them. See docs/makespan.md,
/// Bounds ("every path is a bound for every cut").
class critical_path_pool {
 public:
  /// @param capacity  number of paths; when full, a new path replaces the least used one
  explicit critical_path_pool(std::size_t capacity = ~std::size_t{0}) : capacity_(capacity) {}

  /// The row of a path.
  struct place {
    std::size_t row;
    bool is_new;
  };

  [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }
  [[nodiscard]] const std::vector<double>& counts(std::size_t row) const noexcept { return counts_[row]; }
  /// The recent usefulness of a path, as its user counts it.
  [[nodiscard]] double use(std::size_t row) const noexcept { return use_[row]; }
  [[nodiscard]] double& use(std::size_t row) noexcept { return use_[row]; }

  /// Whether a new path replaces another.
  [[nodiscard]] bool is_full() const noexcept { return size() == capacity_; }

  /// The row of a path; `size()` if it is new. O(size * width).
  [[nodiscard]] std::size_t find(const std::vector<double>& counts) const noexcept {
    for (std::size_t k = size(); k-- > 0;) {
      if (counts_[k] == counts) return k;
    }
    return size();
  }

  /// Returns the place of a path, which is added if it is new. O(size * width).
  ///
  /// @param use  initial use of a new path
  place add(const std::vector<double>& counts, double use = 1) {
    std::size_t row = find(counts);
    if (row < size()) return {row, false};
    if (is_full()) {
      row = 0;
      for (std::size_t k = 1; k < capacity_; ++k) row = use_[k] < use_[row] ? k : row;
    } else {
      counts_.emplace_back();
      use_.push_back(0);
    }
    counts_[row] = counts;
    use_[row] = use;
    return {row, true};
  }

  /// The length of a path under these times.
  [[nodiscard]] double length(std::size_t row, const std::vector<double>& times) const noexcept {
    double sum = 0;
    for (std::size_t j = 0; j < times.size(); ++j) sum += counts_[row][j] * times[j];
    return sum;
  }

 private:
  std::size_t capacity_;
  std::vector<std::vector<double>> counts_{};
  std::vector<double> use_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
