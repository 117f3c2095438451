// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/check_cut.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// Whether a type has a cost of an interval, or of an interval as a stage.
template <class Cost>
concept prices_stages = requires(const Cost& cost, std::size_t i) {
  cost(i, i);
}
|| requires(const Cost& cost, std::size_t i) { cost(i, i, i); };

/// Whether an objective has a value of one such cost, and of two values.
template <class Objective, class Cost>
concept combines_stages = requires(const Objective& objective, const Cost& cost, std::size_t i) {
  objective(objective(stagecut::detail::price(cost, i, i, i)), objective(stagecut::detail::price(cost, i, i, i)));
};

/// As `call_on_device`, for a cost of stages and an objective.
template <class Cost, class Objective>
STAGECUT_DEVICE void call_price_on_device(const Cost& cost, const Objective& objective) {
  const std::size_t i = 0;
  if constexpr (requires { cost(i, i); }) {
    const auto value = objective(cost(i, i));
    static_cast<void>(objective(value, value));
  } else {
    const auto value = objective(cost(i, i, i));
    static_cast<void>(objective(value, value));
  }
}

}  // namespace detail

/// An objective over the stages of a cut: the costliest with `bottleneck`, their sum with `total`, or any other
/// objective over any cost of stages. A cost of candidates that are cut points. Trivially copyable if both are.
template <class Cost, class Objective = bottleneck>
class stage_objective {
  static_assert(detail::prices_stages<Cost>,
                "stage_objective(cost, objective) asks the cost of a stage cost(first, last) const, or "
                "cost(stage, first, last) const: give prefix_sums(items) or your own cost");
  static_assert(!detail::prices_stages<Cost> || detail::combines_stages<Objective, Cost>,
                "stage_objective(cost, objective) takes an objective over the stages as bottleneck() or total_cost(), "
                "with objective(cost) and objective(a, b), after the cost");

 public:
  /// @param cost       of a stage, an `interval_cost` or a `staged_cost`; kept as a copy
  /// @param objective  over all stages
  constexpr explicit stage_objective(Cost cost, Objective objective = {})
      : cost_(std::move(cost)), objective_(std::move(objective)) {}

  /// See `candidate_cost`. Calls the cost once per stage.
  /// @{
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto operator()(candidate points) const {
    auto value = objective_(of_stage(points, 0));
    for (std::size_t s = 1; s + 1 < points.size(); ++s) value = objective_(value, objective_(of_stage(points, s)));
    return value;
  }
  STAGECUT_DEVICE void call_parts() const { detail::call_price_on_device(cost_, objective_); }
  void check(candidate points) const requires requires(const Cost& cost) { cost.size(); }
  { detail::cut_shape{"search::stage_objective", 0, cost_.size(), false}.check(points); }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    using there = stagecut::detail::placed_t<Cost, Memory>;
    return stage_objective<there, Objective>(stagecut::detail::placed(cost_, memory), objective_);
  }
  /// @}

 private:
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto of_stage(candidate points, std::size_t s) const {
    return stagecut::detail::price(cost_, s, std::size_t{points[s]}, std::size_t{points[s + 1]});
  }

  Cost cost_;
  Objective objective_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
