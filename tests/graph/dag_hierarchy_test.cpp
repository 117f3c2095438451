// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/dag_hierarchy.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random_dags.hpp"

using stagecut::detail::dag_coarsening;
using stagecut::detail::dag_hierarchy;
using stagecut::detail::dag_level;
using stagecut::detail::dag_parts;
using stagecut::detail::flat_dag;

TEST_CASE("a round merges only what keeps the graph without cycles, within parts and weights") {
  oracle::chance random(1);
  std::size_t merged = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto dag = oracle::random_dag(random, 1 + random.below(25), 1 + random.below(9)).dag();
    const flat_dag& graph = dag.flat();
    std::vector<std::uint32_t> part;
    if (random.one_in(2)) {
      for (std::size_t v = 0; v < graph.size(); ++v) part.push_back(static_cast<std::uint32_t>(3 * v / graph.size()));
    }
    const auto most = static_cast<std::int64_t>(1 + random.below(40));
    const auto order = stagecut::detail::plain_order(graph, random.below(stagecut::detail::plain_orders));
    const dag_level level = dag_coarsening(graph, part).round(order, random.one_in(2), most);
    merged += graph.size() - level.graph.size();
    REQUIRE_EQ(level.graph.total, graph.total);
    // Numbered so that edges lead upwards: no cycle. What lies between two is the sum of what lay between theirs.
    std::vector<std::vector<std::int64_t>> between(level.graph.size(), std::vector<std::int64_t>(level.graph.size()));
    std::vector<std::int64_t> weight(level.graph.size());
    std::vector<std::size_t> members(level.graph.size());
    for (std::size_t v = 0; v < graph.size(); ++v) {
      weight[level.into[v]] += graph.weight[v];
      ++members[level.into[v]];
      graph.out.each(v, [&](std::uint32_t to, std::int64_t each) { between[level.into[v]][level.into[to]] += each; });
      for (std::size_t u = 0; u < v && !part.empty(); ++u) {
        if (level.into[u] == level.into[v]) REQUIRE_EQ(part[u], part[v]);
      }
    }
    REQUIRE_EQ(weight, level.graph.weight);
    for (std::size_t c = 0; c < members.size(); ++c) {
      if (members[c] > 1) REQUIRE_LE(weight[c], most);
      level.graph.out.each(c, [&](std::uint32_t to, std::int64_t each) {
        REQUIRE_GT(to, c);
        REQUIRE_EQ(between[c][to], each);
        between[c][to] = 0;
      });
      between[c][c] = 0;
      for (const std::int64_t each : between[c]) REQUIRE_EQ(each, 0);
    }
  }
  CHECK_GT(merged, 5000);
}

TEST_CASE("a hierarchy keeps parts, and moves on its levels make none worse") {
  oracle::chance random(2);
  for (int round = 0; round < 60; ++round) {
    const auto dag = oracle::random_dag(random, 40 + random.below(100), 10).dag();
    const flat_dag& graph = dag.flat();
    dag_parts parts;
    parts.most.assign(3, graph.total / 2);
    for (std::size_t v = 0; v < graph.size(); ++v) parts.part.push_back(static_cast<std::uint32_t>(3 * v / graph.size()));
    parts.reckon(graph);
    const std::int64_t before = parts.cut;
    const dag_hierarchy hierarchy(graph, parts.part, 10, graph.total / 10, random.below(6));
    REQUIRE_LT(hierarchy.coarsest().size(), graph.size());
    parts.part = hierarchy.part();
    dag_parts coarse = parts;
    coarse.reckon(hierarchy.coarsest());
    REQUIRE_EQ(coarse.cut, before);
    REQUIRE_EQ(coarse.load, parts.load);
    hierarchy.refine(parts);
    REQUIRE_LE(parts.cut, before);
    dag_parts anew = parts;
    anew.reckon(graph);
    REQUIRE_EQ(anew.cut, parts.cut);
    REQUIRE_EQ(anew.load, parts.load);
  }
}
