// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/sent_at_cuts.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "every_cut.hpp"

using stagecut::promises;
using stagecut::sent_at_cuts;
using stagecut::testing::check_axioms;

namespace {

using bytes = sent_at_cuts<std::uint64_t>;

static_assert(stagecut::interval_cost<bytes> && stagecut::separable_cost<bytes>);
static_assert(promises<bytes, stagecut::monge> && promises<bytes, stagecut::inverse_monge>);
static_assert(promises<bytes, stagecut::left_monotone> && !promises<bytes, stagecut::right_monotone>);
static_assert(std::is_same_v<decltype(sent_at_cuts(std::vector<float>())), sent_at_cuts<double>>);
static_assert(std::is_same_v<decltype(sent_at_cuts{1, 2}), sent_at_cuts<std::int64_t>>);

}  // namespace

TEST_CASE("a stage sends what its last item hands on, and the last stage nothing") {
  const sent_at_cuts cost{3, 0, 5, 9};
  CHECK(cost.size() == 4);
  CHECK(cost(0, 1) == 3);
  CHECK(cost(0, 2) == 0);
  CHECK(cost(2, 3) == 5);
  CHECK(cost(1, 4) == 0);
  CHECK(cost(0, 0) == 0);
  CHECK(sent_at_cuts(std::vector<double>()).size() == 0);
}

TEST_CASE("on random chains promises are kept, and the sum is that of the cuts") {
  std::mt19937 random(10);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t items = 1 + random() % 8;
    std::vector<std::uint64_t> counts(items);
    for (auto& count : counts) count = random() % 100;
    std::vector<double> times(items);
    for (double& time : times) time = static_cast<double>(random() % 100) / 7;
    const sent_at_cuts cost(counts);
    for (const auto& report : {check_axioms(cost), check_axioms(sent_at_cuts(times))}) {
      CHECK_MESSAGE(report, report.text());
    }
    for_every_cut(items, 3, [&](const std::vector<std::size_t>& points) {
      const std::uint64_t sum = cost(0, points[1]) + cost(points[1], points[2]) + cost(points[2], points[3]);
      CHECK(sum == counts[points[1] - 1] + counts[points[2] - 1]);
    });
  }
}

TEST_CASE("numbers that are none are refused by their place, and sums that overflow") {
  CHECK_THROWS_WITH_AS(sent_at_cuts({1.0, -2.0}), "item 1: -2 is negative", stagecut::invalid_input);
  CHECK_THROWS_AS(sent_at_cuts({std::nan("")}), stagecut::invalid_input);
  CHECK_THROWS_AS(sent_at_cuts({std::numeric_limits<double>::infinity()}), stagecut::invalid_input);
  CHECK_THROWS_WITH_AS(sent_at_cuts({std::numeric_limits<std::int64_t>::max(), std::int64_t{1}}),
                       "item 1: the sum of the items up to this one overflows", stagecut::invalid_input);
  CHECK_THROWS_AS(sent_at_cuts({1, -1}), stagecut::invalid_input);
}
