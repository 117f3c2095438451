// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Sets of elements by number, one bit per element, in whole words.
struct bit_rows {
  std::size_t words = 0;              // per set
  std::vector<std::uint64_t> bits{};  // set after set

  bit_rows() = default;
  /// `sets` empty sets of elements below `elements`.
  explicit bit_rows(std::size_t elements, std::size_t sets = 0) : words((elements + 63) / 64), bits(sets * words) {}

  [[nodiscard]] std::size_t size() const noexcept { return words == 0 ? 0 : bits.size() / words; }
  [[nodiscard]] std::uint64_t* operator[](std::size_t set) noexcept { return bits.data() + set * words; }
  [[nodiscard]] const std::uint64_t* operator[](std::size_t set) const noexcept { return bits.data() + set * words; }
  [[nodiscard]] static std::uint64_t bit(std::size_t e) noexcept { return std::uint64_t{1} << (e % 64); }
  [[nodiscard]] static bool has(const std::uint64_t* set, std::size_t e) noexcept {
    return (set[e / 64] & bit(e)) != 0;
  }
  static void put(std::uint64_t* set, std::size_t e) noexcept { set[e / 64] |= bit(e); }

  [[nodiscard]] bool holds(std::size_t set, std::size_t e) const noexcept { return has((*this)[set], e); }
  void add(const std::uint64_t* set) { bits.insert(bits.end(), set, set + words); }
  /// Adds the elements of `other` to a set.
  void unite(std::uint64_t* set, const std::uint64_t* other) const noexcept {
    for (std::size_t w = 0; w < words; ++w) set[w] |= other[w];
  }
  /// Whether one set is a subset of another.
  [[nodiscard]] bool within(std::size_t inner, std::size_t outer) const noexcept {
    for (std::size_t w = 0; w < words; ++w) {
      if (((*this)[inner][w] & ~(*this)[outer][w]) != 0) return false;
    }
    return true;
  }
  /// Calls `visit(e)` for the elements of the last set that are not in the first, ascending.
  template <class Visit>
  void each_between(std::size_t first, std::size_t last, const Visit& visit) const {
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t left = (*this)[last][w] & ~(*this)[first][w]; left != 0; left &= left - 1) {
        visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      }
    }
  }
};

/// Distinct sets, numbered in order of insertion: a hash table with open addressing.
class bit_sets {
 public:
  explicit bit_sets(std::size_t elements) : sets_(elements) {}

  [[nodiscard]] std::size_t size() const noexcept { return hashes_.size(); }
  [[nodiscard]] const std::uint64_t* operator[](std::size_t set) const noexcept { return sets_[set]; }
  [[nodiscard]] std::uint64_t hash(std::size_t set) const noexcept { return hashes_[set]; }

  /// The contribution of a word to the hash of a set, which is their exclusive or.
  [[nodiscard]] static std::uint64_t hash_of_word(std::size_t w, std::uint64_t bits) noexcept {
    std::uint64_t x = (bits + w) * 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    return x ^ (x >> 27U);
  }
  [[nodiscard]] std::uint64_t hash_of(const std::uint64_t* set) const noexcept {
    std::uint64_t result = 0;
    for (std::size_t w = 0; w < sets_.words; ++w) result ^= hash_of_word(w, set[w]);
    return result;
  }

  /// Adds a set, unless it is present. @return its number, and whether it is new
  /// @param hash  `hash_of(set)`
  std::pair<std::size_t, bool> put(const std::uint64_t* set, std::uint64_t hash) {
    if (2 * (size() + 1) > table_.size()) enlarge();
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
      const std::size_t other = table_[at] - 1;
      if (hashes_[other] == hash && same(sets_[other], set)) return {other, false};
    }
    hashes_.push_back(hash);
    table_[at] = static_cast<std::uint32_t>(size());
    sets_.add(set);
    return {size() - 1, true};
  }

 private:
  [[nodiscard]] bool same(const std::uint64_t* a, const std::uint64_t* b) const noexcept {
    for (std::size_t w = 0; w < sets_.words; ++w) {
      if (a[w] != b[w]) return false;
    }
    return true;
  }
  void enlarge() {
    table_.assign(table_.empty() ? 64 : 2 * table_.size(), 0);
    for (std::size_t i = 0; i < size(); ++i) {
      std::size_t at = hashes_[i] & (table_.size() - 1);
      while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }

  bit_rows sets_;
  std::vector<std::uint64_t> hashes_{};
  std::vector<std::uint32_t> table_{};  // numbers plus 1
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
