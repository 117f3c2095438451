// SPDX-License-Identifier: BSL-1.0
// The cases published with Piper, from $STAGECUT_WORKLOADS/piper: `FILE/DEVICES/GIBIBYTES`, over a link of 25 GiB/s.
// `value` is the time of the slowest stage, 0 if there is no plan, and `grown_MB` the growth of the program; for the
// published program `published` is its value, printed to six digits or fewer, and `published_s` and `published_MB` its
// cost on the machine where it was measured, 0 if unknown.

#include <stagecut/io/file.hpp>
#include <stagecut/io/graphs/piper.hpp>
#include <stagecut/joint/baselines/variant_stages.hpp>
#include <stagecut/joint/minimize_stage_time.hpp>

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "../workload_folder.hpp"

namespace {

constexpr double gibibyte = 1073741824;

struct published_case {
  const char* file;
  std::size_t microbatches;
  std::size_t devices;
  double memory;
  double value = 0;
  double seconds = 0;
  double megabytes = 0;
};

constexpr published_case cases[] = {
    {"bert32a100", 1920, 8, 1},
    {"bert32a100", 1920, 32, 1},
    {"bert32a100", 1920, 64, 1},
    {"bert32a100", 1920, 128, 1, .038872, .16, 11},
    {"bert32a100", 1920, 512, 1, .008780, 1.6},
    {"bert32a100", 1920, 1024, 1, .004392, 6.3},
    {"bert32a100", 1920, 2048, 1, .002198, 28.0, 1456},
    {"bert32a100", 1920, 8, 2},
    {"bert32a100", 1920, 32, 2, .066550, .15, 11},
    {"bert32a100", 1920, 64, 2, .032030, .15, 11},
    {"bert32a100", 1920, 128, 2, .015146, .15, 11},
    {"bert32a100", 1920, 512, 2, .003668, 2.2},
    {"bert32a100", 1920, 1024, 2, .001841, 9.9},
    {"bert32a100", 1920, 2048, 2, .000927, 34.8, 1491},
    {"bert32a100", 1920, 8, 8, .165856, .25, 11},
    {"bert32a100", 1920, 32, 8, .041515, .25, 11},
    {"bert32a100", 1920, 64, 8, .020201, .25, 11},
    {"bert32a100", 1920, 128, 8, .010121, .25, 11},
    {"bert32a100", 1920, 512, 8, .002561, 2.1},
    {"bert32a100", 1920, 1024, 8, .001303, 9.7},
    {"bert32a100", 1920, 2048, 8, .000704, 39.2, 1485},
    {"bert32a100", 1920, 8, 80, .122007, .42, 11},
    {"bert32a100", 1920, 32, 80, .030844, .42, 11},
    {"bert32a100", 1920, 64, 80, .015650, .42, 11},
    {"bert32a100", 1920, 128, 80, .008053, .42, 11},
    {"bert32a100", 1920, 512, 80, .002273, 3.2},
    {"bert32a100", 1920, 1024, 80, .001159, 10.6},
    {"bert32a100", 1920, 2048, 80, .000664, 45.6, 1485},
    {"resnet", 7680, 8, 8, 63.434, 1.7},
    {"resnet", 7680, 16, 4, 35.333},
    {"resnet", 7680, 32, 4, 17.624},
    {"resnet", 7680, 64, 4, 8.667},
    {"resnet", 7680, 128, 1, 19.856, 7.0},
    {"resnet", 7680, 128, 4, 4.306, 7.0},
    {"gnmt", 256, 2, 2.5, 263.354, 96},
    {"gnmt", 256, 4, 1.2, 137.131, 134},
};

double grown() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

void measure(benchmark::State& state, const stagecut::variant_graph& graph, const published_case& of) {
  stagecut::hybrid_request request;
  request.devices = of.devices;
  request.at_most = true;
  request.microbatches = of.microbatches;
  request.in_flight_rule = stagecut::in_flight_rule::replicas;
  request.memory_limit = of.memory * gibibyte;
  request.search.time_limit = 60;
  const double before = grown();
  for (auto _ : state) {
    const stagecut::variant_stages model(graph);
    const auto best = stagecut::minimize_stage_time(model, request);
    if (best.state() == stagecut::state::unknown) return state.SkipWithError(best.why().text().c_str());
    state.counters["value"] = best ? best->value : 0;
    state.counters["gap_%"] = best ? 100 * best->gap() : 0;
    state.counters["searches"] = best ? static_cast<double>(best->statistics.searches) : 0;
  }
  state.counters["grown_MB"] = grown() - before;
  state.counters["published"] = of.value;
  state.counters["published_s"] = of.seconds;
  state.counters["published_MB"] = of.megabytes;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto folder = bench::workload_folder("piper");
  if (!folder) return 0;
  for (const published_case& each : cases) {
    const std::string path = (*folder / "piper" / (std::string(each.file) + ".json")).string();
    const auto graph =
        std::make_shared<stagecut::variant_graph>(stagecut::io::parse_piper(stagecut::io::file_text(path), path));
    graph->bandwidth = 25 * gibibyte;
    graph->microbatches = each.microbatches;
    char name[80];
    std::snprintf(name, sizeof name, "%s/%zu/%g", each.file, each.devices, each.memory);
    benchmark::RegisterBenchmark(name, [graph, each](benchmark::State& state) { measure(state, *graph, each); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
  benchmark::RunSpecifiedBenchmarks();
}
