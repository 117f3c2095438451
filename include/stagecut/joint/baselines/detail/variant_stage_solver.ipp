// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/detail/variant_stage_solver.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.hpp>
#include <stagecut/joint/baselines/detail/variant_points.hpp>
#include <stagecut/joint/baselines/detail/variant_stage_table.hpp>
#include <stagecut/joint/baselines/detail/variant_tables.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL variant_stage_solver::variant_stage_solver(const variant_tables& tables, const variant_points& points,
                                                         double exchanged)
    : tables_(tables), points_(points), exchanged_(exchanged) {
  for (const auto& layer : tables.layers) {
    for (const auto& each : layer) {
      varies_ = varies_ || !each.more_parameters.empty();
      differ_ = differ_ || each.varies();
    }
  }
}

STAGECUT_DECL void variant_stage_solver::set_memory(const std::optional<double>& memory) {
  if (memory == memory_) return;
  memory_ = memory;
  limit_ = memory ? tables_.bytes.down(*memory) : std::numeric_limits<std::int64_t>::max() / 2;
  table_.clear();
}

STAGECUT_DECL void variant_stage_solver::look_at(std::size_t first, std::size_t last, std::size_t t,
                                                 std::size_t replicas) {
  key_ = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(t),
          varies_ ? static_cast<std::uint32_t>(replicas) : 0};
  is_listed_ = false;
  replicas_ = replicas;
  facts_ = table_.find(key_);
  if (facts_ != nullptr) return;
  own_ = {};
  own_.key = key_;
  own_.parameters = points_.between(first, last, t).parameters;
  own_.time = points_.between(first, last, t).time;
  points_.each_layer(first, last, [&](std::size_t v) {
    const auto& each = tables_.layers[v][t];
    for (std::size_t e = 0; e < each.cut.size(); ++e) own_.time += is_cut(v, e) ? each.cut[e] : 0;
  });
  facts_ = table_.put(own_);
  if (facts_ == nullptr) facts_ = &own_;
}

STAGECUT_DECL double variant_stage_solver::time_of(std::int64_t time, std::int64_t parameters,
                                                   std::size_t replicas) const noexcept {
  const double others = static_cast<double>(replicas - 1);
  return (tables_.times.figure(time) + 4 * others * tables_.parameters.figure(parameters) / exchanged_) /
         static_cast<double>(replicas);
}

STAGECUT_DECL auto variant_stage_solver::solve(std::int64_t held, std::size_t replicas, double most, bool fastest)
    -> std::optional<fact> {
  std::int64_t least = 0;
  for (const fact& each : facts_->known) {
    if (each.solves(held)) return within(each, replicas, most);
    if (!fastest && each.room >= held && time(each.figures.time, replicas) <= most) return each;
    if (each.held <= held && each.least > least) least = each.least;
  }
  if (least == multiple_choice_knapsack::none || !(time(least, replicas) <= most)) return std::nullopt;
  list_groups();
  fact made;
  made.held = held;
  made.least = choice_.prepare(held, limit_) ? choice_.bound() : multiple_choice_knapsack::none;
  if (made.least == multiple_choice_knapsack::none || !(time(made.least, replicas) <= most)) {
    facts_->known.push_back(made);
    return std::nullopt;
  }
  if (fastest || !(time(choice_.choose(), replicas) <= most)) made.least = choice_.solve();
  made.figures = choice_.sum();
  made.room = room_of(made.figures);
  facts_->known.push_back(made);
  return within(made, replicas, most);
}

STAGECUT_DECL auto variant_stage_solver::solve_roomiest(std::int64_t least, std::int64_t most_held,
                                                        std::size_t replicas, double most) -> std::optional<fact> {
  std::optional<fact> best = solve(least, replicas, most, false);
  if (!best || best->room >= most_held) return best;
  if (const auto all = solve(most_held, replicas, most, false)) return all;
  std::int64_t beyond = most_held;
  while (best->room + 1 < beyond) {
    const std::int64_t middle = best->room + (beyond - best->room) / 2;
    if (auto here = solve(middle, replicas, most, false))
      best = here;
    else
      beyond = middle;
  }
  return best;
}

