// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_options.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/chunks.hpp>
#include <stagecut/search/detail/expects_candidates.hpp>
#include <stagecut/search/detail/selection.hpp>
#include <stagecut/search/found.hpp>
#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// See `all_below`.
struct all_below_fn : detail::expects_candidates {
  using detail::expects_candidates::operator();

  /// See `all_below`.
  template <detail::thrust_policy Policy, candidate_space S, candidate_cost E>
  [[nodiscard]] found_below<candidate_cost_t<E>> operator()(const Policy& policy, const S& space, const E& evaluator,
                                                            const candidate_cost_t<E>& most, std::size_t capacity,
                                                            const candidate_options& options = {}) const {
    using cost_t = candidate_cost_t<E>;
    const auto range = detail::checked_range("search::all_below", options, space.size());
    if (detail::is_no_cost(most)) {
      stagecut::detail::fail(argument_error("search::all_below", "most", "NaN", "must not be NaN"));
    }
    found_below<cost_t> result;
    detail::selection<Policy, cost_t> select(policy);
    scored<cost_t> first;  // by `precedes`
    const auto take = [&](const detail::chunk_costs<cost_t>& chunk) {
      const std::vector<scored<cost_t>> here = select.up_to(chunk, most);
      for (const scored<cost_t>& each : here) {
        detail::check_cost("search::all_below", each);
        if (!detail::is_allowed(each.value)) continue;
        ++result.count;
        first = search::better(first, each);
        if (result.all.size() < capacity) result.all.push_back(detail::decoded(space, each));
      }
      return first.index;
    };
    result.range = detail::each_chunk(policy, space, evaluator, range, options, take);
    result.complete = result.range.next == range.last && result.count == result.all.size();
    return result;
  }
  template <detail::thrust_policy Policy, candidate_space S, candidate_cost E, class... One>
  requires(sizeof...(One) <= 1) detail::after_the_evaluator_come_the_highest_cost_and_the_most_candidates_to_return  //
  operator()(const Policy&, const S&, const E&, const One&...) const = delete;  // most, capacity, then options
};

/// Finds all candidates of cost `most` or less, by index; beyond `capacity` it only counts them.
///
/// @param policy     of Thrust
/// @param space      the candidates
/// @param evaluator  their costs
/// @param most       the highest cost to include
/// @param capacity   the most candidates to return
/// @param options    as in `best`
/// @return           the candidates found; `complete` if the range has no others
/// @throws           as `best`; argument_error if `most` is NaN
///
/// Bitwise the same on every system. O(capacity) memory in addition to a chunk's.
inline constexpr all_below_fn all_below{};

}  // namespace stagecut::inline STAGECUT_ABI::search
