// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/edge_values.hpp>

#include <stagecut/graph/make_operator_graph.hpp>
#include <stagecut/graph/minimize_communication.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/stage_figures.hpp>
#include <stagecut/graph/stage_pipeline.hpp>

#include <doctest/doctest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"
#include "adapted_graphs.hpp"
#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::edge_tensor;
using stagecut::load_options;
using stagecut::make_operator_graph;
using stagecut::minimize_load;
using stagecut::operator_edge;
using stagecut::operator_graph;

namespace {

struct op {
  double forward = 0, backward = 0, resident = 0, activations = 0, workspace = 0;
  double seconds = 0, back = 0;  // to send its output, and the gradient
  float bytes = 0;
};
struct tensor {
  double seconds = 0, back = 0;
  float bytes = 0;

  [[nodiscard]] edge_tensor plain() const { return {seconds, back, static_cast<double>(bytes)}; }
};

using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, op, tensor>;
using by_place = boost::adjacency_list<boost::listS, boost::listS, boost::directedS, op, tensor>;
using in_rows = boost::compressed_sparse_row_graph<boost::directedS, op, tensor>;
using assignment = std::vector<std::size_t>;

/// Up to `most` operators whose edges lead to later ones; every fourth edge has a parallel one with another tensor.
graph random_graph(oracle::chance& random, std::size_t most) {
  const std::size_t n = 2 + random.below(most - 1);
  graph g(n);
  const bool whole = !random.one_in(4);
  const auto figure = [&](std::size_t limit) { return random.figure(limit, whole); };
  for (std::size_t v = 0; v < n; ++v) {
    g[v] = {figure(9),
            figure(9),
            figure(3),
            figure(3),
            figure(5),
            figure(6),
            random.one_in(2) ? 0 : figure(4),
            static_cast<float>(random.below(4))};
  }
  const std::size_t sparse = 1 + random.below(3);
  const auto draw = [&] {
    return tensor{figure(6), random.one_in(2) ? 0 : figure(4), static_cast<float>(random.below(4))};
  };
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = u + 1; v < n; ++v) {
      if (!random.one_in(sparse)) continue;
      add_edge(u, v, draw(), g);
      if (random.one_in(4)) add_edge(u, v, draw(), g);
    }
  }
  return g;
}

/// With all maps: of edges for what is sent, or of vertices.
operator_graph converted(const graph& g, bool tensors) {
  stagecut::operator_maps<graph> maps{.forward = &op::forward,
                                      .backward = get(&op::backward, g),
                                      .resident = &op::resident,
                                      .activations = [&g](std::size_t v) { return g[v].activations; },
                                      .workspace = get(&op::workspace, g)};
  if (tensors) {
    maps.edge_sent_seconds = &tensor::seconds;
    maps.edge_sent_back_seconds = get(&tensor::back, g);
    maps.edge_bytes = [&g](const graph::edge_descriptor& e) { return g[e].bytes; };
  } else {
    maps.sent_seconds = &op::seconds;
    maps.sent_back_seconds = get(&op::back, g);
    maps.output = &op::bytes;
  }
  return make_operator_graph(g, maps);
}

/// What one stage takes, computed from the Boost graph alone.
struct cost {
  double forward = 0, backward = 0, sent_forward = 0, sent_backward = 0, memory = 0;

  [[nodiscard]] double load(const load_options& options) const {
    if (options.overlap == stagecut::message_overlap::none) return forward + backward + (sent_forward + sent_backward);
    return std::max(forward, sent_forward) + std::max(backward, sent_backward);
  }
};

cost cost_of(const graph& g, bool tensors, const assignment& stage_of, std::size_t s, double latency, double buffers) {
  cost result;
  double workspace = 0;
  double crossing = 0;
  const auto send = [&](double there, double back, double bytes) {
    result.sent_forward += there + latency;
    if (back > 0) result.sent_backward += back + latency;
    crossing += bytes;
  };
  for (std::size_t v = 0; v < num_vertices(g); ++v) {
    if (stage_of[v] == s) {
      result.forward += g[v].forward;
      result.backward += g[v].backward;
      result.memory += g[v].resident + g[v].activations;
      workspace = std::max(workspace, g[v].workspace);
    }
    bool crosses = false;
    for (auto [e, last] = out_edges(v, g); e != last; ++e) {
      const std::size_t to = target(*e, g);
      if ((stage_of[v] == s) == (stage_of[to] == s)) continue;
      crosses = true;
      if (tensors) send(g[*e].seconds, g[*e].back, static_cast<double>(g[*e].bytes));
    }
    if (crosses && !tensors) send(g[v].seconds, g[v].back, static_cast<double>(g[v].bytes));
  }
  result.memory += workspace + buffers * crossing;
  return result;
}

