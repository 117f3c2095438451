// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/recent_paths.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

using stagecut::detail::recent_paths;

TEST_CASE("lengths of the last 64 paths, as durations change") {
  std::mt19937 dice(1);
  constexpr std::size_t slots = 7;
  const auto some = [&] {
    std::vector<double> all(slots);
    for (double& each : all) each = static_cast<double>(dice() % 5);
    return all;
  };
  recent_paths paths(slots);
  CHECK(recent_paths::longest(paths.now) == 0);
  CHECK(recent_paths::mean(paths.now) == 0);
  std::deque<std::vector<double>> known;
  std::vector<double> times = some();
  paths.measure(times);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    if (dice() % 3 == 0) {
      known.push_back(some());
      paths.add(known.back(), times);
      if (known.size() > recent_paths::places) known.pop_front();
    } else if (dice() % 4 == 0) {
      times = some();
      paths.measure(times);
    } else {
      const std::size_t slot = dice() % slots;
      const double by = static_cast<double>(dice() % 9) - 4;
      const recent_paths::lengths before = paths.now;
      recent_paths::lengths changed = paths.now;
      paths.change(slot, by, changed);
      CHECK(paths.now == before);  // only looked at
      paths.now = changed;
      times[slot] += by;
    }
    std::vector<double> lengths;
    for (const auto& each : known) lengths.push_back(std::inner_product(each.begin(), each.end(), times.begin(), 0.0));
    lengths.resize(recent_paths::places);  // places not yet taken have none
    std::vector<double> told(paths.now.begin(), paths.now.end());
    CHECK(recent_paths::mean(paths.now) == std::accumulate(lengths.begin(), lengths.end(), 0.0) / 64);
    const double longest = *std::max_element(lengths.begin(), lengths.end());
    CHECK(recent_paths::longest(paths.now) == std::max(longest, 0.0));
    std::sort(lengths.begin(), lengths.end());
    std::sort(told.begin(), told.end());
    CHECK(told == lengths);
  }
  CHECK(known.size() == recent_paths::places);
}
