// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/timeline.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using stagecut::microbatches_in_flight;
using stagecut::predict_timeline;
using stagecut::schedule_kind;
using stagecut::timed_pass;
using times = std::vector<double>;
using counts = std::vector<std::size_t>;

namespace {

double makespan(const std::vector<timed_pass>& timeline) {
  double end = 0;
  for (const timed_pass& pass : timeline) end = std::max(end, pass.end);
  return end;
}

double run(schedule_kind kind, const times& forward, const times& backward, std::size_t m) {
  return makespan(predict_timeline(forward, backward, microbatches_in_flight(kind, forward.size(), m), m));
}

double sum(const times& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
double most(const times& values) { return *std::max_element(values.begin(), values.end()); }

times doubled(times values) {
  for (double& each : values) each *= 2;
  return values;
}

constexpr auto gpipe = schedule_kind::gpipe;
constexpr auto one = schedule_kind::one_forward_one_backward;

}  // namespace

TEST_CASE("GPipe: the closed form holds for any whole times") {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> number(0, 19);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t p = 1 + random() % 6;
    const std::size_t m = 1 + random() % 8;
    times forward(p);
    times backward(p);
    for (std::size_t s = 0; s < p; ++s) forward[s] = number(random), backward[s] = number(random);
    const auto more = static_cast<double>(m - 1);
    REQUIRE(run(gpipe, forward, backward, m) ==
            sum(forward) + more * most(forward) + sum(backward) + more * most(backward));
    REQUIRE(run(one, forward, backward, m) <= run(gpipe, forward, backward, m));
  }
  CHECK(run(gpipe, {1, 1, 1, 1}, {2, 2, 2, 2}, 8) == 33);
}

TEST_CASE("1F1B: equal stages, and the cases where their order matters") {
  for (std::size_t p = 1; p <= 8; ++p) {
    for (std::size_t m = 1; m <= 20; ++m) {
      REQUIRE(run(one, times(p, 3), times(p, 5), m) == static_cast<double>(m + p - 1) * 8);
    }
  }
  CHECK(run(one, {3, 1, 1, 1}, {6, 2, 2, 2}, 8) == 72);
  CHECK(run(one, {1, 1, 1, 3}, {2, 2, 2, 6}, 8) == 81);
  CHECK(run(one, {1, 2, 1, 1}, {2, 4, 2, 2}, 8) == 53);
  CHECK(run(one, {2, 1, 3, 1}, {4, 2, 6, 2}, 8) == 81);
  CHECK(run(one, {3, 1, 1, 1}, {3, 1, 1, 1}, 8) == 48);
  CHECK(run(one, {2, 5, 2}, {8, 8, 8}, 12) == 173);
  // Four layers' worth of stages whose heaviest is lightest, and the cut that is fastest.
  const times level{8, 14, 18, 20};
  const times fast{21, 19, 5, 15};
  CHECK(run(one, level, doubled(level), 8) == 600);
  CHECK(run(one, fast, doubled(fast), 8) == 573);
}

TEST_CASE("the order on a stage, and that nothing overlaps or runs before what it needs") {
  const counts in_flight{3, 3, 1};
  const std::size_t m = 5;
  const auto timeline = predict_timeline(times{2, 3, 4}, times{5, 1, 2}, in_flight, m);
  REQUIRE(timeline.size() == 2 * 3 * m);
  std::string order;
  for (std::size_t i = 0; i < 2 * m; ++i) {
    order += (timeline[i].backward ? " B" : " F") + std::to_string(timeline[i].microbatch);
  }
  CHECK(order == " F0 F1 F2 B0 F3 B1 F4 B2 B3 B4");
  const auto find = [&](std::size_t stage, std::size_t k, bool backward) {
    return *std::find_if(timeline.begin(), timeline.end(), [&](const timed_pass& pass) {
      return pass.stage == stage && pass.microbatch == k && pass.backward == backward;
    });
  };
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const timed_pass& pass = timeline[i];
    if (i % (2 * m) != 0) CHECK(pass.start >= timeline[i - 1].end);
    if (!pass.backward && pass.stage > 0) CHECK(pass.start >= find(pass.stage - 1, pass.microbatch, false).end);
    if (pass.backward && pass.stage < 2) CHECK(pass.start >= find(pass.stage + 1, pass.microbatch, true).end);
    if (pass.backward) CHECK(pass.start >= find(pass.stage, pass.microbatch, false).end);
  }
}

TEST_CASE("eager 1F1B gains nothing without transfers, and what would deadlock is refused") {
  const times forward{4, 1, 6, 2};
  const times backward{5, 9, 3, 7};
  CHECK(makespan(predict_timeline(times(4, 10), times(4, 20), counts{7, 5, 3, 1}, 16)) == 570);
  CHECK(run(one, times(4, 10), times(4, 20), 16) == 570);
  CHECK(predict_timeline(forward, backward, counts{7, 5, 3, 1}, 0).empty());
  CHECK_THROWS_WITH_AS((void)predict_timeline(forward, backward, counts{1, 2, 1, 1}, 9),
                       doctest::Contains("in_flight[1] = 2, must be at least 1 and not above"),
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)predict_timeline(forward, backward, counts{2, 2, 1, 0}, 9),
                       doctest::Contains("in_flight[3] = 0"), stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)predict_timeline(forward, backward, counts{2, 2}, 9), doctest::Contains("in_flight = 2"),
                       stagecut::argument_error);
}
