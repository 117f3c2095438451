// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/makespan/makespan_request.hpp>

#include <doctest/doctest.h>

using stagecut::cuts;
using stagecut::makespan_cut;
using stagecut::makespan_request;
using stagecut::simulated_cut;

TEST_CASE("what is not said of a search") {
  const makespan_request request;
  CHECK(request.links.empty());
  CHECK(request.transfers == stagecut::transfer_kind::link);
  CHECK_FALSE(request.memory_limit.for_all());
  CHECK(request.memory_limit.of_ranks().empty());
  CHECK_FALSE(request.start);
  CHECK_FALSE(request.within);
  CHECK(request.most_within == 1000);
  CHECK(*request.search.time_limit == 10);
  CHECK_FALSE(request.search.node_limit);
  CHECK_FALSE(request.search.stop);
  CHECK_FALSE(request.search.progress);
}

TEST_CASE("how far a cut may be from the best one") {
  makespan_cut found;
  CHECK(found.gap() == 0);
  found.value = 11;
  CHECK(found.gap() == 1);
  found.bound = 10;
  CHECK(found.gap() == doctest::Approx(0.1));
  found.bound = 11;
  CHECK(found.gap() == 0);
  CHECK_FALSE(found.all_within);
  CHECK_FALSE(found.ties_settled);
  CHECK(found.within.empty());
}

TEST_CASE("simulated cuts are equal in all parts") {
  const simulated_cut one{cuts{0, 2, 3}, 5};
  CHECK(one == simulated_cut{cuts{0, 2, 3}, 5});
  CHECK_FALSE(one == simulated_cut{cuts{0, 1, 3}, 5});
  CHECK_FALSE(one == simulated_cut{cuts{0, 2, 3}, 6});
}
