// SPDX-License-Identifier: BSL-1.0
// SAPP's cases in $STAGECUT_WORKLOADS/sapp/cases.json: what is found and proved in a given time, in ms, compared with
// SAPP's result (`sapp`, in up to 150 s) and the optimum of its objective (`objective`). `SECONDS/NAME/LEAST LAYERS`.

#include <stagecut/io/json/sapp_layers.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/joint/baselines/sapp_surrogate.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "../workload_folder.hpp"

namespace {

using nlohmann::json;

constexpr double megabyte = 1048576;

struct sapp_case {
  std::string name;
  stagecut::recompute_model model;
  stagecut::recompute_request request;
  double found = 0;  // by SAPP, in ms
};

/// Throws for impossible models, such as memory below 0.
sapp_case read(const json& from) {
  const json& input = from.at("input");
  const json layers = {{"name", from.at("name")},
                       {"stage_const_mem", input.at("stage_const_mem_mb")},
                       {"layers_description", input.at("layers")}};
  sapp_case made;
  made.name = from.at("name").get<std::string>();
  const auto profile = stagecut::io::read_sapp_layers(layers.dump(), made.name);
  made.model = stagecut::as_recompute_model(profile.profile).model;
  made.request.constant = profile.constant;
  made.request.memory_limit = input.at("mem_limit_mb").get<double>() * megabyte;
  const auto ranks = input.at("pp").get<std::size_t>();
  const auto chunks = input.at("vpp").get<std::size_t>();
  const auto microbatches = input.at("micro_batches").get<std::size_t>();
  using stagecut::sapp_memory;
  const sapp_memory memory = input.at("less_memory").get<bool>() ? sapp_memory::less : sapp_memory::big;
  made.request.schedule = chunks == 1 ? stagecut::one_forward_one_backward(ranks, microbatches)
                                   : stagecut::sapp_interleaved(ranks, chunks, microbatches, memory);
  if (from.contains("sim")) made.found = from.at("sim").value("end_time", 0.0);
  return made;
}

void measure(benchmark::State& state, const sapp_case& of, double seconds, std::size_t least) {
  stagecut::recompute_request request = of.request;
  request.search.time_limit = seconds;
  request.least_layers = least;
  for (auto _ : state) {
    const auto best = stagecut::minimize_recomputation(of.model, request);
    if (!best) return state.SkipWithError(best.why().text().c_str());
    state.counters["makespan"] = best->value * 1e3;
    state.counters["bound"] = best->bound * 1e3;
    state.counters["gap_%"] = 100 * best->gap();
    state.counters["simulations"] = static_cast<double>(best->statistics.evaluations);
  }
  state.counters["sapp"] = of.found;
  const auto surrogate = stagecut::minimize_sapp_surrogate(of.model, request);
  if (surrogate) state.counters["objective"] = surrogate->makespan * 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto folder = bench::workload_folder("sapp/cases.json");
  if (!folder) return 0;
  std::ifstream file(*folder / "sapp/cases.json");
  std::vector<std::unique_ptr<sapp_case>> cases;
  const json all = json::parse(file);
  for (const json& each : all.at("solver_cases")) {
    if (each.at("input").value("seq_split", 1) != 1) continue;
    try {
      cases.push_back(std::make_unique<sapp_case>(read(each)));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  for (const double seconds : {1.0, 3.0, 30.0}) {
    for (const auto& each : cases) {
      for (const std::size_t least : {1U, 0U}) {
        const std::string name =
            std::to_string(static_cast<int>(seconds)) + "/" + each->name + "/" + std::to_string(least);
        const sapp_case& of = *each;
        const auto run = [&of, seconds, least](benchmark::State& state) { measure(state, of, seconds, least); };
        benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
