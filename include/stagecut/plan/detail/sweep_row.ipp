// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/sweep_row.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>


namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<std::size_t> mark_pareto_front_fn::operator()(std::vector<sweep_row>& rows) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].on_front = false;
    if (rows[i].has_plan()) order.push_back(i);
  }
  // Equal rows keep their order.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (rows[a].per_microbatch != rows[b].per_microbatch) return rows[a].per_microbatch < rows[b].per_microbatch;
    return rows[a].memory < rows[b].memory;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    if (!front.empty() && !(rows[i].memory < rows[front.back()].memory)) continue;
    rows[i].on_front = true;
    front.push_back(i);
  }
  return front;
}

}  // namespace stagecut::inline STAGECUT_ABI
