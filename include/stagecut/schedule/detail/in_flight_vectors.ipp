// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/in_flight_vectors.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void add_uncovered(std::vector<std::vector<std::size_t>>& vectors,
                                 const std::vector<std::size_t>& added) {
  const auto covers = [](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    for (std::size_t v = 0; v < a.size(); ++v) {
      if (a[v] < b[v]) return false;
    }
    return true;
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (covers(vectors[i], added)) return;  // then it covers none of the previous ones either
    if (!covers(added, vectors[i])) vectors[kept++] = vectors[i];
  }
  vectors.resize(kept);
  vectors.push_back(added);
}

}  // namespace detail

STAGECUT_DECL std::vector<std::vector<std::vector<std::size_t>>> in_flight_vectors(const schedule& order) {
  check_schedule(order);
  const std::vector<std::size_t> chunk = chunks_of_stages(order);
  std::vector<std::vector<std::size_t>> held(order.ranks());
  for (const std::size_t rank : order.rank_of) held[rank].push_back(0);
  std::vector<std::vector<std::vector<std::size_t>>> most(order.ranks());
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    bool grew = false;
    for (const auto& op : order.orders[r]) {
      if (op.kind == op_kind::forward) ++held[r][chunk[op.stage]], grew = true;
      if (op.kind != op_kind::backward && op.kind != op_kind::backward_weight) continue;
      if (grew) detail::add_uncovered(most[r], held[r]);
      --held[r][chunk[op.stage]], grew = false;
    }
    if (grew || most[r].empty()) detail::add_uncovered(most[r], held[r]);
  }
  return most;
}

}  // namespace stagecut::inline STAGECUT_ABI
