// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_options.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/search/detail/system.hpp>
#include <stagecut/search/found.hpp>
#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The costs of a chunk of candidates, as Thrust's algorithms read them.
template <class Cost>
struct chunk_costs {
  const Cost* costs;
  std::uint64_t first;  // index of the first one
  std::size_t count;

  [[nodiscard]] STAGECUT_HOST_DEVICE scored<Cost> operator()(std::uint64_t i) const { return {costs[i], first + i}; }
};

/// Lets the evaluator reject a space that does not suit it, by its first candidate.
template <class S, class E>
void check_first(const S& space, const E& evaluator, std::uint64_t first) {
  if constexpr (has_check<E>) {
    std::vector<std::uint32_t> points(space.points());
    space.decode(first, candidate_room(points.data(), points.size()));
    evaluator.check(candidate(points.data(), points.size()));
  }
}

/// Evaluates the candidates of a range chunk by chunk, until a stop.
///
/// @param take  receives each `chunk_costs`, and returns the index of the best so far
template <class Policy, class S, class E, class Take>
[[nodiscard]] searched each_chunk(const Policy& policy, const S& space, const E& evaluator, const index_range& range,
                                  const candidate_options& options, const Take& take) {
  using system = system_t<Policy>;
  using cost_t = candidate_cost_t<E>;
  searched done{range.first, range.first};
  if (range.first == range.last) return done;
  detail::check_first(space, evaluator, range.first);
  const double began = stagecut::detail::seconds_now();
  const std::uint64_t left = range.last - range.first;
  const std::uint64_t wanted = options.chunk == 0 ? system::chunk : options.chunk;
  const auto chunk = static_cast<std::size_t>(wanted < left ? wanted : left);
  typename system::template evaluation<S, E> evaluate(space, evaluator);
  typename system::template array<cost_t> costs(chunk);
  while (done.next != range.last) {
    if (options.stop && options.stop()) break;
    const std::uint64_t rest = range.last - done.next;
    const std::size_t count = rest < chunk ? static_cast<std::size_t>(rest) : chunk;
    evaluate(policy, done.next, count, costs.data());
    const std::uint64_t best = take(chunk_costs<cost_t>{costs.data(), done.next, count});
    done.next += count;
    if (options.progress) {
      options.progress({range.first, done.next, range.last, best, stagecut::detail::seconds_now() - began});
    }
  }
  return done;
}

[[noreturn]] inline void refuse_cost(const char* function, std::uint64_t index) {
  const std::string what = stagecut::detail::joined({"evaluator(candidate ", index, ")"});
  stagecut::detail::fail(argument_error(function, what, "NaN", "must not be NaN"));
}
/// Rejects an invalid cost.
template <class Cost>
void check_cost(const char* function, const scored<Cost>& score) {
  if (score.index != scored<Cost>::none && detail::is_no_cost(score.value)) detail::refuse_cost(function, score.index);
}

/// The answer if a constraint rejects every candidate evaluated.
template <class Answer>
[[nodiscard]] Answer none_allowed(bool all) {
  return all ? Answer::infeasible({reason::cause::constraint}) : Answer::unknown({reason::cause::limit_reached});
}

/// The candidate with this score.
template <class Cost, class S>
[[nodiscard]] found<Cost> decoded(const S& space, const scored<Cost>& score) {
  found<Cost> result{score, std::vector<std::uint32_t>(space.points())};
  space.decode(score.index, candidate_room(result.points.data(), result.points.size()));
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
