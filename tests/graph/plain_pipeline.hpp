// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/stage_pipeline.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

// What the tests of pipelines of graphs compare with, written from the definitions alone: sums over sets, an iteration
// op by op, all assignments, all warm-up counts.

/// An iteration, or that it stands still.
struct reference_simulator {
  bool ends = false;
  double makespan = 0;
};

/// Every device runs its list of ops; whoever's next op has all it needs runs it, until nobody can.
inline reference_simulator run_plainly(const stagecut::stage_pipeline& of, const std::vector<std::size_t>& warm_up, std::size_t m,
                             bool link) {
  struct work {
    bool back;
    std::size_t k;
  };
  const std::size_t stages = of.stages();
  std::vector<std::vector<work>> lists(stages);
  for (std::size_t s = 0; s < stages; ++s) {
    std::size_t forward = 0;
    std::size_t back = 0;
    while (forward < std::min(warm_up[s], m)) lists[s].push_back({false, forward++});
    while (back < m) {
      if (forward < m) lists[s].push_back({false, forward++});
      lists[s].push_back({true, back++});
    }
  }
  const double never = -1;
  // When what edge e carries is there, by microbatch; and when its link is free.
  std::vector<std::vector<double>> down(of.edges.size(), std::vector<double>(m, never));
  std::vector<std::vector<double>> up = down;
  std::vector<double> free_down(of.edges.size(), 0);
  std::vector<double> free_up = free_down;
  std::vector<std::size_t> at(stages, 0);
  std::vector<double> clock(stages, 0);
  std::size_t left = 2 * m * stages;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < stages; ++s) {
      if (at[s] == lists[s].size()) continue;
      const work next = lists[s][at[s]];
      double begin = clock[s];
      bool ready = true;
      for (std::size_t e = 0; e < of.edges.size(); ++e) {
        if ((next.back ? of.edges[e].from : of.edges[e].to) != s) continue;
        const double there = (next.back ? up : down)[e][next.k];
        ready = ready && there != never;
        begin = std::max(begin, there);
      }
      if (!ready) continue;
      moved = true;
      ++at[s];
      --left;
      clock[s] = begin + (next.back ? of.backward : of.forward)[s];
      for (std::size_t e = 0; e < of.edges.size(); ++e) {
        if ((next.back ? of.edges[e].to : of.edges[e].from) != s) continue;
        double& free = (next.back ? free_up : free_down)[e];
        free = (link ? std::max(free, clock[s]) : clock[s]) + (next.back ? of.send_backward : of.send_forward)[e];
        (next.back ? up : down)[e][next.k] = free;
      }
    }
  }
  return {left == 0, *std::max_element(clock.begin(), clock.end())};
}

/// What the stages take and send, by sets.
inline stagecut::stage_pipeline pipeline_plainly(const stagecut::operator_graph& graph,
                                                 const std::vector<std::size_t>& stage_of, std::size_t stages) {
  stagecut::stage_pipeline result;
  for (auto* each : {&result.forward, &result.backward, &result.resident, &result.activations}) each->assign(stages, 0);
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t v = 0; v < stage_of.size(); ++v) {
      const stagecut::graph_operator& each = graph.operators[v];
      if (stage_of[v] != s) continue;
      if (!each.is_backward) result.forward[s] += each.forward;
      result.backward[s] += each.backward + (each.is_backward ? each.forward : 0);
      result.resident[s] += each.resident;
      result.activations[s] += each.activations;
    }
    for (const stagecut::shared_parameters& parameters : graph.shared) {
      const bool here = std::any_of(parameters.operators.begin(), parameters.operators.end(),
                                    [&](std::size_t v) { return stage_of[v] == s; });
      if (here) result.resident[s] += parameters.resident;
    }
  }
  for (std::size_t a = 0; a < stages; ++a) {
    for (std::size_t b = a + 1; b < stages; ++b) {
      std::set<std::size_t> sent_down;
      std::set<std::size_t> sent_up;
      std::set<std::size_t> returned;
      double tensors_down = 0;
      double tensors_up = 0;
      bool joined = false;
      for (const stagecut::operator_edge& edge : graph.edges) {
        const bool leads_down = stage_of[edge.from] == a && stage_of[edge.to] == b;
        const bool leads_up = stage_of[edge.from] == b && stage_of[edge.to] == a;
        joined = joined || leads_down || leads_up;
        if (edge.tensor) {
          if (leads_down) tensors_down += edge.tensor->sent_seconds;
          if (leads_down && !graph.operators[edge.to].is_backward) tensors_up += edge.tensor->sent_back_seconds;
          if (leads_up) tensors_up += edge.tensor->sent_seconds;
          continue;
        }
        if (stage_of[edge.from] == a && stage_of[edge.to] == b) {
          sent_down.insert(edge.from);
          if (!graph.operators[edge.to].is_backward) returned.insert(edge.from);
        }
        if (stage_of[edge.from] == b && stage_of[edge.to] == a) sent_up.insert(edge.from);
      }
      if (!joined) continue;
      double down = graph.latency + tensors_down;
      double up = graph.latency + tensors_up;
      for (const std::size_t v : sent_down) down += graph.operators[v].sent_seconds;
      for (const std::size_t v : sent_up) up += graph.operators[v].sent_seconds;
      for (const std::size_t v : returned) up += graph.operators[v].sent_back_seconds;
      result.edges.push_back({a, b});
      result.send_forward.push_back(down);
      result.send_backward.push_back(up);
    }
  }
  return result;
}

