// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/detail/layered_total.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "total_oracle.hpp"

namespace detail = stagecut::detail;
using oracle::generator;

namespace {

/// Windows around a random cut, some of them narrow.
detail::cut_windows random_windows(generator& random, std::size_t n, std::size_t k) {
  std::vector<std::size_t> inner;
  for (std::size_t i = 1; i < n; ++i) inner.push_back(i);
  std::shuffle(inner.begin(), inner.end(), random);
  inner.resize(k - 1);
  std::sort(inner.begin(), inner.end());
  detail::cut_windows where(n, k);
  for (std::size_t s = 1; s < k; ++s) {
    const std::size_t radius = random() % 5;
    where.lowest[s] = std::max(where.lowest[s - 1] + 1, inner[s - 1] - std::min(inner[s - 1], radius));
    where.highest[s] = std::min(where.highest[s], inner[s - 1] + radius);
  }
  for (std::size_t s = k; s-- > 1;) where.highest[s] = std::min(where.highest[s], where.highest[s + 1] - 1);
  return where;
}

template <bool Inverse, class Model>
void compare(generator& random, const Model& cost, std::size_t k) {
  const auto where = random_windows(random, cost.size(), k);
  const auto within = [&](std::size_t s, std::size_t, std::size_t last) {
    return where.lowest[s + 1] <= last && last <= where.highest[s + 1];
  };
  const auto expected = oracle::least_total(cost, k, within, std::int64_t{});
  const detail::stage_price<Model> price{cost};
  const auto points = detail::layered_total<Inverse, detail::stage_price<Model>>(price, where).run();
  REQUIRE(points == expected->first);
  REQUIRE(static_cast<std::int64_t>(detail::total_of(price, points)) == expected->second);
}

}  // namespace

TEST_CASE("the best cut within windows equals enumeration, cut points included") {
  generator random(31);
  std::size_t checked = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % n;
    oracle::staged_table<stagecut::monge> bulging(n, k);
    oracle::staged_table<stagecut::inverse_monge> hollow(n, k);
    for (std::size_t s = 0; s < k; ++s) {
      fill(random, bulging, s, 1);
      fill(random, hollow, s, -1);
    }
    compare<false>(random, bulging, k);
    compare<true>(random, hollow, k);
    ++checked;
  }
  CHECK(checked == 20'000);
}

TEST_CASE("windows without a limit hold all that non-empty stages leave") {
  const detail::cut_windows where(7, 3);
  CHECK(where.lowest == std::vector<std::size_t>{0, 1, 2, 7});
  CHECK(where.highest == std::vector<std::size_t>{0, 5, 6, 7});
  CHECK(where.size() == 1 + 5 + 5 + 1);
  CHECK(where.stages() == 3);
}
