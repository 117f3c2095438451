// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/make_operator_graph.hpp>

#include <doctest/doctest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapted_graphs.hpp"
#include "../refusal.hpp"

using stagecut::graph_operator;
using stagecut::make_operator_graph;
using stagecut::operator_edge;
using stagecut::operator_graph;

namespace {

struct op {
  double seconds = 0;
  float output_seconds = 0;
  int group = -1;
  std::size_t stage = 9;
};

using by_number = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, op>;
using by_place = boost::adjacency_list<boost::listS, boost::listS, boost::directedS, op>;
using in_rows = boost::compressed_sparse_row_graph<boost::directedS, op>;
using in_matrix = boost::adjacency_matrix<boost::directedS, op>;
using none_directed = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, op>;

/// Operators by their numbers, and edges in any order, some of them several times.
struct plain {
  std::vector<op> ops{};
  std::vector<std::pair<std::size_t, std::size_t>> edges{};

  [[nodiscard]] operator_graph expected() const {
    operator_graph result;
    for (const auto& op : ops) {
      graph_operator made;
      made.forward = op.seconds;
      made.sent_seconds = static_cast<double>(op.output_seconds);
      if (op.group >= 0) made.group = static_cast<std::size_t>(op.group);
      result.operators.push_back(made);
    }
    for (const auto& [from, to] : std::set(edges.begin(), edges.end())) result.edges.push_back({from, to});
    return result;
  }
};

plain random_plain(std::mt19937& random) {
  plain result;
  result.ops.resize(random() % 8);
  for (auto& op : result.ops) {
    op = {static_cast<double>(random() % 100) / 7, static_cast<float>(random() % 9),
          static_cast<int>(random() % 4) - 1};
  }
  const std::size_t n = result.ops.size();
  for (std::size_t e = n < 2 ? 0 : random() % (2 * n); e-- > 0;) {
    const std::size_t from = random() % (n - 1);
    result.edges.emplace_back(from, from + 1 + random() % (n - 1 - from));
  }
  return result;
}

template <class Graph>
Graph made_of(const plain& from) {
  Graph g;
  std::vector<typename boost::graph_traits<Graph>::vertex_descriptor> at;
  for (const auto& op : from.ops) at.push_back(add_vertex(op, g));
  for (const auto& [u, v] : from.edges) add_edge(at[u], at[v], g);
  return g;
}

bool same(const operator_graph& made, const operator_graph& expected) {
  return made.operators == expected.operators && made.edges == expected.edges && made.shared.empty() &&
         made.latency == 0;
}

}  // namespace

TEST_CASE("whatever keeps a graph, the same operators and edges come of it") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const plain from = random_plain(random);
    const operator_graph expected = from.expected();

    const auto listed = made_of<by_number>(from);
    CHECK(same(make_operator_graph(listed, {.forward = get(&op::seconds, listed),
                                            .sent_seconds = get(&op::output_seconds, listed),
                                            .group = get(&op::group, listed)}),
               expected));
    const auto linked = made_of<by_place>(from);
    CHECK(same(make_operator_graph(linked, {.forward = &op::seconds, .sent_seconds = &op::output_seconds, .group = &op::group}),
               expected));
    in_rows rows(boost::edges_are_unsorted_multi_pass, from.edges.begin(), from.edges.end(), from.ops.size());
    for (std::size_t i = 0; i < from.ops.size(); ++i) rows[i] = from.ops[i];
    CHECK(same(make_operator_graph(rows, {.forward = &op::seconds, .sent_seconds = &op::output_seconds, .group = &op::group}),
               expected));
    in_matrix matrix(from.ops.size());
    for (std::size_t i = 0; i < from.ops.size(); ++i) matrix[i] = from.ops[i];
    for (const auto& [u, v] : from.edges) add_edge(u, v, matrix);
    const auto seconds_of = [&](std::size_t v) { return from.ops[v].seconds; };
    CHECK(same(make_operator_graph(matrix, {.forward = seconds_of, .sent_seconds = &op::output_seconds, .group = &op::group}),
               expected));

    adapted::net_list nets;
    for (const op& each : from.ops) nets.add(each.seconds, each.output_seconds, each.group);
    for (const auto& [u, v] : from.edges) nets.join(u, v);
    CHECK(same(make_operator_graph(nets, {.forward = &adapted::cell::delay,
                                          .sent_seconds = [](const adapted::cell* v) { return v->drive; },
                                          .group = adapted::region_map()}),
               expected));
    adapted::wiring wires{from.ops.size(), from.edges};
    CHECK(same(make_operator_graph(wires, {.forward = [&](adapted::pin p) { return from.ops[p.number].seconds; },
                                           .sent_seconds = [&](adapted::pin p) { return from.ops[p.number].output_seconds; },
                                           .group = [&](adapted::pin p) { return from.ops[p.number].group; }}),
               expected));
  }
}

