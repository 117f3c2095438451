// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The cost where there is no plan: greater than for any plan.
inline constexpr double no_nested_plan = std::numeric_limits<double>::max();

/// The costs of the stages of one level of machines, given those of the level below.
class nested_prices {
 public:
  /// @param below   the cost of the level below for every pair of points, by rows; empty: there is none
  /// @param memory  whether the cost of a stage is the bytes of a device, not time
  nested_prices(const pipeline_states& states, const nested_machines& machines, std::size_t level,
                const std::vector<double>& below, bool memory);

  /// The position of a stage within its level.
  struct place {
    bool first = false;
    bool last = false;
  };
  /// The cost of a stage, before the number of machines after it is known.
  struct price {
    double value = no_nested_plan;
    double bytes = 0;  // kept once for every minibatch in flight
  };

  /// The cost of the stage between two points on `replicas` machines.
  [[nodiscard]] price operator()(std::size_t first, std::size_t last, std::size_t replicas, place at) const;

  /// The cost of such a stage with `behind` machines after it.
  [[nodiscard]] double operator()(const price& stage, std::size_t replicas, std::size_t behind) const;

  /// Whether the machines after a stage change its cost.
  [[nodiscard]] bool counts_behind() const { return memory_ || machines_.memory_limit; }
  [[nodiscard]] std::size_t count() const { return here_.count; }
  [[nodiscard]] std::size_t most_replicas() const { return machines_.straight ? 1 : here_.count; }
  [[nodiscard]] bool at_most() const { return machines_.at_most; }
  [[nodiscard]] std::size_t points() const { return states_.size() + 1; }

  /// Calls `visit(point)` for the points where a stage that begins at `first` may end, in order.
  template <class Visit>
  void each_end(std::size_t first, bool opens, const Visit& visit) const {
    // As published, a level's first stage may end at any point with a greater number.
    if (states_.later.empty() || (machines_.as_published && opens)) {
      for (std::size_t last = first + 1; last < points(); ++last) visit(last);
    } else {
      for (const std::size_t last : states_.later[first]) visit(last);
    }
  }

 private:
  [[nodiscard]] double message(std::size_t point, double replicas) const;

  const pipeline_states& states_;
  const nested_machines& machines_;
  const machine_level& here_;
  const std::vector<double>& below_;
  bool memory_;
  double width_ = 1;
  double published_width_ = 1;
  std::vector<double> messages_{};  // for each point, by replicas
};

inline nested_prices::nested_prices(const pipeline_states& states, const nested_machines& machines, std::size_t level,
                                    const std::vector<double>& below, bool memory)
    : states_(states), machines_(machines), here_(machines.levels[level]), below_(below), memory_(memory) {
  for (std::size_t l = 0; l < level; ++l) width_ *= static_cast<double>(machines.levels[l].count);
  // As published: the width of the next level down, not the product of all levels below.
  if (level > 0) published_width_ = static_cast<double>(machines.levels[level - 1].count);
  if (memory || !machines.messages) return;
  for (std::size_t point = 0; point < points(); ++point) {
    for (std::size_t r = 1; r <= most_replicas(); ++r) messages_.push_back(message(point, static_cast<double>(r)));
  }
}

inline auto nested_prices::operator()(std::size_t first, std::size_t last, std::size_t replicas, place at) const
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

inline double nested_prices::operator()(const price& stage, std::size_t replicas, std::size_t behind) const {
  if (stage.value == no_nested_plan || !counts_behind()) return stage.value;
  const std::size_t in_flight = (behind + replicas - 1) / replicas + (machines_.as_published ? 0 : 1);
  const double bytes = static_cast<double>(in_flight) * stage.bytes;
  if (memory_) return bytes < stage.value ? stage.value : bytes;
  return bytes > *machines_.memory_limit ? no_nested_plan : stage.value;
}

inline double nested_prices::message(std::size_t point, double replicas) const {
  if (here_.bandwidth == 0) return 0;
  return 2 * states_.output[point] / (here_.bandwidth * replicas) / machines_.compression;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
