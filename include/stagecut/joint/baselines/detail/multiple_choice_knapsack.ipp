// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/baselines/detail/variant_ways.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::int64_t multiple_choice_knapsack::solve() {
  best_ = none;
  now_.assign(ways_.size(), 0);
  chosen_ = now_;
  if (need_ <= 0) {
    best_ = 0;
  } else {
    descend(0, need_, 0);
  }
  for (const group& each : groups_) {
    chosen_[each.begin] = each.count;
    for (std::size_t w = each.begin + 1; w < each.end; ++w) chosen_[each.begin] -= chosen_[w];
  }
  return base_ + best_;
}

STAGECUT_DECL std::int64_t multiple_choice_knapsack::choose() {
  chosen_.assign(ways_.size(), 0);
  for (const group& each : groups_) chosen_[each.begin] = each.count;
  std::int64_t need = need_;
  std::int64_t time = base_;
  for (std::size_t i = 0; need > 0 && i < steps_.size(); ++i) {
    const step& each = steps_[i];
    const std::int64_t enough = (need - 1) / each.saved + 1;
    const std::int64_t count = each.count < enough ? each.count : enough;
    chosen_[each.from] -= static_cast<std::size_t>(count);
    chosen_[each.to] += static_cast<std::size_t>(count);
    need -= count * each.saved;
    time += count * each.time;
  }
  return time;
}

STAGECUT_DECL variant_figures multiple_choice_knapsack::sum() const {
  variant_figures all;
  for (const group& each : groups_) {
    for (std::size_t w = each.begin; w < each.end; ++w) {
      const variant_figures& one = each.variants[ways_[w].variant];
      const auto count = static_cast<std::int64_t>(chosen_[w]);
      all.time += count * one.time;
      all.activations += count * one.activations;
      all.resident += count * one.resident;
    }
  }
  return all;
}

STAGECUT_DECL std::vector<std::size_t> multiple_choice_knapsack::variants_of(std::size_t g) const {
  std::vector<std::size_t> result;
  for (std::size_t w = groups_[g].begin; w < groups_[g].end; ++w) {
    result.insert(result.end(), chosen_[w], ways_[w].variant);
  }
  return result;
}

STAGECUT_DECL void multiple_choice_knapsack::keep(std::int64_t time) {
  if (time >= best_) return;
  best_ = time;
  chosen_ = now_;
}

STAGECUT_DECL void multiple_choice_knapsack::descend(std::size_t rank, std::int64_t need, std::int64_t time) {
  if (need <= 0) return keep(time);
  if (rank == units_.size() || time + relaxed_from(rank, need) >= best_) return;
  const unit& at = units_[rank];
  if (at.begin != at.end) return descend_pairs(rank, need, time);
  descend_ways(rank, groups_[at.group].end - 1, groups_[at.group].count, need, time);
}

STAGECUT_DECL void multiple_choice_knapsack::descend_pairs(std::size_t rank, std::int64_t need, std::int64_t time) {
  const unit& at = units_[rank];
  const std::int64_t saved = pairs_[at.begin].saved;
  const std::int64_t enough = (need - 1) / saved + 1;
  const auto all = static_cast<std::int64_t>(at.count);
  const std::int64_t most = all < enough ? all : enough;
  std::int64_t whole = need;
  std::int64_t relaxed_count = 0;
  for (const step& each : steps_) {
    if (each.unit < rank) continue;
    const bool own = each.unit == rank;
    if (each.saved * each.count >= whole) {
      relaxed_count += own ? whole / each.saved : 0;
      break;
    }
    whole -= each.saved * each.count;
    relaxed_count += own ? each.count : 0;
  }
  if (relaxed_count > most) relaxed_count = most;
  // The bound is convex in the number taken, except for the rounding of one unit.
  std::int64_t before = none;
  for (std::int64_t x = relaxed_count; x >= 0; --x) {
    const std::int64_t here = take(rank, x, need, time);
    if (here >= best_ && here - 1 > before) break;
    before = here;
  }
  before = none;
  for (std::int64_t x = relaxed_count + 1; x <= most; ++x) {
    const std::int64_t here = take(rank, x, need, time);
    if (here >= best_ && here - 1 > before) break;
    before = here;
  }
  set(at, 0);
}

STAGECUT_DECL std::int64_t multiple_choice_knapsack::take(std::size_t rank, std::int64_t x, std::int64_t need,
                                                std::int64_t time) {
  const unit& at = units_[rank];
  const std::int64_t then = time + set(at, x);
  const std::int64_t rest = need - x * pairs_[at.begin].saved;
  const std::int64_t least = then + relaxed_from(rank + 1, rest);
  if (least < best_) descend(rank + 1, rest, then);
  return least;
}

STAGECUT_DECL std::int64_t multiple_choice_knapsack::set(const unit& at, std::int64_t x) {
  std::int64_t time = 0;
  for (std::size_t i = at.begin; i < at.end; ++i) {
    const step& each = pairs_[i];
    const std::int64_t here = x < each.count ? x : each.count;
    now_[groups_[each.group].begin + 1] = static_cast<std::size_t>(here);
    time += here * each.time;
    x -= here;
  }
  return time;
}

STAGECUT_DECL void multiple_choice_knapsack::descend_ways(std::size_t rank, std::size_t w, std::size_t left, std::int64_t need,
                                                std::int64_t time) {
  const group& at = groups_[units_[rank].group];
  if (w == at.begin || need <= 0) return descend(rank + 1, need, time);
  if (time + relaxed(rank, static_cast<std::int64_t>(left), need) >= best_) return;
  const std::int64_t saved = ways_[at.begin].bytes - ways_[w].bytes;
  const std::int64_t more = ways_[w].time - ways_[at.begin].time;
  const std::int64_t enough = (need - 1) / saved + 1;
  const auto all = static_cast<std::int64_t>(left);
  for (std::int64_t x = all < enough ? all : enough; x >= 0; --x) {
    now_[w] = static_cast<std::size_t>(x);
    if (time + x * more < best_) descend_ways(rank, w - 1, left - now_[w], need - x * saved, time + x * more);
  }
  now_[w] = 0;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
