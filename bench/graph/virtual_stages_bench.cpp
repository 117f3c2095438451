// SPDX-License-Identifier: BSL-1.0
// virtual_stages: published graphs for which several chunks per device take less than the smallest load with one.
//
// Names: GRAPH/k:ACCELERATORS/c:CPUS/v:CHUNKS. Counters: `load`, `bound` and `contiguous`, the smallest load with one
// chunk per device, milliseconds; `gain_percent`, the reduction from that to the load; `chunks`, in total. The devices'
// memory is from the files, and rounds are limited, so that answers do not depend on the machine. Graphs need
// STAGECUT_WORKLOADS.

#include <stagecut/graph/virtual_stages.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "../workload_folder.hpp"
#include "published_graphs.hpp"

namespace {

void several_chunks(benchmark::State& state, const bench::model_graph& of, std::size_t chunks) {
  stagecut::virtual_stage_request request;
  request.devices = 6;
  request.cpus = 1;
  request.at_most = true;
  request.stages_per_rank = chunks;
  request.load.memory_limit = of.model.machine.memory;
  request.search.time_limit = 60;
  request.search.node_limit = 40;
  stagecut::virtual_partition found;
  for (auto _ : state) found = *stagecut::virtual_stages(of.graph, request);
  state.counters["load"] = 1e3 * found.value;
  state.counters["bound"] = 1e3 * found.bound;
  state.counters["contiguous"] = 1e3 * found.contiguous_load;
  state.counters["gain_percent"] = 100 * (1 - found.value / found.contiguous_load);
  state.counters["chunks"] = static_cast<double>(found.device_of.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto folder = bench::workload_folder("dag_reference.json")) {
    for (const char* const name : {"layer/gnmt_training", "layer/bert24_training", "layer/gnmt_inference",
                                   "layer/bert24_inference", "layer/resnet50_training", "layer/resnet50_inference"}) {
      for (const std::size_t chunks : {1U, 2U, 3U, 4U}) {
        const std::string text = std::string(name).substr(6) + "/k:6/c:1/v:" + std::to_string(chunks);
        benchmark::RegisterBenchmark(
            text.c_str(),
            [=](benchmark::State& state) { several_chunks(state, bench::published_graph(*folder, name), chunks); })
            ->Unit(benchmark::kMillisecond)
            ->Iterations(1);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
