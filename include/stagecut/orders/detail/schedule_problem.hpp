// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

// The problem of schedule synthesis in integers, and the encoding of schedules.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A *letter* is a kind of pass of one stage: 3 s for F of stage s, 3 s + 1 for its I or B, 3 s + 2 for its W.
///
/// Microbatches are alike, so a rank can run those of a letter in turn without loss: its schedule is a *word* of its
/// letters, each occurring m times, and the k-th occurrence of a letter is microbatch k.
inline constexpr std::size_t kinds_of_pass = 3;

/// The letters of a stage.
/// @{
[[nodiscard]] constexpr std::size_t forward_of(std::size_t stage) noexcept { return kinds_of_pass * stage; }
[[nodiscard]] constexpr std::size_t backward_of(std::size_t stage) noexcept { return kinds_of_pass * stage + 1; }
[[nodiscard]] constexpr std::size_t weight_of(std::size_t stage) noexcept { return kinds_of_pass * stage + 2; }
/// @}
/// The stage of a letter, and its kind.
/// @{
[[nodiscard]] constexpr std::size_t stage_of(std::size_t letter) noexcept { return letter / kinds_of_pass; }
[[nodiscard]] constexpr bool is_forward(std::size_t letter) noexcept { return letter % kinds_of_pass == 0; }
[[nodiscard]] constexpr bool is_backward(std::size_t letter) noexcept { return letter % kinds_of_pass == 1; }
[[nodiscard]] constexpr bool is_weight(std::size_t letter) noexcept { return letter % kinds_of_pass == 2; }
/// @}

/// The words of all ranks.
using order_names = std::vector<std::vector<std::uint16_t>>;

/// Ranks, stages, and their times in ticks and bytes in units of memory.
struct schedule_problem {
  std::size_t ranks = 0;                              ///< p
  std::size_t microbatches = 0;                       ///< m
  bool split = false;                                 ///< whether W passes are separate
  bool links = false;                                 ///< whether messages queue on their link
  std::vector<bool> whole{};                          ///< per stage, whether its W is a part of its I: B
  std::vector<std::size_t> rank_of{};                 ///< per stage
  std::vector<std::vector<std::size_t>> stages_of{};  ///< per rank, in the order of the chain
  std::vector<std::int64_t> time{};                   ///< per letter; 0 for W if they are not split
  /// Per stage, B, or I and W if these take no longer and no more memory; empty: no B is better than both.
  std::vector<std::int64_t> together{};
  std::vector<std::int64_t> down{};        ///< message from stage s to s + 1, per stage; 0 within a rank
  std::vector<std::int64_t> up{};          ///< gradient from stage s + 1 to s, per stage
  std::vector<std::int64_t> all_reduce{};  ///< per stage, after its last pass and those before it on its rank
  std::vector<std::int64_t> step{};        ///< per rank, after its last pass and its last all-reduce
  std::vector<std::int64_t> kept{};        ///< per stage and microbatch, from the start of F to the end of B or W
  std::vector<std::int64_t> late{};        ///< the part of that kept from the end of I to the end of W
  std::vector<std::int64_t> again{};       ///< extra, from the start of B or I to the end of B or W
  std::vector<std::int64_t> apart{};       ///< the part of that which a B does not take in place of I and W
  std::vector<std::int64_t> memory{};      ///< per rank; empty: no limit

  /// Number of stages.
  [[nodiscard]] std::size_t stages() const noexcept { return rank_of.size(); }
  /// Number of letters, including W.
  [[nodiscard]] std::size_t letters() const noexcept { return kinds_of_pass * stages(); }
  /// Passes of a microbatch per stage.
  [[nodiscard]] std::size_t kinds() const noexcept { return split ? 3 : 2; }
  /// Whether a letter has passes.
  [[nodiscard]] bool runs(std::size_t letter) const noexcept { return split || !is_weight(letter); }
  /// Whether a letter is the last pass of a microbatch on its stage.
  [[nodiscard]] bool ends(std::size_t letter) const noexcept { return letter % kinds_of_pass + 1 == kinds(); }
  /// Whether ranks have memory limits.
  [[nodiscard]] bool capped() const noexcept { return !memory.empty(); }
  /// Whether a B of a stage may fit where I and W do not.
  [[nodiscard]] bool saves(std::size_t s) const noexcept { return capped() && apart[s] > 0; }
  /// The memory taken at the start of a pass, and freed at its end.
  /// @{
  [[nodiscard]] std::int64_t taken(std::size_t letter) const noexcept {
    return is_forward(letter) ? kept[stage_of(letter)] : is_backward(letter) ? again[stage_of(letter)] : 0;
  }
  [[nodiscard]] std::int64_t freed(std::size_t letter) const noexcept;
  /// @}
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/schedule_problem.ipp>
#endif
