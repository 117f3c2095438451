// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>
#include <type_traits>
#include <vector>

using stagecut::added_cuts;
using stagecut::cut_times;
using stagecut::link_speed;
using stagecut::prefix_sums;
using stagecut::promises;
using stagecut::testing::check_axioms;

namespace {

using model = added_cuts<prefix_sums<double>>;

static_assert(stagecut::staged_cost<model> && stagecut::separable_cost<model>);
static_assert(promises<model, stagecut::monge> && promises<model, stagecut::inverse_monge>);
static_assert(!promises<model, stagecut::right_monotone> && !promises<model, stagecut::left_monotone>);
static_assert(std::is_same_v<stagecut::cost_t<added_cuts<prefix_sums<long>>>, double>);
static_assert(std::is_constructible_v<model, prefix_sums<double>, cut_times>);
static_assert(!std::is_constructible_v<added_cuts<const prefix_sums<double>&>, prefix_sums<double>, cut_times>);
static_assert(!std::is_constructible_v<added_cuts<const prefix_sums<double>&>, prefix_sums<double>, cut_times,
                                       std::vector<double>>);

}  // namespace

TEST_CASE("on random chains of whole numbers a stage is its items and its messages") {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t items = random() % 9;
    std::vector<long> values(items);
    for (long& value : values) value = static_cast<long>(random() % 50) * 4;
    std::vector<double> bytes(items);
    for (double& each : bytes) each = static_cast<double>(random() % 50) * 4;
    std::vector<double> speeds(4);
    for (double& speed : speeds) speed = static_cast<double>(1U << random() % 3);
    std::vector<link_speed> links(random() % 2 == 0 ? 1 : 3);
    for (auto& link : links) link = {static_cast<double>(random() % 9), static_cast<double>(1U << random() % 3)};
    const prefix_sums cost(values);
    const cut_times times(bytes, links);
    const added_cuts plain(cost, times);
    const added_cuts fast(cost, times, speeds);
    REQUIRE(plain.size() == items);
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t first = 0; first <= items; ++first) {
        for (std::size_t last = first; last <= items; ++last) {
          // By the definition, for the stages that a partition into four can have.
          if ((s == 0) != (first == 0) || (s == 3) != (last == items)) continue;
          const double passing = (s == 0 ? 0 : times(s - 1, first)) + (s == 3 ? 0 : times(s, last));
          const auto work = static_cast<double>(cost(first, last));
          CHECK(plain(s, first, last) == work + passing);
          CHECK(fast(s, first, last) == work / speeds[s] + passing);
          CHECK(fast.work(s, first, last) == work / speeds[s]);
        }
      }
    }
  }
}

TEST_CASE("with any numbers it keeps its promises, is near the definition, and never negative") {
  std::mt19937 random(8);
  const auto number = [&random] {
    return std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 40) - 20);
  };
  for (int round = 0; round < 1000; ++round) {
    const std::size_t items = 1 + random() % 8;
    std::vector<double> values(items);
    for (double& value : values) value = number();
    std::vector<double> bytes(items);
    for (double& each : bytes) each = number();
    const prefix_sums cost(values);
    const cut_times times(bytes, {{number(), number()}, {number(), number()}});
    const std::vector<double> speeds{0.1 + number(), 0.1 + number(), 0.1 + number()};
    const added_cuts fast(cost, times, speeds);
    const auto report = check_axioms(fast, 3);
    CHECK_MESSAGE(report, report.text());
    const auto plain = check_axioms(added_cuts(cost, times), 3);
    CHECK_MESSAGE(plain, plain.text());
    for (std::size_t s = 0; s < 3; ++s) {
      const double scale = cost(0, items) / speeds[s];
      for (std::size_t first = 0; first <= items; ++first) {
        for (std::size_t last = first; last <= items; ++last) {
          const double wanted = cost(first, last) / speeds[s] + times.received(s, first) + times.sent(s, last);
          CHECK(fast(s, first, last) >= 0);
          CHECK(std::abs(fast(s, first, last) - wanted) <= 1e-15 * (scale + wanted) * 4);
        }
      }
    }
  }
}

TEST_CASE("of the least that a sum can be") {
  const stagecut::testing::additive_archetype cost(4);
  const auto report = check_axioms(added_cuts(std::cref(cost), cut_times({1, 9, 2, 0}, {{1, 1}})), 3);
  CHECK_MESSAGE(report, report.text());
}

TEST_CASE("parts that do not belong together are refused") {
  const prefix_sums cost{1.0, 2.0, 3.0};
  CHECK_THROWS_WITH_AS(added_cuts(cost, cut_times({1, 2}, {})),
                       "stagecut::added_cuts: times.size() = 2, must be the number of items, 3",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(added_cuts(cost, cut_times({1, 2, 3}, {}), {-1}),
                       "stagecut::added_cuts: speeds[0] = -1.000000, must be finite and above 0",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(added_cuts(cost, cut_times({1, 2, 3}, {}), {1, 1e-308}),
                       "stagecut::added_cuts: speeds[1] = nearly 0, must run the chain in a finite time",
                       stagecut::argument_error);
  const added_cuts slow(cost, cut_times({1, 2, 3}, {{1, 1}}), {1});
  CHECK_THROWS_WITH_AS(static_cast<void>(slow(1, 0, 1)),
                       "stagecut::added_cuts: speeds.size() = 1, must be the number of stages, above 1",
                       stagecut::argument_error);
  const added_cuts joined(cost, cut_times({1, 2, 3}, {}));
  CHECK(joined(0, 0, 3) == 6);
  CHECK_THROWS_AS(static_cast<void>(joined(1, 0, 3)), stagecut::argument_error);
}
