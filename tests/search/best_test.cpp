// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/best.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <stagecut/search/all_below.hpp>
#include <stagecut/search/best_n.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/search/product.hpp>

#include "../refusal.hpp"
#include "systems.hpp"

namespace search = stagecut::search;
using stagecut::state;

namespace {

/// One of few costs for each candidate, so that there are ties everywhere; or of two borders, the least at chosen places.
template <class Cost>
struct few_costs {
  std::uint64_t seed;
  std::uint64_t costs;  // how many different ones
  std::uint64_t least_at[2];

  [[nodiscard]] STAGECUT_HOST_DEVICE Cost operator()(search::candidate points) const {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < points.size(); ++i) index = index * 1000 + points[i];
    if (index == least_at[0] || index == least_at[1]) return static_cast<Cost>(-1);
    std::uint64_t bits = (index + seed) * 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 29U)) * 0xBF58476D1CE4E5B9U;
    return static_cast<Cost>((bits >> 33U) % costs) / static_cast<Cost>(4);
  }
};

/// Candidates whose digits spell their index to the base of 1000.
search::configurations thousand() { return search::configurations({1000}); }

template <class Cost>
std::vector<search::scored<Cost>> all_scores(const few_costs<Cost>& cost, std::uint64_t first, std::uint64_t last) {
  std::vector<search::scored<Cost>> result;
  for (std::uint64_t i = first; i < last; ++i) {
    const auto digit = static_cast<std::uint32_t>(i);
    result.push_back({cost(search::candidate(&digit, 1)), i});
  }
  return result;
}

template <class Cost>
void check_random(std::mt19937& random) {
  const std::uint64_t none = ~std::uint64_t{0};
  few_costs<Cost> cost{random(), 1 + random() % 40, {none, none}};
  const std::uint64_t chunk = 1 + random() % 70;
  if (random() % 2 == 0) {  // two equal ones, on either side of the end of a chunk
    const std::uint64_t border = chunk * (1 + random() % (990 / chunk));
    cost.least_at[0] = border - 1;
    cost.least_at[1] = border;
  }
  std::uint64_t first = random() % 1000;
  std::uint64_t last = random() % 1000;
  if (first > last) std::swap(first, last);
  if (random() % 3 == 0) first = 0, last = none;
  auto expected = all_scores(cost, first, last < 1000 ? last : 1000);
  const auto by_index = expected;
  std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return search::precedes(a, b); });
  const search::candidate_options options{.first = first, .last = last, .chunk = chunk};
  on_each_system([&](const auto& policy) {
    const auto best = search::best(policy, thousand(), cost, options);
    if (expected.empty()) {
      CHECK(best.state() == state::infeasible);
      CHECK(best.why().what == stagecut::reason::cause::no_candidate);
      CHECK(search::best_n(policy, thousand(), cost, 3, options).state() == state::infeasible);
      CHECK(search::all_below(policy, thousand(), cost, Cost{5}, 10, options).complete);
      return;
    }
    REQUIRE(best.state() == state::optimal);
    CHECK(best->score == expected.front());
    CHECK(best->points == std::vector<std::uint32_t>{static_cast<std::uint32_t>(expected.front().index)});
    CHECK(best->range == search::searched{first, last < 1000 ? last : 1000});

    const std::size_t n = 1 + random() % 30;
    const auto some = search::best_n(policy, thousand(), cost, n, options);
    REQUIRE(some.state() == state::optimal);
    REQUIRE(some->all.size() == std::min(n, expected.size()));
    for (std::size_t i = 0; i < some->all.size(); ++i) CHECK(some->all[i].score == expected[i]);

    const Cost most = expected[expected.size() / 3].value;
    const std::size_t capacity = random() % 400;
    const auto below = search::all_below(policy, thousand(), cost, most, capacity, options);
    std::vector<search::scored<Cost>> wanted;
    for (const auto& each : by_index) {
      if (each.value <= most) wanted.push_back(each);
    }
    CHECK(below.count == wanted.size());
    CHECK(below.complete == (wanted.size() <= capacity));
    REQUIRE(below.all.size() == std::min(capacity, wanted.size()));
    for (std::size_t i = 0; i < below.all.size(); ++i) CHECK(below.all[i].score == wanted[i]);
  });
}

