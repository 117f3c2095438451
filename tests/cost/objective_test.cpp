// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/objective.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <type_traits>
#include <vector>

using stagecut::bottleneck;
using stagecut::in_order;
using stagecut::isotone;
using stagecut::isotone_objective;
using stagecut::leximax;
using stagecut::objective;
using stagecut::promises;
using stagecut::cost_range;
using stagecut::strictly_isotone;
using stagecut::total_cost;
using cost_type = std::int64_t;
using stagecut::testing::ordered_archetype;

static_assert(isotone_objective<bottleneck, ordered_archetype> && !promises<bottleneck, strictly_isotone>);
static_assert(isotone_objective<leximax, ordered_archetype> && promises<leximax, strictly_isotone>);
static_assert(isotone_objective<total_cost, cost_type> && promises<total_cost, strictly_isotone>);
static_assert(objective<cost_range, cost_type> && !isotone_objective<cost_range, cost_type>);
static_assert(!objective<int, cost_type>);

// In order: the first strictly so, the second at least.
static_assert(promises<in_order<leximax, total_cost>, strictly_isotone>);
static_assert(promises<in_order<total_cost, leximax>, strictly_isotone>);
static_assert(promises<in_order<total_cost, bottleneck>, isotone>);
static_assert(!promises<in_order<total_cost, bottleneck>, strictly_isotone>);
static_assert(!promises<in_order<bottleneck, total_cost>, isotone> && !promises<in_order<total_cost, cost_range>, isotone>);
static_assert(promises<in_order<total_cost, in_order<leximax, bottleneck>>, isotone>);
static_assert(objective<in_order<bottleneck, total_cost>, cost_type>);

namespace {

using generator = std::mt19937_64;

std::vector<cost_type> random_costs(generator& random) {
  std::vector<cost_type> costs(1 + random() % 4);
  for (auto& cost : costs) cost = static_cast<cost_type>(random() % 4) - 1;
  return costs;
}

/// From the left.
template <class Objective>
auto value(const Objective& o, const std::vector<cost_type>& costs) {
  auto result = o(costs[0]);
  for (std::size_t i = 1; i < costs.size(); ++i) result = o(result, o(costs[i]));
  return result;
}

template <class Value>
bool same(const Value& a, const Value& b) {
  return !(a < b) && !(b < a);
}

/// What an objective promises, on random values: associative, and isotone, strictly if it says so. How many pairs of
/// values differed.
template <class Objective>
int check(const Objective& o) {
  generator random(1);
  int differ = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t length = 1 + random() % 3;
    auto x = random_costs(random);
    auto y = random_costs(random);
    x.resize(length);  // parts that are compared have as many stages
    y.resize(length);
    const auto a = value(o, x);
    const auto b = value(o, y);
    const auto c = value(o, random_costs(random));
    REQUIRE(same(o(o(a, b), c), o(a, o(b, c))));
    REQUIRE((b < a || !(o(b, c) < o(a, c))));
    REQUIRE((b < a || !(o(c, b) < o(c, a))));
    if (!(a < b)) continue;
    ++differ;
    if (!promises<Objective, strictly_isotone>) continue;
    REQUIRE(o(a, c) < o(b, c));
    REQUIRE(o(c, a) < o(c, b));
  }
  return differ;
}

}  // namespace

TEST_CASE("objectives are associative and isotone as they promise") {
  CHECK(check(bottleneck()) > 5000);
  CHECK(check(total_cost()) > 5000);
  CHECK(check(leximax()) > 5000);
  CHECK(check(in_order{leximax(), total_cost()}) > 5000);
  CHECK(check(in_order{total_cost(), leximax()}) > 5000);
  CHECK(check(in_order{total_cost(), bottleneck()}) > 5000);
}

TEST_CASE("values of stages") {
  const std::vector<cost_type> costs{3, 1, 4, 1, 5};
  CHECK(value(bottleneck(), costs) == 5);
  CHECK(value(total_cost(), costs) == 14);
  CHECK(value(leximax(), costs) == std::vector<cost_type>{5, 4, 3, 1, 1});
  const auto both = value(in_order{bottleneck(), total_cost()}, costs);
  CHECK(both.first == 5);
  CHECK(both.second == 14);
  CHECK(value(cost_range(), costs).least == 1);
  CHECK(value(cost_range(), costs).most == 5);
  CHECK(value(cost_range(), {1, 5}) < value(cost_range(), {9, 4}));
  CHECK(total_cost()(std::int8_t{100}, std::int8_t{27}) == 127);
}

TEST_CASE("a range and a bottleneck before a sum are not isotone") {
  // The worse beginning makes the better whole.
  const auto differ = [](const auto& o, const std::vector<cost_type>& good, const std::vector<cost_type>& bad,
                         cost_type next) {
    const auto a = value(o, good);
    const auto b = value(o, bad);
    return a < b && o(b, o(next)) < o(a, o(next));
  };
  CHECK(differ(cost_range(), {5, 5}, {1, 3}, 2));
  CHECK(differ(in_order{bottleneck(), total_cost()}, {4, 4}, {5, 1}, 9));
}

TEST_CASE("what spares work agrees with the values") {
  generator random(2);
  int less = 0;
  int hopeless = 0;
  const leximax o;
  for (int i = 0; i < 50'000; ++i) {
    const auto cost = static_cast<cost_type>(random() % 5) - 1;
    const auto rest = value(o, random_costs(random));
    const auto best = value(o, random_costs(random));
    const bool expected = o(o(cost), rest) < best;
    REQUIRE(o.less(cost, rest, best) == expected);
    less += expected ? 1 : 0;
    if (o.hopeless(cost, best)) {
      REQUIRE(!expected);
      REQUIRE(!o.less(cost + static_cast<cost_type>(random() % 3), rest, best));
      ++hopeless;
    }
    const auto least = static_cast<cost_type>(random() % 5) - 1;
    if (bottleneck().hopeless(cost, least)) REQUIRE(!(bottleneck()(cost, rest[0]) < least));
    REQUIRE(bottleneck().hopeless(cost, least) == (cost >= least));
  }
  CHECK(less > 10'000);
  CHECK(hopeless > 5000);
}

TEST_CASE("costs are merged from the costliest on") {
  generator random(3);
  for (int i = 0; i < 5000; ++i) {
    auto costs = random_costs(random);
    const auto merged = value(leximax(), costs);
    std::sort(costs.begin(), costs.end(), std::greater<>());
    REQUIRE(merged == costs);
  }
  CHECK(leximax()(std::vector<int>{}, std::vector<int>{2, 1}) == std::vector<int>{2, 1});
}

TEST_CASE("values in order are compared by the first, then by the second") {
  constexpr in_order sums{bottleneck(), total_cost()};
  constexpr auto low = sums(sums(2), sums(3));
  static_assert(std::is_trivially_copyable_v<decltype(low)>);
  CHECK(low == sums(sums(3), sums(2)));
  CHECK(low != sums(3));
  CHECK(sums(3) < low);
  CHECK_FALSE(low < sums(3));
  CHECK_FALSE(low < sums(sums(3), sums(2)));
  CHECK(low < sums(4));
}
