// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/multilevel_load.hpp>
#include <stagecut/graph/detail/order_loads.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "random_dags.hpp"

using stagecut::detail::dag_order;
using stagecut::detail::flat_dag;
using stagecut::detail::order_loads;

TEST_CASE("an order is cut with the load that is told, into parts of which none is empty") {
  oracle::chance random(1);
  std::size_t best_of_order = 0;
  std::size_t count = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::size_t k = 1 + random.below(4);
    const oracle::dag_case graph = oracle::random_dag(random, k + random.below(6), 1 + random.below(6));
    const auto dag = graph.dag();
    const flat_dag& flat = dag.flat();
    const auto beside = static_cast<std::int64_t>(random.below(3));
    const auto nets = stagecut::detail::nets_of_outputs(flat, dag.outputs());
    order_loads loads(flat, nets, k, beside);
    const dag_order order = stagecut::detail::plain_order(flat, random.below(stagecut::detail::plain_orders));
    order_loads::found found;
    REQUIRE(loads.improve(order, found));
    const auto heaviest = [&](const std::vector<std::uint32_t>& part) {
      std::vector<std::size_t> part_of(part.size());
      for (std::size_t i = 0; i < part.size(); ++i) part_of[dag.order()[i]] = part[i];
      const oracle::dag_figures plain = oracle::figures_of(graph, part_of, k);
      REQUIRE(plain.forwards);
      std::vector<std::int64_t> with = plain.loads;
      for (std::int64_t& each : with) each += beside;
      REQUIRE_EQ(loads.loads(part), with);
      return *std::max_element(with.begin(), with.end());
    };
    REQUIRE_EQ(heaviest(found.part), found.load);
    REQUIRE_LE(loads.bound(), found.load);
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    oracle::each_assignment(flat.size(), k, [&](const std::vector<std::size_t>& of) {
      if (!std::is_sorted(of.begin(), of.end())) return;
      std::vector<bool> holds(k);
      for (const std::size_t each : of) holds[each] = true;
      if (std::count(holds.begin(), holds.end(), true) != static_cast<std::ptrdiff_t>(k)) return;
      std::vector<std::uint32_t> part(flat.size());
      for (std::size_t i = 0; i < order.size(); ++i) part[order[i]] = static_cast<std::uint32_t>(of[i]);
      best = std::min(best, heaviest(part));
    });
    REQUIRE_GE(found.load, best);
    best_of_order += found.load == best ? std::size_t{1} : 0;
    ++count;
    const std::int64_t before = found.load;
    if (loads.improve(stagecut::detail::by_level(flat, true), found)) REQUIRE_LT(found.load, before);
    REQUIRE_EQ(heaviest(found.part), found.load);
  }
  CHECK_GT(100 * best_of_order, 90 * count);
}
