// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <stagecut/core/host_device.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/search/stage_objective.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The inputs of a dynamic program over the stages of a chain.
template <stage_cost Model, class Objective, stage_constraint Constraint>
struct stage_question {
  using value = value_t<Objective, cost_t<Model>>;
  using cell = constrained<value>;  ///< the smallest value of the stages from one on; not allowed: they have no cut

  const Model& cost;
  const Objective& goal;
  const Constraint& allowed;
  std::size_t stages;  ///< k
  std::size_t width;   ///< n - k + 1, for n items: beginnings of a stage, and ends

  static constexpr bool hereditary = promises<Constraint, stagecut::hereditary>;
  static constexpr bool strict = promises<Objective, strictly_isotone>;
};

/// Its steps, for hosts and devices: stage s begins at item s + i and ends before item s + 1 + j, for i <= j < width,
/// and the next one then begins at its own position j.
///
/// @tparam Question  a `stage_question`
/// @tparam Cost      its cost, or the equivalent on a device; the same for the others
template <class Question, class Cost, class Objective, class Constraint>
struct stage_steps {
  using value = typename Question::value;
  using cell = typename Question::cell;

  Cost cost;
  Objective goal;
  Constraint allowed;
  std::size_t stages;
  std::size_t width;
  cell* cells;  ///< `[stage * width + place]`

  /// The first position at which a stage can end.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t nearest(std::size_t stage, std::size_t i) const {
    return stage + 1 == stages ? width - 1 : i;
  }

  /// The smallest value of the stages from one on, which begins at i and ends at one of the positions `[from, to)`.
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr cell best(std::size_t stage, std::size_t i, std::size_t from,
                                                         std::size_t to) const {
    cell least;
    for (std::size_t j = from; j < to; ++j) {
      if (stage + 1 != stages) {
        const cell& rest = behind(stage, j);
        if (!rest.allowed) continue;
        if constexpr (std::is_same_v<std::remove_cvref_t<Objective>, bottleneck>) {
          if (least.allowed && !(rest.cost < least.cost)) continue;
        }
      }
      if (!allowed(stage, stage + i, stage + 1 + j)) {
        if constexpr (Question::hereditary) break;
        continue;
      }
      const cell here(from_here(stage, alone(stage, i, j), j));
      if (here < least) least = here;
    }
    return least;
  }

  /// Writes the lexicographically smallest of the optimal cuts, once all cells are known and a cut exists.
  ///
  /// @param points  memory for k + 1 points
  STAGECUT_CALLS_ANY
  STAGECUT_HOST_DEVICE constexpr void cut(std::size_t* points) const {
    // A part may be suboptimal as long as the whole is optimal.
    if constexpr (!Question::strict) {
      if (follow<true>(points)) return;  // otherwise values round differently
    }
    follow<false>(points);
  }

  /// See `call_on_device`.
  STAGECUT_DEVICE void call_parts() const {
    detail::call_price_on_device(cost, goal);
    static_cast<void>(allowed(std::size_t{}, std::size_t{}, std::size_t{}));
  }

 private:
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr const cell& behind(std::size_t stage, std::size_t j) const {
    return cells[(stage + 1) * width + j];
  }
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr value alone(std::size_t stage, std::size_t i, std::size_t j) const {
    return goal(stagecut::detail::price(cost, stage, stage + i, stage + 1 + j));
  }
  /// The value of the stages up to one that ends at j, combined with the best of the later ones.
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr value from_here(std::size_t stage, const value& here,
                                                               std::size_t j) const {
    if (stage + 1 == stages) return here;
    return goal(here, behind(stage, j).cost);
  }

  /// Ends each stage as early as possible while the value of the whole, or of the stages from it on, stays minimal.
  STAGECUT_CALLS_ANY
  template <bool Whole>
  STAGECUT_HOST_DEVICE constexpr bool follow(std::size_t* points) const {
    value before{};
    points[0] = 0;
    for (std::size_t s = 0, i = 0; s < stages; ++s) {
      const value least = cells[Whole ? 0 : s * width + i].cost;
      std::size_t j = nearest(s, i);
      for (; j < width; ++j) {
        if (s + 1 != stages && !behind(s, j).allowed) continue;
        if (!allowed(s, s + i, s + 1 + j)) continue;
        value here = alone(s, i, j);
        if (Whole && s != 0) here = goal(before, here);
        if (least < from_here(s, here, j)) continue;
        before = here;
        break;
      }
      if (j == width && Whole) return false;
      i = j == width ? width - 1 : j;  // a cost that is not pure
      points[s + 1] = s + 1 + i;
    }
    return true;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