STAGECUT_DECL std::vector<std::size_t> variant_stage_solver::variants(std::int64_t held) {
  list_groups();
  std::vector<std::vector<std::size_t>> of_group(members_.size());
  if (!choice_.prepare(held, limit_)) return {};
  static_cast<void>(choice_.solve());
  std::vector<std::pair<std::size_t, std::size_t>> result;  // layer, variant
  for (std::size_t g = 0; g < members_.size(); ++g) {
    const std::vector<std::size_t> chosen = choice_.variants_of(g);
    for (std::size_t i = 0; i < members_[g].size(); ++i) result.emplace_back(members_[g][i], chosen[i]);
  }
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(result.begin(), result.end(), before);
  std::vector<std::size_t> variants;
  for (const auto& each : result) variants.push_back(each.second);
  return variants;
}

STAGECUT_DECL bool variant_stage_solver::is_cut(std::size_t v, std::size_t e) const noexcept {
  const std::size_t other = tables_.neighbours[v][e];
  return points_.holds(key_.first, other) || !points_.holds(key_.last, other);
}

STAGECUT_DECL std::int64_t variant_stage_solver::room_of(const variant_figures& figures) const noexcept {
  if (figures.activations == 0 || !memory_) {
    return figures.resident <= limit_ ? std::numeric_limits<std::int64_t>::max() : 0;
  }
  return figures.resident <= limit_ ? (limit_ - figures.resident) / figures.activations : 0;
}

STAGECUT_DECL void variant_stage_solver::list_groups() {
  if (is_listed_) return;
  is_listed_ = true;
  choice_.clear();
  members_.clear();
  slot_.assign(tables_.groups.size(), 0);
  own_figures_.clear();
  points_.each_layer(key_.first, key_.last, [&](std::size_t v) {
    const auto& each = tables_.layers[v][key_.ways];
    if (differs(v, each)) {
      own_figures_.push_back(figures_of(v, each));
      members_.push_back({v});
      return;
    }
    std::size_t& slot = slot_[each.alike];
    if (slot == 0) {
      members_.emplace_back();
      slot = members_.size();
    }
    members_[slot - 1].push_back(v);
  });
  std::size_t own = 0;
  for (const auto& layers : members_) {
    const auto& each = tables_.layers[layers[0]][key_.ways];
    const bool alone = differs(layers[0], each);
    choice_.add(alone ? view<const variant_figures>(own_figures_[own])
                      : view<const variant_figures>(tables_.groups[each.alike]),
                layers.size());
    own += alone ? 1 : 0;
  }
}

STAGECUT_DECL bool variant_stage_solver::differs(std::size_t v, const variant_tables::divided& each) const {
  if (!each.more_parameters.empty() && replicas_ > 1) return true;
  if (each.more_cut.empty()) return false;
  for (std::size_t e = 0; e < each.cut.size(); ++e) {
    if (is_cut(v, e)) return true;
  }
  return false;
}

STAGECUT_DECL std::vector<variant_figures> variant_stage_solver::figures_of(std::size_t v,
                                                                            const variant_tables::divided& each) const {
  std::vector<variant_figures> result = each.variants;
  for (std::size_t r = 0; r < result.size(); ++r) {
    for (std::size_t e = 0; e < each.cut.size() && !each.more_cut.empty(); ++e) {
      result[r].time += is_cut(v, e) ? each.more_cut[r][e] : 0;
    }
    if (each.more_parameters.empty()) continue;
    const double others = static_cast<double>(replicas_ - 1);
    result[r].time += tables_.times.nearest(4 * others * each.more_parameters[r] / exchanged_);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
