// SPDX-License-Identifier: BSL-1.0
// The cost of evaluating warm-up counts of a graph of stages, compared with a task graph that is built once and filled
// with new times, which cannot change counts, and with a new call of `simulate`.
//
// Names: METHOD/TRANSFERS/k:STAGES/m:MICROBATCHES. Every stage has edges to the next two. Times change from call to
// call. The program ends if methods differ.

#include <stagecut/graph/stage_makespan.hpp>
#include <stagecut/graph/warm_up.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/task_graph.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using stagecut::stage_pipeline;
using stagecut::transfer_kind;

/// splitmix64, as a number in [0, 1).
double draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

stage_pipeline random_stages(std::size_t k, std::uint64_t& state) {
  stage_pipeline result;
  for (std::size_t s = 0; s < k; ++s) {
    result.forward.push_back(1 + draw(state));
    result.backward.push_back(2 + draw(state));
    for (std::size_t to = s + 1; to < k && to < s + 3; ++to) {
      result.edges.push_back({s, to});
      result.send_forward.push_back(0.2 * draw(state));
      result.send_backward.push_back(0.2 * draw(state));
    }
  }
  result.resident.resize(k);
  result.activations.resize(k);
  return result;
}

/// Warm-up counts as they vary in a search: by rank and some more.
std::vector<std::vector<std::size_t>> some_counts(std::size_t k) {
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t more = 0; more < 4; ++more) {
    result.push_back(stagecut::warm_up_by_rank(k));
    for (std::size_t s = 0; s < more && s < k; ++s) result.back()[s] += more - s;
  }
  return result;
}

struct shape {
  std::size_t stages;
  std::size_t microbatches;
  transfer_kind transfers;
};

stagecut::pass_times<double> times_of(const stage_pipeline& of) {
  return {.forward = of.forward, .backward = of.backward};
}

stagecut::transfer_times<double> messages_of(const stage_pipeline& of, transfer_kind kind) {
  return {kind, of.send_forward, of.send_backward};
}

double simulated(const stage_pipeline& of, const std::vector<std::size_t>& counts, const shape& what) {
  return stagecut::simulate(stagecut::warm_up_schedule(of, counts, what.microbatches), times_of(of),
                            messages_of(of, what.transfers))
      .makespan;
}

void tell(benchmark::State& state, const shape& what) {
  const auto all = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(all * static_cast<std::int64_t>(2 * what.stages * what.microbatches));
  state.counters["plans"] = benchmark::Counter(static_cast<double>(all), benchmark::Counter::kIsRate);
}

void price_counts(benchmark::State& state, shape what) {
  std::uint64_t seed = 1;
  const stage_pipeline of = random_stages(what.stages, seed);
  stagecut::stage_makespan price(of, what.microbatches, what.transfers);
  const auto counts = some_counts(what.stages);
  for (const auto& each : counts) {
    if (price(each) == simulated(of, each, what)) continue;
    std::fprintf(stderr, "the simulator says something else\n");
    std::exit(1);
  }
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(price(counts[at]));
    at = (at + 1) % counts.size();
  }
  tell(state, what);
}

/// Reloads the stages, as for another assignment.
void price_stages(benchmark::State& state, shape what) {
  std::uint64_t seed = 1;
  const stage_pipeline of = random_stages(what.stages, seed);
  const auto counts = some_counts(what.stages);
  std::size_t at = 0;
  for (auto _ : state) {
    stagecut::stage_makespan price(of, what.microbatches, what.transfers);
    benchmark::DoNotOptimize(price(counts[at]));
    at = (at + 1) % counts.size();
  }
  tell(state, what);
}

void fill_tasks(benchmark::State& state, shape what) {
  std::uint64_t seed = 1;
  const stage_pipeline of = random_stages(what.stages, seed);
  const auto order = stagecut::warm_up_schedule(of, stagecut::warm_up_by_rank(what.stages), what.microbatches);
  const stagecut::task_graph graph(order, {.transfers = what.transfers, .with_transfers = true});
  stagecut::simulation_workspace<double> workspace;
  auto times = times_of(of);
  const auto messages = messages_of(of, what.transfers);
  for (auto _ : state) {
    times.forward[0] += 0x1p-20;
    benchmark::DoNotOptimize(graph.makespan(times, messages, workspace));
  }
  tell(state, what);
}

void simulate_anew(benchmark::State& state, shape what) {
  std::uint64_t seed = 1;
  const stage_pipeline of = random_stages(what.stages, seed);
  const auto counts = some_counts(what.stages);
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulated(of, counts[at], what));
    at = (at + 1) % counts.size();
  }
  tell(state, what);
}

}  // namespace

int main(int argc, char** argv) {
  struct method {
    const char* name;
    void (*run)(benchmark::State&, shape);
  };
  for (const method& each : {method{"counts", price_counts}, method{"stages", price_stages},
                             method{"task_graph", fill_tasks}, method{"simulate", simulate_anew}}) {
    for (const transfer_kind kind : {transfer_kind::latency, transfer_kind::link}) {
      for (const auto& [k, m] : {std::pair<std::size_t, std::size_t>{4, 16}, {8, 32}, {16, 64}}) {
        const std::string name =
            std::string(each.name) + "/" + to_string(kind) + "/k:" + std::to_string(k) + "/m:" + std::to_string(m);
        benchmark::RegisterBenchmark(name.c_str(), each.run, shape{k, m, kind});
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