/// Shows every vector of counts below the given ones.
inline void each_vector(const std::vector<std::size_t>& bounds,
                        const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> at(bounds.size(), 0);
  for (;;) {
    visit(at);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == bounds[i]) at[i++] = 0;
    if (i == at.size()) return;
  }
}

/// Whether edges, groups and fixed stages allow an assignment.
inline bool is_allowed(const stagecut::operator_graph& graph, const std::vector<std::size_t>& stage_of) {
  for (const stagecut::operator_edge& edge : graph.edges) {
    const bool back = graph.operators[edge.from].is_backward;
    if (back != graph.operators[edge.to].is_backward) continue;
    if (back ? stage_of[edge.from] < stage_of[edge.to] : stage_of[edge.from] > stage_of[edge.to]) return false;
  }
  for (std::size_t v = 0; v < stage_of.size(); ++v) {
    const stagecut::graph_operator& each = graph.operators[v];
    if (each.stage != stagecut::graph_operator::none && each.stage != stage_of[v]) return false;
    for (std::size_t u = 0; u < v && each.group != stagecut::graph_operator::none; ++u) {
      if (graph.operators[u].group == each.group && stage_of[u] != stage_of[v]) return false;
    }
  }
  return true;
}

/// The least makespan of all assignments to `stages` stages, none empty unless `at_most`, and all counts; negative:
/// none keeps to the memory.
inline double best_plainly(const stagecut::operator_graph& graph, std::size_t stages, std::size_t m, bool link,
                           double memory, bool at_most = false) {
  double best = -1;
  each_vector(std::vector<std::size_t>(graph.operators.size(), stages), [&](const std::vector<std::size_t>& stage_of) {
    if (!is_allowed(graph, stage_of)) return;
    const std::set<std::size_t> used(stage_of.begin(), stage_of.end());
    if (!at_most && used.size() != stages) return;
    const stagecut::stage_pipeline of = pipeline_plainly(graph, stage_of, stages);
    for (std::size_t s = 0; s < stages; ++s) {
      if (best >= 0 && static_cast<double>(m) * (of.forward[s] + of.backward[s]) >= best) return;
    }
    each_vector(std::vector<std::size_t>(stages, m), [&](const std::vector<std::size_t>& warm_up) {
      for (std::size_t s = 0; s < stages; ++s) {
        const double peak = static_cast<double>(std::min(warm_up[s] + 1, m)) * of.activations[s];
        if (of.resident[s] + peak > memory) return;
      }
      const reference_simulator found = run_plainly(of, warm_up, m, link);
      if (found.ends && (best < 0 || found.makespan < best)) best = found.makespan;
    });
  });
  return best;
}

/// Small random graphs; all numbers are whole, so that sums are exact.
class random_graphs {
 public:
  explicit random_graphs(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }
  [[nodiscard]] double number(std::size_t most) { return static_cast<double>(up_to(most)); }

  /// The features of the graphs in addition to operators and edges.
  struct shape {
    bool groups = false;
    bool backward = false;  ///< operators of the backward pass
    bool shared = false;
    bool fixed = false;  ///< an operator or two on stages below 2
    bool messages = true;
  };

  [[nodiscard]] stagecut::operator_graph next(std::size_t n, const shape& of) {
    stagecut::operator_graph graph;
    const std::size_t density = 1 + up_to(3);
    const std::size_t scale = of.messages ? up_to(2) * 3 : 0;
    for (std::size_t v = 0; v < n; ++v) {
      stagecut::graph_operator each;
      each.is_backward = of.backward && v >= (n + 1) / 2;
      each.forward = each.is_backward ? 0 : 1 + number(8);
      each.backward = up_to(1) == 0 ? 2 * each.forward : number(12);
      each.sent_seconds = number(scale);
      each.sent_back_seconds = each.is_backward ? 0 : number(scale);
      each.resident = number(5);
      each.activations = number(3);
      if (of.groups && up_to(3) == 0) each.group = up_to(1);
      if (of.fixed && up_to(n) == 0) each.stage = up_to(1);
      graph.operators.push_back(each);
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        if (up_to(6) < density) graph.edges.push_back({a, b});
      }
    }
    if (of.shared) graph.shared.push_back({1 + number(6), {0, n / 2, n - 1}});
    graph.latency = number(scale == 0 ? 0 : 2);
    return graph;
  }

  /// Gives about half of the edges tensors of their own, some of them a second one.
  void add_tensors(stagecut::operator_graph& graph) {
    for (std::size_t i = graph.edges.size(); i-- > 0;) {
      if (up_to(1) == 0) continue;
      const bool back = graph.operators[graph.edges[i].from].is_backward;
      graph.edges[i].tensor = {number(6), back ? 0 : number(4), number(3)};
      if (up_to(2) != 0) continue;
      graph.edges.push_back(graph.edges[i]);
      graph.edges.back().tensor->sent_seconds = number(6);
    }
  }

 private:
  std::mt19937 random_;
};
