// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

// For what an order is made, in whole numbers, and how orders are told.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A *letter* is a kind of pass of one stage: 3 s for F of stage s, 3 s + 1 for its I or B, 3 s + 2 for its W.
///
/// Microbatches are alike, so that nothing is lost if a rank runs those of a letter in turn: its order is a *word* of its
/// letters, each of them m times, and the k-th time a letter stands there it is microbatch k.
inline constexpr std::size_t kinds_of_pass = 3;

/// The letters of a stage.
/// @{
[[nodiscard]] constexpr std::size_t forward_of(std::size_t stage) noexcept { return kinds_of_pass * stage; }
[[nodiscard]] constexpr std::size_t backward_of(std::size_t stage) noexcept { return kinds_of_pass * stage + 1; }
[[nodiscard]] constexpr std::size_t weight_of(std::size_t stage) noexcept { return kinds_of_pass * stage + 2; }
/// @}
/// Of which stage a letter is, and which kind.
/// @{
[[nodiscard]] constexpr std::size_t stage_of(std::size_t letter) noexcept { return letter / kinds_of_pass; }
[[nodiscard]] constexpr bool is_forward(std::size_t letter) noexcept { return letter % kinds_of_pass == 0; }
[[nodiscard]] constexpr bool is_backward(std::size_t letter) noexcept { return letter % kinds_of_pass == 1; }
[[nodiscard]] constexpr bool is_weight(std::size_t letter) noexcept { return letter % kinds_of_pass == 2; }
/// @}

/// The words of all ranks.
using order_words = std::vector<std::vector<std::uint16_t>>;

/// Ranks, stages and what these take, in ticks and in units of memory.
struct word_problem {
  std::size_t ranks = 0;                              ///< p
  std::size_t microbatches = 0;                       ///< m
  bool split = false;                                 ///< whether W are passes of their own
  bool links = false;                                 ///< whether messages wait for those before them on their link
  std::vector<bool> whole{};                          ///< of every stage, whether its W is a part of its I: B
  std::vector<std::size_t> rank_of{};                 ///< of every stage
  std::vector<std::vector<std::size_t>> stages_of{};  ///< of every rank, in the order of the chain
  std::vector<std::int64_t> time{};                   ///< of every letter; 0 for W if they are not split
  /// Of every stage, B, or I and W where these take no longer and no more memory; empty: no B is better than both.
  std::vector<std::int64_t> together{};
  std::vector<std::int64_t> down{};        ///< of the message from stage s to s + 1, of every stage; 0 within a rank
  std::vector<std::int64_t> up{};          ///< likewise of the gradient from stage s + 1 to s
  std::vector<std::int64_t> all_reduce{};  ///< of every stage, behind its last pass and those before it on its rank
  std::vector<std::int64_t> step{};        ///< of every rank, behind its last pass and its last all-reduce
  std::vector<std::int64_t> kept{};        ///< of every stage by a microbatch, from the start of F to the end of B or W
  std::vector<std::int64_t> late{};        ///< of that, what stays from the end of I to the end of W
  std::vector<std::int64_t> again{};       ///< more, from the start of B or I to the end of B or W
  std::vector<std::int64_t> apart{};       ///< of that, what a B does not take in place of I and W
  std::vector<std::int64_t> memory{};      ///< of every rank; empty: no limit

  /// Stages.
  [[nodiscard]] std::size_t stages() const noexcept { return rank_of.size(); }
  /// Letters, those of W counted.
  [[nodiscard]] std::size_t letters() const noexcept { return kinds_of_pass * stages(); }
  /// Passes of a microbatch on every stage.
  [[nodiscard]] std::size_t kinds() const noexcept { return split ? 3 : 2; }
  /// Whether there are passes of a letter.
  [[nodiscard]] bool runs(std::size_t letter) const noexcept { return split || !is_weight(letter); }
  /// Whether a letter is that of the last pass of a microbatch on its stage.
  [[nodiscard]] bool ends(std::size_t letter) const noexcept { return letter % kinds_of_pass + 1 == kinds(); }
  /// Whether ranks have limits.
  [[nodiscard]] bool capped() const noexcept { return !memory.empty(); }
  /// Whether a limit may let a B of a stage run that lets no I and W.
  [[nodiscard]] bool saves(std::size_t s) const noexcept { return capped() && apart[s] > 0; }
  /// What is taken at the start of a pass, and what is given back at its end.
  /// @{
  [[nodiscard]] std::int64_t taken(std::size_t letter) const noexcept {
    return is_forward(letter) ? kept[stage_of(letter)] : is_backward(letter) ? again[stage_of(letter)] : 0;
  }
  [[nodiscard]] std::int64_t freed(std::size_t letter) const noexcept;
  /// @}
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/word_problem.ipp>
#endif
