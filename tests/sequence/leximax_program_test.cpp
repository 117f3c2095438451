// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_objective.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "random_models.hpp"

using stagecut::minimize_leximax;
using stagecut::prefix_sums;

namespace {

/// Items of very different sizes, or of few sizes: steps that are costs, sums that round, zeros.
template <class T>
std::vector<T> hard_items(models::generator& random, std::size_t n) {
  const auto kind = random() % 5;
  std::vector<T> items(n);
  for (T& item : items) {
    switch (kind) {
      case 0: item = static_cast<T>(random() % 2); break;
      case 1: item = static_cast<T>(random() % 8 == 0 ? 1000 : 1 + random() % 3); break;
      case 2: item = static_cast<T>(random() % 3 == 0 ? 0 : random() % 100); break;
      case 3: item = static_cast<T>(std::exp(static_cast<double>(random() % 3000) / 100 - 15)); break;
      default: item = static_cast<T>(std::ldexp(static_cast<double>(random() % 1024), static_cast<int>(random() % 40)));
    }
  }
  return items;
}

/// Limits the number of items by stage: hereditary.
struct lengths {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  std::size_t most;
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return last - first <= most + stage % 3;
  }
};

template <class Model, class Constraint>
bool same(const Model& cost, std::size_t k, const Constraint& allowed) {
  const auto best = minimize_leximax(cost, k, allowed);
  const auto expected = stagecut::minimize_objective(cost, k, stagecut::leximax(), allowed);
  REQUIRE(best.state() == expected.state());
  if (!best) return false;
  REQUIRE(*best == *expected);
  return true;
}

}  // namespace

TEST_CASE_TEMPLATE("as the dynamic program over lists, where sizes differ and where they tie", T, double, float,
                   std::int64_t) {
  models::generator random(1);
  const stagecut::detail::no_constraint none;
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t n = 2 + random() % (random() % 8 == 0 ? 60 : 16);
    const std::size_t k = 1 + random() % n;
    const prefix_sums sums(hard_items<T>(random, n));
    const stagecut::at_speeds staged(sums, models::random_speeds(random, k));
    std::vector<bool> of_kind(n);
    for (std::size_t j = 0; j < n; ++j) of_kind[j] = random() % 2 == 0;
    const lengths heirs{1 + n / k + random() % 4};
    found += same(sums, k, none) ? 1 : 0;
    found += same(sums, k, heirs) ? 1 : 0;
    found += same(sums, k, stagecut::at_least_one(of_kind)) ? 1 : 0;
    found += same(staged, k, none) ? 1 : 0;
    found += same(staged, k, heirs) ? 1 : 0;
  }
  CHECK(found > 3 * 3000);
}

TEST_CASE("items of very different sizes: few ends are looked at of all there are") {
  const std::size_t n = 1000;
  const std::size_t k = 383;
  std::vector<double> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = std::exp(16.7 * std::sin(27.0 * static_cast<double>(i) / n));
  const stagecut::testing::counted cost{prefix_sums(items)};
  const auto best = minimize_leximax(cost, k);
  REQUIRE(best.state() == stagecut::state::optimal);
  CHECK(best->value.size() == k);
  // k m places of some 600 ends each, where m is some 450: 100 million.
  CHECK(cost.calls() < 10'000'000);
}
