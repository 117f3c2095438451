// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/detail/variant_choice.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Which stage on which devices.
struct variant_stage_key {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t ways = 0;      // their number in the tables
  std::uint32_t replicas = 0;  // 0: whatever they are

  friend bool operator==(const variant_stage_key&, const variant_stage_key&) = default;
};

/// What is known of a stage: what it takes however its layers run, and beyond that some ways to run them, and the least time
/// with some numbers of microbatches in flight.
struct variant_stage_facts {
  struct fact {
    std::int64_t held = 0;      // microbatches: with them, or more, it takes
    std::int64_t least = 0;     // so long at least; `variant_choice::none`: they do not fit
    std::int64_t room = 0;      // microbatches that fit with `figures`; 0: there are none
    variant_figures figures{};  // of one way to run its layers, with which it takes their time

    /// Whether no way is faster with so many.
    [[nodiscard]] bool solves(std::int64_t number) const noexcept {
      return least == figures.time && held <= number && number <= room;
    }
  };

  variant_stage_key key{};
  std::int64_t time = 0;
  std::int64_t parameters = 0;
  std::vector<fact> known{};
};

/// The stages of which something is known, as long as there is room for more; a table with open addresses.
class variant_stage_table {
 public:
  static constexpr std::size_t most = 200'000;

  void clear() {
    slots_.assign(64, 0);
    facts_.clear();
  }

  /// @return  null: it is not known
  [[nodiscard]] variant_stage_facts* find(const variant_stage_key& key) {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == 0) return nullptr;
      if (facts_[slots_[at] - 1].key == key) return &facts_[slots_[at] - 1];
    }
  }

  /// @return  what was put in, or null where the table is full
  variant_stage_facts* put(variant_stage_facts& facts) {
    if (facts_.size() == most) return nullptr;
    if (2 * (facts_.size() + 1) > slots_.size()) enlarge();
    facts_.push_back(facts);
    enter(facts_.size());
    return &facts_.back();
  }

 private:
  [[nodiscard]] std::size_t place(const variant_stage_key& key) const noexcept {
    std::uint64_t x = (std::uint64_t{key.first} << 32U | key.last) * 0x9e3779b97f4a7c15U;
    x ^= (std::uint64_t{key.ways} << 32U | key.replicas) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 30U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>(x ^ (x >> 31U)) & (slots_.size() - 1);
  }
  void enter(std::size_t number) {
    std::size_t at = place(facts_[number - 1].key);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::uint32_t>(number);
  }
  void enlarge() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
    for (std::size_t number = 1; number <= facts_.size(); ++number) enter(number);
  }

  std::vector<std::uint32_t> slots_{};
  std::vector<variant_stage_facts> facts_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
