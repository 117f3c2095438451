// SPDX-License-Identifier: BSL-1.0
// Plans of graphs by the makespan, compared with plans of smallest load and with a chain in the listed order of
// operators.
//
// Names: GRAPH/k:4/m:MICROBATCHES. Each is planned once. Counters, in units of the makespan found: `least_load`, the
// smallest makespan of all assignments with the smallest bottleneck, with counts by rank or by depth; `rank_or_depth`,
// the same for all assignments; `runs`, for all cuts of the listed order; `chain`, for those as a chain of stages that
// forward what later ones need, with 1F1B's counts; `best`, for all assignments with counts chosen for them. The
// program fails if one beats the plan by more than a thousandth.

#include <stagecut/graph/minimize_graph_makespan.hpp>
#include <stagecut/graph/stage_makespan.hpp>
#include <stagecut/graph/warm_up.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using stagecut::operator_graph;
using stagecut::stage_makespan;
using stagecut::stage_pipeline;
using stagecut::transfer_kind;
using assignment = std::vector<std::size_t>;

bool beaten = false;

operator_graph graph_of(const std::vector<double>& forward, const std::vector<stagecut::operator_edge>& edges,
                        const std::vector<double>& sent) {
  operator_graph result;
  for (std::size_t v = 0; v < forward.size(); ++v) {
    stagecut::graph_operator each;
    each.forward = forward[v];
    each.backward = 2 * forward[v];
    each.sent_seconds = each.sent_back_seconds = sent.empty() ? 0 : sent[v];
    result.operators.push_back(each);
  }
  result.edges = edges;
  return result;
}

struct named_graph {
  const char* name;
  operator_graph graph;
};

/// Typical model shapes; the figures are made up.
std::vector<named_graph> graphs() {
  std::vector<named_graph> result;
  // Down and up again, with connections at each level: messages shrink with the level.
  result.push_back(
      {"unet",
       graph_of(
           {3, 3, 4, 4, 5, 5, 4, 4, 3, 3},
           {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}, {0, 9}, {1, 8}, {2, 7}, {3, 6}},
           {1, 1, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 1, 1})});
  // Two blocks of four branches.
  result.push_back({"inception", graph_of({2, 1, 3, 5, 2, 1, 1, 4, 6, 2},
                                          {{0, 1},
                                           {0, 2},
                                           {0, 3},
                                           {0, 4},
                                           {1, 5},
                                           {2, 5},
                                           {3, 5},
                                           {4, 5},
                                           {5, 6},
                                           {5, 7},
                                           {5, 8},
                                           {6, 9},
                                           {7, 9},
                                           {8, 9}},
                                          {0.5, 0.2, 0.2, 0.2, 0.2, 0.5, 0.2, 0.2, 0.2, 0.5})});
  // Six layers for images and four for text, joined by one.
  result.push_back(
      {"towers", graph_of({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4},
                          {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 10}, {6, 7}, {7, 8}, {8, 9}, {9, 10}}, {})});
  // Encoders with five light and two heavy layers, joined by two.
  result.push_back({"encoders", graph_of({2, 2, 2, 2, 2, 5, 5, 3, 3},
                                         {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 7}, {5, 6}, {6, 7}, {7, 8}}, {})});
  return result;
}

/// Visits all assignments of the listed operators in topological order, without an empty stage.
void each_assignment(const operator_graph& graph, std::size_t k, const std::function<void(const assignment&)>& visit) {
  assignment at(graph.operators.size());
  std::vector<std::size_t> used(k);
  std::function<void(std::size_t)> place = [&](std::size_t v) {
    if (v == at.size()) {
      if (std::find(used.begin(), used.end(), 0U) == used.end()) visit(at);
      return;
    }
    std::size_t least = 0;
    for (const stagecut::operator_edge& each : graph.edges) {
      if (each.to == v) least = std::max(least, at[each.from]);
    }
    for (std::size_t s = least; s < k; ++s) {
      at[v] = s;
      ++used[s];
      place(v + 1);
      --used[s];
    }
  };
  place(0);
}

