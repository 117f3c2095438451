// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/detail/leximax_suffixes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

using stagecut::detail::compare_costs;
using stagecut::detail::cost_cursor;
using stagecut::detail::cost_list;
using stagecut::detail::leximax_suffixes;
using stagecut::detail::place_of;

TEST_CASE("lists with one more cost compare as they do written out") {
  std::mt19937_64 random(1);
  int differ = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t length = random() % 5;
    std::vector<int> written[2];
    cost_list<int> lists[2];
    int more[2];
    for (const int side : {0, 1}) {
      for (std::size_t j = 0; j < length; ++j) {
        const int cost = static_cast<int>(random() % 4);
        written[side].push_back(cost);
        const std::size_t at = place_of(lists[side], cost);
        if (at != lists[side].size() && lists[side][at].cost == cost) {
          ++lists[side][at].times;
        } else {
          lists[side].insert(lists[side].begin() + static_cast<std::ptrdiff_t>(at), {cost, 1});
        }
      }
      more[side] = static_cast<int>(random() % 4);
      written[side].push_back(more[side]);
      std::sort(written[side].begin(), written[side].end(), std::greater<>());
    }
    const auto [order, step] = compare_costs(cost_cursor(more[0], lists[0]), cost_cursor(more[1], lists[1]));
    REQUIRE(order == (written[0] < written[1] ? -1 : written[1] < written[0] ? 1 : 0));
    REQUIRE((step == nullptr) == (order == 0));
    if (step == nullptr) continue;
    const auto [a, b] = std::mismatch(written[0].begin(), written[0].end(), written[1].begin());
    REQUIRE(*step == std::max(*a, *b));
    ++differ;
  }
  CHECK(differ > 10'000);
}

TEST_CASE("of each column the next that has a step, and the next that has a greater one") {
  leximax_suffixes<int> columns;  // from right to left
  const int steps[] = {0, 4, 4, 2, 0, 3, 0};
  for (std::size_t i = 0; i < 7; ++i) {
    columns.push(20 - i);
    columns.add_step(steps[i] == 0 ? nullptr : &steps[i]);
  }
  columns.finish();  // steps from left to right: none, 3, none, 2, 4, 4, none
  REQUIRE(columns.size() == 7);
  CHECK(columns.falls());
  CHECK(columns.item(0) == 14);
  CHECK(columns.item(6) == 20);
  const std::size_t rises[] = {1, 4, 3, 4, 7, 7, 7};
  const std::size_t next[] = {1, 1, 3, 3, 4, 5, 7};
  for (std::size_t t = 0; t < 7; ++t) {
    CHECK(columns.next_rise(t) == rises[t]);
    CHECK(columns.next_step(t) == next[t]);
  }
  CHECK(columns.step(0) == nullptr);
  CHECK(*columns.step(1) == 3);
  CHECK_FALSE(columns.rises(3, columns.step(1)));
  CHECK(columns.rises(4, columns.step(1)));
  CHECK(columns.known_costs(14) == nullptr);
  columns.costs(2) = {{5, 1}};
  CHECK(columns.known_costs(16) == &columns.costs(2));
  columns.rise();
  CHECK_FALSE(columns.falls());
}
