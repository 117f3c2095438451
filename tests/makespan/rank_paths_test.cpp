// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/rank_paths.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../schedule/oracle.hpp"

using oracle::dice;
using stagecut::detail::rank_paths;

TEST_CASE("some path is longer than a limit if the longest is, of those put last") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    rank_paths paths;
    std::vector<double> lengths;
    rank_paths::list times;
    for (double& each : times) each = static_cast<double>(random.below(50));
    CHECK_FALSE(paths.above(times, 0));
    const std::size_t put = random.from(1, 2 * rank_paths::most);
    for (std::size_t i = 0; i < put; ++i) {
      rank_paths::list counts;
      double length = 0;
      for (std::size_t f = 0; f < rank_paths::figures; ++f) {
        counts[f] = static_cast<double>(random.below(9));
        length += counts[f] * times[f];
      }
      paths.put(counts);
      lengths.push_back(length);
    }
    double longest = 0;
    const std::size_t forgotten = put > rank_paths::most ? put - rank_paths::most : 0;
    for (std::size_t i = forgotten; i < put; ++i) longest = std::max(longest, lengths[i]);
    CHECK(paths.above(times, longest - 1));
    CHECK_FALSE(paths.above(times, longest));
  }
}
