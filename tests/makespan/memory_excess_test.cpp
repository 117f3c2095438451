// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/memory_excess.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "memory_chains.hpp"

using chains::dice;
using chains::points;
using chains::table_rules;
using stagecut::schedule;
using stagecut::detail::memory_excess;

TEST_CASE("what ranks hold too much, after any change of some stages; nothing where they have room") {
  dice random(1);
  int above = 0;
  int room = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const schedule order = chains::placement(random, random.from(1, 3), random.from(2, 3));
    const std::size_t items = random.from(order.stages(), 12);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, items));
    rules->limit = static_cast<double>(random.from(5, 60));
    const memory_excess excess(order, *rules);
    CHECK(excess.applies());
    std::vector<double> kept;
    points last;
    bool same = true;
    chains::each_cut(items, order.stages(), [&](const points& cut) {
      std::vector<double> expected;
      for (std::size_t r = 0; r < order.ranks(); ++r) {
        double most = rules->limit;
        for (const auto& moment : rules->held[r]) {
          double sum = 0;
          for (std::size_t j = 0; j < moment.size(); ++j) {
            const std::size_t s = rules->stages[r][j];
            sum += rules->of(s, cut[s], cut[s + 1], moment[j]);
          }
          most = std::max(most, sum);
        }
        expected.push_back(most / rules->limit - 1);
        (expected.back() > 0 ? above : room) += 1;
      }
      if (last.empty()) {
        excess.measure(cut, kept);
      } else {
        std::size_t first = 0;
        while (first < order.stages() && last[first] == cut[first] && last[first + 1] == cut[first + 1]) ++first;
        excess.change(cut, first, order.stages(), kept);
      }
      last = cut;
      same = same && kept == expected;
    });
    CHECK(same);
  }
  CHECK(above > 1000);
  CHECK(room > 1000);
}

TEST_CASE("rules that are no sums of memory are left alone") {
  dice random(2);
  const schedule order = chains::placement(random, 2, 2);
  const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 6));
  rules->limit = 0;
  CHECK_FALSE(memory_excess(order, *rules).applies());
  rules->limit = 10;
  rules->sums = false;
  CHECK_FALSE(memory_excess(order, *rules).applies());
}
