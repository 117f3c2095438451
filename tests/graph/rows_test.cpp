// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/rows.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

using table = stagecut::detail::rows<std::uint32_t>;
using lists = std::vector<std::vector<std::uint32_t>>;

namespace {

lists listed(const table& of) {
  lists result;
  for (std::size_t r = 0; r < of.size(); ++r) result.emplace_back(of[r].begin(), of[r].end());
  return result;
}

table made_of(std::size_t count, const std::vector<std::pair<std::size_t, std::uint32_t>>& entries) {
  return {count, entries.size(), [&](std::size_t i) { return entries[i].first; },
          [&](std::size_t i) { return entries[i].second; }};
}

}  // namespace

TEST_CASE("entries come into their rows, in their order") {
  const table some = made_of(4, {{2, 7}, {0, 5}, {2, 3}, {0, 5}, {3, 1}});
  CHECK(listed(some) == lists{{5, 5}, {}, {7, 3}, {1}});
  CHECK(some.entries() == 5);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    lists expected(1 + random() % 9);
    std::vector<std::pair<std::size_t, std::uint32_t>> entries;
    for (std::size_t i = random() % 30; i > 0; --i) {
      entries.emplace_back(random() % expected.size(), static_cast<std::uint32_t>(random() % 5));
      expected[entries.back().first].push_back(entries.back().second);
    }
    CHECK(listed(made_of(expected.size(), entries)) == expected);
  }
}

TEST_CASE("there may be no row, and rows of nothing") {
  CHECK(table().size() == 0);
  CHECK(table().entries() == 0);
  CHECK(made_of(0, {}).size() == 0);
  CHECK(listed(made_of(2, {})) == lists{{}, {}});
  CHECK(listed(table().holding(2)) == lists{{}, {}});
  table some = made_of(2, {{1, 6}});
  CHECK(listed(table(std::move(some))) == lists{{}, {6}});
  CHECK(some.size() == 0);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("rows are added behind the others") {
  table some;
  some.push_back(std::vector<std::uint32_t>{4, 2});
  some.push_back(std::vector<std::uint32_t>{});
  some.push_back(std::set<std::uint32_t>{9, 8});
  CHECK(listed(some) == lists{{4, 2}, {}, {8, 9}});
  table counted = made_of(2, {{1, 6}});
  counted.push_back(some[0]);
  CHECK(listed(counted) == lists{{}, {6}, {4, 2}});
  CHECK(counted.entries() == 3);
}

TEST_CASE("of every number, the rows that hold it") {
  const table some = made_of(3, {{0, 2}, {2, 0}, {0, 0}, {2, 2}, {2, 4}});
  CHECK(listed(some.holding(5)) == lists{{0, 2}, {}, {0, 2}, {}, {2}});
  // Turned twice, the entries of every row are sorted.
  CHECK(listed(some.holding(5).holding(3)) == lists{{0, 2}, {}, {0, 2, 4}});
}
