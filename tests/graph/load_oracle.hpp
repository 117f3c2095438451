// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

/// The least load of a graph as it is defined: all assignments of operators to stages, each priced operator by operator.
namespace oracle {

using stagecut::graph_operator;
using stagecut::graph_stage;
using stagecut::load_options;
using stagecut::load_request;
using stagecut::operator_edge;
using stagecut::operator_graph;
using stagecut::shared_parameters;

/// A set of operators: bit v is operator v.
using operators = std::uint32_t;

inline bool holds(operators set, std::size_t v) { return (set >> v & 1U) != 0; }

/// Of the backward pass, and its group holds some of the forward pass: it stands where these do.
inline bool follows(const operator_graph& graph, std::size_t v) {
  const graph_operator& here = graph.operators[v];
  if (!here.is_backward || here.group == graph_operator::none) return false;
  return std::any_of(graph.operators.begin(), graph.operators.end(),
                     [&](const graph_operator& other) { return other.group == here.group && !other.is_backward; });
}

/// Whether two operators may stand on these stages.
inline bool may_stand(const operator_graph& graph, const std::vector<bool>& following, std::size_t a, std::size_t at_a,
                      std::size_t b, std::size_t at_b) {
  const graph_operator& first = graph.operators[a];
  const graph_operator& second = graph.operators[b];
  if (first.group != graph_operator::none && first.group == second.group && at_a != at_b) return false;
  for (const operator_edge& edge : graph.edges) {
    if (!(edge.from == a && edge.to == b) && !(edge.from == b && edge.to == a)) continue;
    const std::size_t from = edge.from == a ? at_a : at_b;
    const std::size_t to = edge.to == a ? at_a : at_b;
    const bool back = graph.operators[edge.from].is_backward;
    if (back != graph.operators[edge.to].is_backward) continue;
    if (!back && from > to) return false;
    if (back && !(following[edge.from] && following[edge.to]) && from < to) return false;
  }
  return true;
}

/// Calls `visit(stage_of)` for all assignments of operators to `stages` stages, possibly empty, that edges and groups
/// allow.
template <class Visit>
void for_each_assignment(const operator_graph& graph, std::size_t stages, const Visit& visit) {
  const std::size_t n = graph.operators.size();
  std::vector<bool> following;
  for (std::size_t v = 0; v < n; ++v) following.push_back(follows(graph, v));
  // Of every pair of operators and stages whether they may stand so.
  std::vector<bool> allowed(n * stages * n * stages);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t at = 0; at < stages * stages; ++at) {
        const std::size_t at_a = at / stages;
        const std::size_t at_b = at % stages;
        allowed[((a * stages + at_a) * n + b) * stages + at_b] = may_stand(graph, following, a, at_a, b, at_b);
      }
    }
  }
  std::vector<std::size_t> stage_of(n);
  const auto place = [&](const auto& self, std::size_t v) -> void {
    if (v == n) return visit(stage_of);
    for (std::size_t s = 0; s < stages; ++s) {
      bool fits = true;
      for (std::size_t u = 0; u < v && fits; ++u) fits = allowed[((v * stages + s) * n + u) * stages + stage_of[u]];
      if (!fits) continue;
      stage_of[v] = s;
      self(self, v + 1);
    }
  };
  place(place, 0);
}

/// What a set takes as a stage, and whether it may be one.
struct priced {
  graph_stage figures{};
  bool fits = true;
};

/// What the set receives and sends: each producer's output once, and the tensor of each edge that has one.
inline void add_messages(const operator_graph& graph, operators set, double& forward, double& backward) {
  for (std::size_t u = 0; u < graph.operators.size(); ++u) {
    bool inside = false;
    bool outside = false;
    for (const operator_edge& edge : graph.edges) {
      if (edge.from != u) continue;
      if (edge.tensor) {
        if (holds(set, edge.from) == holds(set, edge.to)) continue;
        (graph.operators[u].is_backward ? backward : forward) += edge.tensor->sent_seconds + graph.latency;
        if (edge.tensor->sent_back_seconds > 0) backward += edge.tensor->sent_back_seconds + graph.latency;
        continue;
      }
      for (const std::size_t end : {edge.from, edge.to}) (holds(set, end) ? inside : outside) = true;
    }
    if (!inside || !outside) continue;
    const graph_operator& from = graph.operators[u];
    (from.is_backward ? backward : forward) += from.sent_seconds + graph.latency;
    if (from.sent_back_seconds > 0) backward += from.sent_back_seconds + graph.latency;
  }
}

