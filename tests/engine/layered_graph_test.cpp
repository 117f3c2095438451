// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/layered_graph.hpp>

#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace engine = stagecut::engine;
using stagecut::interval;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::engine::layered_graph;
using stagecut::engine::no_ticks;
using stagecut::engine::stage_layout;

namespace {

/// Two ways from the first node to the last, and a way that ends.
engine::layered_graph diamond() {
  engine::layered_graph graph;
  graph.nodes = {{0, {0, 0, 0}}, {1, {0, 1, 0}}, {1, {0, 2, 0}}, {1, {0, 3, 0}}, {2, {0, 4, 0}}};
  graph.edges = {{0, 1, 5}, {0, 2, 3}, {0, 3, 1}, {1, 4, 2}, {2, 4, 4}};
  graph.index();
  return graph;
}

/// One way from `cut` to the end, over two steps.
engine::layered_graph path_from(std::uint32_t cut, double bound) {
  engine::layered_graph graph;
  graph.nodes = {{1, {cut, 0, cut}}, {2, {cut, 1, cut + 1}}, {3, {cut, 2, cut + 2}}};
  graph.edges = {{0, 1, bound}, {1, 2, bound + 1}};
  graph.index();
  return graph;
}

schedule order_of(schedule_kind kind, std::size_t ranks, std::size_t chunks) {
  return stagecut::make_schedule(kind, {.ranks = ranks, .stages_per_rank = chunks, .microbatches = 2 * ranks * chunks});
}

}  // namespace

TEST_CASE("edges of a node follow one another") {
  const engine::layered_graph graph = diamond();
  CHECK(graph.first == std::vector<std::uint32_t>{0, 3, 4, 5, 5, 5});
}

TEST_CASE("the least of the largest bounds") {
  engine::layered_graph graph = diamond();
  CHECK(graph.least_bound() == 4);
  const auto path = graph.least_path();
  REQUIRE(path.size() == 3);
  double largest = 0;
  for (const auto& edge : graph.edges) {
    const bool on_it = (edge.from == path[0] && edge.to == path[1]) || (edge.from == path[1] && edge.to == path[2]);
    if (on_it) largest = std::max(largest, edge.bound);
  }
  CHECK(largest == 4);
  CHECK(graph.prune(2, [](const auto& edge) { return edge.bound == 4; }));
  CHECK(graph.least_bound() == 5);
  CHECK(engine::layered_graph().least_path().empty());
}

TEST_CASE("what leads nowhere goes, too") {
  engine::layered_graph graph = diamond();
  CHECK(graph.prune(2, [](const auto&) { return false; }));
  CHECK(graph.edges.size() == 4);
  CHECK(graph.prune(2, [](const auto& edge) { return edge.to == 1; }));
  CHECK(graph.edges.size() == 2);
  CHECK(graph.edges[0].to == 2);
  CHECK(graph.first == std::vector<std::uint32_t>{0, 1, 1, 2, 2, 2});
  CHECK(graph.nodes.size() == 5);
  graph.compact();
  CHECK(graph.nodes.size() == 3);
  CHECK(graph.nodes[1].cut[1] == 2);
  CHECK(graph.first == std::vector<std::uint32_t>{0, 1, 2, 2});
  CHECK(graph.least_bound() == 4);
  CHECK_FALSE(graph.prune(2, [](const auto&) { return true; }));
  CHECK(graph.edges.empty());
  graph.compact();
  CHECK(graph.nodes.size() == 1);
  CHECK(graph.first == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("graphs behind one node: nodes by step, edges by where they begin, and no path is lost") {
  engine::layered_graph graph;
  graph.nodes.push_back({0, {0, 0, 0}});
  engine::join_graphs({path_from(4, 10), path_from(7, 20)}, 3, graph);
  REQUIRE(graph.nodes.size() == 7);
  for (std::size_t u = 1; u < 7; ++u) CHECK(graph.nodes[u].step == (u + 1) / 2);
  CHECK(graph.first == std::vector<std::uint32_t>{0, 2, 3, 4, 5, 6, 6, 6});
  CHECK(graph.least_bound() == 11);
  for (std::size_t u = 1; u < 5; ++u) {
    const auto& next = graph.nodes[graph.edges[graph.first[u]].to];
    CHECK(next.cut[0] == graph.nodes[u].cut[0]);
    CHECK(next.step == graph.nodes[u].step + 1);
  }
}

TEST_CASE("of no graphs a node is left that leads nowhere") {
  engine::layered_graph graph;
  graph.nodes.push_back({0, {0, 0, 0}});
  engine::join_graphs({}, 3, graph);
  CHECK(graph.edges.empty());
  CHECK(graph.first == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("which stages a step chooses: one") {
  for (const schedule& order :
       {order_of(schedule_kind::one_forward_one_backward, 3, 1), order_of(schedule_kind::interleaved, 2, 3)}) {
    const engine::stage_layout layout(order);
    CHECK(layout.kind == engine::stage_layout::shape::chain);
    CHECK(layout.steps() == order.stages());
    for (std::size_t t = 0; t < layout.steps(); ++t) {
      CHECK(layout.width(t) == 1);
      CHECK(layout.stage(t, 0) == t);
    }
    CHECK(layout.part(0, {1, {0, 4, 0}}, {2, {0, 7, 0}}) == interval{4, 7});
  }
}

TEST_CASE("which stages a step chooses: those of a rank, one after the other") {
  const engine::stage_layout layout(order_of(schedule_kind::interleaved, 3, 2));
  CHECK(layout.kind == engine::stage_layout::shape::loop);
  CHECK(layout.steps() == 4);
  CHECK(layout.width(0) == 0);
  for (std::size_t t = 1; t < 4; ++t) {
    CHECK(layout.width(t) == 2);
    CHECK(layout.stage(t, 0) == t - 1);
    CHECK(layout.stage(t, 1) == t + 2);
  }
  CHECK(layout.part(0, {1, {9, 0, 9}}, {2, {9, 2, 12}}) == interval{0, 2});
  CHECK(layout.part(1, {1, {9, 0, 9}}, {2, {9, 2, 12}}) == interval{9, 12});
}

TEST_CASE("which stages a step chooses: those of a rank, from both ends") {
  const engine::stage_layout layout(order_of(schedule_kind::zbv, 3, 2));
  CHECK(layout.kind == engine::stage_layout::shape::vee);
  CHECK(layout.steps() == 3);
  for (std::size_t t = 0; t < 3; ++t) {
    CHECK(layout.width(t) == 2);
    CHECK(layout.stage(t, 0) == t);
    CHECK(layout.stage(t, 1) == 5 - t);
  }
  CHECK(layout.part(0, {0, {0, 0, 20}}, {1, {0, 4, 15}}) == interval{0, 4});
  CHECK(layout.part(1, {0, {0, 0, 20}}, {1, {0, 4, 15}}) == interval{15, 20});
  // One rank has its stages in either way.
  CHECK(engine::stage_layout(order_of(schedule_kind::interleaved, 1, 2)).kind == engine::stage_layout::shape::vee);
}

TEST_CASE("two stages a rank in another order are a chain") {
  schedule order = order_of(schedule_kind::interleaved, 2, 2);
  order.rank_of = {1, 0, 0, 1};
  CHECK(engine::stage_layout(order).kind == engine::stage_layout::shape::chain);
  CHECK(engine::no_ticks > 1e200);
}
