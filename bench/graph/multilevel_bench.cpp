// SPDX-License-Identifier: BSL-1.0
// Large graphs partitioned by `multilevel`, compared with equal-weight slices of random orders and of orders by level
// and by depth.
//
// Names: WHAT/GRAPH/k:PARTS, where WHAT is the cut or the load. Counters: `median` and `best` of five seeds, `bound` a
// lower bound on every partition, `random`, `level`, `depth` for slices of these orders; `vertices`, and `MB` the peak
// memory of the process so far. Time is per call, the mean of the five.
//
// dagP (Herrmann et al., SISC 2019), the best of five seeds each with and without METIS, within 3 %: 2mm 200, 4,391 and
// 13,515 for k = 2, 8, 32; stencil 2,682, 9,664 and 20,315.

#include <stagecut/graph/dag_partition.hpp>
#include <stagecut/graph/multilevel.hpp>

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "generated_graphs.hpp"

namespace {

using stagecut::dag_objective;

/// The topological order defined by `take(ready)`, which removes the next vertex.
template <class Take>
std::vector<std::uint32_t> ordered(const bench::generated_graph& g, const Take& take) {
  std::vector<std::vector<std::uint32_t>> next(g.size());
  std::vector<std::size_t> waits(g.size());
  for (const auto& each : g.edges()) next[each.from].push_back(each.to), ++waits[each.to];
  std::vector<std::uint32_t> ready;
  std::vector<std::uint32_t> result;
  for (std::size_t v = 0; v < g.size(); ++v) {
    if (waits[v] == 0) ready.push_back(static_cast<std::uint32_t>(v));
  }
  for (std::size_t taken = 0; taken < ready.size() || !ready.empty();) {
    const std::uint32_t v = take(ready, taken);
    result.push_back(v);
    if (result.size() == g.size()) break;
    for (const std::uint32_t to : next[v]) {
      if (--waits[to] == 0) ready.push_back(to);
    }
  }
  return result;
}

std::int64_t sliced(const bench::generated_graph& g, const stagecut::weighted_dag& dag, std::size_t parts, int how,
                    dag_objective objective) {
  std::mt19937_64 random(1);
  const auto order = ordered(g, [&](std::vector<std::uint32_t>& ready, std::size_t& taken) {
    if (how == 1) return ready[taken++];  // by level, or nearly: first in, first out
    std::swap(ready.back(), ready[how == 0 ? random() % ready.size() : ready.size() - 1]);
    const std::uint32_t v = ready.back();
    ready.pop_back();
    return v;
  });
  std::vector<std::size_t> part_of(g.size());
  for (std::size_t i = 0; i < order.size(); ++i) part_of[order[i]] = i * parts / order.size();
  const auto found = stagecut::measure_partition(dag, part_of, parts);
  return objective == dag_objective::load ? found.load() : found.value;
}

void cut_graph(benchmark::State& state, const bench::generated_graph& g, dag_objective objective) {
  const stagecut::weighted_dag dag = g.dag();
  const auto parts = static_cast<std::size_t>(state.range(0));
  std::vector<std::int64_t> values;
  std::int64_t bound = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    stagecut::multilevel_request request{.parts = parts, .objective = objective};
    request.search.seed = ++seed;
    const auto found = stagecut::multilevel(dag, request);
    if (!found) {
      state.SkipWithError("no parts were found");
      return;
    }
    values.push_back(objective == dag_objective::load ? found->load() : found->value);
    bound = found->bound;
  }
  std::sort(values.begin(), values.end());
  state.counters["median"] = static_cast<double>(values[values.size() / 2]);
  state.counters["best"] = static_cast<double>(values[0]);
  state.counters["bound"] = static_cast<double>(bound);
  state.counters["random"] = static_cast<double>(sliced(g, dag, parts, 0, objective));
  state.counters["level"] = static_cast<double>(sliced(g, dag, parts, 1, objective));
  state.counters["depth"] = static_cast<double>(sliced(g, dag, parts, 2, objective));
  state.counters["vertices"] = static_cast<double>(dag.size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

struct case_of {
  const char* name;
  bench::generated_graph (*make)();
};
constexpr case_of cases[] = {
    {"transformer_1e4", [] { return bench::transformer(8, 10, 8); }},
    {"2mm", [] { return bench::two_products(10, 20, 30, 40); }},
    {"stencil", [] { return bench::stencil(60, 10); }},
    {"layered", [] { return bench::layered(365, 100); }},
    {"transformer_2e4", [] { return bench::transformer(12, 14, 8); }},
    {"transformer_1e5", [] { return bench::transformer(24, 31, 10); }},
    {"transformer_1e6", [] { return bench::transformer(80, 80, 10); }},
};

void add(const case_of& each, dag_objective objective, std::initializer_list<int> parts) {
  const char* const what = objective == dag_objective::load ? "load/" : "cut/";
  auto* const added = benchmark::RegisterBenchmark(
      (what + std::string(each.name)).c_str(),
      [&each, objective](benchmark::State& state) { cut_graph(state, each.make(), objective); });
  for (const int k : parts) added->Arg(k);
  added->ArgName("k")->Iterations(5)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
}

}  // namespace

int main(int count, char** words) {
  for (const case_of& each : cases) {
    add(each, dag_objective::cut, {2, 4, 8, 16, 32});
    add(each, dag_objective::load, {8, 32});
  }
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return EXIT_FAILURE;
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}
