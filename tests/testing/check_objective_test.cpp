// SPDX-License-Identifier: BSL-1.0
#include <stagecut/testing/check_objective.hpp>

#include <doctest/doctest.h>

#include <vector>

using stagecut::testing::check_objective;

namespace {

const std::vector<int> costs{3, 1, 4, 1, 5};

/// Max - min, promised to be what it is not.
struct lying_range : stagecut::cost_range {
  using axioms = stagecut::axioms<stagecut::isotone>;
};

struct lying_bottleneck : stagecut::bottleneck {
  using axioms = stagecut::axioms<stagecut::strictly_isotone>;
};

using both = stagecut::in_order<stagecut::bottleneck, stagecut::total_cost>;

struct lying_order : both {
  using axioms = stagecut::axioms<stagecut::isotone>;
};

struct mean {
  double operator()(double cost) const { return cost; }
  double operator()(double a, double b) const { return (a + b) / 2; }
};

struct hasty : stagecut::total_cost {
  bool hopeless(int cost, int value) const { return cost + 1 >= value; }
};

struct wrong_order : stagecut::total_cost {
  bool less(int cost, int rest, int value) const { return cost + rest <= value; }
};

}  // namespace

TEST_CASE("objectives that keep their promises pass") {
  CHECK(check_objective(stagecut::bottleneck(), costs));
  CHECK(check_objective(stagecut::total_cost(), costs));
  CHECK(check_objective(stagecut::leximax(), costs));
  CHECK(check_objective(stagecut::in_order{stagecut::leximax(), stagecut::total_cost()}, costs));
  CHECK(check_objective(stagecut::in_order{stagecut::total_cost(), stagecut::bottleneck()}, costs));
  CHECK(check_objective(stagecut::cost_range(), costs).checks > 500);
}

TEST_CASE("a broken promise is named") {
  CHECK(check_objective(lying_range(), costs).broken == "isotone");
  CHECK(check_objective(lying_bottleneck(), costs).broken == "strictly_isotone");
  CHECK(check_objective(mean(), costs).broken == "associative");
  CHECK(check_objective(hasty(), costs).broken == "hopeless");
  CHECK(check_objective(wrong_order(), costs).broken == "less");
}

TEST_CASE("the bottleneck and then the sum is not isotone, and does not promise to be") {
  CHECK_FALSE(stagecut::promises<both, stagecut::isotone>);
  CHECK(check_objective(lying_order(), costs).broken == "isotone");
}
