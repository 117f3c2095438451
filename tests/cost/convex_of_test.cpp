// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/convex_of.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using stagecut::convex_of;
using stagecut::prefix_sums;
using stagecut::testing::check_axioms;

namespace {

const prefix_sums<std::int64_t> integers({3, 0, 4, 1, 5, 9, 2, 6, 0, 0, 5, 3, 5});
const prefix_sums<double> reals({0.3, 0.0, 4.5, 0.1, 5.25, 0.9, 2.0, 6.1, 0.0, 0.5, 0.35});

struct square {
  template <class T>
  T operator()(T x) const {
    return x * x;
  }
};

}  // namespace

TEST_CASE("prices the sum of a stage by the function") {
  const convex_of cost(integers, square());
  CHECK(cost.size() == 13);
  CHECK(cost(0, 0) == 0);
  CHECK(cost(2, 5) == 100);
  CHECK(cost.sums()(2, 5) == 10);
  CHECK(cost.function()(7) == 49);
}

TEST_CASE("convex functions keep the promises") {
  CHECK(check_axioms(convex_of(integers, square())));
  CHECK(check_axioms(convex_of(reals, square())));
  CHECK(check_axioms(convex_of(reals, [](double x) { return std::exp(x); })));
  CHECK(check_axioms(convex_of(integers, [](std::int64_t x) { return std::int64_t{1} << (x < 60 ? x : 60); })));
  for (const int target : {0, 1, 7, 20, 100}) {
    CHECK(check_axioms(convex_of(integers, [=](std::int64_t x) { return x < target ? target - x : x - target; })));
    CHECK(check_axioms(convex_of(integers, [=](std::int64_t x) { return x < target ? target : x; })));
    CHECK(check_axioms(convex_of(reals, [=](double x) { return std::fabs(x - target); })));
  }
}

TEST_CASE("a concave function is caught") {
  const auto root = check_axioms(convex_of(reals, [](double x) { return std::sqrt(x); }));
  CHECK(root.broken == "monge");
  CHECK(check_axioms(convex_of(integers, [](std::int64_t x) { return -x * x; })).broken == "monge");
  CHECK(check_axioms(convex_of(integers, [](std::int64_t x) { return x < 9 ? x : 9; })).broken == "monge");
}

TEST_CASE("promises no more than all convex functions keep") {
  using model = convex_of<prefix_sums<double>, square>;
  static_assert(stagecut::interval_cost<model>);
  static_assert(stagecut::promises<model, stagecut::monge>);
  static_assert(stagecut::promises<model, stagecut::stage_invariant>);
  static_assert(!stagecut::promises<model, stagecut::right_monotone>);
  static_assert(!stagecut::promises<model, stagecut::additive>);
  static_assert(std::is_same_v<stagecut::cost_t<model>, double>);
  CHECK(std::is_same_v<stagecut::cost_t<convex_of<prefix_sums<std::int64_t>, square>>, std::int64_t>);
}
