// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Sets of bits, each of as many words, numbered in the order in which they came.
class bit_sets {
 public:
  explicit bit_sets(std::size_t words) : words_(words), table_(64) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const std::uint64_t* operator[](std::size_t set) const noexcept { return &bits_[set * words_]; }

  /// Takes in a set that may be known.
  void put(const std::vector<std::uint64_t>& set) {
    if (2 * (size_ + 1) > table_.size()) enlarge();
    std::size_t at = hash(set.data()) & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
      const std::uint64_t* const other = (*this)[table_[at] - 1];
      bool same = true;
      for (std::size_t w = 0; w < words_ && same; ++w) same = set[w] == other[w];
      if (same) return;
    }
    table_[at] = ++size_;
    for (std::size_t w = 0; w < words_; ++w) bits_.push_back(set[w]);
  }

 private:
  [[nodiscard]] std::uint64_t hash(const std::uint64_t* set) const noexcept {
    std::uint64_t x = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      x = (x ^ set[w]) * 0x9e3779b97f4a7c15U;
      x ^= x >> 29U;
    }
    return x ^ (x >> 32U);
  }
  void enlarge() {
    table_.assign(2 * table_.size(), 0);
    for (std::size_t i = 0; i < size_; ++i) {
      std::size_t at = hash((*this)[i]) & (table_.size() - 1);
      while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = i + 1;
    }
  }

  std::size_t words_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> bits_{};
  std::vector<std::size_t> table_;  // numbers plus 1
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
