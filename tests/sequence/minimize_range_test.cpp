// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_range.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "arbitrary.hpp"
#include "range_oracle.hpp"

using stagecut::minimize_range;
using stagecut::prefix_sums;

namespace {

using generator = std::mt19937_64;
using points = std::vector<std::size_t>;

const auto anything = [](std::size_t, std::size_t, std::size_t) { return true; };

/// Sums that need not begin at 0, and count how often they are asked for.
template <class Cost>
struct counting {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  std::vector<Cost> sums;
  mutable std::size_t prefixes = 0;
  mutable std::size_t calls = 0;

  explicit counting(std::vector<Cost> values) : sums(std::move(values)) {}
  [[nodiscard]] std::size_t size() const { return sums.size() - 1; }
  [[nodiscard]] Cost prefix(std::size_t i) const {
    ++prefixes;
    return sums[i];
  }
  Cost operator()(std::size_t first, std::size_t last) const {
    ++calls;
    return static_cast<Cost>(sums[last] - sums[first]);
  }
};

/// Limits the units of a second weight per stage: hereditary.
struct caps {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  prefix_sums<std::int64_t> weight;
  std::vector<std::int64_t> most;

  caps(generator& random, std::size_t n, std::size_t k, std::uint64_t cap) {
    std::vector<std::int64_t> weights(n);
    for (auto& each : weights) each = static_cast<std::int64_t>(random() % 6);
    weight.assign(weights);
    for (std::size_t s = 0; s < k; ++s) most.push_back(static_cast<std::int64_t>(random() % cap));
  }
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return weight(first, last) <= most[stage];
  }
};

/// Chains of many kinds: small numbers with ties, numbers whose sums are rounded, zeros, equal items, heavy items.
template <class T>
std::vector<T> random_items(generator& random, std::size_t n) {
  const auto kind = random() % 6;
  const T scale = std::is_floating_point_v<T> && random() % 2 == 0 ? static_cast<T>(0.1) : T{1};
  std::vector<T> items(n);
  for (T& item : items) {
    switch (kind) {
      case 0: item = static_cast<T>(random() % 10); break;
      case 1: item = static_cast<T>(random() % 1000); break;
      case 2: item = static_cast<T>(random() % 3 == 0 ? random() % 20 : 0); break;
      case 3: item = T{7}; break;
      case 4: item = static_cast<T>((1 + random() % 4) * (random() % 6 == 0 ? 30 : 1)); break;
      default: item = static_cast<T>(random() % 2);
    }
    item = static_cast<T>(item * scale);
    if constexpr (std::is_floating_point_v<T>) {
      if (kind == 1 && scale < T{1}) item = item / T{3};
    }
  }
  return items;
}

template <class T>
std::vector<T> sums_of(const std::vector<T>& items, T start) {
  std::vector<T> sums{start};
  for (const T item : items) sums.push_back(static_cast<T>(sums.back() + item));
  return sums;
}

template <class Answer, class Expected>
void require_equal(const Answer& answer, const Expected& expected) {
  REQUIRE(answer.has_value() == expected.has_value());
  if (!expected) {
    REQUIRE(answer.state() == stagecut::state::infeasible);
    REQUIRE(answer.why().what == stagecut::reason::cause::constraint);
    return;
  }
  REQUIRE(answer.state() == stagecut::state::optimal);
  REQUIRE(answer->value == expected->second);
  REQUIRE(answer->bound == answer->value);
  const auto found = answer->cuts.points();
  REQUIRE(points(found.begin(), found.end()) == expected->first);
}

points cut_points(const stagecut::cuts& cuts) { return {cuts.points().begin(), cuts.points().end()}; }

}  // namespace

TEST_CASE_TEMPLATE("random chains equal enumeration, cut points included", T, double, float, std::int64_t,
                   std::uint16_t) {
  generator random(41);
  int apart = 0;  // from the cut with the least bottleneck
  for (int round = 0; round < 20000; ++round) {
    const std::size_t n = 1 + random() % 11;
    const std::size_t k = 1 + random() % n;
    const auto items = random_items<T>(random, n);
    const T start = random() % 4 == 0 ? static_cast<T>(random() % 5000) : T{};
    const counting<T> cost(sums_of(items, start));
    const auto answer = minimize_range(cost, k);
    require_equal(answer, oracle::range_by_enumeration(cost, k, anything));
    if (answer->cuts != stagecut::minimize_bottleneck(cost, k)->cuts) ++apart;
  }
  CHECK(apart > 1500);
}

