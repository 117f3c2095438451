// SPDX-License-Identifier: BSL-1.0
// Stages on several devices by the length of the pipeline. `alpa/LAYERS/DEVICES/MICROBATCHES/MEMORY`: layers that
// differ by some percent on Alpa's submeshes; `swept` runs a dynamic program for each possible stage time, as Alpa
// does, in doubles. `searches` are dynamic programs, `cost` the length.

#include <stagecut/joint/baselines/minimize_placed_latency.hpp>
#include <stagecut/joint/minimize_pipeline_latency.hpp>

#include <benchmark/benchmark.h>

#include "../../tests/joint/alpa_models.hpp"

#include <cstddef>
#include <optional>

namespace {

joint_tests::alpa_layers model_of(const benchmark::State& state) {
  joint_tests::alpa_layers model;
  model.layers = static_cast<std::size_t>(state.range(0));
  model.devices = static_cast<std::size_t>(state.range(1));
  if (state.range(3) > 0) model.activations = 1, model.resident = 0.5;
  return model;
}

void alpa(benchmark::State& state) {
  const joint_tests::alpa_layers model = model_of(state);
  stagecut::hybrid_request request;
  request.devices = model.devices;
  request.microbatches = static_cast<std::size_t>(state.range(2));
  if (state.range(3) > 0) request.memory_limit = static_cast<double>(state.range(3));
  request.search.time_limit.reset();
  for (auto _ : state) {
    const auto found = stagecut::minimize_pipeline_latency(model, request);
    if (!found) return state.SkipWithError("no plan");
    state.counters["searches"] = static_cast<double>(found->statistics.searches);
    state.counters["cost"] = found->value;
  }
}

void swept(benchmark::State& state) {
  const joint_tests::alpa_layers model = model_of(state);
  std::optional<double> memory;
  if (state.range(3) > 0) memory = static_cast<double>(state.range(3));
  for (auto _ : state) {
    const auto found = joint_tests::sweep_of(model, static_cast<std::size_t>(state.range(2)), 0, memory);
    state.counters["searches"] = static_cast<double>(found.searches);
    state.counters["cost"] = found.cost;
  }
}

/// Identical layers on two machines of 8, with all costs that DAPPLE models.
void placed(benchmark::State& state) {
  stagecut::placed_layers layers;
  layers.times = layers.parameters = layers.messages = {0};
  for (int i = 0; i < state.range(0); ++i) {
    layers.times.push_back(layers.times.back() + 0.02 + 0.001 * (i % 3));
    layers.parameters.push_back(layers.parameters.back() + 5e7);
    layers.messages.push_back(9.4e6);
  }
  stagecut::placed_request request;
  request.machines = {2, 8};
  request.microbatches = static_cast<std::size_t>(state.range(1));
  request.search.time_limit.reset();
  for (auto _ : state) {
    const auto found = stagecut::minimize_placed_latency(layers, request);
    state.counters["searches"] = static_cast<double>(found->statistics.searches);
    state.counters["cost"] = found->value;
  }
}

}  // namespace

BENCHMARK(alpa)
    ->Args({16, 64, 64, 0})
    ->Args({32, 64, 64, 0})
    ->Args({37, 64, 128, 0})
    ->Args({37, 64, 128, 3})
    ->Args({100, 64, 128, 0})
    ->Args({100, 64, 128, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(swept)->Args({16, 64, 64, 0})->Args({37, 64, 128, 0})->Unit(benchmark::kMillisecond);
BENCHMARK(placed)->Args({48, 32})->Args({96, 32})->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