/// Visits the assignments of n operators to k stages, possibly empty, whose edges lead to the same or a later stage.
template <class Visit>
void each_assignment(const graph& g, std::size_t k, const Visit& visit) {
  assignment at(num_vertices(g));
  const auto place = [&](const auto& self, std::size_t v) -> void {
    if (v == at.size()) return visit(at);
    std::size_t least = 0;
    for (auto [e, last] = in_edges(v, g); e != last; ++e) least = std::max(least, at[source(*e, g)]);
    for (at[v] = least; at[v] < k; ++at[v]) self(self, v + 1);
  };
  place(place, 0);
}

std::size_t used(const assignment& stage_of) { return std::set(stage_of.begin(), stage_of.end()).size(); }

/// The least load of all assignments without an empty stage within the memory.
std::optional<double> least_load(const graph& g, bool tensors, const stagecut::load_request& request, double latency) {
  std::optional<double> best;
  const load_options& options = request.load;
  each_assignment(g, request.devices, [&](const assignment& stage_of) {
    if (used(stage_of) != request.devices) return;
    double most = 0;
    for (std::size_t s = 0; s < request.devices; ++s) {
      const cost each = cost_of(g, tensors, stage_of, s, latency, options.boundary_buffers);
      if (options.memory_limit && each.memory > *options.memory_limit) return;
      most = std::max(most, each.load(options));
    }
    if (!best || most < *best) best = most;
  });
  return best;
}

}  // namespace

TEST_CASE("maps, members, functions and numbers give the value of an edge") {
  graph g(2);
  const auto e = add_edge(0, 1, tensor{0.5, 2, 8}, g).first;
  using values = stagecut::edge_values<graph>;
  CHECK(values(&tensor::seconds)(g, e) == 0.5);
  CHECK(values(get(&tensor::bytes, g))(g, e) == 8);
  CHECK(values([&](const graph::edge_descriptor& edge) { return target(edge, g); })(g, e) == 1);
  CHECK(values(7)(g, e) == 7);
  CHECK(values(0));
  CHECK_FALSE(values());

  const auto back = boost::make_reverse_graph(g);
  using turned = boost::reverse_graph<graph>;
  CHECK(stagecut::edge_values<turned>(get(&tensor::back, back))(back, *edges(back).first) == 2);

  using weighted = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                         boost::property<boost::edge_weight_t, int>>;
  weighted w(2);
  const auto only = add_edge(0, 1, 3, w).first;
  CHECK(stagecut::edge_values<weighted>(get(boost::edge_weight, w))(w, only) == 3);
}

TEST_CASE("every edge has its tensor, whatever keeps the graph, and parallel edges stay") {
  oracle::chance random(3);
  for (int round = 0; round < 200; ++round) {
    const graph g = random_graph(random, 7);
    std::vector<operator_edge> expected;
    std::vector<std::pair<std::size_t, std::size_t>> ends;
    std::vector<tensor> tensors;
    for (std::size_t v = 0; v < num_vertices(g); ++v) {
      for (auto [e, last] = out_edges(v, g); e != last; ++e) {
        expected.push_back({v, target(*e, g), g[*e].plain()});
        ends.emplace_back(v, target(*e, g));
        tensors.push_back(g[*e]);
      }
    }
    const operator_graph made = converted(g, true);
    CHECK(made.edges == expected);
    for (const auto& each : made.operators) CHECK((each.sent_seconds == 0 && each.output == 0));

    by_place linked;
    std::vector<by_place::vertex_descriptor> at;
    for (std::size_t v = 0; v < num_vertices(g); ++v) at.push_back(add_vertex(g[v], linked));
    for (std::size_t i = 0; i < ends.size(); ++i) add_edge(at[ends[i].first], at[ends[i].second], tensors[i], linked);
    CHECK(make_operator_graph(linked, {.edge_sent_seconds = &tensor::seconds,
                                       .edge_sent_back_seconds = get(&tensor::back, linked),
                                       .edge_bytes = &tensor::bytes})
              .edges == expected);
    in_rows rows(boost::edges_are_sorted, ends.begin(), ends.end(), tensors.begin(), num_vertices(g));
    CHECK(make_operator_graph(rows, {.edge_sent_seconds = get(&tensor::seconds, rows),
                                     .edge_sent_back_seconds = &tensor::back,
                                     .edge_bytes = &tensor::bytes})
              .edges == expected);

    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    CHECK(converted(g, false).edges.size() == ends.size());
  }
}