inline priced price(const operator_graph& graph, const load_options& options, operators set, bool on_cpu,
                    std::size_t stage, std::size_t stages) {
  priced result;
  graph_stage& figures = result.figures;
  figures.on_cpu = on_cpu;
  double activations = 0;
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    if (!holds(set, v)) continue;
    const graph_operator& each = graph.operators[v];
    figures.forward += on_cpu ? each.cpu : each.forward;
    figures.backward += on_cpu ? 0 : each.backward;
    figures.memory += each.resident;
    activations += each.activations;
    result.fits = result.fits && (on_cpu ? each.on_cpu : each.on_accelerator);
    result.fits = result.fits && (each.stage == graph_operator::none || each.stage == stage);
  }
  for (const shared_parameters& parameters : graph.shared) {
    const bool held =
        std::any_of(parameters.operators.begin(), parameters.operators.end(), [&](auto v) { return holds(set, v); });
    figures.memory += held ? parameters.resident : 0;
  }
  std::size_t kept = options.in_flight ? stages - stage : 1;
  if (options.in_flight && options.microbatches != 0 && options.microbatches < kept) kept = options.microbatches;
  figures.memory += static_cast<double>(kept) * activations;
  result.fits = result.fits && (on_cpu || !options.memory_limit || figures.memory <= *options.memory_limit);
  double forward = 0;
  double backward = 0;
  if (!on_cpu) {
    add_messages(graph, set, forward, backward);
    if (!options.speeds.empty()) {
      figures.forward /= options.speeds[stage];
      figures.backward /= options.speeds[stage];
    }
  }
  figures.communication = forward + backward;
  figures.load = options.overlap == stagecut::message_overlap::none
                     ? figures.forward + figures.backward + figures.communication
                     : std::max(figures.forward, forward) + std::max(figures.backward, backward);
  if (!options.constants.empty()) figures.load += options.constants[options.constants.size() == 1 ? 0 : stage];
  return result;
}

/// The least of the greatest values over all partitions, where `value(set, kind, stage, stages)` is what a set takes, or
/// nothing where it may not be such a stage; nothing if there is no partition.
template <class Value, class Price>
std::optional<Value> least_value(const operator_graph& graph, const load_request& request, const Price& value) {
  std::optional<Value> best;
  const std::size_t n = graph.operators.size();
  if (n == 0 && request.at_most) return Value{};
  for (std::size_t stages = 1; stages <= std::min(n, request.devices + request.cpus); ++stages) {
    std::vector<std::optional<Value>> table(stages * 2 << n);  // of every stage, kind and set
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto set = static_cast<operators>(i & ((std::size_t{1} << n) - 1));
      const std::size_t rest = i >> n;
      if (set != 0) table[i] = value(set, rest % 2, rest / 2, stages);
    }
    for_each_assignment(graph, stages, [&](const std::vector<std::size_t>& stage_of) {
      std::vector<operators> sets(stages);
      for (std::size_t v = 0; v < n; ++v) sets[stage_of[v]] |= 1U << v;
      for (std::size_t kinds = 0; kinds < std::size_t{1} << stages; ++kinds) {
        const auto cpus = static_cast<std::size_t>(__builtin_popcountll(kinds));
        if (cpus > request.cpus || stages - cpus > request.devices) continue;
        if (!request.at_most && stages - cpus != request.devices) continue;
        Value most{};
        bool fits = true;
        for (std::size_t s = 0; s < stages && fits; ++s) {
          const std::optional<Value>& each = table[((s * 2 + (kinds >> s & 1U)) << n) + sets[s]];
          fits = each.has_value();
          if (fits && most < *each) most = *each;
        }
        if (fits && (!best || most < *best)) best = most;
      }
    });
  }
  return best;
}

inline std::optional<double> least_load(const operator_graph& graph, const load_request& request) {
  return least_value<double>(graph, request,
                             [&](operators set, std::size_t kind, std::size_t stage, std::size_t stages) {
                               const priced each = price(graph, request.load, set, kind != 0, stage, stages);
                               return each.fits ? std::optional<double>(each.figures.load) : std::nullopt;
                             });
}

inline bool close(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

/// What is wrong with an answer; empty: nothing.
inline std::string wrong_with(const operator_graph& graph, const load_request& request,
                              const stagecut::graph_partition& answer) {
  const std::size_t n = graph.operators.size();
  const std::size_t stages = answer.stages.size();
  if (answer.assignment.size() != n) return "not every operator has a stage";
  std::vector<operators> sets(stages);
  for (std::size_t v = 0; v < n; ++v) {
    if (answer.assignment[v] >= stages) return "an operator on a stage that there is not";
    sets[answer.assignment[v]] |= 1U << v;
  }
  std::vector<bool> following;
  for (std::size_t v = 0; v < n; ++v) following.push_back(follows(graph, v));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!may_stand(graph, following, a, answer.assignment[a], b, answer.assignment[b]))
        return "an edge or a group broken";
    }
  }
  std::size_t cpus = 0;
  double most = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    const graph_stage& said = answer.stages[s];
    cpus += said.on_cpu ? 1 : 0;
    if (sets[s] == 0) return "an empty stage";
    const priced right = price(graph, request.load, sets[s], said.on_cpu, s, stages);
    if (!right.fits) return "a stage that may not be";
    const graph_stage& is = right.figures;
    const bool same = close(is.load, said.load) && close(is.forward, said.forward) &&
                      close(is.backward, said.backward) && close(is.communication, said.communication) &&
                      close(is.memory, said.memory);
    if (!same) return "figures of a stage";
    most = std::max(most, said.load);
  }
  if (most != answer.value) return "the load";
  if (cpus > request.cpus || stages - cpus > request.devices) return "more devices than there are";
  if (!request.at_most && stages - cpus != request.devices) return "an accelerator without a stage";
  return answer.bound <= answer.value ? "" : "a bound above the load";
}

}  // namespace oracle
