// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/schedule.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL bool has_kind(const schedule& order, op_kind kind) noexcept {
  for (const auto& rank : order.orders) {
    for (const auto& op : rank) {
      if (op.kind == kind) return true;
    }
  }
  return false;
}

STAGECUT_DECL std::vector<std::size_t> loop_placement(std::size_t ranks, std::size_t stages_per_rank) {
  std::vector<std::size_t> result(ranks * stages_per_rank);
  for (std::size_t s = 0; s < result.size(); ++s) result[s] = s % ranks;
  return result;
}

STAGECUT_DECL std::vector<std::size_t> v_placement(std::size_t ranks) {
  std::vector<std::size_t> result(2 * ranks);
  for (std::size_t s = 0; s < result.size(); ++s) result[s] = s < ranks ? s : 2 * ranks - 1 - s;
  return result;
}

STAGECUT_DECL std::vector<std::size_t> chunks_of_stages(const schedule& order) {
  std::vector<std::size_t> seen(order.ranks());
  std::vector<std::size_t> result;
  for (const std::size_t rank : order.rank_of) result.push_back(seen[rank]++);
  return result;
}

namespace detail {

STAGECUT_DECL schedule empty_schedule(const char* name, std::vector<std::size_t> rank_of, std::size_t ranks,
                                      std::size_t microbatches) {
  schedule result;
  result.name = name;
  result.microbatches = microbatches;
  result.rank_of = std::move(rank_of);
  result.orders.resize(ranks);
  return result;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
