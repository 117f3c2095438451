// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/detail/plain_orders.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/detail/cut_times.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::size_t ranks_of(const cut_and_schedule_request& request) {
  std::size_t last = 0;
  for (const std::size_t rank : request.rank_of) last = std::max(last, rank);
  return last + 1;
}

STAGECUT_DECL schedule one_at_a_time(const cut_and_schedule_request& request) {
  const std::size_t stages = request.rank_of.size();
  schedule result = empty_schedule("", request.rank_of, detail::ranks_of(request), request.microbatches);
  for (std::size_t k = 0; k < request.microbatches; ++k) {
    for (std::size_t s = 0; s < stages; ++s) result.orders[request.rank_of[s]].push_back({op_kind::forward, s, k});
    for (std::size_t s = stages; s-- > 0;) {
      result.orders[request.rank_of[s]].push_back({op_kind::backward, s, k});
    }
  }
  return result;
}

STAGECUT_DECL std::vector<op> with_whole(const std::vector<op>& ops, const cut_and_schedule_request& request) {
  std::vector<op> result;
  for (op each : ops) {
    const bool part = each.kind == op_kind::backward_input || each.kind == op_kind::backward_weight;
    if (part && is_whole(request, each.stage)) {
      if (each.kind == op_kind::backward_weight) continue;
      each.kind = op_kind::backward;
    }
    result.push_back(each);
  }
  return result;
}

STAGECUT_DECL std::vector<schedule> named_orders(const cut_and_schedule_request& request) {
  std::vector<schedule> result;
  const std::size_t stages = request.rank_of.size();
  schedule_shape shape;
  shape.ranks = detail::ranks_of(request);
  shape.microbatches = request.microbatches;
  if (stages % shape.ranks != 0) return result;
  shape.stages_per_rank = stages / shape.ranks;
  for (const schedule_entry& entry : schedules) {
    if (entry.twin || !has_shape(entry.kind, shape.ranks, shape.stages_per_rank, shape.microbatches)) continue;
    schedule order = make_schedule(entry.kind, shape);
    const bool apart = has_kind(order, op_kind::backward_input);
    const bool mixed = apart && has_kind(order, op_kind::backward);
    if (order.rank_of != request.rank_of || mixed || (apart && !request.split)) continue;
    if (apart && !request.whole.empty()) {
      order.name.clear();
      for (auto& ops : order.orders) ops = detail::with_whole(ops, request);
    }
    result.push_back(std::move(order));
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
