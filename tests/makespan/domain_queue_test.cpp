// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/domain_queue.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "../schedule/oracle.hpp"

using oracle::dice;
using stagecut::detail::domain_queue;
using stagecut::detail::point_domains;

TEST_CASE("the part of the least bound first, whole, as often as it was pushed") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    domain_queue queue;
    std::multimap<double, double> parts;  // bound and mark
    double mark = 0;
    const std::size_t most = random.from(1, 40);
    for (int step = 0; step < 100; ++step) {
      CHECK(queue.empty() == parts.empty());
      CHECK(queue.size() == parts.size());
      if (!parts.empty()) CHECK(queue.least() == parts.begin()->first);
      if (parts.empty() || (parts.size() < most && random.once_in(2))) {
        const auto bound = static_cast<double>(random.below(20));
        const auto items = static_cast<std::size_t>(bound) + 5;
        queue.push({bound, point_domains(items, 4), {}, {mark}});
        parts.emplace(bound, mark++);
        continue;
      }
      const double least = parts.begin()->first;
      const domain_queue::part out = queue.pop();
      CHECK(out.bound == least);
      CHECK(out.domains.high.size() == 4);
      CHECK(out.domains.high[1] == least + 2);
      CHECK(out.combination.size() == 1);
      const auto [first, last] = parts.equal_range(least);
      bool found = false;
      for (auto i = first; i != last && !found; ++i) {
        found = i->second == out.combination[0];
        if (found) {
          parts.erase(i);
          break;
        }
      }
      CHECK(found);
    }
    queue.clear();
    CHECK(queue.empty());
    CHECK(queue.size() == 0);
  }
}
