// SPDX-License-Identifier: BSL-1.0
// Candidates per second, on each system, compared with one thread and with the machine's limit. One source for hosts
// and devices.
//
// Names: COST/SYSTEM. 10^6 cuts of a chain of 48 items into 16 stages, 1F1B with 64 microbatches: 2,048 passes per cut.
// `passes` are simulated passes per second; `to_one` is the speedup over `seq`, timed just before.
//
// `one_by_one` is `task_graph::makespan` for one cut after the other, `lanes_run` the lanes of one thread without
// decoding or setting: the floor of `seq`.
//
// On a device `limit` is the largest rate that its parts allow, SMs x min(128 / instructions, 64 / ALU, 64 / FP64, 128
// B / bytes of shared memory) x clock for the needs of a pass, and `of_limit` the share of it that is reached.
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/search/best.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/one_forward_one_backward_rows.hpp>
#include <stagecut/search/stage_objective.hpp>
#include <stagecut/stagecut.hpp>

#include <thrust/execution_policy.h>
#ifdef STAGECUT_BENCH_OMP
#include <omp.h>
#include <thrust/system/omp/execution_policy.h>
#endif
#ifdef STAGECUT_BENCH_TBB
#include <thrust/system/tbb/execution_policy.h>
#endif
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <cuda_runtime.h>
#endif

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace search = stagecut::search;

namespace {

constexpr std::size_t items = 48;
constexpr std::size_t ranks = 16;
constexpr std::size_t microbatches = 64;

const stagecut::item_times& chain() {
  static const stagecut::item_times model = [] {
    std::vector<double> forward;
    std::vector<double> backward;
    for (std::size_t i = 0; i < items; ++i) {
      forward.push_back(static_cast<double>(1 + i * 7 % 10));
      backward.push_back(2 * forward.back());
    }
    return stagecut::item_times(forward, backward);
  }();
  return model;
}

const search::graph_paths& cuts() {
  static const search::graph_paths all = search::all_cuts(items, ranks);
  return all;
}

double seconds_of_one = 0;  // of the same range, by `seq`

/// Searches a range of the cuts repeatedly.
template <class Policy, class E>
void search_cuts(benchmark::State& state, const Policy& policy, const E& cost, std::uint64_t count, double passes) {
  const std::uint64_t first = cuts().size() / 3;
  double seconds = 0;
  for (auto _ : state) {
    const auto began = std::chrono::steady_clock::now();
    const auto found = search::best(policy, cuts(), cost, {.first = first, .last = first + count});
    benchmark::DoNotOptimize(found->score.index);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  const double each = seconds / static_cast<double>(state.iterations()) / static_cast<double>(count);
  state.counters["cuts"] = 1 / each;
  if (passes > 0) state.counters["passes"] = passes / each;
  if (seconds_of_one == 0) seconds_of_one = each;
  state.counters["to_one"] = seconds_of_one / each;
}

template <class E>
void on_hosts(const std::string& name, const E& cost, std::uint64_t count, double passes) {
  const auto measure = [&](const std::string& system, const auto& run) {
    benchmark::RegisterBenchmark((name + "/" + system).c_str(), run)->UseRealTime()->Unit(benchmark::kMillisecond);
  };
  measure("seq", [=](benchmark::State& state) {
    seconds_of_one = 0;
    search_cuts(state, thrust::seq, cost(), count, passes);
  });
#ifdef STAGECUT_BENCH_OMP
  for (const int threads : {1, 2}) {
    measure("omp" + std::to_string(threads), [=](benchmark::State& state) {
      omp_set_num_threads(threads);
      search_cuts(state, thrust::omp::par, cost(), count, passes);
    });
  }
#endif
#ifdef STAGECUT_BENCH_TBB
  measure("tbb", [=](benchmark::State& state) { search_cuts(state, thrust::tbb::par, cost(), count, passes); });
#endif
}

void one_by_one(benchmark::State& state) {
  const auto order = stagecut::one_forward_one_backward(ranks, microbatches);
  const stagecut::task_graph graph(order);
  stagecut::simulation_workspace<double> workspace;
  stagecut::pass_times<double> times;
  times.forward.assign(ranks, 3);
  times.backward.assign(ranks, 6);
  for (auto _ : state) benchmark::DoNotOptimize(graph.makespan(times, {}, workspace));
  state.counters["passes"] =
      benchmark::Counter(2.0 * ranks * microbatches, benchmark::Counter::kIsIterationInvariantRate);
}

void lanes_run(benchmark::State& state) {
  const search::cut_makespan cost(chain(), stagecut::one_forward_one_backward(ranks, microbatches));
  auto lanes = cost.lanes();
  for (auto _ : state) benchmark::DoNotOptimize(lanes.costs()[0]);
  state.counters["passes"] =
      benchmark::Counter(2.0 * ranks * microbatches * lanes.width, benchmark::Counter::kIsIterationInvariantRate);
}

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
/// The needs of a pass from a multiprocessor: instructions of its inner loop, counted in the output of nvcc 13.0 for
/// sm_90.
struct needs {
  double instructions;
  double alu;   ///< of these, integer operations and selections
  double fp64;  ///< additions and comparisons of doubles
  double shared_bytes;
};

double passes_at_most(const needs& of) {
  int device = 0;
  int processors = 0;
  int kilohertz = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device);
  double a_cycle = 128 / of.instructions;
  if (64 / of.alu < a_cycle) a_cycle = 64 / of.alu;
  if (64 / of.fp64 < a_cycle) a_cycle = 64 / of.fp64;
  if (of.shared_bytes > 0 && 128 / of.shared_bytes < a_cycle) a_cycle = 128 / of.shared_bytes;
  return processors * a_cycle * 1e3 * kilohertz;
}

template <class E>
void on_device(const char* name, const E& cost, double passes, const needs& of) {
  benchmark::RegisterBenchmark(name,
                               [=](benchmark::State& state) {
                                 search_cuts(state, thrust::device, cost(), std::uint64_t{1} << 26U, passes);
                                 const double limit = passes_at_most(of);
                                 state.counters["limit"] = limit;
                                 state.counters["of_limit"] = state.counters["passes"] / limit;
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto order = stagecut::one_forward_one_backward(ranks, microbatches);
  constexpr double passes = 2.0 * ranks * microbatches;
  const auto makespan = [order] { return search::cut_makespan(chain(), order); };
  const auto bottleneck = [] {
    std::vector<double> both;
    for (std::size_t i = 0; i < items; ++i) both.push_back(chain().forward(0, i) + chain().backward(0, i));
    return search::stage_objective(stagecut::prefix_sums(both));
  };
  benchmark::RegisterBenchmark("one_by_one", one_by_one);
  benchmark::RegisterBenchmark("lanes_run", lanes_run);
  on_hosts("bottleneck", bottleneck, 4'000'000, 0);
  on_hosts("makespan", makespan, 1'000'000, passes);
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices != 0) {
    // A pass: reads two slots and a duration of 8 bytes and writes a slot; an addition and a comparison.
    on_device("makespan/device", makespan, passes, {20.3, 7.5, 2, 32});
    // In registers: an addition, a comparison and two selections of halves.
    on_device("rows/device", [] { return search::one_forward_one_backward_rows<ranks>(chain(), microbatches); }, passes,
              {4, 2, 2, 0});
  }
#endif
  benchmark::RunSpecifiedBenchmarks();
}
