// SPDX-License-Identifier: BSL-1.0
// PipeDream's models in $STAGECUT_WORKLOADS/pipedream, on its machines: seconds per minibatch by its own rules (`cell`,
// compared with its planner's `published_cell`) and by the library's (`default`), and the time to find them, compared
// with the seconds of that planner (`published_s`; 0: not measured). `MODEL/MACHINES`. For nasnetamobile, which has too
// many sets of layers for either, the result of `plan_nested_graph`, its bound and the gap in percent.

#include <stagecut/io/file.hpp>
#include <stagecut/io/tables/pipedream.hpp>
#include <stagecut/joint/baselines/minimize_nested_time.hpp>
#include <stagecut/joint/baselines/plan_nested_graph.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "../workload_folder.hpp"

namespace {

constexpr double gigabyte = 1e9;

struct machines_row {
  const char* name;
  std::vector<stagecut::machine_level> levels;
};

struct model_row {
  const char* name;
  double cells[5];    // seconds per minibatch, on each of the machines; 0: unknown
  double seconds[5];  // of the published planner, on a CPU
};

const machines_row machines[] = {{"1x4", {{4, gigabyte}}},
                                 {"1x8", {{8, gigabyte}}},
                                 {"1x16", {{16, gigabyte}}},
                                 {"4x4", {{4, 10 * gigabyte}, {4, 1.25 * gigabyte}}},
                                 {"8x2", {{8, 30 * gigabyte}, {2, 3.125 * gigabyte}}}};

const model_row models[] = {
    {"vgg16", {.20552, .10383, .05653, .06713, .06577}, {0, 0, .13, .14, .27}},
    {"alexnet", {.03422, .01887, .01887, .01510, .00968}, {}},
    {"resnet18", {.10000, .05078, .02569, .02349, .01836}, {}},
    {"squeezenet1_0", {.07441, .03769, .01888, .01862, .01807}, {}},
    {"resnet50", {.16288, .09201, .04780, .04321, .03199}, {0, 0, 1.9, 10.7, 39.1}},
    {"resnext50", {.20141, .10276, .05575, .05217, .04121}, {0, 0, 1.9, 10.9, 39.5}},
    {"gnmt_large", {.13713, 0, 0, 0, 0}, {}},
};

void measure(benchmark::State& state, const stagecut::graph_states& of, const model_row& model, std::size_t m) {
  stagecut::nested_machines wanted{.levels = machines[m].levels, .as_published = true};
  for (auto _ : state) {
    const auto best = stagecut::minimize_nested_time(of.states, wanted);
    state.counters["cell"] = best->value;
  }
  state.counters["published_cell"] = model.cells[m];
  state.counters["published_s"] = model.seconds[m];
  state.counters["states"] = static_cast<double>(of.states.size());
  wanted.as_published = false;
  state.counters["default"] = stagecut::minimize_nested_time(of.states, wanted)->value;
}

void measure_orders(benchmark::State& state, const stagecut::profile& model, std::size_t m) {
  const stagecut::nested_machines wanted{.levels = machines[m].levels};
  for (auto _ : state) {
    const auto plan = stagecut::plan_nested_graph(model, wanted);
    state.counters["default"] = plan->cut.value;
    state.counters["bound"] = plan->cut.bound;
    state.counters["gap_%"] = 100 * (plan->cut.value / plan->cut.bound - 1);
  }
}

/// The profile of a model; none if its file cannot be read.
std::unique_ptr<stagecut::profile> profile_of(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/pipedream/" + name + ".txt";
  try {
    return std::make_unique<stagecut::profile>(stagecut::io::parse_pipedream(stagecut::io::file_text(path), path));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto folder = bench::workload_folder("pipedream");
  if (!folder) return 0;
  std::vector<std::unique_ptr<stagecut::graph_states>> all;
  for (const model_row& model : models) {
    const auto profile = profile_of(*folder, model.name);
    if (!profile) continue;
    all.push_back(
        std::make_unique<stagecut::graph_states>(*stagecut::states_of_graph(*profile, {.as_published = true})));
    for (std::size_t m = 0; m < 5; ++m) {
      if (all.back()->states.size() > 1000 && machines[m].levels.size() > 1) continue;  // takes seconds
      const stagecut::graph_states& of = *all.back();
      const auto run = [&of, &model, m](benchmark::State& state) { measure(state, of, model, m); };
      benchmark::RegisterBenchmark((std::string(model.name) + "/" + machines[m].name).c_str(), run)
          ->Unit(benchmark::kMillisecond);
    }
  }
  const auto wide = profile_of(*folder, "nasnetamobile");
  for (std::size_t m = 0; wide && m < 5; ++m) {
    const auto run = [&wide, m](benchmark::State& state) { measure_orders(state, *wide, m); };
    benchmark::RegisterBenchmark((std::string("nasnetamobile/") + machines[m].name).c_str(), run)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
