// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// A set of forbidden cuts, a bit for each from 0 to n; the other bits of the last word are 0.
struct placed_cuts {
  static constexpr std::size_t word_bits = 64;

  view<const std::uint64_t> words;  ///< cut j is bit j % 64 of word j / 64

  /// @pre `cut <= n`
  [[nodiscard]] STAGECUT_HOST_DEVICE bool forbids(std::size_t cut) const noexcept {
    return (words[cut / word_bits] >> (cut % word_bits) & 1U) != 0;
  }
  /// @pre `first <= last <= n`
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(std::size_t, std::size_t first, std::size_t last) const noexcept {
    return !forbids(first) && !forbids(last);
  }
};

}  // namespace detail

/// The constraint that certain cuts are forbidden. Cut j is the one between the items j - 1 and j.
///
/// Not hereditary: a part of an allowed stage may end at a forbidden cut. `merged_items` achieves the same by merging the
/// items between two allowed cuts, which reduces the work of algorithms instead of adding to it.
class forbidden_cuts {
 public:
  /// Its promise: independent of the stage's number.
  using axioms = stagecut::axioms<stage_invariant>;

  /// @param items  number of items n of the chain
  /// @param cuts   the forbidden cuts, from 1 to n - 1, in any order; duplicates are harmless
  /// @throws       argument_error naming the first that is not a cut of the chain
  forbidden_cuts(std::size_t items, const std::vector<std::size_t>& cuts);

  /// Number of items n of the chain.
  [[nodiscard]] std::size_t size() const noexcept { return items_; }

  /// Whether a cut is forbidden; the ends of the chain never are.
  [[nodiscard]] bool forbids(std::size_t cut) const {
    return cut / word_bits < forbidden_.size() && detail::placed_cuts{forbidden_}.forbids(cut);
  }

  /// Number of allowed cuts.
  [[nodiscard]] std::size_t allowed() const noexcept { return allowed_; }

  /// Whether the items `[first, last)` may be a stage: neither end is forbidden.
  /// @throws argument_error if the chain has more items
  [[nodiscard]] bool operator()(std::size_t, std::size_t first, std::size_t last) const;

  /// Whether no stage may begin with `first`.
  [[nodiscard]] bool hopeless(std::size_t, std::size_t first, std::size_t) const { return forbids(first); }

  /// Why no cut into that number of nonempty stages satisfies it; none if one does.
  /// @throws argument_error if the chain has another number of items
  [[nodiscard]] std::optional<reason> obstacle(std::size_t items, std::size_t stages) const;

  /// The same constraint on a copy of the set: see `memory_for`. Arguments are not checked.
  template <memory_for<std::uint64_t> Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::placed_cuts{memory(view<const std::uint64_t>(forbidden_))};
  }

 private:
  static constexpr std::size_t word_bits = detail::placed_cuts::word_bits;

  [[noreturn]] void refuse(std::size_t items) const;

  std::size_t items_;
  std::vector<std::uint64_t> forbidden_;  ///< as in `placed_cuts`
  std::size_t allowed_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/cost/detail/forbidden_cuts.ipp>
#endif
