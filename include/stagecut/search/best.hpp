// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <stagecut/core/outcome.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_options.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/chunks.hpp>
#include <stagecut/search/detail/expects_candidates.hpp>
#include <stagecut/search/found.hpp>
#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// `better` as a functor for Thrust's algorithms.
template <class Cost>
struct better_of {
  [[nodiscard]] STAGECUT_HOST_DEVICE scored<Cost> operator()(const scored<Cost>& a, const scored<Cost>& b) const {
    return search::better(a, b);
  }
};

/// The best of a chunk. The reduction compiles this small functor, whatever the evaluator.
template <class Policy, class Cost>
[[nodiscard]] scored<Cost> best_of_chunk(const Policy& policy, const chunk_costs<Cost>& chunk) {
  const thrust::counting_iterator<std::uint64_t> begin(0);
  return thrust::transform_reduce(policy, begin, begin + static_cast<std::ptrdiff_t>(chunk.count), chunk,
                                  scored<Cost>{}, better_of<Cost>{});
}

}  // namespace detail

/// See `best`.
struct best_fn : detail::expects_candidates {
  using detail::expects_candidates::operator();

  /// See `best`.
  template <detail::thrust_policy Policy, candidate_space S, candidate_cost E>
  [[nodiscard]] outcome<found_best<candidate_cost_t<E>>> operator()(const Policy& policy, const S& space,
                                                                    const E& evaluator,
                                                                    const candidate_options& options = {}) const {
    using cost_t = candidate_cost_t<E>;
    using answer = outcome<found_best<cost_t>>;
    const auto range = detail::checked_range("search::best", options, space.size());
    if (range.first == range.last) return answer::infeasible({reason::cause::no_candidate});
    scored<cost_t> best;
    const auto take = [&](const detail::chunk_costs<cost_t>& chunk) {
      best = search::better(best, detail::best_of_chunk(policy, chunk));
      detail::check_cost("search::best", best);
      return detail::is_allowed(best.value) ? best.index : scored<cost_t>::none;
    };
    const searched done = detail::each_chunk(policy, space, evaluator, range, options, take);
    if (done.next == range.first) return answer::unknown({reason::cause::limit_reached});
    if (!detail::is_allowed(best.value)) return detail::none_allowed<answer>(done.next == range.last);
    found_best<cost_t> result{detail::decoded(space, best), done};
    return done.next == range.last ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }
  template <detail::thrust_policy Policy, candidate_space S, candidate_cost E, class Other, class... Rest>
  requires(sizeof...(Rest) > 0 || !std::convertible_to<const Other&, const candidate_options&>)
      detail::after_the_evaluator_come_candidate_options_for_several_candidates_call_best_n        //
      operator()(const Policy&, const S&, const E&, const Other&, const Rest&...) const = delete;  // candidate_options
};

/// Finds the candidate of smallest cost; ties go to the smallest index.
///
/// @param policy     of Thrust: where and how to evaluate
/// @param space      the candidates
/// @param evaluator  their costs
/// @param options    the range to search, and callbacks
/// @return           optimal: the best of the range. Feasible, if stopped: the best of the indices in `range`.
///                   Infeasible: the range is empty, `no_candidate`, or a constraint rejects all of it, `constraint`.
///                   Unknown: stopped before any was found
/// @throws           argument_error for a range that ends before it begins, for a chunk above 2^32, for a cost that is
///                   NaN, and for candidates that the evaluator's `check` rejects; on hosts whatever the evaluator
///                   throws, the first of several by index, up to a block of 512; on a device `device_error`
///
/// Bitwise the same candidate on every system, for any number of threads and any chunk size; the best of several
/// separately searched parts is the `better` of their scores. Each candidate is decoded and evaluated once.
inline constexpr best_fn best{};

}  // namespace stagecut::inline STAGECUT_ABI::search
