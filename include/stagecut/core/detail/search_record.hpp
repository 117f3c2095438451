// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/search_end.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Measures one call of a solver: the seconds that it took, and what ended it.
class search_record {
 public:
  /// @param limits  of the call; must outlive this object
  explicit search_record(const search_options& limits) noexcept : limits_(limits), begin_(seconds_now()) {}
  search_record(const search_record&) = delete;
  search_record& operator=(const search_record&) = delete;

  /// Where the searches of this call record what ended them.
  [[nodiscard]] search_end* ended() noexcept { return &ended_; }

  /// Seconds since it began.
  [[nodiscard]] double seconds() const { return seconds_now() - begin_; }

  /// What ended a call with that answer. A proof is complete; a limit that the caller did not set, such as that of an
  /// attempt, ended nothing that the caller could extend.
  [[nodiscard]] search_end end_of(stagecut::state answer) const noexcept {
    const bool proved = answer == state::optimal || answer == state::infeasible;
    const bool unset = (ended_ == search_end::time_limit && !limits_.time_limit) ||
                       (ended_ == search_end::node_limit && !limits_.node_limit);
    return proved || unset ? search_end::complete : ended_;
  }

  /// The answer with `statistics.seconds` and `statistics.ended`; `ended` of the caller's limits is raised, too.
  template <class Solution>
  [[nodiscard]] outcome<Solution> completed(outcome<Solution> found) const {
    const search_end why = end_of(found.state());
    record_end(limits_.ended, why);
    if (found) {
      found->statistics.seconds = seconds();
      found->statistics.ended = why;
    }
    return found;
  }

 private:
  const search_options& limits_;
  double begin_;
  search_end ended_ = search_end::complete;
};

/// Calls `solve` with limits whose searches record what ends them, and completes the statistics of the answer.
template <class Solve>
[[nodiscard]] auto recorded_search(const search_options& limits, const Solve& solve) {
  search_record record(limits);
  search_options asked = limits;
  asked.ended = record.ended();
  return record.completed(solve(std::as_const(asked)));
}

/// The same with a copy of a request.
template <class Request, class Solve>
[[nodiscard]] auto recorded(const Request& request, const Solve& solve) {
  return detail::recorded_search(request.search, [&](const search_options& limits) {
    Request asked = request;
    asked.search = limits;
    return solve(std::as_const(asked));
  });
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
