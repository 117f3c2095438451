// SPDX-License-Identifier: BSL-1.0
// training_memory of layers that share parameters: construction, and queries for random stages.
//
// Names: training_memory/WHAT/WHO/n:LAYERS/ties:OF EACH LAYER. WHO shares: all layers the same, each its own, layers at
// random.

#include <stagecut/profile/training_memory.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

stagecut::profile shared_model(const std::string& who, std::size_t n, std::size_t ties) {
  std::mt19937 random(1);
  stagecut::profile model;
  model.layers.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    model.layers[i].parameters = 1000;
    model.layers[i].activations = 100;
    for (std::size_t t = 0; t < ties; ++t) {
      const std::size_t name = who == "same" ? t : who == "own" ? i * ties + t : random() % (n * ties / 4);
      model.layers[i].tied.push_back({"model.shared." + std::to_string(name), 8, std::nullopt, {}});
    }
  }
  return model;
}

void build(benchmark::State& state, const std::string& who, std::size_t n, std::size_t ties) {
  const stagecut::profile model = shared_model(who, n, ties);
  for (auto _ : state) benchmark::DoNotOptimize(stagecut::training_memory(model)(0, n, 1));
}

void ask(benchmark::State& state, const std::string& who, std::size_t n, std::size_t ties) {
  const stagecut::training_memory memory(shared_model(who, n, ties));
  std::mt19937 random(2);
  std::vector<std::pair<std::size_t, std::size_t>> stages(4096);
  for (auto& [first, last] : stages) {
    first = random() % n;
    last = first + 1 + random() % (n - first);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const auto [first, last] = stages[i++ % stages.size()];
    benchmark::DoNotOptimize(memory(first, last, 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const auto& [n, ties] : {std::pair<std::size_t, std::size_t>{600, 0}, {600, 200}, {2000, 1000}, {10'000, 50}}) {
    for (const std::string who : {"same", "own", "random"}) {
      if (ties == 0 && who != "same") continue;
      const std::string name = who + "/n:" + std::to_string(n) + "/ties:" + std::to_string(ties);
      benchmark::RegisterBenchmark(("training_memory/build/" + name).c_str(),
                                   [=, n = n, ties = ties](benchmark::State& state) { build(state, who, n, ties); });
      benchmark::RegisterBenchmark(("training_memory/ask/" + name).c_str(),
                                   [=, n = n, ties = ties](benchmark::State& state) { ask(state, who, n, ties); });
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
