// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/block_partition.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_range.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "range_oracle.hpp"

using stagecut::block_partition;
using stagecut::prefix_sums;

namespace {

using generator = std::mt19937_64;

template <class T>
std::vector<T> random_items(generator& random, std::size_t n) {
  const auto kind = random() % 6;
  std::vector<T> items(n);
  for (T& item : items) {
    switch (kind) {
      case 0: item = static_cast<T>(random() % 10); break;
      case 1: item = static_cast<T>(random() % 1000000); break;
      case 2: item = static_cast<T>(random() % 3 == 0 ? random() % 20 : 0); break;
      case 3: item = T{7}; break;
      case 4: item = static_cast<T>((1 + random() % 4) * (random() % 6 == 0 ? 30 : 1)); break;
      default: item = static_cast<T>(std::uint64_t{1} << random() % 20);
    }
    if constexpr (std::is_floating_point_v<T>) item = item / T{7};
  }
  return items;
}

/// Sums that count how often they are asked for.
struct counting {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  prefix_sums<double> sums;
  mutable std::size_t prefixes = 0;
  mutable std::size_t calls = 0;

  explicit counting(const std::vector<double>& items) : sums(items) {}
  [[nodiscard]] std::size_t size() const { return sums.size(); }
  [[nodiscard]] double prefix(std::size_t i) const {
    ++prefixes;
    return sums.prefix(i);
  }
  double operator()(std::size_t first, std::size_t last) const {
    ++calls;
    return sums(first, last);
  }
};

/// Sums that are what they should not be.
struct liar {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  std::vector<double> sums;
  [[nodiscard]] std::size_t size() const { return sums.size() - 1; }
  [[nodiscard]] double prefix(std::size_t i) const { return sums[i]; }
  double operator()(std::size_t first, std::size_t last) const { return sums[last] - sums[first]; }
};

}  // namespace

TEST_CASE_TEMPLATE("no two stages differ by more than the costliest item, and the bottleneck is the least", T,
                   std::int64_t, std::uint32_t, double, float) {
  generator random(73);
  int apart = 0;  // from the cut that minimize_bottleneck finds
  for (int round = 0; round < 20000; ++round) {
    const std::size_t n = 1 + random() % (round % 100 == 0 ? 2000 : 40);
    const std::size_t k = 1 + random() % n;
    const auto items = random_items<T>(random, n);
    const prefix_sums<std::conditional_t<std::is_floating_point_v<T>, double, T>> cost(items);
    const auto answer = block_partition(cost, k);
    REQUIRE(answer);
    REQUIRE(answer->cuts.stages() == k);
    REQUIRE(answer->cuts.items() == n);
    auto lowest = cost(0, n);
    auto highest = decltype(lowest){};
    for (std::size_t s = 0; s < k; ++s) {
      const auto here = cost(answer->cuts[s], answer->cuts[s + 1]);
      lowest = std::min(lowest, here);
      highest = std::max(highest, here);
    }
    auto largest = cost(0, 1);
    for (std::size_t i = 1; i < n; ++i) largest = std::max(largest, cost(i, i + 1));
    const auto best = stagecut::minimize_bottleneck(cost, k);
    REQUIRE(highest == best->value);
    REQUIRE(answer->value == highest - lowest);
    if constexpr (std::is_floating_point_v<T>) {
      REQUIRE(answer->value <= largest + std::ldexp(highest, -50));
    } else {
      REQUIRE(answer->value <= largest);
    }
    REQUIRE(answer->bound <= answer->value);
    REQUIRE((answer.state() == stagecut::state::optimal) == (answer->bound == answer->value));
    if (answer->cuts != best->cuts) ++apart;
    if (n <= 40) REQUIRE(answer->bound <= stagecut::minimize_range(cost, k)->value);
  }
  CHECK(apart > 5000);
}

TEST_CASE("the lower bound holds for every cut") {
  generator random(79);
  int proved = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % n;
    const prefix_sums cost(random_items<double>(random, n));
    const auto answer = block_partition(cost, k);
    const auto best = oracle::range_by_enumeration(cost, k, [](std::size_t, std::size_t, std::size_t) { return true; });
    REQUIRE(answer->bound <= best->second);
    REQUIRE(best->second <= answer->value);
    if (answer.state() == stagecut::state::optimal) ++proved;
  }
  CHECK(proved > 300);
}

