// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

using stagecut::cuts;
using stagecut::empty_stages;
using stagecut::interval;
using sizes = std::vector<std::size_t>;

namespace {

template <class Call>
std::string message(Call call) {
  try {
    call();
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

static_assert(std::forward_iterator<cuts::iterator> && std::sentinel_for<cuts::iterator, cuts::iterator>);
static_assert(std::same_as<std::iter_value_t<cuts::iterator>, interval>);

TEST_CASE("cut points describe stages") {
  const cuts c{0, 3, 5, 6};
  CHECK(c.stages() == 3);
  CHECK(c.items() == 6);
  CHECK(c[1] == 3);
  CHECK(c.stage(1) == stagecut::interval{3, 5});
  CHECK(c.sizes() == sizes{3, 2, 1});
  CHECK(c.assignment() == sizes{0, 0, 0, 1, 1, 2});
  CHECK(sizes(c.boundaries().begin(), c.boundaries().end()) == sizes{3, 5});
}

TEST_CASE("cuts are a range of their stages") {
  const cuts three{0, 2, 3, 7};
  std::vector<interval> seen;
  for (const interval stage : three) seen.push_back(stage);
  CHECK(seen == std::vector<interval>{{0, 2}, {2, 3}, {3, 7}});
  CHECK(std::vector<interval>(three.begin(), three.end()) == seen);
  auto at = three.begin();
  CHECK(*at++ == three.stage(0));
  CHECK(*at == three.stage(1));
  CHECK(++at != three.end());
  CHECK(++at == three.end());

  for (const interval stage : cuts()) FAIL(stage.first);
  cuts left{0, 1};
  const cuts taken = std::move(left);
  for (const interval stage : left) FAIL(stage.first);  // NOLINT(bugprone-use-after-move)
  std::size_t stages = 0;
  for (const interval stage : cuts({0, 0, 2, 2}, empty_stages::allowed)) stages += stage.empty() ? 10 : 1;
  CHECK(stages == 21);
}

TEST_CASE("nothing cut is no stage") {
  CHECK(cuts().stages() == 0);
  CHECK(cuts().items() == 0);
  CHECK(cuts().boundaries().empty());
  CHECK(cuts().sizes().empty());
  CHECK(cuts::from_sizes({}) == cuts());
  CHECK(cuts::from_assignment({}) == cuts());
}

TEST_CASE("every form turns back into itself") {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::size_t> points{0};
    const std::size_t stages = 1 + random() % 6;
    for (std::size_t s = 0; s < stages; ++s) points.push_back(points.back() + 1 + random() % 4);
    const cuts c(points);
    REQUIRE(cuts::from_sizes(c.sizes()) == c);
    REQUIRE(cuts::from_assignment(c.assignment()) == c);
    REQUIRE(cuts::from_boundaries(c.items(), c.boundaries()) == c);
    cuts other;
    other.assign(c.points());
    REQUIRE(other == c);
  }
}

TEST_CASE("cuts compare lexicographically") {
  CHECK(cuts{0, 1, 4} < cuts{0, 2, 4});
  CHECK(cuts{0, 1, 3, 4} < cuts{0, 2, 3, 4});
  CHECK(cuts{0, 2, 4} == cuts::from_sizes({2, 2}));
}

TEST_CASE("empty stages are refused unless asked for") {
  CHECK(message([] { return cuts{0, 2, 2}; }) == "stagecut::cuts: points[2] = 2, must be above the point before it, 2");
  CHECK(message([] {
          return cuts::from_sizes({2, 0});
        }) == "stagecut::cuts: sizes[1] = 0, must be at least 1, and the sum representable");
  const cuts c({0, 2, 2}, empty_stages::allowed);
  CHECK(c.sizes() == sizes{2, 0});
  CHECK(c.assignment() == sizes{0, 0});
  CHECK(cuts::from_sizes(sizes{0, 2}, empty_stages::allowed).points()[1] == 0);
}

TEST_CASE("a refused assignment changes nothing, and moved-from cuts are empty") {
  cuts c{0, 2, 4};
  CHECK_THROWS(c.assign(sizes{0, 5, 3}));
  CHECK_THROWS(c.assign(sizes{}));
  CHECK(c == cuts{0, 2, 4});
  const cuts taken = std::move(c);
  CHECK(taken.stages() == 2);
  CHECK(c.stages() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(c.items() == 0);
}

TEST_CASE("what is no cut is refused with its place") {
  CHECK(message([] { return cuts(sizes{}); }) == "stagecut::cuts: points = {}, must hold at least one point");
  CHECK(message([] { return cuts{1, 2}; }) == "stagecut::cuts: points[0] = 1, must be 0");
  CHECK(message([] { return cuts{0, 3, 2}; }) == "stagecut::cuts: points[2] = 2, must be above the point before it, 3");
  CHECK(message([] {
          return cuts::from_boundaries(4, {2, 5});
        }) == "stagecut::cuts: items = 4, must be above the point before it, 5");
  CHECK(message([] {
          return cuts::from_boundaries(4, {3, 2});
        }) == "stagecut::cuts: boundaries[1] = 2, must be above the point before it, 3");
  CHECK(message([] {
          return cuts::from_assignment({0, 2});
        }) == "stagecut::cuts::from_assignment: stages[1] = 2, must be the stage of the item before it or the next");
  CHECK(message([] { return cuts::from_assignment({1}); }) ==
        "stagecut::cuts::from_assignment: stages[0] = 1, must be 0");
  CHECK(message([] {
          return cuts::from_assignment({0, 1, 0});
        }) == "stagecut::cuts::from_assignment: stages[2] = 0, must be the stage of the item before it or the next");
  const std::size_t half = std::numeric_limits<std::size_t>::max() / 2 + 1;
  CHECK(!message([&] { return cuts::from_sizes(sizes{half, half, 5}, empty_stages::allowed); }).empty());
}
