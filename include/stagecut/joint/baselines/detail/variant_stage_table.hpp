// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/detail/variant_ways.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A stage and its devices.
struct variant_stage_key {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t ways = 0;      // index into the degrees of the tables
  std::uint32_t replicas = 0;  // 0: any number

  friend bool operator==(const variant_stage_key&, const variant_stage_key&) = default;
};

/// Known facts of a stage: figures that do not depend on how its layers run, some ways to run them, and the least time
/// with some numbers of microbatches in flight.
struct variant_stage_facts {
  struct fact {
    std::int64_t held = 0;      // microbatches: with them, or more, it takes
    std::int64_t least = 0;     // at least this long; `multiple_choice_knapsack::none`: they do not fit
    std::int64_t room = 0;      // microbatches that fit with `figures`; 0: none known
    variant_figures figures{};  // of one way to run its layers, which takes their time

    /// Whether no way is faster with `number` microbatches.
    [[nodiscard]] bool solves(std::int64_t number) const noexcept {
      return least == figures.time && held <= number && number <= room;
    }
  };

  variant_stage_key key{};
  std::int64_t time = 0;
  std::int64_t parameters = 0;
  std::vector<fact> known{};
};

/// The stages with known facts, while there is space; a hash table with open addressing.
class variant_stage_table {
 public:
  static constexpr std::size_t most = 200'000;

  void clear();

  /// @return  null: unknown
  [[nodiscard]] variant_stage_facts* find(const variant_stage_key& key);

  /// @return  the inserted facts, or null if the table is full
  variant_stage_facts* put(variant_stage_facts& facts);

 private:
  [[nodiscard]] std::size_t place(const variant_stage_key& key) const noexcept;
  void enter(std::size_t number);
  void enlarge();

  std::vector<std::uint32_t> slots_{};
  std::vector<variant_stage_facts> facts_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_stage_table.ipp>
#endif
