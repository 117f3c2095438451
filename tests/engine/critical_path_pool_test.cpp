// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/critical_path_pool.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>

using stagecut::engine::critical_path_pool;
using stagecut::engine::tick_kinds;
using stagecut::engine::tick_message;

TEST_CASE("a path is added once, and is as long as what it passes through") {
  critical_path_pool rows;
  std::vector<double> counts(2 * tick_kinds);
  counts[0] = 3;
  CHECK(rows.add(counts).row == 0);
  counts[tick_message] = 2;
  CHECK(rows.add(counts).row == 1);
  CHECK(rows.add(counts).row == 1);
  CHECK_FALSE(rows.add(counts).is_new);
  counts[tick_message] = 0;
  CHECK(rows.add(counts).row == 0);
  CHECK(rows.size() == 2);
  CHECK(rows.counts(0) == counts);
  std::vector<double> times(2 * tick_kinds);
  times[tick_message] = 5;
  CHECK(rows.length(0, times) == 0);
  CHECK(rows.length(1, times) == 2 * 5);
  times[0] = 7;
  CHECK(rows.length(0, times) == 21);
  CHECK(rows.length(1, times) == 31);
}

TEST_CASE("a pool that is full forgets the path of least use, the first of them") {
  critical_path_pool rows(3);
  CHECK(rows.add({1}).is_new);
  CHECK(rows.add({2}, 0.5).is_new);
  CHECK(rows.add({3}, 0.5).is_new);
  CHECK(rows.is_full());
  CHECK(rows.find({2}) == 1);
  CHECK(rows.find({4}) == 3);  // new
  CHECK(rows.use(0) == 1);
  const auto [row, is_new] = rows.add({4});
  CHECK(row == 1);
  CHECK(is_new);
  CHECK(rows.size() == 3);
  CHECK(rows.counts(1) == std::vector<double>{4});
  CHECK(rows.use(1) == 1);
  rows.use(0) = 0;
  CHECK(rows.add({2}).row == 0);  // it was forgotten
  CHECK(rows.add({3}).row == 2);
}
