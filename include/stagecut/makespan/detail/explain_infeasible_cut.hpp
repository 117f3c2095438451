// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/engine/model_rules.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>

// The reason why no cut satisfies a constraint and a memory limit.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A constraint of a caller that finds the reason itself: none is searched for.
template <class Constraint>
concept unexplained = requires {
  typename Constraint::unexplained;
};

/// The reason why no cut of this many items is allowed: the constraint, if it alone leaves none, or the memory.
template <class Model, class Constraint>
[[nodiscard]] reason explain_infeasible_cut(const engine::model_rules<Model, Constraint>& rules, const schedule& order,
                                            std::size_t items, const std::optional<double>& bytes,
                                            const Constraint& allowed) {
  if constexpr (unexplained<Constraint>) {
    return {reason::cause::constraint};
  } else {
    const std::size_t stages = order.stages();
    if (!bytes) return detail::explain_infeasible(allowed, items, stages);
    constexpr double none = std::numeric_limits<double>::infinity();
    constexpr std::size_t patience = std::size_t{1} << 25U;  // about a second
    const bool few = items <= patience / stages / items;
    double least = 0;
    if (few) {
      const auto held = [&](std::size_t s, std::size_t first, std::size_t last) {
        return allowed(s, first, last) ? rules.held(s, first, last) : none;
      };
      least = engine::least_fullest(items, stages, held);
    }
    if (!std::same_as<Constraint, no_constraint> && (least == none || !few)) {
      return detail::explain_infeasible(allowed, items, stages);
    }
    // Even if each stage fits alone, those of a rank do not together.
    const bool alone = least > *bytes;
    const std::size_t available = engine::floor_bytes(*bytes);
    return {reason::cause::memory,
            alone ? engine::whole_bytes(least) : available + 1,
            available,
            joined({"the fullest of ", alone || !rules.has_rank_rules() ? stages : order.ranks(),
                    alone || !rules.has_rank_rules() ? " stages" : " ranks",
                    rules.limits_differ() ? ", counted as on the one with most memory," : ""}),
            {}};
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
