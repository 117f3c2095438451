// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/detail/nested_prices.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL nested_prices::nested_prices(const pipeline_states& states, const nested_machines& machines,
                                           std::size_t level, const std::vector<double>& below, bool memory)
    : states_(states), machines_(machines), here_(machines.levels[level]), below_(below), memory_(memory) {
  for (std::size_t l = 0; l < level; ++l) width_ *= static_cast<double>(machines.levels[l].count);
  // As published, it is that of the level below alone.
  if (level > 0) published_width_ = static_cast<double>(machines.levels[level - 1].count);
  if (memory || !machines.messages) return;
  for (std::size_t point = 0; point < points(); ++point) {
    for (std::size_t r = 1; r <= most_replicas(); ++r) messages_.push_back(message(point, static_cast<double>(r)));
  }
}

STAGECUT_DECL auto nested_prices::operator()(std::size_t first, std::size_t last, std::size_t replicas, place at) const
    -> price {
  double inner = memory_ ? 0 : states_.seconds[last] - states_.seconds[first];
  if (!below_.empty()) inner = below_[first * (states_.size() + 1) + last];
  if (inner == no_nested_plan) return {};
  const double kept = states_.activations[last] - states_.activations[first];
  const double bytes = states_.parameters[last] - states_.parameters[first];
  price result{inner, (kept + bytes) / (machines_.as_published ? 1 : width_)};
  if (memory_) return result;
  const auto r = static_cast<double>(replicas);
  double exchange = here_.bandwidth == 0 ? 0 : 4 * (r - 1) * bytes / (here_.bandwidth * r);
  if (machines_.as_published && at.first) exchange /= published_width_;
  result.value = (inner + exchange) / r;
  if (!machines_.messages || (machines_.as_published && at.first)) return result;
  const auto take = [&](std::size_t point) {
    const double time = messages_[point * most_replicas() + replicas - 1];
    result.value = std::max(result.value, time);
  };
  if (!at.first) take(first);
  if (machines_.as_published ? last != states_.size() : !at.last) take(last);
  return result;
}

STAGECUT_DECL double nested_prices::operator()(const price& stage, std::size_t replicas, std::size_t behind) const {
  if (stage.value == no_nested_plan || !counts_behind()) return stage.value;
  const std::size_t in_flight = (behind + replicas - 1) / replicas + (machines_.as_published ? 0 : 1);
  const double bytes = static_cast<double>(in_flight) * stage.bytes;
  if (memory_) return bytes < stage.value ? stage.value : bytes;
  return bytes > *machines_.memory ? no_nested_plan : stage.value;
}

STAGECUT_DECL double nested_prices::message(std::size_t point, double replicas) const {
  if (here_.bandwidth == 0) return 0;
  return 2 * states_.output[point] / (here_.bandwidth * replicas) / machines_.compression;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
