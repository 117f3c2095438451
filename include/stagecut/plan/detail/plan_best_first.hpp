// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Calls `act(i)` for every i below `count`, on these threads, or in order.
template <class Act>
void on_threads(const parallel_for& threads, std::size_t count, const Act& act) {
  if (threads && count > 1) return threads(count, act);
  for (std::size_t i = 0; i < count; ++i) act(i);
}

/// Interleaves rows: those with similar bounds take similar time, and threads may take a contiguous part each.
[[nodiscard]] inline std::vector<std::size_t> interleaved(const std::vector<std::size_t>& rows) {
  constexpr std::size_t parts = 8;
  std::vector<std::size_t> result;
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t k = part; k < rows.size(); k += parts) result.push_back(rows[k]);
  }
  return result;
}

/// Plans several requests: bounds all of them, then plans those with the smallest bounds first, in rounds, and leaves out
/// what cannot win. What a round leaves out depends only on the rounds before it, so the answers do not depend on the
/// threads that run a round, nor on their order.
///
/// @param all      has `size()`; `bound(i)` bounds a request; then `is_open(i)`, whether it is to be planned, and
///                 `least(i)`, a lower bound by which requests are compared; `begin_round(left)`, with the number of
///                 requests that are left; `leave_out(i)`, whether it cannot win; `solve(i)`; `report()`; `is_stopped()`.
///                 `bound` and `solve` are called by several threads at once for different requests
/// @param round    requests of a round
/// @param threads  that run a round
template <class Requests>
void plan_best_first(Requests& all, std::size_t round, const parallel_for& threads) {
  detail::on_threads(threads, all.size(), [&](std::size_t i) { all.bound(i); });
  all.report();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.is_open(i)) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all.least(a) < all.least(b); });
  std::vector<std::size_t> chosen;
  for (std::size_t next = 0; next < order.size() && !all.is_stopped();) {
    all.begin_round(order.size() - next);
    chosen.clear();
    for (; next < order.size() && chosen.size() < round; ++next) {
      if (!all.leave_out(order[next])) chosen.push_back(order[next]);
    }
    chosen = interleaved(chosen);
    detail::on_threads(threads, chosen.size(), [&](std::size_t k) { all.solve(chosen[k]); });
    all.report();
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
