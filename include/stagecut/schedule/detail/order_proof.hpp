// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/schedule/detail/order_heads.hpp>
#include <stagecut/schedule/detail/pass_precedence.hpp>
#include <stagecut/schedule/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// States of all ranks together that `rank_states` may look at.
inline constexpr std::size_t states_of_ranks = 200'000;

/// What comes before what on every rank.
[[nodiscard]] inline std::vector<pass_precedence> precedence_of(const word_problem& of) {
  std::vector<pass_precedence> result;
  for (std::size_t r = 0; r < of.ranks; ++r) result.emplace_back(of, r, states_of_ranks / of.ranks);
  return result;
}

/// Raises a bound as far as heads and tails can: they are settled for a length, which is refused if a pass has no place
/// left. Halves what lies between the bound and `found`, which some order takes; until `stop()`, or so much `work()` is done.
///
/// Source: Carlier and Pinson, An Algorithm for Solving the Job-Shop Problem (Management Science 35, 1989).
[[nodiscard]] inline std::int64_t raised_bound(const order_heads& settled, std::int64_t bound, std::int64_t found,
                                               std::size_t most_work, function_ref<bool()> stop) {
  std::int64_t open = found;  // not refused
  std::size_t work = 0;
  while (bound < open && work < most_work && !stop()) {
    const std::int64_t middle = bound + (open - 1 - bound) / 2;
    order_heads at = settled;
    const auto enough = [&] { return work + (at.work() - settled.work()) >= most_work || stop(); };
    const bool kept = at.keep_to(middle, enough);
    work += at.work() - settled.work();
    if (kept)
      open = middle;
    else
      bound = middle + 1;
  }
  return bound;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
