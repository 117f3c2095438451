// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/task_graph.hpp>

#include <cstddef>
#include <utility>

#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/task_builder.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL task_graph::task_graph(const schedule& order, const task_options& options)
    : options_(options), table_(order, options) {
  check_schedule(order);
  const bool lowers = options.with_transfers &&
                      (options.transfers == transfer_kind::stream || options.transfers == transfer_kind::blocking);
  const bool same = lowers == detail::has_transfers(order);
  const schedule changed = same ? schedule{} : lowers ? lower_transfers(order) : without_transfers(order);
  detail::task_builder builder(same ? order : changed, options, table_);
  builder.build();
  tasks_ = std::move(builder.tasks);
  delays_ = std::move(builder.delays);
  what_ = std::move(builder.what);
  last_ = std::move(builder.last);
}

STAGECUT_DECL schedule task_graph::without_transfers(schedule order) {
  for (auto& ops : order.orders) {
    std::size_t kept = 0;
    for (const auto& op : ops) {
      if (!is_transfer(op.kind)) ops[kept++] = op;
    }
    ops.resize(kept);
  }
  return order;
}

}  // namespace stagecut::inline STAGECUT_ABI
