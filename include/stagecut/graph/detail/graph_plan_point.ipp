// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/detail/graph_plan_point.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/moving_stages.hpp>
#include <stagecut/graph/detail/warm_up_climb.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool plan_value::better_than(const plan_value& other) const noexcept {
  if (empty != other.empty) return empty < other.empty;
  if (!same(overflow, other.overflow)) return overflow < other.overflow;
  if (!same(makespan, other.makespan)) return makespan < other.makespan;
  return !same(spread, other.spread) && spread < other.spread;
}

STAGECUT_DECL bool plan_value::same(double a, double b) noexcept {
  const double d = a < b ? b - a : a - b;
  return d <= 0x1p-40 * (a < b ? b : a);
}

STAGECUT_DECL bool plan_pricer::price(plan_point& of, counts how) {
  const moving_stages& stages = of.stages;
  if (!order_.find(of.order, [&](std::size_t a, std::size_t b) { return stages.before(a, b); })) return false;
  stages.load(simulator_, of.order);
  of.value = {};
  most_.resize(of.order.size());
  for (std::size_t i = 0; i < of.order.size(); ++i) look_at(stages, of.order[i], i, of.value);
  climb_.limit(most_);
  of.value.makespan = makespan(of.warm_up, how);
  return true;
}

STAGECUT_DECL double plan_pricer::makespan(std::vector<std::size_t>& warm_up, counts how) {
  if (how == counts::screened) return climb_.screen(warm_up, most_);
  if (how == counts::chosen && warm_up.empty()) return climb_.choose(warm_up, most_);
  climb_.repair(warm_up, most_);
  if (how == counts::kept) return climb_.price(warm_up);
  const double improved = climb_.improve(warm_up, most_);
  if (how == counts::improved) return improved;
  if (how == counts::exhausted && climb_.exhaust(warm_up, most_)) return climb_.price(warm_up);
  const double chosen = climb_.choose(other_, most_);
  if (chosen < improved) warm_up = other_;
  return chosen < improved ? chosen : improved;
}

STAGECUT_DECL void plan_pricer::look_at(const moving_stages& stages, std::size_t s, std::size_t place,
                                        plan_value& value) {
  const double load = simulator_.forward[place] + simulator_.backward[place];
  value.spread += load * load;
  if (stages.members(s) == 0 && !may_be_empty_) ++value.empty;
  const auto most =
      warm_up_climb::most_of(stages.resident(s), stages.activations(s), memory_, simulator_.microbatches());
  most_[place] = most.value_or(0);
  if (!most) value.overflow += stages.resident(s) + stages.activations(s) - *memory_;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
