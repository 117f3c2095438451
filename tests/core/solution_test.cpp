// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/solution.hpp>

#include <limits>
#include <vector>

#include <doctest/doctest.h>

using stagecut::solution;

namespace {

struct no_default {
  explicit no_default(int given) : n(given) {}
  int n;
};

}  // namespace

TEST_CASE("the gap of a solution is a fraction of its bound") {
  CHECK(solution<double>{3, 2}.gap() == 0.5);
  CHECK(solution<double>{2, 2}.gap() == 0);
  CHECK(solution<double>{0, 0}.gap() == 0);
  CHECK(solution<double>{1, 0}.gap() == 1);
  CHECK(solution<long>{30, 24}.gap() == 0.25);
  CHECK(solution<double>{}.value == 0);
  CHECK(solution<double>{}.statistics.nodes == 0);
}

TEST_CASE("a solution is optimal if its value is its bound") {
  using stagecut::state;
  CHECK(solution<double>{3, 2}.state() == state::feasible);
  CHECK(solution<double>{2, 2}.state() == state::optimal);
  CHECK(solution<long>{0, 0}.state() == state::optimal);
  const solution<std::vector<int>> sorted{{5, 3}, {5}};
  CHECK(sorted.state() == state::feasible);
  CHECK(solution<double>{}.statistics.seconds == 0);
  CHECK(solution<double>{}.statistics.ended == stagecut::search_end::complete);
}

TEST_CASE("a value needs no default, and none that is arithmetic") {
  const solution<no_default> of{no_default(3), no_default(2)};
  CHECK(of.value.n == 3);
  CHECK(of.bound.n == 2);
}
