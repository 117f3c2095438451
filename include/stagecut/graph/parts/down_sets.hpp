// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Down-sets by number, and which of them hold one element more than another: 0 is the empty one, the last holds all
/// elements, and each has a higher number than what it holds.
struct down_set_family {
  /// An element that may be put in, and the set that this gives.
  struct step {
    std::uint32_t element;
    std::uint32_t to;
  };
  std::vector<step> steps{};        // set after set
  std::vector<std::size_t> end{0};  // of the steps before each set, then of its own

  [[nodiscard]] std::size_t size() const noexcept { return end.size() - 1; }
  [[nodiscard]] view<const step> steps_of(std::size_t set) const noexcept {
    return {steps.data() + end[set], end[set + 1] - end[set]};
  }
};

/// The sets that an order fills one after the other.
[[nodiscard]] STAGECUT_DECL down_set_family prefixes_of(view<const precedence::element> order);

/// Finds all down-sets, by the number of their elements. Sets of as many elements are known apart by their bits, in a table
/// with open addresses that is made anew for each number; bits are forgotten after that.
class down_set_search {
 public:
  explicit down_set_search(const precedence& below)
      : below_(below), words_((below.size() + 63) / 64), mix_(below.size()) {
    for (std::size_t e = 0; e < below.size(); ++e) mix_[e] = mixed(e + 1);
  }

  /// @param most  sets, and steps divided by 8
  /// @param stop  asked for every `down_sets_at_once` sets
  /// @return      none if there are more, or it was stopped
  [[nodiscard]] std::optional<down_set_family> run(std::size_t most, const function_ref<bool()>& stop);

 private:
  /// All sets with as many elements.
  struct layer {
    std::vector<std::uint64_t> bits{};   // what is in
    std::vector<std::uint64_t> ready{};  // what may be put in
    std::vector<std::uint64_t> hashes{};
    std::vector<std::uint32_t> table{};  // numbers in this layer, plus 1
  };

  static void set(std::uint64_t* bits, std::size_t e) noexcept { bits[e / 64] |= std::uint64_t{1} << (e % 64); }
  static std::uint64_t mixed(std::uint64_t x) noexcept;

  /// All sets with one element more than set `i` of a layer.
  void grow(const layer& now, std::size_t i, layer& next, std::size_t first, down_set_family& result);

  /// The number in `next` of set `i` with `e`; new ones get one.
  std::size_t find(const layer& now, std::size_t i, std::size_t e, layer& next);

  [[nodiscard]] bool same(const layer& now, std::size_t i, std::size_t e, const layer& next, std::size_t other) const;
  [[nodiscard]] bool holds_predecessors(const std::uint64_t* bits, std::size_t e) const noexcept;

  static void enlarge(layer& next);

  const precedence& below_;
  std::size_t words_;
  std::vector<std::uint64_t> mix_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/down_sets.ipp>
#endif
