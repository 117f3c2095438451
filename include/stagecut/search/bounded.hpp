// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>
#include <stagecut/makespan/search_backends.hpp>
#include <stagecut/search/detail/expects_policy.hpp>
#include <stagecut/search/detail/rank_tuples.hpp>
#include <stagecut/search/detail/system.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// Bounds all cuts of a chain by the joint load of a rank's stages, for looped schedules with three or more stages per
/// rank. (With two, the search already has these bounds.) For `search_backends::bound_provider`.
template <class Policy>
class bound_provider {
 public:
  using trusted_backend = void;  ///< the search believes it

  /// See `bounded`.
  explicit bound_provider(const Policy& policy) : policy_(policy) {}

  /// The better bound, or the known one. If time runs out, returns the bound proved so far.
  [[nodiscard]] double operator()(const bound_call& task) const {
    const double end = stagecut::detail::seconds_now() + task.seconds;
    const stagecut::engine::cut_problem& problem = stagecut::detail::problem_access::of(task.problem);
    if (problem.order.stages() < 3 * problem.order.ranks()) return task.bound;
    detail::rank_tuples<Policy> tuples(policy_, problem);
    if (!tuples.fits()) return task.bound;
    const double tick = problem.chain.tick;  // a power of two: divisions by it are exact
    const double value = task.value / tick;
    double bound = task.bound / tick;
    for (const double part : {4.0, 1.0}) {
      if (bound >= value) break;
      const double most = bound + stagecut::engine::whole_ticks((value - 1 - bound) / part);
      const std::optional<double> least = tuples.least(most, end, task.stop);
      if (least && *least > bound) bound = *least;
      if (!least || *least <= most) break;
    }
    return bound * tick;
  }

 private:
  Policy policy_;
};

/// See `bounded`.
struct bounded_fn : detail::expects_policy {
  using detail::expects_policy::operator();

  /// See `bounded`.
  template <detail::thrust_policy Policy>
  [[nodiscard]] bound_provider<Policy> operator()(const Policy& policy) const {
    return bound_provider<Policy>(policy);
  }
};

/// Creates a bound provider of all cuts for `minimize_makespan`, by mass evaluation of relaxations.
///
/// @param policy  of Thrust: where and how to evaluate them; kept as a copy
/// @return        a `bound_provider`, for `makespan_request::backends`: moved into it, or referenced by `std::ref`
///
/// The relaxation drops the order on all other ranks, so the time of a rank is a bound for every cut with these stages
/// on it. Cuts are paths whose edges are the stages of a rank. First proves that each path has an edge above a makespan
/// a quarter of the way from the bound to the best one, then finds the path whose largest edge is smallest. The result
/// does not depend on the system or the number of threads, unless time runs out first. O(n^(2v - 1)) nodes in the worst
/// case for v stages per rank, omitting those whose ranks are busy for too long; memory for the nodes of 256 path
/// prefixes at once. One thread creates the edges. docs/makespan.md, Bounds, Every other schedule, has the proof.
inline constexpr bounded_fn bounded{};

}  // namespace stagecut::inline STAGECUT_ABI::search