double heaviest(const stage_pipeline& of) {
  double result = 0;
  for (std::size_t s = 0; s < of.stages(); ++s) {
    double load = of.forward[s] + of.backward[s];
    for (std::size_t e = 0; e < of.edges.size(); ++e) {
      if (of.edges[e].from == s || of.edges[e].to == s) load += of.send_forward[e] + of.send_backward[e];
    }
    result = std::max(result, load);
  }
  return result;
}

/// The results of the alternatives.
struct rivals {
  double least_load = 1e300;
  double rank_or_depth = 1e300;
  double runs = 1e300;
  double chain = 1e300;
  double best = 1e300;
};

rivals look_at_all(const operator_graph& graph, std::size_t k, std::size_t m) {
  rivals result;
  double lightest = 1e300;
  each_assignment(graph, k, [&](const assignment& stage_of) {
    const stage_pipeline of = stagecut::make_stage_pipeline(graph, stage_of, k);
    stage_makespan price(of, m, transfer_kind::latency);
    const auto rank = stagecut::warm_up_by_rank(k);
    const double found = std::min(price(rank), price(stagecut::warm_up_by_depth(of)));
    const double load = heaviest(of);
    if (load < lightest * (1 - 1e-12)) lightest = load, result.least_load = found;
    if (load <= lightest * (1 + 1e-12)) result.least_load = std::min(result.least_load, found);
    result.rank_or_depth = std::min(result.rank_or_depth, found);
    if (found < result.best * 1.2) {
      result.best = std::min(result.best, stagecut::choose_warm_up(of, m, transfer_kind::latency)->makespan);
    }
    if (!std::is_sorted(stage_of.begin(), stage_of.end())) return;
    result.runs = std::min(result.runs, found);
    stage_pipeline chain = of;  // tensors for later stages are forwarded by the stages between
    chain.edges.clear();
    chain.send_forward.assign(k - 1, 0);
    for (std::size_t s = 0; s + 1 < k; ++s) chain.edges.push_back({s, s + 1});
    for (std::size_t e = 0; e < of.edges.size(); ++e) {
      for (std::size_t s = of.edges[e].from; s < of.edges[e].to; ++s) chain.send_forward[s] += of.send_forward[e];
    }
    chain.send_backward = chain.send_forward;
    result.chain = std::min(result.chain, stage_makespan(chain, m, transfer_kind::latency)(rank));
  });
  return result;
}

void plan(benchmark::State& state, const operator_graph& graph, std::size_t m) {
  constexpr std::size_t k = 4;
  stagecut::graph_makespan_request request;
  request.devices = k;
  request.microbatches = m;
  request.transfers = transfer_kind::latency;
  stagecut::graph_makespan found;
  for (auto _ : state) found = *stagecut::minimize_graph_makespan(graph, request);
  const rivals others = look_at_all(graph, k, m);
  const auto tell = [&](const char* name, double makespan) {
    state.counters[name] = makespan / found.value;
    if (makespan < found.value * 0.999) beaten = true, std::fprintf(stderr, "%s is shorter\n", name);
  };
  tell("least_load", others.least_load);
  tell("rank_or_depth", others.rank_or_depth);
  tell("runs", others.runs);
  tell("chain", others.chain);
  tell("best", others.best);
  state.counters["makespan"] = found.value;
  state.counters["gap_percent"] = 100 * found.gap();
  state.counters["simulations"] = static_cast<double>(found.statistics.nodes);
}

}  // namespace

int main(int argc, char** argv) {
  const auto all = graphs();
  for (const named_graph& each : all) {
    for (const std::size_t m : {4U, 8U, 16U}) {
      const std::string name = std::string(each.name) + "/k:4/m:" + std::to_string(m);
      benchmark::RegisterBenchmark(name.c_str(), plan, each.graph, m)->Iterations(1)->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return beaten ? 1 : 0;
}
