// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/convex_of.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/kept_together.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_total.hpp>
#include <stagecut/sequence/minimize_variance.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "random_models.hpp"

using stagecut::forbidden_cuts;
using stagecut::prefix_sums;

namespace {

std::vector<std::size_t> random_cuts(models::generator& random, std::size_t n) {
  std::vector<std::size_t> cuts;
  const std::uint64_t tenths = random() % 10;
  for (std::size_t i = 1; i < n; ++i) {
    if (random() % 10 < tenths) cuts.push_back(i);
  }
  return cuts;
}

}  // namespace

TEST_CASE_TEMPLATE("forbidden cuts: merged items have the answers of a constraint that is asked", T, std::int64_t,
                   double) {
  models::generator random(1);
  int found = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::size_t n = 1 + random() % 14;
    const std::size_t k = 1 + random() % n;
    const prefix_sums sums(models::random_items<T>(random, n));
    const forbidden_cuts forbidden(n, random_cuts(random, n));
    const auto asked = [&](std::size_t, std::size_t first, std::size_t last) { return forbidden(0, first, last); };
    const auto check = [&](const auto& minimize, const auto& cost) {
      const auto merged = minimize(cost, k, forbidden);
      const auto expected = minimize(cost, k, asked);
      REQUIRE(merged.state() == expected.state());
      if (!merged) return;
      REQUIRE(*merged == *expected);
      ++found;
    };
    check(stagecut::minimize_bottleneck, sums);
    check(stagecut::minimize_leximax, sums);
    check(stagecut::minimize_range, sums);
    if constexpr (stagecut::integer<T>) {
      check(stagecut::minimize_variance, sums);
      check(stagecut::minimize_total, stagecut::convex_of(sums, [](std::int64_t x) { return x * x; }));
    }
  }
  CHECK(found > 6000);
}

TEST_CASE("layers kept together are forbidden cuts, too") {
  const prefix_sums sums{5, 1, 1, 1, 5};
  const stagecut::kept_together together(5, {{0, 2}, {3, 5}});
  CHECK(stagecut::minimize_range(sums, 3, together)->cuts == stagecut::cuts{0, 2, 3, 5});
  CHECK(stagecut::minimize_leximax(sums, 2, together)->cuts == stagecut::cuts{0, 2, 5});
}

namespace {

/// Forbidden cuts, and no stage of more than two items.
struct short_stages : forbidden_cuts {
  using forbidden_cuts::forbidden_cuts;
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return forbidden_cuts::operator()(stage, first, last) && last - first <= 2;
  }
};

}  // namespace

TEST_CASE("a constraint derived from forbidden cuts may forbid more, and is asked") {
  const prefix_sums sums{1, 1, 1, 1, 9, 1};
  const short_stages allowed(6, {5});
  const stagecut::cuts expected{0, 2, 4, 6};
  CHECK(stagecut::minimize_bottleneck(sums, 3, allowed)->cuts == expected);
  CHECK(stagecut::minimize_leximax(sums, 3, allowed)->cuts == expected);
  CHECK(stagecut::minimize_range(sums, 3, allowed)->cuts == expected);
  CHECK(stagecut::minimize_variance(sums, 3, allowed)->cuts == expected);
  CHECK(stagecut::minimize_total(sums, 3, allowed)->cuts == expected);
}

TEST_CASE("why there is no cut") {
  const prefix_sums sums{1, 2, 3};
  const forbidden_cuts forbidden(3, {1});
  using cause = stagecut::reason::cause;
  CHECK(stagecut::minimize_range(sums, 4, forbidden).why() == stagecut::reason{cause::more_stages_than_layers, 4, 3});
  const auto none = stagecut::minimize_range(sums, 3, forbidden);
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why().text() ==
        "no cut keeps to the constraint: 3 stages need 2 cuts, and 1 is allowed; ask for at most 2");
  CHECK_THROWS_WITH_AS((void)stagecut::minimize_range(sums, 2, forbidden_cuts(4, {1})),
                       "stagecut::forbidden_cuts: items = 4, must be the number of layers of the chain, 3",
                       stagecut::argument_error);
}

TEST_CASE("forbidden cuts leave less to do, not more") {
  const std::size_t n = 400;
  std::vector<double> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = std::exp(16.7 * std::sin(27.0 * static_cast<double>(i) / n));
  std::vector<std::size_t> third;
  for (std::size_t i = 3; i < n; i += 3) third.push_back(i);
  const stagecut::testing::counted cost{prefix_sums(items)};
  const auto calls = [&](const auto& minimize, std::size_t k) {
    const std::uint64_t before = cost.calls();
    CHECK(minimize(k));
    return cost.calls() - before;
  };
  const forbidden_cuts forbidden(n, third);
  const auto leximax = [&](std::size_t k) { return stagecut::minimize_leximax(cost, k, forbidden).has_value(); };
  const auto free = [&](std::size_t k) { return stagecut::minimize_leximax(cost, k).has_value(); };
  CHECK(calls(leximax, 153) < calls(free, 153));
}
