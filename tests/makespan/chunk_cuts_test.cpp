// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/chunk_cuts.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../schedule/oracle.hpp"

using oracle::dice;
using stagecut::detail::chunk_cuts;
using points = std::vector<std::size_t>;

namespace {

std::vector<points> cuts_of(const std::vector<double>& load, std::size_t stages, std::size_t ranks, std::size_t most) {
  std::vector<points> result;
  chunk_cuts(load, stages, ranks).each(most, [&](stagecut::view<const std::size_t> cut) {
    result.emplace_back(cut.begin(), cut.end());
  });
  return result;
}

}  // namespace

TEST_CASE("all ways to deal out items that are alike, and ranks that chunks begin at") {
  const std::vector<points> all = cuts_of(std::vector<double>(6, 5), 4, 2, 100);
  CHECK(all == std::vector<points>{{0, 1, 2, 4, 6}, {0, 1, 3, 5, 6}, {0, 2, 4, 5, 6}, {0, 2, 3, 4, 6}});
  // Three chunks of two ranks that have five items each: six ways.
  const std::vector<points> more = cuts_of(std::vector<double>(10, 1), 6, 2, 100);
  CHECK(more.size() == 12);
  for (const points& cut : more) {
    for (std::size_t r = 0; r < 2; ++r) {
      std::size_t sum = 0;
      for (std::size_t s = r; s < 6; s += 2) sum += cut[s + 1] - cut[s];
      CHECK(sum == 5);
    }
  }
  CHECK(std::count(more.begin(), more.end(), points{0, 1, 2, 4, 6, 8, 10}) == 1);
}

TEST_CASE("what would have no item, or chunks that can only be alike") {
  CHECK(cuts_of(std::vector<double>(4, 1), 4, 2, 100).empty());
  CHECK(cuts_of(std::vector<double>(3, 1), 4, 2, 100).empty());
}

TEST_CASE("cuts of any chain, about as many as were asked for, and near what stages should take") {
  dice random(3);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const std::size_t ranks = random.from(1, 5);
    const std::size_t chunks = random.from(2, 4);
    std::vector<double> load(random.from(1, 80));
    for (double& each : load) each = random.once_in(5) ? 0 : static_cast<double>(random.below(1000));
    const std::size_t most = random.from(1, 50);
    const std::vector<points> all = cuts_of(load, ranks * chunks, ranks, most);
    CHECK(all.size() <= 2 * most);
    for (const points& cut : all) {
      CHECK(cut.size() == ranks * chunks + 1);
      CHECK(cut.front() == 0);
      CHECK(cut.back() == load.size());
      CHECK(std::adjacent_find(cut.begin(), cut.end(), [](auto a, auto b) { return a >= b; }) == cut.end());
    }
  }
}
