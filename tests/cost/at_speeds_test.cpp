// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

using stagecut::at_speeds;
using stagecut::prefix_sums;
using stagecut::promises;
using stagecut::testing::check_axioms;

namespace {

using of_sums = at_speeds<prefix_sums<double>>;

static_assert(stagecut::staged_cost<of_sums> && !stagecut::interval_cost<of_sums>);
static_assert(promises<of_sums, stagecut::axioms<stagecut::monotone, stagecut::monge, stagecut::inverse_monge>{}>);
static_assert(!promises<of_sums, stagecut::additive> && !promises<of_sums, stagecut::stage_invariant>);
static_assert(std::is_same_v<stagecut::cost_t<at_speeds<prefix_sums<long>>>, double>);
static_assert(promises<at_speeds<of_sums>, stagecut::monotone>);
static_assert(std::is_constructible_v<of_sums, prefix_sums<double>, std::vector<double>>);
static_assert(
    !std::is_constructible_v<at_speeds<const prefix_sums<double>&>, prefix_sums<double>, std::vector<double>>);

}  // namespace

TEST_CASE("on random chains each cost is divided by the speed of its stage, and promises are kept") {
  std::mt19937 random(6);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t items = random() % 9;
    std::vector<double> values(items);
    for (double& value : values)
      value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 60) - 30);
    std::vector<long> whole(items);
    for (long& value : whole) value = static_cast<long>(random()) << 20U;
    std::vector<double> speeds(4);
    for (double& speed : speeds) speed = 0.1 + static_cast<double>(random() % 100) / 7;
    const prefix_sums<double> cost(values);
    const prefix_sums<long> counts(whole);
    const at_speeds model(cost, speeds);
    const at_speeds counted(counts, speeds);
    const at_speeds twice(model, {2, 2, 2, 2});
    REQUIRE(model.size() == items);
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t first = 0; first <= items; ++first) {
        for (std::size_t last = first; last <= items; ++last) {
          CHECK(model(s, first, last) == cost(first, last) / speeds[s]);
          CHECK(counted(s, first, last) == static_cast<double>(counts(first, last)) / speeds[s]);
          CHECK(twice(s, first, last) == cost(first, last) / speeds[s] / 2);
        }
      }
    }
    for (const auto& report : {check_axioms(model, 4), check_axioms(counted, 4), check_axioms(twice, 4)}) {
      CHECK_MESSAGE(report, report.text());
    }
  }
}

TEST_CASE("one that grows to a side only still does") {
  const auto cost = stagecut::right_monotone(
      9, [](std::size_t first, std::size_t last) { return static_cast<double>(last - first + 3 * (first % 2)); });
  const at_speeds model(cost, {0.3, 3});
  static_assert(promises<decltype(model), stagecut::right_monotone>);
  static_assert(!promises<decltype(model), stagecut::left_monotone>);
  const auto report = check_axioms(model, 2);
  CHECK_MESSAGE(report, report.text());
}

TEST_CASE("speeds that are none, and stages without one, are refused") {
  const prefix_sums cost{1.0, 2.0};
  CHECK_THROWS_WITH_AS(at_speeds(cost, {1, 0}), "stagecut::at_speeds: speeds[1] = 0.000000, must be finite and above 0",
                       stagecut::argument_error);
  for (const double speed : {-1.0, -0.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    CHECK_THROWS_AS(at_speeds(cost, {speed}), stagecut::argument_error);
  }
  const at_speeds model(cost, {1, 2});
  CHECK_THROWS_WITH_AS(static_cast<void>(model(2, 0, 1)),
                       "stagecut::at_speeds: speeds.size() = 2, must be the number of stages, above 2",
                       stagecut::argument_error);
  CHECK_THROWS_AS(static_cast<void>(at_speeds(cost, {})(0, 0, 1)), stagecut::argument_error);
}
