// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Compressed rows of numbers.
template <class T>
class rows {
 public:
  /// Empty: no rows.
  rows() = default;
  /// Makes `count` rows: entry i of `entries` is `value(i)` in row `row(i)`, in their order. O(count + entries).
  template <class Row, class Value>
  rows(std::size_t count, std::size_t entries, const Row& row, const Value& value) : all_(entries), end_(count + 1) {
    for (std::size_t i = 0; i < entries; ++i) ++end_[row(i) + std::size_t{1}];
    for (std::size_t r = 0; r < count; ++r) end_[r + 1] += end_[r];
    std::vector<std::size_t> at = end_;
    for (std::size_t i = 0; i < entries; ++i) all_[at[row(i)]++] = value(i);
  }

  /// Number of rows; 0 also after a move.
  [[nodiscard]] std::size_t size() const noexcept { return end_.empty() ? 0 : end_.size() - 1; }
  /// Number of entries in all rows.
  [[nodiscard]] std::size_t entries() const noexcept { return all_.size(); }
  [[nodiscard]] view<const T> operator[](std::size_t i) const noexcept {
    return {all_.data() + end_[i], end_[i + 1] - end_[i]};
  }
  template <class Row>
  void push_back(const Row& row) {
    all_.insert(all_.end(), row.begin(), row.end());
    end_.push_back(all_.size());
  }
  /// For each number below `count`, the rows that contain it, in ascending order.
  [[nodiscard]] rows<std::uint32_t> holding(std::size_t count) const {
    std::vector<std::uint32_t> row(all_.size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t at = end_[i]; at < end_[i + 1]; ++at) row[at] = static_cast<std::uint32_t>(i);
    }
    return {count, all_.size(), [&](std::size_t i) { return all_[i]; }, [&](std::size_t i) { return row[i]; }};
  }

 private:
  std::vector<T> all_{};
  std::vector<std::size_t> end_{0};  // of the row before each row, then of its own
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
