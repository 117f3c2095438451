// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/sweep_row.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

using stagecut::mark_pareto_front;
using stagecut::state;
using stagecut::sweep_row;

namespace {

/// Whether a row is on the front, by the definition.
bool on_front(const std::vector<sweep_row>& rows, std::size_t i) {
  if (!rows[i].has_plan()) return false;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (j == i || !rows[j].has_plan()) continue;
    const bool as_good = rows[j].per_microbatch <= rows[i].per_microbatch && rows[j].memory <= rows[i].memory;
    const bool better = rows[j].per_microbatch < rows[i].per_microbatch || rows[j].memory < rows[i].memory;
    if (as_good && (better || j < i)) return false;
  }
  return true;
}

std::vector<sweep_row> random_rows(std::mt19937& random) {
  std::vector<sweep_row> rows(std::uniform_int_distribution<std::size_t>(0, 30)(random));
  const int values = std::uniform_int_distribution<int>(1, 40)(random);  // few: many ties, and zeros
  std::uniform_int_distribution<int> value(0, values);
  for (sweep_row& row : rows) {
    row.state = static_cast<state>(value(random) % 4);
    row.on_front = value(random) % 2 == 0;
    row.per_microbatch = value(random);
    row.memory = value(random);
  }
  return rows;
}

}  // namespace

TEST_CASE("the front is that of the definition, ties and zeros included") {
  std::mt19937 random(20260723);
  for (int round = 0; round < 5000; ++round) {
    std::vector<sweep_row> rows = random_rows(random);
    const std::vector<std::size_t> front = mark_pareto_front(rows);
    std::vector<bool> listed(rows.size());
    for (const std::size_t i : front) listed[i] = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      REQUIRE(rows[i].on_front == on_front(rows, i));
      REQUIRE(listed[i] == rows[i].on_front);
    }
    for (std::size_t i = 1; i < front.size(); ++i) {
      REQUIRE(rows[front[i - 1]].per_microbatch < rows[front[i]].per_microbatch);
      REQUIRE(rows[front[i - 1]].memory > rows[front[i]].memory);
    }
  }
}

TEST_CASE("of equal rows the first is on the front, and no row without a plan") {
  std::vector<sweep_row> rows(3);
  CHECK(mark_pareto_front(rows).empty());
  for (sweep_row& row : rows) row.state = state::feasible;
  CHECK(mark_pareto_front(rows) == std::vector<std::size_t>{0});
  rows[0].state = state::infeasible;
  CHECK(mark_pareto_front(rows) == std::vector<std::size_t>{1});
  CHECK(!rows[0].on_front);
  CHECK(rows[1].on_front);
  rows.clear();
  CHECK(mark_pareto_front(rows).empty());
}
