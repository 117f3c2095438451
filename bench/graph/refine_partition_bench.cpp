// SPDX-License-Identifier: BSL-1.0
// refine_partition: large graphs with layers in even slices, for messages between stages and for the heaviest stage,
// compared with the initial slices; and published graphs from cuts of one order, compared with the smallest load.
//
// Names: layered/OBJECTIVE/n:OPERATORS/k:STAGES, GRAPH/max-load/k:STAGES. Counters: `before` and `after`, the objective
// in seconds or, for published graphs, in percent above the smallest load; `passes`; `ms_a_pass`. Published graphs need
// STAGECUT_WORKLOADS.

#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/refine_partition.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "../workload_folder.hpp"
#include "layered_graph.hpp"
#include "published_graphs.hpp"
#include "thread_seconds.hpp"

namespace {

using stagecut::operator_graph;
using stagecut::refine_objective;

void refine(benchmark::State& state, const operator_graph& graph, const std::vector<std::size_t>& given,
            const stagecut::refine_request& request, double least) {
  stagecut::refined_partition found;
  const double begin = bench::thread_seconds();
  for (auto _ : state) found = *stagecut::refine_partition(graph, given, request);
  const double seconds = (bench::thread_seconds() - begin) / static_cast<double>(state.iterations());
  const auto shown = [&](double value) { return least > 0 ? 100 * (value / least - 1) : value; };
  state.counters["before"] = shown(found.before);
  state.counters["after"] = shown(found.value);
  state.counters["passes"] = static_cast<double>(found.passes);
  state.counters["ms_a_pass"] = 1e3 * seconds / static_cast<double>(found.passes);
}

/// Operators in even slices of their listed order.
std::vector<std::size_t> slices(std::size_t n, std::size_t k) {
  std::vector<std::size_t> result;
  for (std::size_t v = 0; v < n; ++v) result.push_back(v * k / n);
  return result;
}

void register_layered() {
  for (const auto& [name, objective] : stagecut::refine_objective_names) {
    for (const std::size_t n : {std::size_t{1000}, std::size_t{10000}, std::size_t{100000}}) {
      const bool makespan = objective == refine_objective::makespan;
      if (makespan && n > 1000) continue;
      stagecut::refine_request request;
      request.objective = objective;
      request.microbatches = 16;
      const std::string text = "layered/" + std::string(name) + "/n:" + std::to_string(n) + "/k:8";
      benchmark::RegisterBenchmark(
          text.c_str(),
          [=](benchmark::State& state) { refine(state, bench::layered_graph(n), slices(n, 8), request, 0); })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
  }
}

/// Operators in slices of a topological order, each up to an even share of the work.
std::vector<std::size_t> even_work(const operator_graph& graph, std::size_t k) {
  const stagecut::contraction parts(graph);
  double total = 0;
  for (const auto& each : graph.operators) total += each.forward + each.backward;
  std::vector<std::size_t> of_elements(parts.elements());
  double so_far = 0;
  for (const std::size_t e : parts.below().order()) {
    const auto stage = total > 0 ? static_cast<std::size_t>(so_far / total * static_cast<double>(k)) : 0;
    of_elements[e] = std::min(stage, k - 1);
    for (const std::size_t v : parts.operators_of(e))
      so_far += graph.operators[v].forward + graph.operators[v].backward;
  }
  return parts.expanded(of_elements);
}

void register_published(const std::filesystem::path& folder) {
  for (const char* const name : bench::published_graphs) {
    for (const std::size_t k : {std::size_t{4}, std::size_t{8}}) {
      const std::string text = std::string(name) + "/max-load/k:" + std::to_string(k);
      benchmark::RegisterBenchmark(text.c_str(),
                                   [=](benchmark::State& state) {
                                     const operator_graph graph = bench::published_graph(folder, name).graph;
                                     const auto best = stagecut::minimize_load(graph, {.devices = k, .at_most = true});
                                     stagecut::refine_request request;
                                     request.stages = k;
                                     request.may_empty = true;
                                     refine(state, graph, even_work(graph, k), request,
                                            best.state() == stagecut::state::optimal ? best->value : 0);
                                   })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_layered();
  if (const auto folder = bench::workload_folder("dnn-partitioning")) register_published(*folder);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