TEST_CASE("graphs that list only edges, or only out-edges, have tensors too") {
  adapted::net_list nets;
  for (int v = 0; v < 3; ++v) nets.add(v, 0, 0);
  nets.join(0, 2);
  nets.join(0, 1);
  nets.join(0, 2);
  const auto by_head = [](adapted::net_list::edge_descriptor e) { return e->second->delay; };
  const std::vector<operator_edge> expected{
      {0, 1, edge_tensor{1, 0, 0}}, {0, 2, edge_tensor{2, 0, 0}}, {0, 2, edge_tensor{2, 0, 0}}};
  CHECK(make_operator_graph(nets, {.edge_sent_seconds = by_head}).edges == expected);
  const adapted::wiring wires{3, {{0, 2}, {0, 1}, {0, 2}}};
  const auto by_wire = [](const std::pair<std::size_t, std::size_t>* e) { return e->second; };
  CHECK(make_operator_graph(wires, {.edge_sent_seconds = by_wire}).edges == expected);
}

TEST_CASE("parallel edges are that number of tensors with maps of edges, and one output without") {
  graph g(2);
  g[0].seconds = 3;
  add_edge(0, 1, tensor{3, 1, 2}, g);
  add_edge(0, 1, tensor{4, 0, 5}, g);
  const auto sent = [](operator_graph made) {
    made.latency = 0.25;
    return stagecut::stage_figures(made, {0, 1}, {0, 0}, {.boundary_buffers = 1});
  };
  CHECK(sent(converted(g, true))[0].communication == 3.25 + 1.25 + 4.25);
  CHECK(sent(converted(g, true))[1].memory == 7);
  CHECK(sent(converted(g, false))[1].communication == 3.25);
}

TEST_CASE("figures of any stages are those computed from the Boost graph") {
  oracle::chance random(4);
  for (int round = 0; round < 600; ++round) {
    const graph g = random_graph(random, 8);
    const bool tensors = !random.one_in(3);
    operator_graph made = converted(g, tensors);
    made.latency = random.figure(3, true) / 4;
    const load_options options{
        .overlap = random.one_in(3) ? stagecut::message_overlap::full : stagecut::message_overlap::none,
        .boundary_buffers = random.figure(2, true)};
    const std::size_t k = 1 + random.below(4);
    assignment stage_of;
    for (std::size_t v = 0; v < num_vertices(g); ++v) stage_of.push_back(random.below(k));
    const auto found = stagecut::stage_figures(made, stage_of, std::vector<std::uint8_t>(k), options);
    CAPTURE(round);
    for (std::size_t s = 0; s < k; ++s) {
      const cost right = cost_of(g, tensors, stage_of, s, made.latency, options.boundary_buffers);
      REQUIRE(oracle::close(found[s].forward, right.forward));
      REQUIRE(oracle::close(found[s].backward, right.backward));
      REQUIRE(oracle::close(found[s].communication, right.sent_forward + right.sent_backward));
      REQUIRE(oracle::close(found[s].memory, right.memory));
      REQUIRE(oracle::close(found[s].load, right.load(options)));
    }
  }
}

TEST_CASE("the least load of a Boost graph with all maps is that of all partitions") {
  oracle::chance random(5);
  int solved = 0;
  int infeasible = 0;
  for (int round = 0; round < 3000 * oracle::times_as_many(); ++round) {
    const graph g = random_graph(random, 6);
    const bool tensors = !random.one_in(4);
    operator_graph made = converted(g, tensors);
    made.latency = random.figure(3, true) / 4;
    stagecut::load_request request;
    request.devices = 1 + random.below(3);
    if (random.one_in(3)) request.load.overlap = stagecut::message_overlap::full;
    request.load.boundary_buffers = random.figure(2, true);
    if (random.one_in(2)) request.load.memory_limit = 8 + random.figure(25, true);
    const auto best = least_load(g, tensors, request, made.latency);
    const auto found = minimize_load(made, request);
    CAPTURE(round);
    REQUIRE(found.has_value() == best.has_value());
    if (!best) {
      REQUIRE(found.state() == stagecut::state::infeasible);
      ++infeasible;
      continue;
    }
    REQUIRE(found.state() == stagecut::state::optimal);
    REQUIRE(oracle::close(found->value, *best));
    ++solved;
    double most = 0;
    for (std::size_t s = 0; s < request.devices; ++s) {
      const cost each = cost_of(g, tensors, found->assignment, s, made.latency, request.load.boundary_buffers);
      most = std::max(most, each.load(request.load));
    }
    REQUIRE(oracle::close(most, *best));
  }
  CHECK(solved > 2000);
  CHECK(infeasible > 100);
}

