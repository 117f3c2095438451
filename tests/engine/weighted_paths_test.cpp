// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/weighted_paths.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../schedule/oracle.hpp"

namespace engine = stagecut::engine;
using oracle::dice;
using stagecut::engine::coarse_ticks;
using stagecut::engine::tick_kinds;
using stagecut::engine::weighted_paths;

namespace {

std::vector<double> random_counts(dice& random, std::size_t stages, std::size_t most) {
  std::vector<double> counts;
  for (std::size_t i = 0; i < stages * engine::tick_kinds; ++i)
    counts.push_back(static_cast<double>(random.below(most)));
  return counts;
}

double length(const std::vector<double>& counts, const std::vector<double>& times) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) sum += counts[i] * times[i];
  return sum;
}

}  // namespace

TEST_CASE("a mean is no longer than the longest of its paths, whatever was learned") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::size_t stages = random.from(1, 6);
    engine::weighted_paths paths(stages);
    std::vector<double> mean;
    paths.mean(mean);
    CHECK(mean == std::vector<double>(stages * engine::tick_kinds));
    std::vector<std::vector<double>> all;
    bool sound = true;
    for (int step = 0; step < 60; ++step) {
      if (step == 0 || random.once_in(3)) {
        all.push_back(random_counts(random, stages, random.once_in(9) ? 1U << 20U : 40));
        paths.put(all.back());
        const std::size_t size = paths.size();
        paths.put(all[random.below(all.size())]);  // it is there
        CHECK(paths.size() == size);
        CHECK(size == all.size());
      }
      paths.mean(mean);
      for (int some = 0; some < 5; ++some) {
        const auto times = random_counts(random, stages, 1000);
        double longest = 0;
        for (const auto& each : all) longest = std::max(longest, length(each, times));
        sound = sound && length(mean, times) <= longest;
        if (some == 0) paths.learn(times, length(mean, times), 8 * random.fraction());
      }
      for (const double each : mean) sound = sound && std::fmod(each * engine::coarse_ticks::parts, 1) == 0;
    }
    CHECK(sound);
  }
}

TEST_CASE("what is learned makes the mean longer where it was short") {
  engine::weighted_paths paths(1);
  paths.put({4, 0, 0, 0});
  paths.put({0, 4, 0, 0});
  std::vector<double> mean;
  for (int step = 0; step < 200; ++step) {
    paths.mean(mean);
    const bool first = mean[0] < mean[1];  // the cut for which it is short
    const std::vector<double> times{first ? 30.0 : 10.0, first ? 10.0 : 30.0, 0, 0};
    paths.learn(times, length(mean, times), 1 / (1 + 0.1 * step));
  }
  CHECK(std::abs(mean[0] - 2) < 0.2);
  CHECK(mean[0] + mean[1] > 3.99);
  // Of a single path nothing is lost.
  engine::weighted_paths one(1);
  one.put({3, 5, 0, 1});
  one.mean(mean);
  CHECK(mean == std::vector<double>{3, 5, 0, 1});
}

TEST_CASE("of many paths the one of least weight goes") {
  engine::weighted_paths paths(1);
  for (int i = 0; i < 300; ++i) paths.put({static_cast<double>(i), 1, 0, 0});
  CHECK(paths.size() == 256);
}
