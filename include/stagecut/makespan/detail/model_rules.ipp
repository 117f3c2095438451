// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/detail/model_rules.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::vector<std::vector<std::size_t>> most_held(const schedule& order, std::size_t rank) {
  std::vector<std::size_t> part(order.stages(), 0);
  std::size_t parts = 0;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    if (order.rank_of[s] == rank) part[s] = parts++;
  }
  std::vector<std::size_t> slices(parts);
  std::vector<std::vector<std::size_t>> most;
  for (const op& each : order.orders[rank]) {
    if (each.kind == op_kind::backward || each.kind == op_kind::backward_weight) --slices[part[each.stage]];
    if (each.kind != op_kind::forward) continue;
    ++slices[part[each.stage]];
    std::vector<std::size_t> now;
    for (const std::size_t here : slices) now.push_back((here + order.slices - 1) / order.slices);
    const auto below = [](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] > b[i]) return false;
      }
      return true;
    };
    bool covered = false;
    for (const auto& other : most) covered = covered || below(now, other);
    if (covered) continue;
    std::erase_if(most, [&](const auto& other) { return below(other, now); });
    most.push_back(std::move(now));
  }
  return most;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