TEST_CASE("the least communication of a Boost graph with all maps is that of all placements") {
  oracle::chance random(6);
  int solved = 0;
  for (int round = 0; round < 2500 * oracle::times_as_many(); ++round) {
    const graph g = random_graph(random, 6);
    const std::size_t n = num_vertices(g);
    operator_graph made = converted(g, true);
    const bool in_bytes = random.one_in(3);  // without seconds, bytes count
    for (operator_edge& edge : made.edges) {
      if (in_bytes) edge.tensor->sent_seconds = edge.tensor->sent_back_seconds = 0;
    }
    stagecut::communication_request request;
    request.devices = 2 + random.below(2);
    request.variable_imbalance = 99;
    request.operation_imbalance = 0.5;
    request.search.time_limit.reset();
    std::optional<double> best;
    const auto sent = [&](const assignment& device_of) {
      double sum = 0;
      for (auto [e, last] = edges(g); e != last; ++e) {
        if (device_of[source(*e, g)] == device_of[target(*e, g)]) continue;
        sum += in_bytes ? static_cast<double>(g[*e].bytes) : g[*e].seconds + g[*e].back;
      }
      return sum;
    };
    each_assignment(g, request.devices, [&](const assignment& device_of) {
      if (used(device_of) != request.devices) return;
      for (std::size_t d = 0; d < request.devices; ++d) {
        const auto held = std::count(device_of.begin(), device_of.end(), d);
        if (static_cast<double>(held) > 1.5 * static_cast<double>(n) / static_cast<double>(request.devices)) return;
      }
      if (const double sum = sent(device_of); !best || sum < *best) best = sum;
    });
    // Seconds of a graph whose tensors take none would be bytes.
    const auto takes_time = [](const operator_edge& edge) {
      return edge.tensor->sent_seconds > 0 || edge.tensor->sent_back_seconds > 0;
    };
    if (!in_bytes && std::none_of(made.edges.begin(), made.edges.end(), takes_time)) continue;
    const auto found = stagecut::minimize_communication(made, request);
    CAPTURE(round);
    REQUIRE(found.has_value() == best.has_value());
    if (!best) continue;
    REQUIRE(found.state() == stagecut::state::optimal);
    REQUIRE(std::abs(found->value - *best) <= 1e-9);
    REQUIRE(std::abs(sent(found->assignment) - *best) <= 1e-9);
    ++solved;
  }
  CHECK(solved > 2000);
}

TEST_CASE("messages of a pipeline add up the tensors of a pair of stages") {
  graph g(3);
  add_edge(0, 1, tensor{3, 1, 2}, g);
  add_edge(0, 1, tensor{4, 2, 5}, g);
  add_edge(0, 2, tensor{8, 4, 1}, g);
  operator_graph made = converted(g, true);
  made.latency = 0.5;
  const auto found = stagecut::make_stage_pipeline(made, assignment{0, 1, 1}, 2);
  CHECK(found.send_forward == std::vector<double>{15.5});
  CHECK(found.send_backward == std::vector<double>{7.5});
}

TEST_CASE("tensors that are none, and two answers to what is sent, are refused") {
  graph g(3);
  add_edge(0, 1, tensor{3, 1, 2}, g);
  add_edge(1, 2, tensor{-1, -2, -3}, g);
  const auto said = [&](const stagecut::operator_maps<graph>& maps) {
    return refusal([&] { return make_operator_graph(g, maps); });
  };
  CHECK(said({.edge_sent_seconds = &tensor::seconds}) ==
        "edge 1 -> 2: edge_sent_seconds = -1.000000, must be finite and not negative");
  CHECK(said({.edge_sent_back_seconds = &tensor::back}) ==
        "edge 1 -> 2: edge_sent_back_seconds = -2.000000, must be finite and not negative");
  CHECK(said({.edge_bytes = &tensor::bytes}) == "edge 1 -> 2: edge_bytes = -3.000000, must be finite and not negative");
  CHECK(said({.workspace = -1}) == "vertex 0: workspace = -1.000000, must be finite and not negative");
  CHECK(said({.output = -1}) == "vertex 0: output = -1.000000, must be finite and not negative");
  const auto both = [](const char* names) {
    return "stagecut::make_operator_graph: maps = " + std::string(names) +
           ", must not both be given: an edge carries its producer's output or a tensor of its own";
  };
  CHECK(said({.sent_seconds = 1, .edge_bytes = 1}) == both("sent_seconds and edge_bytes"));
  CHECK(said({.sent_back_seconds = 1, .edge_sent_seconds = 1}) == both("sent_back_seconds and edge_sent_seconds"));
  CHECK(said({.output = 1, .edge_sent_back_seconds = 1}) == both("output and edge_sent_back_seconds"));
}
