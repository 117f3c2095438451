// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_options.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/chunks.hpp>
#include <stagecut/search/detail/expects_candidates.hpp>
#include <stagecut/search/detail/selection.hpp>
#include <stagecut/search/found.hpp>
#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The first `n` scores by `precedes`, in order, of the kept ones and some more.
template <class Cost>
void keep_first(std::vector<scored<Cost>>& kept, std::vector<scored<Cost>> more, std::size_t n) {
  const auto before = [](const scored<Cost>& a, const scored<Cost>& b) { return search::precedes(a, b); };
  kept.insert(kept.end(), more.begin(), more.end());
  const std::size_t size = std::min(n, kept.size());
  std::partial_sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(size), kept.end(), before);
  kept.resize(size);
}

}  // namespace detail

/// See `best_n`.
struct best_n_fn : detail::expects_candidates {
  using detail::expects_candidates::operator();

  /// See `best_n`.
  template <detail::thrust_policy Policy, candidate_space S, candidate_cost E>
  [[nodiscard]] outcome<found_some<candidate_cost_t<E>>> operator()(const Policy& policy, const S& space,
                                                                    const E& evaluator, std::size_t n,
                                                                    const candidate_options& options = {}) const {
    using cost_t = candidate_cost_t<E>;
    using answer = outcome<found_some<cost_t>>;
    if (n == 0) {
      stagecut::detail::fail(argument_error("search::best_n", "n", std::to_string(n), "must be at least 1"));
    }
    const auto range = detail::checked_range("search::best_n", options, space.size());
    if (range.first == range.last) return answer::infeasible({reason::cause::no_candidate});
    detail::selection<Policy, cost_t> select(policy);
    std::vector<scored<cost_t>> kept;
    const auto take = [&](const detail::chunk_costs<cost_t>& chunk) {
      // Later candidates of equal cost are no better: once there are n, only lower costs count.
      auto more = kept.size() < n ? select.all(chunk) : select.lower(chunk, kept.back().value);
      detail::keep_first(kept, std::move(more), n);
      detail::check_cost("search::best_n", kept.front());
      return detail::is_allowed(kept.front().value) ? kept.front().index : scored<cost_t>::none;
    };
    const searched done = detail::each_chunk(policy, space, evaluator, range, options, take);
    if (done.next == range.first) return answer::unknown({reason::cause::limit_reached});
    while (!kept.empty() && !detail::is_allowed(kept.back().value)) kept.pop_back();
    if (kept.empty()) return detail::none_allowed<answer>(done.next == range.last);
    found_some<cost_t> result{{}, done};
    for (const scored<cost_t>& each : kept) result.all.push_back(detail::decoded(space, each));
    return done.next == range.last ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }
  template <detail::thrust_policy Policy, candidate_space S, candidate_cost E>
  detail::after_the_evaluator_comes_the_number_of_candidates_to_return  //
  operator()(const Policy&, const S&, const E&) const = delete;         // best_n(policy, space, evaluator, n, options)
  template <detail::thrust_policy Policy, candidate_space S, candidate_cost E, class Other, class... Rest>
  requires(!std::convertible_to<const Other&, std::size_t>)
      detail::after_the_evaluator_comes_the_number_of_candidates_to_return                         //
      operator()(const Policy&, const S&, const E&, const Other&, const Rest&...) const = delete;  // n, then options
};

/// Finds the first `n` candidates by cost, then by index; all of them if there are fewer.
///
/// @param policy     of Thrust
/// @param space      the candidates
/// @param evaluator  their costs
/// @param n          at least 1
/// @param options    as in `best`
/// @return           as `best`
/// @throws           as `best`; argument_error for n = 0
///
/// Bitwise the same on every system. O(n) memory in addition to a chunk's.
inline constexpr best_n_fn best_n{};

}  // namespace stagecut::inline STAGECUT_ABI::search