TEST_CASE("a reversed graph leads backwards, and keeps its operators") {
  const plain from{{{1}, {2}, {4}}, {{0, 1}, {0, 2}}};
  const auto g = made_of<by_number>(from);
  const auto back = boost::make_reverse_graph(g);
  const auto made = make_operator_graph(back, {.forward = get(&op::seconds, back)});
  CHECK(made.edges == std::vector<operator_edge>{{1, 0}, {2, 0}});
  CHECK(made.operators[2].forward == 4);
  CHECK(make_operator_graph(back, {.forward = &op::seconds}).operators == made.operators);
}

TEST_CASE("of a filtered graph those that it lists are numbered, without gaps") {
  const plain from{{{1}, {2}, {4}, {8}, {16}}, {{0, 1}, {1, 4}, {0, 2}, {2, 4}, {3, 4}}};
  const auto g = made_of<by_number>(from);
  const auto odd = [&](std::size_t v) { return v != 1 && v != 3; };
  const boost::filtered_graph<by_number, boost::keep_all, std::function<bool(std::size_t)>> some(g, {}, odd);
  const auto made = make_operator_graph(some, {.forward = get(&op::seconds, some)});
  REQUIRE(made.operators.size() == 3);
  CHECK(made.operators[1].forward == 4);
  CHECK(made.operators[2].forward == 16);
  CHECK(make_operator_graph(some, {.forward = &op::seconds}).operators == made.operators);
  CHECK(made.edges == std::vector<operator_edge>{{0, 1}, {1, 2}});
}

TEST_CASE("every part has its map, a number says the same of all, and what is left out stays") {
  const auto g = made_of<by_number>({{{1}, {2}}, {{0, 1}}});
  const std::vector<double> bytes{64, 128};
  const auto made =
      make_operator_graph(g, {.forward = &op::seconds,
                              .backward = [&](std::size_t v) { return 2 * g[v].seconds; },
                              .cpu = 7,
                              .sent_seconds = 0.5F,
                              .sent_back_seconds = 0.25,
                              .resident = boost::make_iterator_property_map(bytes.begin(), get(boost::vertex_index, g)),
                              .activations = bytes.data(),
                              .group = 3U,
                              .stage = [](std::size_t v) { return v == 0 ? std::optional<unsigned>(1) : std::nullopt; },
                              .on_accelerator = [](std::size_t v) { return v == 1; },
                              .is_backward = true});
  const graph_operator first{.forward = 1,
                             .backward = 2,
                             .cpu = 7,
                             .sent_seconds = 0.5,
                             .sent_back_seconds = 0.25,
                             .resident = 64,
                             .activations = 64,
                             .group = 3,
                             .stage = 1,
                             .on_accelerator = false,
                             .on_cpu = true,
                             .is_backward = true};
  const graph_operator second{.forward = 2,
                              .backward = 4,
                              .cpu = 7,
                              .sent_seconds = 0.5,
                              .sent_back_seconds = 0.25,
                              .resident = 128,
                              .activations = 128,
                              .group = 3,
                              .on_cpu = true,
                              .is_backward = true};
  CHECK(made.operators == std::vector<graph_operator>{first, second});
  CHECK(make_operator_graph(g).operators == std::vector<graph_operator>(2));
  CHECK_FALSE(make_operator_graph(g, {.cpu = 7, .on_cpu = false}).operators[0].on_cpu);
}

