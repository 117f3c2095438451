// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

/// Graphs and requests by chance, with all that they may hold.
namespace oracle {

/// How many times as many rounds as usual: STAGECUT_TEST_ROUNDS.
inline int times_as_many() {
  const char* const text = std::getenv("STAGECUT_TEST_ROUNDS");
  return text == nullptr || *text == '\0' ? 1 : std::max(1, std::atoi(text));
}

/// Draws.
class chance {
 public:
  explicit chance(std::uint64_t seed) : random_(seed) {}
  /// Below `count`.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  /// True with probability 1 / `cases`.
  bool one_in(std::size_t cases) { return below(cases) == 0; }
  /// A whole number, or one between, that is not above `most`.
  double figure(std::size_t most, bool whole) {
    const auto number = static_cast<double>(below(most + 1));
    return whole ? number : number * (0.5 + std::ldexp(static_cast<double>(random_() >> 12U), -53));
  }
  std::mt19937_64& engine() { return random_; }

 private:
  std::mt19937_64 random_;
};

struct load_case {
  stagecut::operator_graph graph{};
  stagecut::load_request request{};
};

inline void draw_operators(chance& random, std::size_t n, std::size_t most, load_case& result) {
  const bool whole = !random.one_in(3);
  const bool trains = random.one_in(2);
  const std::size_t idle = 1 + random.below(6);  // one of `idle` takes no time
  for (std::size_t v = 0; v < n; ++v) {
    stagecut::graph_operator each;
    if (!random.one_in(idle + 1) || idle == 1) each.forward = random.figure(9, whole);
    if (idle == 1 || !random.one_in(idle)) each.cpu = random.figure(30, whole);
    if (trains && each.forward != 0) each.backward = random.figure(12, whole);
    if (each.forward == 0 && random.one_in(2)) each.cpu = 0;
    each.sent_seconds = random.figure(4, whole);
    if (trains && random.one_in(2)) each.sent_back_seconds = random.figure(3, whole);
    each.resident = static_cast<double>(random.below(4));
    each.activations = static_cast<double>(random.below(4));
    each.on_cpu = random.below(4) != 0;
    each.on_accelerator = !(each.on_cpu && random.one_in(15));
    each.is_backward = trains && random.one_in(3);
    if (each.is_backward) std::swap(each.forward, each.backward);
    result.graph.operators.push_back(each);
  }
  if (random.one_in(2)) {
    const std::size_t groups = 1 + random.below(3);
    for (auto& each : result.graph.operators) {
      if (random.one_in(3)) each.group = 7 * random.below(groups);
    }
  }
  if (random.one_in(5)) {
    for (auto& each : result.graph.operators) {
      if (random.one_in(5)) each.stage = random.below(random.one_in(20) ? most + 1 : most);
    }
  }
}

inline void draw_edges(chance& random, stagecut::operator_graph& graph) {
  const std::size_t n = graph.operators.size();
  std::vector<std::size_t> order(n);
  for (std::size_t v = 0; v < n; ++v) order[v] = v;
  std::shuffle(order.begin(), order.end(), random.engine());
  const std::size_t shape = random.below(4);  // a tree, or denser and denser
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool join = shape == 0 ? j == i - 1 - random.below(std::min<std::size_t>(i, 3)) : random.one_in(2 * shape);
      if (!join || (graph.operators[order[j]].is_backward && !graph.operators[order[i]].is_backward)) continue;
      graph.edges.push_back({order[j], order[i]});
      if (random.one_in(30)) graph.edges.push_back({order[j], order[i]});
    }
  }
  std::shuffle(graph.edges.begin(), graph.edges.end(), random.engine());
}

/// Gives about half of the edges tensors of their own, and some of them a second one.
inline void draw_tensors(chance& random, stagecut::operator_graph& graph) {
  const bool whole = !random.one_in(3);
  const auto draw = [&] {
    return stagecut::edge_tensor{random.figure(4, whole), random.one_in(2) ? 0 : random.figure(3, whole),
                                 random.figure(5, whole)};
  };
  for (std::size_t i = graph.edges.size(); i-- > 0;) {
    if (random.one_in(2)) continue;
    graph.edges[i].tensor = draw();
    if (random.one_in(4)) graph.edges.push_back({graph.edges[i].from, graph.edges[i].to, draw()});
  }
}

inline void draw_options(chance& random, std::size_t stages, load_case& result) {
  stagecut::load_options& load = result.request.load;
  const bool whole = random.one_in(2);
  if (random.one_in(4)) load.overlap = stagecut::message_overlap::full;
  if (random.one_in(3)) load.constants.assign(1, random.figure(5, whole));
  if (random.one_in(6)) {
    load.constants.clear();
    for (std::size_t s = 0; s < stages; ++s) load.constants.push_back(random.figure(6, whole));
  }
  if (random.one_in(5)) {
    for (std::size_t s = 0; s < stages; ++s) load.speeds.push_back(0.5 + random.figure(4, whole) / 2);
  }
  if (random.one_in(2)) {
    double total = 0;
    for (const auto& each : result.graph.operators) total += each.resident + each.activations;
    for (const auto& each : result.graph.shared) total += each.resident;
    const double share = total / static_cast<double>(result.request.devices);
    load.memory_limit = std::floor(share * (0.8 + 0.1 * static_cast<double>(random.below(14))));
    load.in_flight = random.one_in(3);
    if (load.in_flight && random.one_in(2)) load.microbatches = 1 + random.below(3);
  }
}

/// A problem of at most `n` operators and `stages` stages.
inline load_case random_case(chance& random, std::size_t n, std::size_t stages) {
  load_case result;
  stagecut::load_request& request = result.request;
  request.cpus = random.one_in(2) ? 0 : random.below(std::min<std::size_t>(3, stages));
  request.devices = 1 + random.below(stages - request.cpus);
  request.at_most = random.one_in(2);
  draw_operators(random, random.one_in(300) ? 0 : 1 + random.below(n), request.devices + request.cpus, result);
  draw_edges(random, result.graph);
  if (random.one_in(3)) result.graph.latency = random.figure(3, true) / 4;
  const std::size_t count = result.graph.operators.size();
  for (std::size_t i = count > 0 && random.one_in(3) ? 1 + random.below(2) : 0; i > 0; --i) {
    stagecut::shared_parameters each{static_cast<double>(random.below(5)), {}};
    for (std::size_t j = 1 + random.below(3); j > 0; --j) each.operators.push_back(random.below(count));
    result.graph.shared.push_back(each);
  }
  draw_options(random, request.devices + request.cpus, result);
  return result;
}

}  // namespace oracle
