// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/detail/duration_table.hpp>

#include <cstddef>
#include <cstdint>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/task_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL duration_table::duration_table(const schedule& order, const task_options& options)
    : stages_(order.stages()),
      edges_(edge_count(order)),
      ranks_(order.ranks()),
      slices_(order.slices),
      microbatches_(order.microbatches),
      options_(options) {
  variants_ = (options.by_microbatch ? microbatches_ : 1) * (options.by_microbatch || options.by_slice ? slices_ : 1);
  for (const auto& rank : order.orders) {
    for (const auto& op : rank) {
      if (is_compute(op.kind)) used_[static_cast<std::size_t>(op.kind)] = true;
    }
  }
  transfers_ = 1 + 4 * stages_ * variants_;
  all_reduces_ = transfers_ + 2 * edges_;
  steps_ = all_reduces_ + stages_;
  size_ = steps_ + ranks_;
}

STAGECUT_DECL std::uint32_t duration_table::pair(const op& forward, const op& backward) {
  const std::uint32_t first = pass(forward);
  const std::uint32_t second = pass(backward);
  if (latest_pair_.empty()) latest_pair_.resize(1 + stages_ * variants_);
  std::uint32_t& latest = latest_pair_[first];
  if (latest != 0 && pairs_[latest - steps_ - ranks_].second == second) return latest;
  pairs_.emplace_back(first, second);
  latest = static_cast<std::uint32_t>(size_++);
  return latest;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