/// Its cost is its index, modulo something.
struct remainder_cost {
  std::uint64_t by;

  [[nodiscard]] STAGECUT_HOST_DEVICE std::uint64_t operator()(search::candidate points) const {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < points.size(); ++i) index = index * 1000000 + points[i];
    return index % by;
  }
};

struct equal_cost {
  [[nodiscard]] STAGECUT_HOST_DEVICE int operator()(search::candidate) const { return 7; }
};

/// Throws for a few candidates, their numbers.
struct throwing_cost {
  std::vector<std::uint32_t> bad;

  [[nodiscard]] int operator()(search::candidate points) const {
    if (std::find(bad.begin(), bad.end(), points[0]) != bad.end()) throw std::runtime_error(std::to_string(points[0]));
    return 1;
  }
};

/// Stages of an odd length are refused.
struct even_stages {
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(std::size_t, std::size_t first, std::size_t last) const {
    return (last - first) % 2 == 0;
  }
};

struct first_number {
  [[nodiscard]] STAGECUT_HOST_DEVICE std::uint32_t operator()(search::candidate points) const { return points[1]; }
};

}  // namespace

TEST_CASE("the best, the n best and all below are those of enumeration, on every system, whatever the chunks") {
  std::mt19937 random(18);
  for (int i = 0; i < 30; ++i) check_random<int>(random);
  for (int i = 0; i < 30; ++i) check_random<double>(random);
}

TEST_CASE("ranges that are searched apart and merged in any order are the whole") {
  std::mt19937 random(7);
  for (int i = 0; i < 25; ++i) {
    const few_costs<double> cost{random(), 1 + random() % 9, {~std::uint64_t{0}, ~std::uint64_t{0}}};
    std::vector<std::uint64_t> ends{0, 1000};
    for (int cut = 0; cut < 6; ++cut) ends.push_back(random() % 1000);
    std::sort(ends.begin(), ends.end());
    std::vector<search::scored<double>> parts;
    on_each_system([&](const auto& policy) {
      parts.clear();
      for (std::size_t j = 0; j + 1 < ends.size(); ++j) {
        const auto found = search::best(policy, thousand(), cost, {.first = ends[j], .last = ends[j + 1], .chunk = 17});
        parts.push_back(found ? found->score : search::scored<double>{});
      }
      std::shuffle(parts.begin(), parts.end(), random);
      search::scored<double> whole;
      for (const auto& part : parts) whole = search::better(part, whole);
      CHECK(whole == search::best(policy, thousand(), cost)->score);
    });
  }
}

