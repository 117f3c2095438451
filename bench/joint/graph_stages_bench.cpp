// SPDX-License-Identifier: BSL-1.0
// Graphs with branches, from $STAGECUT_WORKLOADS/pipedream: `GRAPH/DEVICES`, for the shortest iteration of 16
// microbatches on machines of 4 devices, with any power of 2 of replicas. `gap_%` is the optimality gap of the
// iteration, `one_stage` the iteration with data parallelism only, `work` the time of all devices for the layers
// without waiting.

#include <stagecut/io/read_profile.hpp>
#include <stagecut/joint/plan_hybrid.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <utility>

#include "../workload_folder.hpp"

namespace {

void measure(benchmark::State& state, const stagecut::profile& model, std::size_t machines) {
  stagecut::hybrid_plan_request request;
  request.choices.machine = stagecut::topology({4, machines}, {{5e-6, 12e9}, {2e-5, 1.25e9}});
  request.pipeline.devices = request.choices.machine.devices();
  request.pipeline.microbatches = 16;
  request.pipeline.search.time_limit = 20;
  request.choices.replicas.clear();
  for (std::size_t each = 1; each <= request.pipeline.devices; each *= 2) request.choices.replicas.push_back(each);
  double work = 0;
  for (const auto& each : model.layers) work += each.time();
  for (auto _ : state) {
    const auto best = stagecut::plan_hybrid(model, request);
    if (!best) return state.SkipWithError(best.why().text().c_str());
    state.counters["iteration"] = best->objective.value;
    state.counters["gap_%"] = 100 * best->objective.gap();
    state.counters["stages"] = static_cast<double>(best->stages.size());
  }
  request.pipeline.stages = 1;
  if (const auto alone = stagecut::plan_hybrid(model, request)) state.counters["one_stage"] = alone->objective.value;
  state.counters["work"] = 16 * work / static_cast<double>(request.pipeline.devices);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto folder = bench::workload_folder("pipedream");
  if (!folder) return 0;
  for (const std::string name : {"squeezenet1_0", "resnet18", "resnet50", "resnext50", "gnmt_large", "nasnetamobile"}) {
    const auto model = stagecut::io::read_profile((*folder / "pipedream" / (name + ".txt")).string());
    for (const std::size_t machines : {2, 4}) {
      benchmark::RegisterBenchmark((name + "/" + std::to_string(4 * machines)).c_str(),
                                   [model, machines](benchmark::State& state) { measure(state, model, machines); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
