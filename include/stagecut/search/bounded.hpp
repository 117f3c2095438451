// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/makespan_helpers.hpp>
#include <stagecut/search/detail/rank_tuples.hpp>
#include <stagecut/search/detail/system.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// Bounds all cuts of a chain by all stages of a rank together, for schedules whose ranks have three stages or more, in a loop.
/// (With two the search has these bounds already.) To be a `makespan_helpers::bounder`.
template <class Policy>
class bounder {
 public:
  /// See `bounded`.
  explicit bounder(const Policy& policy) : policy_(policy) {}

  /// The better bound, or the one that is known. What was proved when time is over is a bound, too.
  [[nodiscard]] double operator()(const bounding& task) const {
    const double end = stagecut::detail::seconds_now() + task.seconds;
    if (task.problem->order.stages() < 3 * task.problem->order.ranks()) return task.bound;
    detail::rank_tuples<Policy> tuples(policy_, *task.problem);
    if (!tuples.fits()) return task.bound;
    double bound = task.bound;
    for (const double part : {4.0, 1.0}) {
      if (bound >= task.makespan) break;
      const double most = bound + stagecut::engine::whole_ticks((task.makespan - 1 - bound) / part);
      const std::optional<double> least = tuples.least(most, end, task.stop);
      if (least && *least > bound) bound = *least;
      if (!least || *least <= most) break;
    }
    return bound;
  }

 private:
  Policy policy_;
};

/// See `bounded`.
struct bounded_fn {
  /// See `bounded`.
  template <detail::thrust_policy Policy>
  [[nodiscard]] bounder<Policy> operator()(const Policy& policy) const {
    return bounder<Policy>(policy);
  }
};

/// Who bounds all cuts for `minimize_makespan`, by relaxations evaluated in mass.
///
/// @param policy  of Thrust: where and how to evaluate them; kept as a copy
/// @return        a `bounder`, to be kept in a variable and named in `makespan_request::helpers`
///
/// All other ranks lose their order, so what a rank takes is a bound for every cut with these stages on it. Cuts are paths
/// whose edges are the stages of a rank. First it is proved that each path has an edge above a makespan that is a quarter of
/// the way from the bound to the best one, then the least largest edge of a path is found. It does not depend on the system nor
/// on the number of threads, unless time is over first. O(n^(2v - 1)) nodes at the worst for v stages a rank, of which those
/// whose ranks are busy for too long are never made; memory for those of 256 beginnings of paths at once. Edges are made by one
/// thread. docs/makespan.md, Bounds, Every other schedule, has the proof.
inline constexpr bounded_fn bounded{};

}  // namespace stagecut::inline STAGECUT_ABI::search
