// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/in_flight_bound.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL std::optional<std::vector<std::size_t>> in_flight_of(const schedule& order) {
  if (order.stages() != order.ranks() || order.slices != 1) return std::nullopt;
  const std::size_t m = order.microbatches;
  std::vector<std::size_t> result;
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    if (order.rank_of[r] != r) return std::nullopt;
    std::vector<op> ops;
    for (const op& each : order.orders[r]) {
      if (is_transfer(each.kind)) continue;
      const bool counts = each.kind == op_kind::forward || each.kind == op_kind::backward;
      if (is_compute(each.kind) && (!counts || each.with_next)) return std::nullopt;
      if (counts) ops.push_back(each);
    }
    if (ops.size() != 2 * m) return std::nullopt;
    std::size_t n = 0;
    while (n < ops.size() && ops[n].kind == op_kind::forward) ++n;
    std::size_t forward = 0;
    std::size_t backward = 0;
    for (const op& each : ops) {
      const bool down = forward < n || (forward < m && backward == forward - n + 1);
      if ((each.kind == op_kind::forward) != down) return std::nullopt;
      if (each.microbatch != (down ? forward : backward)) return std::nullopt;
      ++(down ? forward : backward);
    }
    result.push_back(n);
  }
  return result;
}

STAGECUT_DECL std::vector<steady_window> steady_windows(const std::vector<std::size_t>& in_flight, std::size_t m,
                                                        std::size_t k) {
  const std::size_t own = in_flight[k];
  const std::size_t steady = m - own;
  std::vector<steady_window> result{{{}, 0, steady}};
  if (steady == 0) return result;
  const auto replaced = [&](std::size_t r) { return in_flight[r] - own + 1; };
  for (std::size_t r = 0; r < k; ++r) {
    if (in_flight[r] >= m) continue;  // it never waits for a backward pass before it runs another forward
    const std::size_t trips = steady / replaced(r);
    if (trips == 0) continue;
    result.push_back({{{r, trips}}, 0, trips + steady - trips * replaced(r)});
    steady_window filled;
    std::size_t left = steady;
    for (std::size_t up = r; up < k; ++up) {
      const std::size_t more = left / replaced(up);
      if (more == 0) continue;
      filled.trips.emplace_back(up, more);
      filled.pairs += more;
      left -= more * replaced(up);
    }
    filled.pairs += left;
    if (filled.trips.size() > 1) result.push_back(std::move(filled));
  }
  if (k + 1 < in_flight.size()) {
    const std::size_t each = own - in_flight.back() + 1;
    const std::size_t trips = (steady - 1) / each;
    if (trips != 0) result.push_back({{}, trips, trips + steady - trips * each});
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