TEST_CASE_TEMPLATE("random chains under random constraints equal enumeration, cut points included", T, double,
                   std::int64_t) {
  generator random(43);
  int feasible = 0;
  int infeasible = 0;
  for (int round = 0; round < 8000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % std::min<std::size_t>(n, 5);
    const counting<T> cost(sums_of(random_items<T>(random, n), T{}));
    const auto compare = [&](const auto& allowed) {
      const auto expected = oracle::range_by_enumeration(cost, k, allowed);
      ++(expected ? feasible : infeasible);
      require_equal(minimize_range(cost, k, allowed), expected);
    };
    compare(arbitrary(random, n, k, 20 + 20 * static_cast<unsigned>(random() % 5)));
    compare(caps(random, n, k, 16));
    const auto bottleneck = stagecut::minimize_bottleneck(cost, k)->value;
    compare(stagecut::at_most(cost, bottleneck));
    compare(stagecut::at_most(cost, static_cast<T>(bottleneck + static_cast<T>(random() % 10))));
    compare(stagecut::at_most(cost, static_cast<T>(cost(0, n) / 3)));
    compare(stagecut::at_most(std::cref(cost), bottleneck));
    compare(stagecut::at_most(cost, std::vector<T>(k, bottleneck)));
    counting<T> other = cost;
    other.sums[n] += T{1};
    compare(stagecut::at_most(other, bottleneck));
    compare(stagecut::at_most(std::cref(other), static_cast<T>(bottleneck + T{1})));
  }
  CHECK(feasible > 20000);
  CHECK(infeasible > 5000);
}

TEST_CASE_TEMPLATE("middle-sized chains equal dynamic programs for every cost of the cheapest stage", T, double,
                   std::int64_t) {
  generator random(47);
  int constrained = 0;
  for (int round = 0; round < 250; ++round) {
    const std::size_t n = round % 25 == 0 ? 300 : 10 + random() % 60;
    const std::size_t k = 1 + random() % std::min<std::size_t>(n / 2, 16);
    const counting<T> cost(sums_of(random_items<T>(random, n), T{}));
    require_equal(minimize_range(cost, k), oracle::range_by_levels(cost, k, anything));
    if (n > 60) continue;
    const caps cap(random, n, k, 12 * n / k + 1);
    const auto expected = oracle::range_by_levels(cost, k, cap);
    if (expected) ++constrained;
    require_equal(minimize_range(cost, k, cap), expected);
  }
  CHECK(constrained > 30);
}

TEST_CASE("a bound of the same sums, held or referred to, asks for no cost of a stage, one of others does") {
  generator random(71);
  const std::size_t n = 200;
  const std::size_t k = 8;
  const counting<double> cost(sums_of(random_items<double>(random, n), 0.0));
  const double bottleneck = stagecut::minimize_bottleneck(cost, k)->value;
  const auto calls = [&](const auto& cap) {
    const std::size_t before = cap.cost().calls;
    CHECK(minimize_range(cost, k, cap)->value >= 0);
    return cap.cost().calls - before;
  };
  CHECK(calls(stagecut::at_most(cost, bottleneck)) == 0);
  CHECK(calls(stagecut::at_most(std::cref(cost), bottleneck)) == 0);
  counting<double> other = cost;
  other.sums[n] += 1;
  CHECK(calls(stagecut::at_most(other, bottleneck + 1)) > 0);
  CHECK(calls(stagecut::at_most(std::cref(other), bottleneck + 1)) > 0);
}

TEST_CASE_TEMPLATE("a constraint that allows everything changes nothing", T, double, std::int64_t) {
  generator random(53);
  for (int round = 0; round < 120; ++round) {
    const std::size_t n = 10 + random() % (round % 10 == 0 ? 1000 : 200);
    const std::size_t k = 1 + random() % std::min<std::size_t>(n, 70);
    const prefix_sums<T> cost(random_items<T>(random, n));
    const auto free = minimize_range(cost, k);
    REQUIRE(free->value <=
            minimize_range(cost, k, stagecut::at_most(cost, stagecut::minimize_bottleneck(cost, k)->value))->value);
    CHECK(*free == *minimize_range(cost, k, anything));
  }
}

