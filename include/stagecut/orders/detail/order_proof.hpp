// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/order_heads.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The precedences on every rank.
[[nodiscard]] STAGECUT_DECL std::vector<pass_precedence> precedence_of(const schedule_problem& of);

/// Raises a bound as far as heads and tails allow: settles them for a target length, which is infeasible if a pass has
/// no position left. Bisects between the bound and `found`, which some schedule attains; until `stop()`, or until
/// `work()` reaches `most_work`.
///
/// Source: Carlier and Pinson, An Algorithm for Solving the Job-Shop Problem (Management Science 35, 1989).
[[nodiscard]] STAGECUT_DECL std::int64_t raised_bound(const order_heads& settled, std::int64_t bound,
                                                      std::int64_t found, std::size_t most_work,
                                                      function_ref<bool()> stop);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_proof.ipp>
#endif