TEST_CASE("more candidates than 32 bits count") {
  const search::configurations space({4000, 1000000, 1000000});  // 4e15
  REQUIRE(space.size() == 4'000'000'000'000'000U);
  on_each_system([&](const auto& policy) {
    for (const std::uint64_t first :
         {std::uint64_t{1} << 32U, std::uint64_t{123'456'789'012'345U}, space.size() - 1000}) {
      const std::uint64_t by = first + 700;
      const auto found =
          search::best(policy, space, remainder_cost{by}, {.first = first, .last = first + 1000, .chunk = 300});
      REQUIRE(found);
      CHECK(found->score.index == by);
      CHECK(found->score.value == 0);
      CHECK(found->points == std::vector<std::uint32_t>{static_cast<std::uint32_t>(by / 1'000'000'000'000U),
                                                        static_cast<std::uint32_t>(by / 1'000'000U % 1'000'000U),
                                                        static_cast<std::uint32_t>(by % 1'000'000U)});
    }
  });
}

TEST_CASE("of equal costs the smallest index, and a whole chunk of them") {
  on_each_system([&](const auto& policy) {
    CHECK(search::best(policy, thousand(), equal_cost{}, {.first = 5, .chunk = 64})->score.index == 5);
    const auto some = search::best_n(policy, thousand(), equal_cost{}, 100, {.chunk = 64});
    for (std::size_t i = 0; i < 25; ++i) CHECK(some->all[i].score.index == i);
    CHECK(search::all_below(policy, thousand(), equal_cost{}, 7, 2000, {.chunk = 64}).all.size() == 1000);
    CHECK(search::all_below(policy, thousand(), equal_cost{}, 6, 2000).count == 0);
  });
}

TEST_CASE("a search that is stopped says how far it came") {
  on_each_system([&](const auto& policy) {
    int asked = 0;
    int until = 0;
    const auto stop = [&] { return asked++ == until; };
    std::vector<std::uint64_t> told;
    const auto progress = [&](const search::candidate_progress& now) {
      CHECK(now.first == 0);
      CHECK(now.last == 1000);
      CHECK(now.best == 0);
      CHECK(now.seconds >= 0);
      told.push_back(now.next);
    };
    const search::candidate_options options{.chunk = 400, .stop = stop, .progress = progress};
    CHECK(search::best(policy, thousand(), equal_cost{}, options).state() == state::unknown);
    CHECK(told.empty());
    asked = 0, until = 2;  // before the last chunk
    const auto found = search::best(policy, thousand(), equal_cost{}, options);
    REQUIRE(found.state() == state::feasible);
    CHECK(found->range == search::searched{0, 800});
    CHECK(told == std::vector<std::uint64_t>{400, 800});
    asked = 0;
    CHECK(search::best_n(policy, thousand(), equal_cost{}, 2, options)->range == search::searched{0, 800});
    asked = 0;
    const auto below = search::all_below(policy, thousand(), equal_cost{}, 7, 1000, options);
    CHECK(below.range == search::searched{0, 800});
    CHECK(!below.complete);
    CHECK(below.count == 800);
    asked = 0, until = 3;  // it ends before it is asked again
    CHECK(search::best(policy, thousand(), equal_cost{}, options).state() == state::optimal);
  });
}

TEST_CASE("the caller's mistakes") {
  CHECK(refusal([] { return search::best(thrust::seq, thousand(), equal_cost{}, {.first = 4, .last = 3}); }) ==
        "stagecut::search::best: first = 4, must not be beyond last");
  CHECK(refusal([] { return search::best_n(thrust::seq, thousand(), equal_cost{}, 0); }) ==
        "stagecut::search::best_n: n = 0, must be at least 1");
  CHECK(search::best(thrust::seq, thousand(), equal_cost{}, {.first = 2000}).state() == state::infeasible);
  CHECK(search::best(thrust::seq, search::configurations({3, 0, 5}), equal_cost{}).state() == state::infeasible);
  CHECK(search::best(thrust::seq, search::configurations({}), equal_cost{}).state() == state::infeasible);
}

#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CUDA
TEST_CASE("a cost that is NaN is refused, wherever it stands and whatever the chunks") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 random(9);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t at = random() % 1000;
    const auto cost = [&](search::candidate points) { return points[0] % 7 == at % 7 && points[0] >= at ? nan : 5.0; };
    const auto barred = search::constrained_cost(cost, [](auto...) { return true; });
    const search::candidate_options options{.chunk = 1 + random() % 1100};
    const std::string name = ": evaluator(candidate " + std::to_string(at) + ") = NaN, must not be NaN";
    on_each_system([&](const auto& policy) {
      if constexpr (std::is_same_v<search::detail::system_t<std::remove_cvref_t<decltype(policy)>>,
                                   search::detail::host_system>) {
        CHECK(refusal([&] { return search::best(policy, thousand(), cost, options); }) ==
              "stagecut::search::best" + name);
        CHECK(refusal([&] { return search::best(policy, thousand(), barred, options); }) ==
              "stagecut::search::best" + name);
        CHECK(refusal([&] { return search::best_n(policy, thousand(), cost, 3, options); }) ==
              "stagecut::search::best_n" + name);
        CHECK(refusal([&] { return search::all_below(policy, thousand(), cost, 1, 10, options); }) ==
              "stagecut::search::all_below" + name);
      }
    });
  }
  const auto one = [](search::candidate) { return 1.0; };
  CHECK(refusal([&] { return search::all_below(thrust::seq, thousand(), one, nan, 10); }) ==
        "stagecut::search::all_below: most = NaN, must not be NaN");
  CHECK(refusal([&] { return search::best(thrust::seq, thousand(), one, {.chunk = std::size_t{1} << 62U}); }) ==
        "stagecut::search::best: chunk = 4611686018427387904, must be at most 2^32");
}

