// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/stage_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

TEST_CASE("an order is found exactly when there is one, and one that will do stays") {
  std::mt19937 random(11);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  int found_some = 0;
  int found_none = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t k = 1 + up_to(5);
    std::vector<bool> pinned(k);
    for (std::size_t s = 0; s < k; ++s) pinned[s] = up_to(3) == 0;
    std::vector<std::vector<bool>> edges(k, std::vector<bool>(k));
    const std::size_t rare = 2 + up_to(6);
    for (auto& row : edges) {
      for (std::size_t b = 0; b < k; ++b) row[b] = up_to(rare) == 0;
    }
    for (std::size_t s = 0; s < k; ++s) edges[s][s] = false;
    const auto before = [&](std::size_t a, std::size_t b) { return static_cast<bool>(edges[a][b]); };
    const auto will_do = [&](const std::vector<std::size_t>& order, bool pins) {
      for (std::size_t i = 0; i < k; ++i) {
        if (pins && pinned[order[i]] && order[i] != i) return false;
        for (std::size_t j = 0; j < i; ++j) {
          if (before(order[i], order[j])) return false;
        }
      }
      return true;
    };
    std::vector<std::size_t> all(k);
    for (std::size_t s = 0; s < k; ++s) all[s] = s;
    const std::vector<std::size_t> start = all;
    bool exists = false;
    do exists = exists || will_do(all, true);
    while (std::next_permutation(all.begin(), all.end()));
    std::vector<std::size_t> order = start;
    stagecut::detail::stage_order finder(pinned);
    REQUIRE(finder.find(order, before) == exists);
    if (!exists) {
      ++found_none;
      CHECK(order == start);
      continue;
    }
    ++found_some;
    CHECK(will_do(order, true));
    if (will_do(start, true)) CHECK(order == start);
  }
  CHECK(found_some > 500);
  CHECK(found_none > 500);
}