TEST_CASE("figures that are none are refused with the vertex") {
  const auto g = made_of<by_number>({{{1}, {2}, {4}}, {}});
  const auto said = [&](double value) {
    const auto at = [value](std::size_t v) { return v == 2 ? value : 0; };
    return refusal<stagecut::invalid_input>([&] { return make_operator_graph(g, {.sent_back_seconds = at}); });
  };
  CHECK(said(-1) == "vertex 2: sent_back_seconds = -1.000000, must be finite and not negative");
  CHECK(said(std::numeric_limits<double>::quiet_NaN()) ==
        "vertex 2: sent_back_seconds = NaN, must be finite and not negative");
  CHECK(said(std::numeric_limits<double>::infinity()) ==
        "vertex 2: sent_back_seconds = infinity, must be finite and not negative");
  CHECK(said(-0.0) == "not refused");
  const auto part = [&](const stagecut::operator_maps<by_number>& maps) {
    return refusal<stagecut::invalid_input>([&] { return make_operator_graph(g, maps); }).substr(0, 20);
  };
  CHECK(part({.forward = -1}) == "vertex 0: forward = ");
  CHECK(part({.backward = -1}) == "vertex 0: backward =");
  CHECK(part({.cpu = -1}) == "vertex 0: cpu = -1.0");
  CHECK(part({.sent_seconds = -1}) == "vertex 0: sent_secon");
  CHECK(part({.resident = -1}) == "vertex 0: resident =");
  CHECK(part({.activations = -1}) == "vertex 0: activation");
}

TEST_CASE("what a graph lists wrongly is refused") {
  const auto said = [](const adapted::wiring& g) {
    return refusal<stagecut::invalid_input>([&] { return make_operator_graph(g); });
  };
  CHECK(said({2, {{0, 7}}}) == "an edge of vertex 0: leads to none of the graph's vertices");

  adapted::net_list nets;
  nets.add(1, 1, 1);
  adapted::net_list others;
  others.add(1, 1, 1);
  nets.wires.push_back({nets.cells[0].get(), others.cells[0].get()});
  CHECK(refusal<stagecut::invalid_input>([&] { return make_operator_graph(nets); }) ==
        "an edge of vertex 0: leads to none of the graph's vertices");
  nets.wires.back() = {others.cells[0].get(), nets.cells[0].get()};
  CHECK(refusal<stagecut::invalid_input>([&] { return make_operator_graph(nets); }) ==
        "an edge to vertex 0: begins at none of the graph's vertices");
}

TEST_CASE("a long chain comes out as it is") {
  by_number g(1'000'000);
  for (std::size_t v = 1; v < 1'000'000; ++v) add_edge(v - 1, v, g);
  const auto made = make_operator_graph(g, {.forward = &op::seconds});
  REQUIRE(made.edges.size() == 999'999);
  CHECK(made.edges.back() == operator_edge{999'998, 999'999});
}

TEST_CASE("stages are written back to the vertices from which the operators came") {
  auto g = made_of<by_place>({{{1}, {2}, {4}}, {}});
  stagecut::put_by_vertex(g, std::vector<std::size_t>{1, 0, 2}, get(&op::stage, g));
  std::vector<std::pair<double, std::size_t>> found;
  for (auto [v, last] = vertices(g); v != last; ++v) found.emplace_back(g[*v].seconds, g[*v].stage);
  CHECK(found == std::vector<std::pair<double, std::size_t>>{{1, 1}, {2, 0}, {4, 2}});
  const auto call = [&] {
    stagecut::put_by_vertex(g, std::vector<std::size_t>{1}, get(&op::stage, g));
    return 0;
  };
  CHECK(refusal<stagecut::argument_error>(call) ==
        "stagecut::put_by_vertex: values.size() = 1, must be the number of vertices, 3");
}