TEST_CASE("equal items are shared out, also where others normalise them away") {
  for (std::size_t n = 1; n <= 130; ++n) {
    for (std::size_t k = 1; k <= n; ++k) {
      const auto answer = block_partition(prefix_sums(std::vector<std::int64_t>(n, 5)), k);
      REQUIRE(answer->value == (n % k == 0 ? 0 : 5));
      if (n % k == 0) REQUIRE(answer.state() == stagecut::state::optimal);
    }
  }
  CHECK(block_partition(prefix_sums({1, 2, 1, 1, 2, 1, 9}), 5)->value <= 9);
  CHECK(block_partition(prefix_sums({0, 0, 0, 0, 0, 0, 1, 1}), 5)->value <= 1);
}

TEST_CASE("the costliest stage is no costlier than it must be, and the others are not left behind") {
  // The best bottleneck alone leaves a stage of one item.
  const prefix_sums cost(std::vector<double>(7, 1.0));
  CHECK(stagecut::minimize_bottleneck(cost, 3)->cuts == stagecut::cuts{0, 1, 4, 7});
  const auto answer = block_partition(cost, 3);
  CHECK(answer->cuts == stagecut::cuts{0, 3, 5, 7});
  CHECK(answer->value == 1);
}

TEST_CASE("no stage, and more stages than items") {
  const prefix_sums cost{1.0, 2.0};
  CHECK_THROWS_WITH_AS((void)block_partition(cost, 0), "stagecut::block_partition: stages = 0, must be at least 1",
                       stagecut::argument_error);
  CHECK(block_partition(cost, 3).why() ==
        stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 3, 2, {}, {}});
  CHECK(block_partition(cost, 1)->value == 0);
  CHECK(block_partition(cost, 1).state() == stagecut::state::optimal);
}

TEST_CASE("prefixes are asked for n times, and k log n times a probe") {
  generator random(83);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 10 + random() % 5000;
    const std::size_t k = 1 + random() % std::min<std::size_t>(n, 64);
    const counting cost(random_items<double>(random, n));
    (void)stagecut::minimize_bottleneck(cost, k);
    const std::size_t before = cost.prefixes;
    cost.prefixes = 0;
    (void)block_partition(cost, k);
    CHECK(cost.prefixes <= before + n + 1 + 6 * k * (std::bit_width(n) + 3));
    CHECK(cost.calls == 0);
  }
}

TEST_CASE("numbers that break the promises of a sum do no harm") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> liars{{nan, nan, nan, nan},    {0, 5, 3, nan, 7, 2, 9},
                                               {9, 8, 7, 6, 5, 4},      {0, infinity, infinity, 1, 2},
                                               {0, 9, 1, 10, 2, 11, 3}, {-0.0, 0.0, -0.0, 0.0, -0.0}};
  for (const auto& sums : liars) {
    const liar cost{sums};
    for (std::size_t k = 1; k <= cost.size(); ++k) {
      const auto answer = block_partition(cost, k);
      CHECK(answer->cuts.items() == cost.size());
      CHECK(answer->cuts.stages() == k);
    }
  }
}

namespace {

/// Prefixes from one end of the numbers to the other, and back.
template <class T>
struct wild_sums {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  std::vector<T> sums;
  [[nodiscard]] std::size_t size() const { return sums.size() - 1; }
  [[nodiscard]] T prefix(std::size_t i) const { return sums[i]; }
  T operator()(std::size_t, std::size_t last) const { return sums[last]; }
};

}  // namespace

TEST_CASE_TEMPLATE("integers that lie get valid cuts, without overflow", T, std::int8_t, std::uint8_t, std::int16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  using limits = std::numeric_limits<T>;
  const std::vector<T> ends{limits::min(), limits::max(), T{}, T{1}, static_cast<T>(-1), limits::max(), limits::min()};
  generator random(11);
  for (int round = 0; round < 200; ++round) {
    wild_sums<T> cost{ends};
    if (round > 0) {
      for (T& sum : cost.sums) sum = ends[random() % ends.size()];
    }
    for (std::size_t k = 1; k <= cost.size(); ++k) {
      CHECK(block_partition(cost, k)->cuts.stages() == k);
      CHECK(stagecut::minimize_bottleneck(cost, k)->cuts.stages() == k);
      CHECK(stagecut::minimize_range(cost, k)->cuts.stages() == k);
    }
  }
}
