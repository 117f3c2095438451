// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/order_moments.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/engine/pareto_front.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Adds an element to a list, unless one there is nowhere smaller, and drops those that are nowhere larger than it.
inline void keep_most(detail::held_moments& list, std::vector<detail::held_microbatches> now) {
  const auto below = [](const auto& a, const auto& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].in_flight > b[i].in_flight || a[i].recomputed > b[i].recomputed || a[i].apart > b[i].apart) {
        return false;
      }
    }
    return true;
  };
  engine::add_to_front(list, std::move(now), [&below](const auto& a, const auto& b) { return below(b, a); });
}

STAGECUT_DECL detail::held_moments most_held(const schedule& order, std::size_t rank, bool recomputed) {
  std::vector<std::size_t> part(order.stages(), 0);
  std::size_t parts = 0;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    if (order.rank_of[s] == rank) part[s] = parts++;
  }
  std::vector<detail::held_microbatches> slices(parts);
  detail::held_moments most;
  const auto keep = [&] {
    std::vector<detail::held_microbatches> now = slices;
    for (detail::held_microbatches& each : now) {
      each.in_flight = (each.in_flight + order.slices - 1) / order.slices;
      each.recomputed = (each.recomputed + order.slices - 1) / order.slices;
      each.apart = (each.apart + order.slices - 1) / order.slices;
    }
    keep_most(most, std::move(now));
  };
  for (const auto& op : order.orders[rank]) {
    detail::held_microbatches& here = slices[part[op.stage]];
    const bool whole = op.kind == op_kind::backward;
    if (op.kind == op_kind::forward) {
      ++here.in_flight;
      keep();
    } else if (recomputed && (whole || op.kind == op_kind::backward_input)) {
      ++here.recomputed;
      if (!whole) ++here.apart;
      keep();
    }
    if (!whole && op.kind != op_kind::backward_weight) continue;
    --here.in_flight;
    if (!recomputed) continue;
    --here.recomputed;
    if (!whole) --here.apart;
  }
  return most;
}

STAGECUT_DECL order_moments::order_moments() = default;
STAGECUT_DECL order_moments::order_moments(order_moments&& other) noexcept = default;
STAGECUT_DECL order_moments& order_moments::operator=(order_moments&& other) noexcept = default;
STAGECUT_DECL order_moments::~order_moments() = default;

STAGECUT_DECL order_moments::order_moments(const schedule& order, bool recomputed) : stages_(stages_of_ranks(order)) {
  std::vector<detail::held_moments> most(order.stages());
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    const detail::held_moments& here = ranks_.emplace_back(most_held(order, r, recomputed));
    for (const auto& each : here) {
      for (std::size_t j = 0; j < each.size(); ++j) keep_most(most[stages_[r][j]], {each[j]});
    }
    several_ = several_ || stages_[r].size() > 1;
  }
  for (const detail::held_moments& each : most) {
    detail::stage_moments& here = alone_.emplace_back();
    for (const auto& moment : each) here.push_back(moment[0]);
  }
}

STAGECUT_DECL const detail::held_moments& order_moments::of_rank(std::size_t rank) const noexcept {
  return ranks_[rank];
}

STAGECUT_DECL std::size_t order_moments::count(std::size_t rank) const noexcept { return ranks_[rank].size(); }

STAGECUT_DECL view<const detail::held_microbatches> order_moments::moment(std::size_t rank,
                                                                          std::size_t which) const noexcept {
  return ranks_[rank][which];
}

STAGECUT_DECL view<const detail::held_microbatches> order_moments::alone(std::size_t stage) const noexcept {
  return alone_[stage];
}

STAGECUT_DECL std::vector<detail::stage_moments> moments_of(const schedule& order) {
  const order_moments moments(order, true);
  std::vector<detail::stage_moments> result;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    const auto held = moments.alone(s);
    result.emplace_back(held.begin(), held.end());
    if (result.back().empty()) result.back().emplace_back();
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
