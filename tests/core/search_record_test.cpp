// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/detail/search_record.hpp>

#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/solution.hpp>

#include <doctest/doctest.h>

using stagecut::outcome;
using stagecut::search_end;
using stagecut::search_options;
using stagecut::solution;
using stagecut::state;
using stagecut::detail::is_over;
using stagecut::detail::recorded_search;

namespace {

/// The end of a search that calls `act` with its limits and returns a solution that is not proved.
template <class Act>
search_end end_after(const search_options& limits, const Act& act) {
  const auto found = recorded_search(limits, [&](const search_options& asked) {
    act(asked);
    return outcome<solution<double>>::feasible({3, 2});
  });
  return found->statistics.ended;
}

}  // namespace

TEST_CASE("a search says which of its limits ended it") {
  const auto at = [](double nodes, double seconds) {
    return [=](const search_options& asked) { (void)is_over(asked, nodes, seconds); };
  };
  CHECK(end_after({}, at(1e9, 1e9)) == search_end::complete);
  CHECK(end_after({.node_limit = 10}, at(9, 1e9)) == search_end::complete);
  CHECK(end_after({.node_limit = 10}, at(10, 1e9)) == search_end::node_limit);
  CHECK(end_after({.time_limit = 5, .node_limit = 10}, at(10, 5)) == search_end::time_limit);
  CHECK(end_after({.time_limit = 5, .node_limit = 10}, at(9, 4)) == search_end::complete);
  CHECK(end_after({.node_limit = 10, .stop = [] { return true; }}, at(10, 0)) == search_end::stopped);
  CHECK(end_after({.time_limit = 0}, [](const search_options& asked) {
          stagecut::detail::deadline end(asked.time_limit, asked.stop, asked.ended);
          CHECK(end.over());
        }) == search_end::time_limit);
}

TEST_CASE("a limit that the caller did not set ended nothing") {
  const auto attempt = [](const search_options& asked) {
    search_options less = asked;
    less.node_limit = 1;
    (void)is_over(less, 1, 0);
  };
  CHECK(end_after({}, attempt) == search_end::complete);
  CHECK(end_after({.node_limit = 100}, attempt) == search_end::node_limit);
}

TEST_CASE("a proof is complete, and what is not goes up to the search that asked") {
  search_end outer = search_end::complete;
  const auto run = [&](const outcome<solution<double>>& answer) {
    outer = search_end::complete;
    const search_options limits{.node_limit = 1, .ended = &outer};
    const auto found = recorded_search(limits, [&](const search_options& asked) {
      (void)is_over(asked, 1, 0);
      return answer;
    });
    if (found) {
      CHECK(found->statistics.ended == outer);
      CHECK(found->statistics.seconds >= 0);
      CHECK(found->state() == found.state());
    }
    return outer;
  };
  CHECK(run(outcome<solution<double>>::optimal({2, 2})) == search_end::complete);
  CHECK(run(outcome<solution<double>>::infeasible({})) == search_end::complete);
  CHECK(run(outcome<solution<double>>::feasible({3, 2})) == search_end::node_limit);
  CHECK(run(outcome<solution<double>>::unknown({})) == search_end::node_limit);
}