TEST_CASE("a chain is worth as much from its end, and in other units") {
  generator random(59);
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 2 + random() % 150;
    const std::size_t k = 1 + random() % n;
    auto items = random_items<std::int64_t>(random, n);
    const auto value = minimize_range(prefix_sums(items), k);
    std::vector<double> doubles(items.begin(), items.end());
    for (double& each : doubles) each = std::ldexp(each, -40);
    const auto scaled = minimize_range(prefix_sums(doubles), k);
    REQUIRE(scaled->cuts == value->cuts);
    REQUIRE(scaled->value == std::ldexp(static_cast<double>(value->value), -40));
    std::reverse(items.begin(), items.end());
    REQUIRE(minimize_range(prefix_sums(items), k)->value == value->value);
    const bool divisible = n % k == 0;
    CHECK((minimize_range(prefix_sums(std::vector<double>(n, 3.0)), k)->value == 0) == divisible);
  }
}

TEST_CASE("cases of other partitioners") {
  std::ifstream file(STAGECUT_TEST_DATA "/sequence/sequence_cases.json");
  int met = 0;
  for (const auto& entry : nlohmann::json::parse(file)) {
    if (!entry.contains("opt_max_minus_min_nonempty") || !entry["weights"].is_array()) continue;
    INFO(entry.dump());
    const auto weights = entry["weights"].get<std::vector<double>>();
    const auto stages = entry["k"].get<std::size_t>();
    CHECK(minimize_range(prefix_sums(weights), stages)->value ==
          doctest::Approx(entry["opt_max_minus_min_nonempty"].get<double>()).epsilon(1e-12));
    ++met;
  }
  CHECK(met > 30);
  // A dynamic program over cuts says 17.
  const auto best = minimize_range(prefix_sums({16, 19, 3, 24, 16, 25, 24}), 4);
  CHECK(best->value == 16);
}

TEST_CASE("chains of which the least difference is known") {
  const auto ends = [](std::size_t n, double end, double inner) {
    std::vector<double> items(n, inner);
    items.front() = items.back() = end;
    return prefix_sums(items);
  };
  CHECK(minimize_range(ends(100, 30, 1), 16)->value == 23);
  CHECK(minimize_range(ends(1000, 30, 1), 64)->value == 14);
  CHECK(minimize_range(ends(1000, 30, 1), 256)->value == 27);
  CHECK(minimize_range(ends(10000, 30, 1), 64)->value == 1);
  CHECK(minimize_range(ends(1000, 52559872, 12596224), 64)->value == 12596224);
  CHECK(minimize_range(ends(1000, 52559872, 12596224), 256)->value == 14771200);
}

TEST_CASE("no stage, more stages than items, no cut that the constraint allows") {
  const auto never = [](std::size_t, std::size_t, std::size_t) -> bool { throw std::string("asked"); };
  const prefix_sums cost{1.0, 2.0};
  CHECK_THROWS_WITH_AS((void)minimize_range(cost, 0), "stagecut::minimize_range: stages = 0, must be at least 1",
                       stagecut::argument_error);
  CHECK_THROWS_AS((void)minimize_range(cost, 0, never), stagecut::argument_error);
  CHECK(minimize_range(cost, 3).why() ==
        stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 3, 2, {}, {}});
  CHECK(minimize_range(cost, 3, never).state() == stagecut::state::infeasible);
  CHECK(minimize_range(prefix_sums<double>(), 1).state() == stagecut::state::infeasible);
  CHECK_THROWS_AS((void)minimize_range(cost, 1, never), std::string);
  const auto capped = minimize_range(cost, 2, stagecut::at_most(cost, 1.5));
  CHECK(capped.why().what == stagecut::reason::cause::constraint);
  CHECK(capped.why().place.find("item 1 alone costs more than the 1.5") != std::string::npos);
  CHECK(minimize_range(cost, 1)->value == 0);
}

