// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/order_proof.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/order_heads.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The most states of all ranks together that `rank_states` examines.
inline constexpr std::size_t states_of_ranks = 200'000;

STAGECUT_DECL std::vector<pass_precedence> precedence_of(const schedule_problem& of) {
  std::vector<pass_precedence> result;
  for (std::size_t r = 0; r < of.ranks; ++r) result.emplace_back(of, r, states_of_ranks / of.ranks);
  return result;
}

STAGECUT_DECL std::int64_t raised_bound(const order_heads& settled, std::int64_t bound, std::int64_t found,
                                        std::size_t most_work, function_ref<bool()> stop) {
  std::int64_t open = found;  // not refuted
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
