// SPDX-License-Identifier: BSL-1.0
// The effect of helpers on the search for the smallest makespan, for schedules with several stages per rank. One source
// for hosts and devices.
//
// Names: INSTANCE/WHO. `alone` is `minimize_makespan` without helpers, `seq` with helpers on one thread, `omp` on
// OpenMP, `device` on a GPU. All have the same time limit, which they use up unless they prove their answer.
// `gap_percent` is the optimality gap of the answer; `seconds` the time used.
//
// INSTANCE/exhaust/WHO simulates the cuts that bounds leave below the best known cut: `cuts` is their number, and
// `all_s` the time for all of them; evaluates at most ten seconds of them.
#include "../makespan/drawn_chains.hpp"

#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/search/best.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/backends_on.hpp>
#include <stagecut/search/paths_below.hpp>

#include <thrust/execution_policy.h>
#ifdef STAGECUT_BENCH_OMP
#include <thrust/system/omp/execution_policy.h>
#endif
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <cuda_runtime.h>
#endif

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace search = stagecut::search;

namespace {

/// A random chain, and its schedule.
struct instance {
  const char* name;
  std::size_t items;
  std::size_t ranks;
  std::size_t chunks;
  std::size_t microbatches;
  double spread;   ///< ratio of the longest to the shortest item, at most
  double seconds;  ///< for a search
};

constexpr instance instances[] = {
    {"v3_n48_p4_m16", 48, 4, 3, 16, 10, 10},
    {"v2_n64_p8_m32_spread100", 64, 8, 2, 32, 100, 10},
    {"v3_n64_p8_m16", 64, 8, 3, 16, 10, 5},
    {"v2_n64_p16_m32_spread100", 64, 16, 2, 32, 100, 25},
};

stagecut::makespan_request request_of(const instance& of) {
  stagecut::makespan_request result;
  result.schedule = stagecut::interleaved_one_forward_one_backward(of.ranks, of.chunks, of.microbatches);
  result.search.time_limit = of.seconds;
  return result;
}

std::map<std::string, double> best_known;  // for the instances searched in this run

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void plan(benchmark::State& state, const instance& of, const stagecut::search_backends& helpers) {
  const bench::chain_model model(bench::spread_chain(of.items, of.spread, 1));
  stagecut::makespan_request request = request_of(of);
  request.backends = helpers;
  for (auto _ : state) {
    const double began = now();
    const auto found = stagecut::minimize_makespan(model, request);
    state.counters["seconds"] = now() - began;
    state.counters["makespan"] = found->value;
    state.counters["bound"] = found->bound;
    state.counters["gap_percent"] = 100 * found->gap();
    state.counters["proved"] = found.state() == stagecut::state::optimal ? 1 : 0;
    double& best = best_known.try_emplace(of.name, found->value).first->second;
    if (found->value < best) best = found->value;
  }
}

template <class Policy>
void exhaust(benchmark::State& state, const instance& of, const Policy& policy) {
  const bench::chain_model model(bench::spread_chain(of.items, of.spread, 1));
  const auto request = request_of(of);
  const auto known = best_known.find(of.name);
  if (known == best_known.end()) return state.SkipWithError("no search of this instance was run before");
  const auto left = search::paths_below(model, request, known->second);
  if (!left) return state.SkipWithError("the bounds do not fit in memory");
  const search::graph_paths& cuts = *left;
  const search::cut_makespan cost(model, request.schedule);
  const double until = now() + 10;
  search::candidate_options options;
  const auto stop = [&] { return now() > until; };
  options.stop = stop;
  for (auto _ : state) {
    const double began = now();
    const auto found = search::best(policy, cuts, cost, options);
    const double each = found ? (now() - began) / static_cast<double>(found->range.next) : 0;
    state.counters["cuts"] = static_cast<double>(cuts.size());
    state.counters["cuts_per_s"] = each > 0 ? 1 / each : 0;
    state.counters["all_s"] = each * static_cast<double>(cuts.size());
  }
}

template <class Run>
void measure(const std::string& name, const Run& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

template <class Policy>
void on_system(const instance& of, const std::string& who, const Policy& policy) {
  measure(std::string(of.name) + "/" + who, [=](benchmark::State& state) {
    search::backends_on helpers(policy);
    plan(state, of, helpers.refs());
  });
  measure(std::string(of.name) + "/exhaust/" + who, [=](benchmark::State& state) { exhaust(state, of, policy); });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  int devices = 0;
  const bool device = cudaGetDeviceCount(&devices) == cudaSuccess && devices != 0;
#endif
  for (const instance& of : instances) {
    measure(std::string(of.name) + "/alone", [of](benchmark::State& state) { plan(state, of, {}); });
    on_system(of, "seq", thrust::seq);
#ifdef STAGECUT_BENCH_OMP
    on_system(of, "omp", thrust::omp::par);
#endif
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
    if (device) on_system(of, "device", thrust::device);
#endif
  }
  benchmark::RunSpecifiedBenchmarks();
}
