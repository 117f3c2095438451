// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What stands where no plan is: greater than all that plans cost.
inline constexpr double no_nested_plan = std::numeric_limits<double>::max();

/// What is known of a level of machines: what its stages cost, by what the level below it makes of them.
class nested_prices {
 public:
  /// @param below   for every pair of points what the level below costs, by rows; empty: there is none
  /// @param memory  whether a stage costs the bytes of a device, not time
  nested_prices(const pipeline_states& states, const nested_machines& machines, std::size_t level,
                const std::vector<double>& below, bool memory);

  /// Where a stage stands among those of its level.
  struct place {
    bool first = false;
    bool last = false;
  };
  /// A stage, before it is known how much is behind it.
  struct price {
    double value = no_nested_plan;
    double bytes = 0;  // of what is kept once for every one in flight
  };

  /// The stage between two points on `replicas` machines.
  [[nodiscard]] price operator()(std::size_t first, std::size_t last, std::size_t replicas, place at) const;

  /// What such a stage costs with so many machines behind it.
  [[nodiscard]] double operator()(const price& stage, std::size_t replicas, std::size_t behind) const;

  /// Whether what is behind a stage changes what it costs.
  [[nodiscard]] bool counts_behind() const { return memory_ || machines_.memory; }
  [[nodiscard]] std::size_t count() const { return here_.count; }
  [[nodiscard]] std::size_t most_replicas() const { return machines_.straight ? 1 : here_.count; }
  [[nodiscard]] bool at_most() const { return machines_.at_most; }
  [[nodiscard]] std::size_t points() const { return states_.size() + 1; }

  /// Calls `visit(point)` for the points at which a stage may end that begins at one, in order.
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
  std::vector<double> messages_{};  // of each point, by replicas
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/nested_prices.ipp>
#endif
