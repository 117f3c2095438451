// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/order_cuts.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "random_dags.hpp"

using stagecut::detail::dag_order;
using stagecut::detail::dag_parts;
using stagecut::detail::flat_dag;

TEST_CASE("an order is cut into parts as well as any ends allow") {
  oracle::chance random(1);
  std::size_t none = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto dag = oracle::random_dag(random, 1 + random.below(9), 1 + random.below(6)).dag();
    const flat_dag& graph = dag.flat();
    const std::size_t k = 1 + random.below(4);
    const dag_order order = stagecut::detail::plain_order(graph, random.below(stagecut::detail::plain_orders));
    dag_parts parts;
    for (std::size_t p = 0; p < k; ++p) parts.most.push_back(static_cast<std::int64_t>(random.below(18)));
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    oracle::each_assignment(graph.size(), k, [&](const std::vector<std::size_t>& of) {
      if (!std::is_sorted(of.begin(), of.end())) return;
      parts.part.resize(graph.size());
      for (std::size_t i = 0; i < order.size(); ++i) parts.part[order[i]] = static_cast<std::uint32_t>(of[i]);
      parts.reckon(graph);
      if (parts.excess() == 0) best = std::min(best, parts.cut);
    });
    const auto found = stagecut::detail::order_program(graph, order).run(parts.most);
    REQUIRE_EQ(found.has_value(), best != std::numeric_limits<std::int64_t>::max());
    if (!found) {
      ++none;
      continue;
    }
    parts.part = *found;
    parts.reckon(graph);
    REQUIRE_EQ(parts.excess(), 0);
    REQUIRE_EQ(parts.cut, best);
  }
  CHECK_GT(none, 100);
}

TEST_CASE("an order is cut in two where least is cut, within weights or nearest to them") {
  oracle::chance random(2);
  for (int round = 0; round < 1500; ++round) {
    const auto dag = oracle::random_dag(random, 1 + random.below(12), 1 + random.below(6)).dag();
    const flat_dag& graph = dag.flat();
    const dag_order order = stagecut::detail::plain_order(graph, random.below(stagecut::detail::plain_orders));
    const auto least = static_cast<std::int64_t>(random.below(20));
    const auto most = least + static_cast<std::int64_t>(random.below(9));
    const auto found = stagecut::detail::best_prefix(graph, order, stagecut::detail::cut_by_each(graph), least, most);
    std::int64_t miss = std::numeric_limits<std::int64_t>::max();
    std::int64_t cut = miss;
    for (std::size_t first = 0; first <= order.size(); ++first) {
      dag_parts parts;
      parts.most.assign(2, 0);
      parts.part.assign(graph.size(), 1);
      for (std::size_t i = 0; i < first; ++i) parts.part[order[i]] = 0;
      parts.reckon(graph);
      const std::int64_t off = std::max<std::int64_t>({least - parts.load[0], parts.load[0] - most, 0});
      if (off < miss || (off == miss && parts.cut < cut)) miss = off, cut = parts.cut;
      if (first == found.first) {
        REQUIRE_EQ(found.cut, parts.cut);
        REQUIRE_EQ(found.miss, off);
      }
    }
    REQUIRE_EQ(found.cut, cut);
    REQUIRE_EQ(found.miss, miss);
  }
}