TEST_CASE("what an evaluator throws comes out, of several blocks' the first") {
  const search::configurations space({10000});
  on_each_system([&](const auto& policy) {
    for (const auto& bad : {std::vector<std::uint32_t>{9000}, {600, 3000, 9999}, {0}}) {
      std::string what;
      try {
        static_cast<void>(search::best(policy, space, throwing_cost{bad}));
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      CHECK(what == std::to_string(bad[0]));
    }
  });
}
#endif

TEST_CASE("what a constraint refuses is never found") {
  const search::configurations space({1, 9, 9, 9});  // as points of three stages, not all increasing
  const search::constrained_cost cost(first_number{}, even_stages{});
  on_each_system([&](const auto& policy) {
    const auto best = search::best(policy, space, cost, {.first = 81});
    REQUIRE(best);
    CHECK(best->score.value.cost == 2);
    CHECK(best->points == std::vector<std::uint32_t>{0, 2, 0, 0});
    const auto some = search::best_n(policy, space, cost, 1000);
    REQUIRE(some);
    CHECK(some->all.size() == 5 * 5 * 5);
    for (const auto& each : some->all) CHECK(each.score.value.allowed);
    CHECK(search::all_below(policy, space, cost, std::uint32_t{4}, 1000).count == 3 * 5 * 5);
    const auto none = search::best(policy, space, cost, {.first = 9, .last = 18});
    CHECK(none.state() == state::infeasible);
    CHECK(none.why().what == stagecut::reason::cause::constraint);
    CHECK(search::best_n(policy, space, cost, 3, {.first = 9, .last = 18}).state() == state::infeasible);
  });
  // While all are refused, none is told of as the best.
  const search::constrained_cost never([](search::candidate) { return 1.0; }, [](auto...) { return false; });
  std::vector<std::uint64_t> told;
  const auto progress = [&](const search::candidate_progress& now) { told.push_back(now.best); };
  static_cast<void>(
      search::best(thrust::seq, search::configurations({2, 5}), never, {.chunk = 4, .progress = progress}));
  static_cast<void>(
      search::best_n(thrust::seq, search::configurations({2, 5}), never, 2, {.chunk = 4, .progress = progress}));
  CHECK(told == std::vector<std::uint64_t>(6, ~std::uint64_t{0}));
}

TEST_CASE("better is associative, commutative and knows none") {
  std::mt19937 random(3);
  const auto draw = [&] {
    return random() % 4 == 0 ? search::scored<int>{}
                             : search::scored<int>{static_cast<int>(random() % 3), random() % 5};
  };
  for (int i = 0; i < 5000; ++i) {
    const auto a = draw();
    const auto b = draw();
    const auto c = draw();
    if (a.index == b.index || b.index == c.index || a.index == c.index) continue;  // a candidate has one cost
    CHECK(search::better(a, b) == search::better(b, a));
    CHECK(search::better(search::better(a, b), c) == search::better(a, search::better(b, c)));
    CHECK(search::better(a, search::scored<int>{}) == a);
  }
}
