// SPDX-License-Identifier: BSL-1.0
// minimize_communication: layered graphs in which each operator uses the outputs of two operators of the previous
// layer, and variables differ by operator.
//
// Names: KIND/n:OPERATORS/k:DEVICES, where KIND is `contiguous` or `anywhere`. Counters: `communication` and `bound` of
// the result; `proved`, 1 or 0; `nodes` of the exact search, 0 if there are too many elements. The program fails if an
// answer exceeds the memory of a device, or its communication differs from its placement's.

#include <stagecut/graph/minimize_communication.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

using stagecut::communication_problem;
using stagecut::communication_request;

bool wrong = false;

communication_problem layered(std::size_t n, std::size_t width) {
  std::mt19937_64 random(n);
  communication_problem problem;
  for (std::size_t v = 0; v < n; ++v) {
    problem.variables.push_back(static_cast<double>(random() % 10));
    for (int i = 0; i < 2 && v >= width; ++i) {
      const std::size_t from = (v / width - 1) * width + random() % width;
      problem.edges.push_back({from, v, static_cast<double>(1 + random() % 9)});
    }
  }
  return problem;
}

void check(const communication_problem& problem, const communication_request& request,
           const stagecut::communication_partition& found) {
  std::vector<double> variables(request.devices);
  double all = 0;
  double sum = 0;
  for (std::size_t v = 0; v < problem.variables.size(); ++v) {
    variables[found.assignment[v]] += problem.variables[v];
    all += problem.variables[v];
  }
  for (const auto& each : problem.edges) {
    if (found.assignment[each.from] != found.assignment[each.to]) sum += each.weight;
    wrong = wrong || (request.contiguous && found.assignment[each.from] > found.assignment[each.to]);
  }
  for (const double each : variables) {
    wrong = wrong || each > (1 + request.variable_imbalance) * all / static_cast<double>(request.devices) * (1 + 1e-9);
  }
  wrong = wrong || sum != found.value || found.bound > sum;
}

void place(benchmark::State& state, bool contiguous) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const communication_problem problem = layered(n, n <= 60 ? 5 : 25);
  communication_request request;
  request.devices = static_cast<std::size_t>(state.range(1));
  request.contiguous = contiguous;
  request.search.time_limit = 60;
  if (n > 60) request.variable_imbalance = request.operation_imbalance = 0.1;
  for (auto _ : state) {
    const auto found = stagecut::minimize_communication(problem, request);
    if (!found) return state.SkipWithError("no placement was found");
    check(problem, request, *found);
    state.counters["communication"] = found->value;
    state.counters["bound"] = found->bound;
    state.counters["proved"] = found.state() == stagecut::state::optimal ? 1 : 0;
    state.counters["nodes"] = static_cast<double>(found->statistics.nodes);
  }
}

void arguments(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "k"})->Unit(benchmark::kMillisecond)->Iterations(1)->MeasureProcessCPUTime();
  for (const std::int64_t n : {20, 40, 60, 1000, 10000, 100000}) {
    for (const std::int64_t k : {2, 4, 8}) {
      if (n > 60 || k < 8) bench->Args({n, k});
    }
  }
}
BENCHMARK_CAPTURE(place, contiguous, true)->Apply(arguments)->Name("contiguous");
BENCHMARK_CAPTURE(place, anywhere, false)->Apply(arguments)->Name("anywhere");

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  if (wrong) std::fprintf(stderr, "an answer does not hold\n");
  return wrong ? 1 : 0;
}
