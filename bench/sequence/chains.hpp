// SPDX-License-Identifier: BSL-1.0
// Chains to measure on: small ones come from a pool, so that no branch predictor learns one.
#pragma once

#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace bench {

/// `waves` is for single rows: items from 5e-8 to 2e7, so that cut points can be almost anywhere.
enum class data { uniform, exponential, transformer, heavy_head, waves };
constexpr data all_data[] = {data::uniform, data::exponential, data::transformer, data::heavy_head};
constexpr const char* data_names[] = {"uniform", "exponential", "transformer", "heavy_head", "waves"};

/// splitmix64, as a number in [0, 1).
inline double draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

inline void fill(std::vector<double>& items, data kind, std::uint64_t seed) {
  std::uint64_t state = seed;
  const double ends = kind == data::heavy_head ? 30 * (1 + draw(state)) : 4 * (1 + draw(state));
  for (double& item : items) {
    item = kind == data::uniform ? draw(state) : kind == data::exponential ? -std::log1p(-draw(state)) : 1;
  }
  if (kind == data::transformer || kind == data::heavy_head) items.front() = items.back() = ends;
  for (std::size_t i = 0; kind == data::waves && i < items.size(); ++i) {
    items[i] = std::exp(16.7 * std::sin(27 * static_cast<double>(i) / static_cast<double>(items.size())));
  }
}

struct pool {
  std::size_t items = 0;
  data kind = data::uniform;
  std::vector<std::vector<double>> chains;
  std::vector<stagecut::prefix_sums<double>> sums;
};

/// Chains of one kind and size; keeps the last ones requested.
inline pool& chains(data kind, std::size_t items) {
  static pool now;
  if (now.items != items || now.kind != kind) {
    now = {};
    now.items = items;
    now.kind = kind;
    now.chains.resize(std::clamp<std::size_t>((std::size_t{1} << 17U) / items, 1, 1024));
    now.sums.resize(now.chains.size());
    for (std::size_t i = 0; i < now.chains.size(); ++i) {
      now.chains[i].resize(items);
      fill(now.chains[i], kind, i + 1);
      now.sums[i].assign(now.chains[i]);
    }
  }
  return now;
}

struct instance {
  data kind;
  std::size_t items;
  std::size_t stages;
};

/// Measures `solve(a chain, its prefix sums)`, which returns its result, as METHOD/DATA/n:ITEMS/k:STAGES.
template <class Solve>
benchmark::internal::Benchmark* add(const std::string& method, instance of, Solve solve) {
  const std::string name = method + "/" + data_names[static_cast<std::size_t>(of.kind)] +
                           "/n:" + std::to_string(of.items) + "/k:" + std::to_string(of.stages);
  auto* const registered = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    pool& from = chains(of.kind, of.items);
    std::size_t i = 0;
    double found = 0;
    for (auto _ : state) {
      const double now = solve(from.chains[i], from.sums[i]);
      benchmark::DoNotOptimize(now);  // by reference, 1.7.1 corrupts doubles
      if (i == 0) found = now;
      i = i + 1 == from.chains.size() ? 0 : i + 1;
    }
    state.counters["found"] = found;  // in the first chain, whatever the number of rounds
    state.counters["items_per_second"] =
        benchmark::Counter(static_cast<double>(of.items), benchmark::Counter::kIsIterationInvariantRate);
  });
  if (of.items >= 1'000'000) registered->Unit(benchmark::kMillisecond);
  return registered;
}

/// Calls `methods(add, instance)` for chains of these sizes and any kind, cut into 4 to 256 stages; `add(WHO, solve)`
/// measures as PROBLEM/WHO/DATA/n:ITEMS/k:STAGES. Also measures the prefix-sum pass, which every method needs.
template <class Methods>
void each_instance(const std::string& problem, std::initializer_list<std::size_t> sizes, Methods methods) {
  for (const std::size_t items : sizes) {
    for (const data kind : all_data) {
      add(problem + "/prefix_pass", {kind, items, 1}, [](const std::vector<double>& items_of, auto& sums) {
        sums.assign(items_of);
        return sums.prefix(sums.size());
      });
      for (const std::size_t stages : {4U, 16U, 64U, 256U}) {
        if (2 * stages > items) continue;
        const instance of{kind, items, stages};
        methods([&](const char* who, auto solve) { add(problem + "/" + who, of, solve); }, of);
      }
    }
  }
}

/// The same for waves in 1,000 and 2,000 items and 38 % as many stages, with every third cut forbidden; `solve(prefix
/// sums, number of stages, forbidden cuts)`.
template <class Solve>
void each_wave(const std::string& problem, Solve solve) {
  for (const std::size_t items : {1'000U, 2'000U}) {
    const std::size_t stages = items * 383 / 1000;
    std::vector<std::size_t> third;
    for (std::size_t i = 3; i < items; i += 3) third.push_back(i);
    const stagecut::forbidden_cuts forbidden(items, third);
    add(problem + "/stagecut_forbidden_cuts", {data::waves, items, stages},
        [=](const auto&, const auto& sums) { return solve(sums, stages, forbidden); })
        ->Unit(benchmark::kMillisecond);
  }
}

/// Whether a dynamic program in O(k n²) is fast enough.
constexpr bool quadratic(instance of) { return of.items * of.items * of.stages <= 100'000'000; }

/// The body of `main`.
template <class Register>
int run(int argc, char** argv, Register register_all) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace bench
