// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/detail/model_rules.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/makespan/detail/stages_of_ranks.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void keep_most(held_moments& list, std::vector<held_microbatches> now) {
  const auto below = [](const auto& a, const auto& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].in_flight > b[i].in_flight || a[i].recomputed > b[i].recomputed || a[i].apart > b[i].apart) {
        return false;
      }
    }
    return true;
  };
  if (std::any_of(list.begin(), list.end(), [&](const auto& other) { return below(now, other); })) return;
  std::erase_if(list, [&](const auto& other) { return below(other, now); });
  list.push_back(std::move(now));
}

STAGECUT_DECL held_moments most_held(const schedule& order, std::size_t rank, bool recomputed) {
  std::vector<std::size_t> part(order.stages(), 0);
  std::size_t parts = 0;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    if (order.rank_of[s] == rank) part[s] = parts++;
  }
  std::vector<held_microbatches> slices(parts);
  held_moments most;
  const auto keep = [&] {
    std::vector<held_microbatches> now = slices;
    for (held_microbatches& each : now) {
      each.in_flight = (each.in_flight + order.slices - 1) / order.slices;
      each.recomputed = (each.recomputed + order.slices - 1) / order.slices;
      each.apart = (each.apart + order.slices - 1) / order.slices;
    }
    keep_most(most, std::move(now));
  };
  for (const op& each : order.orders[rank]) {
    held_microbatches& here = slices[part[each.stage]];
    const bool whole = each.kind == op_kind::backward;
    if (each.kind == op_kind::forward) {
      ++here.in_flight;
      keep();
    } else if (recomputed && (whole || each.kind == op_kind::backward_input)) {
      ++here.recomputed;
      if (!whole) ++here.apart;
      keep();
    }
    if (!whole && each.kind != op_kind::backward_weight) continue;
    --here.in_flight;
    if (!recomputed) continue;
    --here.recomputed;
    if (!whole) --here.apart;
  }
  return most;
}

STAGECUT_DECL std::vector<stage_moments> moments_of(const schedule& order) {
  std::vector<held_moments> most(order.stages());
  const auto stages = stages_of_ranks(order);
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    for (const auto& each : most_held(order, r, true)) {
      for (std::size_t j = 0; j < each.size(); ++j) keep_most(most[stages[r][j]], {each[j]});
    }
  }
  std::vector<stage_moments> result;
  for (const held_moments& each : most) {
    stage_moments& here = result.emplace_back();
    for (const auto& moment : each) here.push_back(moment[0]);
    if (here.empty()) here.emplace_back();
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
