// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/detail/variant_ways.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <stagecut/engine/pareto_front.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool variant_ways::prepare(std::int64_t held, std::int64_t memory) {
  ways_.clear();
  steps_.clear();
  base_ = 0;
  std::int64_t all = 0;
  std::int64_t leanest = 0;
  for (group& each : groups_) {
    list_ways(each, held);
    const auto count = static_cast<std::int64_t>(each.count);
    base_ += count * ways_[each.begin].time;
    all += count * ways_[each.begin].bytes;
    leanest += count * ways_[each.end - 1].bytes;
  }
  need_ = all - memory;
  if (leanest > memory) return false;
  if (need_ > 0) list_units();
  return true;
}

STAGECUT_DECL void variant_ways::list_ways(group& each, std::int64_t held) {
  sorted_.clear();
  for (std::size_t r = 0; r < each.variants.size(); ++r) {
    const variant_figures& one = each.variants[r];
    sorted_.push_back({one.time, held * one.activations + one.resident, r});
  }
  const auto faster = [](const way& a, const way& b) { return a.time != b.time ? a.time < b.time : a.bytes < b.bytes; };
  const auto is_leaner = [](const way& a, const way& b) { return a.bytes <= b.bytes; };
  engine::keep_front(sorted_, engine::front_rule{faster, is_leaner, true});
  each.begin = ways_.size();
  ways_.insert(ways_.end(), sorted_.begin(), sorted_.end());
  each.end = ways_.size();
}

STAGECUT_DECL void variant_ways::list_units() {
  pairs_.clear();
  made_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const group& each = groups_[g];
    if (each.end - each.begin == 2) {
      const way& from = ways_[each.begin];
      const way& to = ways_[each.begin + 1];
      pairs_.push_back({g, to.time - from.time, from.bytes - to.bytes, static_cast<std::int64_t>(each.count), 0, false,
                        each.begin, each.begin + 1});
    } else if (each.end - each.begin > 2) {
      add_hull(g);
      made_.push_back({0, 0, g, each.count});
    }
  }
  const auto by_saved = [](const step& a, const step& b) {
    return a.saved != b.saved ? a.saved > b.saved : a.time < b.time;
  };
  std::stable_sort(pairs_.begin(), pairs_.end(), by_saved);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    step& each = pairs_[i];
    each.is_first = i == 0 || each.saved != pairs_[i - 1].saved;
    if (each.is_first) made_.push_back({i, i, 0, 0});
    each.unit = made_.size() - 1;
    made_.back().end = i + 1;
    made_.back().count += groups_[each.group].count;
    steps_.push_back(each);
  }
  std::stable_sort(steps_.begin(), steps_.end(), cheaper);
  units_.clear();
  rank_.assign(made_.size(), 0);
  for (const step& each : steps_) {
    if (!each.is_first) continue;
    rank_[each.unit] = units_.size();
    units_.push_back(made_[each.unit]);
  }
  for (step& each : steps_) each.unit = rank_[each.unit];
}

STAGECUT_DECL void variant_ways::add_hull(std::size_t g) {
  const std::size_t begin = steps_.size();
  const auto count = static_cast<std::int64_t>(groups_[g].count);
  for (std::size_t w = groups_[g].begin + 1; w < groups_[g].end; ++w) {
    const way& from = ways_[w - 1];
    step made{g, ways_[w].time - from.time, from.bytes - ways_[w].bytes, count, made_.size(), false, w - 1, w};
    while (steps_.size() > begin && !cheaper(steps_.back(), made)) {
      made.time += steps_.back().time;
      made.saved += steps_.back().saved;
      made.from = steps_.back().from;
      steps_.pop_back();
    }
    made.is_first = steps_.size() == begin;
    steps_.push_back(made);
  }
}

STAGECUT_DECL std::int64_t variant_ways::relaxed(std::size_t rank, std::int64_t left, std::int64_t need) const {
  std::int64_t time = 0;
  for (const step& each : steps_) {
    if (each.unit < rank) continue;
    const std::int64_t count = each.unit == rank && each.count > left ? left : each.count;
    if (each.saved * count < need) {
      need -= each.saved * count;
      time += each.time * count;
      continue;
    }
    const auto saved = static_cast<std::uint64_t>(each.saved);
    return time + static_cast<std::int64_t>((product(need, each.time) + (saved - 1)) / saved);
  }
  return none / 2;
}

STAGECUT_DECL std::int64_t variant_ways::relaxed_from(std::size_t rank, std::int64_t need) const {
  if (need <= 0) return 0;
  return rank < units_.size() ? relaxed(rank, static_cast<std::int64_t>(units_[rank].count), need) : none / 2;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
