// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/overlapped_cost.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

using stagecut::at_speeds;
using stagecut::cut_times;
using stagecut::link_speed;
using stagecut::overlapped_cuts;
using stagecut::prefix_sums;
using stagecut::testing::check_axioms;

namespace {

using model = overlapped_cuts<prefix_sums<double>>;

static_assert(stagecut::overlapped_cost<model>);
static_assert(stagecut::overlapped_cost<overlapped_cuts<at_speeds<prefix_sums<long>>>>);
static_assert(!stagecut::overlapped_cost<prefix_sums<double>>);
static_assert(!stagecut::overlapped_cost<at_speeds<prefix_sums<double>>>);
static_assert(stagecut::enable_axioms<model>.bits == 0);
static_assert(std::is_constructible_v<model, prefix_sums<double>, cut_times>);
static_assert(!std::is_constructible_v<overlapped_cuts<const prefix_sums<double>&>, prefix_sums<double>, cut_times>);
static_assert(!std::is_constructible_v<overlapped_cuts<const prefix_sums<double>&>, prefix_sums<double>, cut_times,
                                       std::vector<double>>);

}  // namespace

TEST_CASE("on random chains a stage takes the longest of its items and of its messages") {
  std::mt19937 random(9);
  std::size_t messages = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::size_t items = random() % 9;
    std::vector<double> values(items);
    for (double& value : values) value = static_cast<double>(random() % 100) / 7;
    std::vector<double> bytes(items);
    for (double& each : bytes) each = static_cast<double>(random() % 100);
    std::vector<double> speeds(4);
    for (double& speed : speeds) speed = 1 + static_cast<double>(random() % 30) / 7;
    std::vector<link_speed> links(random() % 2 == 0 ? 1 : 3);
    for (auto& link : links) link = {static_cast<double>(random() % 9), static_cast<double>(random() % 9)};
    const prefix_sums cost(values);
    const cut_times times(bytes, links);
    const overlapped_cuts plain(cost, times);
    const overlapped_cuts fast(cost, times, speeds);
    const at_speeds of_stages(cost, speeds);
    const overlapped_cuts staged(of_stages, times);
    REQUIRE(fast.size() == items);
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t first = 0; first <= items; ++first) {
        for (std::size_t last = first; last <= items; ++last) {
          CHECK(fast.work(s, first, last) == cost(first, last) / speeds[s]);
          CHECK(plain.work(s, first, last) == cost(first, last));
          CHECK(staged(s, first, last) == fast(s, first, last));
          // As the axiom says, for the stages that a partition into four can have.
          if ((s == 0) != (first == 0) || (s == 3) != (last == items)) continue;
          double longest = fast.work(s, first, last);
          if (s != 0) longest = std::max(longest, fast.message(s - 1, first));
          if (s != 3) longest = std::max(longest, fast.message(s, last));
          CHECK(fast(s, first, last) == longest);
          messages += longest > fast.work(s, first, last) ? 1 : 0;
        }
      }
    }
    for (std::size_t boundary = 0; boundary < 3; ++boundary) {
      for (std::size_t cut = 0; cut <= items; ++cut) CHECK(fast.message(boundary, cut) == times(boundary, cut));
    }
    const auto report = check_axioms(fast, 4);
    CHECK_MESSAGE(report, report.text());
  }
  CHECK(messages > 1000);
}

TEST_CASE("parts that do not belong together are refused") {
  const prefix_sums cost{1.0, 2.0, 3.0};
  CHECK_THROWS_WITH_AS(overlapped_cuts(cost, cut_times({1, 2}, {})),
                       "stagecut::overlapped_cuts: times.size() = 2, must be the number of items, 3",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(overlapped_cuts(cost, cut_times({1, 2, 3}, {}), {0}),
                       "stagecut::overlapped_cuts: speeds[0] = 0.000000, must be finite and above 0",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(overlapped_cuts(cost, cut_times({1, 2, 3}, {}), {1e-310}),
                       "stagecut::overlapped_cuts: speeds[0] = nearly 0, must run the chain in a finite time",
                       stagecut::argument_error);
  const overlapped_cuts two(cost, cut_times({1, 2, 3}, {{1, 1}, {1, 1}}), {1, 1});
  CHECK_THROWS_AS(static_cast<void>(two(2, 0, 1)), stagecut::argument_error);
  CHECK_THROWS_AS(static_cast<void>(two.message(2, 1)), stagecut::argument_error);
}
