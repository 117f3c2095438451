// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Another option of a rank.
struct option_change {
  std::uint32_t rank;
  std::uint32_t option;
};

/// Chooses changes of a plan at random: layers that move between stages, alike on several ranks in turn where that may
/// leave the rest as it is, and other ways to run the same layers.
class option_moves {
 public:
  explicit option_moves(const recompute_problem& problem) : problem_(problem) {}

  /// Chooses a change; says whether it is one.
  bool propose(const chosen_options& now, random_bits& dice);

  /// What was chosen: other options of some ranks,
  [[nodiscard]] const std::vector<option_change>& changes() const noexcept { return changes_; }
  /// and the layers of every stage, if they are other ones; else nothing.
  [[nodiscard]] const std::vector<std::uint32_t>& counts() const noexcept { return wanted_; }

 private:
  bool other_way(std::size_t rank, random_bits& dice);

  void swap_counts(std::size_t a, std::size_t b);

  /// A layer from one stage of a rank to another one of it, alike on some ranks in turn.
  bool shift_inside(std::size_t rank, std::size_t some, random_bits& dice);

  bool shift_between(std::size_t rank, random_bits& dice);

  /// Finds options of the ranks whose contents are other ones now; says whether there are.
  bool take_counts(random_bits& dice);

  /// An option of a class: any, or the one whose backward passes are nearest to those of an option.
  std::uint32_t like(const rank_options& rank, const rank_options::contents& from, std::uint32_t old,
                     random_bits& dice);

  const recompute_problem& problem_;
  const chosen_options* now_ = nullptr;
  std::vector<option_change> changes_{};
  std::vector<std::uint32_t> wanted_{};
  std::vector<std::uint32_t> cut_{};
  std::vector<std::uint32_t> of_{};
  std::vector<char> touched_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/option_moves.ipp>
#endif
