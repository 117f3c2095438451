// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/detail/total_program.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "total_oracle.hpp"

namespace detail = stagecut::detail;
using oracle::generator;

TEST_CASE("the windows of a hereditary constraint hold every cut that it allows") {
  generator random(41);
  std::size_t cuts = 0;
  std::size_t empty = 0;
  std::size_t narrowed = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::size_t n = 1 + random() % 9;
    const std::size_t k = 1 + random() % n;
    const oracle::capped_constraint allowed(random, n, k);
    const auto where = detail::reachable_cuts(allowed, n, k);
    if (!where) {
      const oracle::interval_table<stagecut::axiom<0>{}> zero(n);
      REQUIRE(!oracle::least_total(zero, k, allowed, std::int64_t{}));
      ++empty;
      continue;
    }
    if (where->size() < detail::cut_windows(n, k).size()) ++narrowed;
    // Each allowed cut, met by asking the oracle for the cheapest: its price tells whether it left the windows.
    oracle::staged_table<stagecut::axiom<0>{}> outside(n, k);
    for (std::size_t s = 0; s < k; ++s) {
      for (std::size_t i = 0; i <= n; ++i) {
        for (std::size_t j = i; j <= n; ++j) {
          outside.at(s, i, j) = where->lowest[s + 1] <= j && j <= where->highest[s + 1] ? 0 : -1;
        }
      }
    }
    const auto worst = oracle::least_total(outside, k, allowed, std::int64_t{});
    if (!worst) continue;
    REQUIRE(worst->second == 0);
    ++cuts;
  }
  CHECK(cuts > 1000);
  CHECK(empty > 500);
  CHECK(narrowed > 500);
}

namespace {

struct at_most_three {
  using axioms = stagecut::axioms<stagecut::hereditary, stagecut::stage_invariant>;
  std::size_t* asked;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const {
    ++*asked;
    return last - first <= 3;
  }
};

/// Stages of three or of six items; none of more.
struct three_or_six {
  std::size_t* asked;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const {
    ++*asked;
    return last - first == 3 || last - first == 6;
  }
  bool hopeless(std::size_t, std::size_t first, std::size_t last) const { return last - first > 6; }
};

/// How far a stage is from four items.
struct four_items {
  std::size_t items;
  std::size_t size() const { return items; }
  int operator()(std::size_t first, std::size_t last) const {
    const auto width = static_cast<int>(last - first);
    return (width - 4) * (width - 4);
  }
};

}  // namespace

TEST_CASE("a constraint is not asked about intervals that it has made hopeless") {
  const std::size_t n = 300;
  const four_items cost{n};
  const detail::stage_price<four_items> price{cost};
  std::size_t asked = 0;
  const auto thin = detail::total_program(price, at_most_three{&asked}, n, 120);
  REQUIRE(thin);
  CHECK(asked <= 120 * (4 * 61 + 60));  // windows of 61 items: 300 - 3 * (120 - s) to 3 s
  asked = 0;
  const auto either = detail::total_program(price, three_or_six{&asked}, n, 80);
  REQUIRE(either);
  CHECK(asked <= 80 * n * 7);
  for (std::size_t s = 0; s < 80; ++s) CHECK(((*either)[s + 1] - (*either)[s]) % 3 == 0);
  asked = 0;
  const auto any = detail::free_program(price, 0, at_most_three{&asked}, n);
  REQUIRE(any);
  CHECK(any->size() == 101);
  CHECK(asked <= 4 * n);
  CHECK(!detail::total_program(price, at_most_three{&asked}, n, 99));
  CHECK(!detail::free_program(
      price, 0, [](std::size_t, std::size_t, std::size_t) { return false; }, n));
}