TEST_CASE("a limit leaves a cut, and a bound that no cut is below") {
  generator random(17);
  int stopped = 0;
  int tight = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 12 + random() % 30;
    const std::size_t k = 2 + random() % 8;
    std::vector<double> items(n);
    for (double& item : items) item = std::exp(static_cast<double>(random() % 600) / 100);
    const prefix_sums cost(items);
    const auto wide = [](std::size_t, std::size_t first, std::size_t last) {
      return (first + last) % 5 != 0 || first == 0;
    };
    const auto best = minimize_range(cost, k);
    const auto best_wide = minimize_range(cost, k, wide);
    for (int after = 0; after < 24; ++after) {
      int left = after;
      const auto stop = [&] { return left-- == 0; };
      stagecut::search_options limits;
      limits.stop = stop;
      const auto check = [&](const auto& found, const auto& least) {
        REQUIRE(found.has_value() == least.has_value());
        if (!found) return;
        REQUIRE(found->cuts.stages() == k);
        REQUIRE(found->bound <= least->value);
        REQUIRE(least->value <= found->value);
        if (found.state() == stagecut::state::optimal) {
          REQUIRE(found->value == least->value);
          return;
        }
        REQUIRE(found.state() == stagecut::state::feasible);
        ++stopped;
        tight += found->bound > 0 ? 1 : 0;
      };
      check(minimize_range(cost, k, limits), best);
      check(minimize_range(cost, k, wide, limits), best_wide);
    }
  }
  CHECK(stopped > 1000);
  CHECK(tight > 100);
}

TEST_CASE("a sum is asked for its prefixes once each") {
  generator random(61);
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = 1 + random() % 500;
    const std::size_t k = 1 + random() % n;
    const counting<double> cost(sums_of(random_items<double>(random, n), 0.0));
    const auto free = minimize_range(cost, k);
    CHECK(cost.prefixes == n + 1);
    const auto same = minimize_range(cost, k, anything);
    CHECK(cost.prefixes == 2 * (n + 1));
    CHECK(cost.calls == 0);
    CHECK(*free == *same);
  }
}

namespace {

struct at_most_four {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  std::size_t* asked;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const {
    ++*asked;
    return last - first <= 4;
  }
};

}  // namespace

TEST_CASE("a hereditary constraint is asked about few intervals wider than what it allows") {
  const std::size_t n = 300;
  const std::size_t k = 100;
  std::size_t asked = 0;
  std::vector<double> zeros(n, 0.0);
  zeros[0] = 1.0;
  const auto answer = minimize_range(prefix_sums(zeros), k, at_most_four{&asked});
  REQUIRE(answer);
  for (const std::size_t size : answer->cuts.sizes()) REQUIRE(size <= 4);
  CHECK(asked > k);
  CHECK(asked <= 5 * n * k * 20);  // as many for each of some probes
}

TEST_CASE("sums as given: to the bit, and wherever they begin") {
  const std::vector<double> items(4096, 0.1);
  const stagecut::block_sums block(items);
  const prefix_sums prefix(items);
  for (const std::size_t k : {1U, 7U, 64U, 100U}) CHECK(*minimize_range(block, k) == *minimize_range(prefix, k));
  const counting<std::int64_t> below({-100, -70, -50, 3, 10});
  CHECK(cut_points(minimize_range(below, 2)->cuts) == points{0, 2, 4});
  CHECK(minimize_range(below, 2)->value == 10);
}

TEST_CASE("numbers that break the promises of a sum do no harm") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = std::numeric_limits<double>::max();
  const std::vector<std::vector<double>> liars{{nan, nan, nan, nan},        {0, 5, 3, nan, 7, 2, 9},
                                               {9, 8, 7, 6, 5, 4},          {0, infinity, infinity, 1, 2},
                                               {-infinity, 0, 1, infinity}, {-largest, 0, 1, largest},
                                               {-0.0, 0.0, -0.0, 0.0, -0.0}};
  for (const auto& sums : liars) {
    const counting<double> cost(sums);
    for (std::size_t k = 1; k <= cost.size(); ++k) {
      CHECK(minimize_range(cost, k)->cuts.items() == cost.size());
      CHECK(minimize_range(cost, k, anything)->cuts.stages() == k);
    }
  }
}
