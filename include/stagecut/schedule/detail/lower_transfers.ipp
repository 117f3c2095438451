// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/lower_transfers.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/detail/deadlock.hpp>
#include <stagecut/schedule/detail/op_set.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether all dependencies of a rank's next action have been issued.
[[nodiscard]] STAGECUT_DECL bool can_issue(const schedule& all, const stage_links& links, const op_set& issued,
                                           const std::vector<op>& order, std::size_t at) {
  const auto is_missing = [&](const op& needed) {
    const bool gradient = needed.kind == op_kind::backward_input;
    return !(gradient ? issued.contains_gradient(needed) : issued.contains_pass(needed.kind, needed));
  };
  for (std::size_t i = at; i < at + action_size(order, at); ++i) {
    if (detail::any_need(all, links, false, order[i], is_missing)) return false;
  }
  return true;
}

/// Adds the sends of an op to its rank, and the receives to the ranks of the target stages.
STAGECUT_DECL void add_transfers(schedule& result, const stage_links& links, const op& each) {
  const bool down = each.kind == op_kind::forward;
  if (!down && each.kind != op_kind::backward && each.kind != op_kind::backward_input) return;
  for (const stage_links::link& to : links.of(each.stage, down)) {
    if (!crosses_ranks(result, each.stage, to)) continue;
    const op sent{down ? op_kind::send_forward : op_kind::send_backward,
                  each.stage,
                  each.microbatch,
                  each.slice,
                  false,
                  links.peer(to)};
    for (const op& end : {sent, other_end(sent)}) result.orders[result.rank_of[end.stage]].push_back(end);
  }
}

}  // namespace detail

STAGECUT_DECL schedule lower_transfers(const schedule& all) {
  check_schedule(all);
  if (detail::has_transfers(all)) return all;
  schedule result = all;
  for (auto& order : result.orders) order.clear();
  const detail::stage_links links(all);
  detail::op_set issued(all, links, false);
  std::vector<std::size_t> at(all.ranks());
  bool waiting = true;
  for (bool moved = true; moved;) {
    moved = waiting = false;
    for (std::size_t r = 0; r < all.ranks(); ++r) {
      const std::vector<op>& order = all.orders[r];
      if (at[r] == order.size()) continue;
      waiting = true;
      if (!detail::can_issue(all, links, issued, order, at[r])) continue;
      const std::size_t first = at[r];
      at[r] += detail::action_size(order, first);
      for (std::size_t i = first; i < at[r]; ++i) {
        result.orders[r].push_back(order[i]);
        if (has_microbatch(order[i].kind)) issued.insert(order[i]);
      }
      for (std::size_t i = first; i < at[r]; ++i) detail::add_transfers(result, links, order[i]);
      moved = true;
    }
  }
  if (waiting) detail::fail(invalid_input("schedule", detail::deadlock_text(all, at)));
  return result;
}

STAGECUT_DECL schedule merge_backward(const schedule& all) {
  schedule result = all;
  for (auto& order : result.orders) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < order.size(); ++i, ++kept) {
      order[kept] = order[i];
      if (order[i].kind != op_kind::backward_input || i + 1 == order.size()) continue;
      op weight = order[i];
      weight.kind = op_kind::backward_weight;
      if (order[i + 1] != weight) continue;
      order[kept].kind = op_kind::backward;
      ++i;
    }
    order.resize(kept);
  }
  return result;
}

STAGECUT_DECL schedule whole_first_stage(const schedule& all) {
  schedule result = all;
  for (auto& order : result.orders) {
    std::size_t kept = 0;
    for (op each : order) {
      if (each.stage == 0 && each.kind == op_kind::backward_input) continue;
      if (each.stage == 0 && each.kind == op_kind::backward_weight) each.kind = op_kind::backward;
      order[kept++] = each;
    }
    order.resize(kept);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
