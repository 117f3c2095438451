// SPDX-License-Identifier: BSL-1.0
// Cuts of transformers together with their schedules, compared with named schedules, each at its best cut.
//
// Names: PLACEMENT/MEMORY, ten models and machines each. PLACEMENT is v1, one stage per rank, or V, two stages per
// rank; MEMORY, for microbatches, is in units of the fullest rank's use under 1F1B with one stage per rank and equal
// numbers of layers. Each row runs once; every case is reported on stderr. All rows take six minutes.
//
//   --seconds=S  per cut with its schedule, 6 by default; the cut of each named schedule takes a sixth
//
// The program fails, after all measurements, if a named schedule at its cut is shorter than the result, or any is
// shorter than the bound, or a result does not match its memory or its makespan.

#include "../shares.hpp"
#include "device_memory.hpp"
#include "drawn_chains.hpp"
#include "transformer_chains.hpp"

#include <stagecut/makespan/minimize_cut_and_schedule.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

bool failed = false;

struct machine {
  const char* model;
  std::size_t ranks, microbatches;
};
constexpr machine machines[] = {{"gpt2-xl", 4, 8},
                                {"gpt2-xl", 8, 16},
                                {"gpt2-xl", 16, 64},
                                {"llama-2-7b", 4, 16},
                                {"llama-2-7b", 8, 8},
                                {"llama-2-7b", 8, 32},
                                {"llama-2-70b", 8, 32},
                                {"llama-2-70b", 16, 32},
                                {"gpt3-175b, 8 wide", 8, 16},
                                {"gpt3-175b, 8 wide", 16, 64}};

/// Stages with equal numbers of layers.
std::vector<std::size_t> even_cut(std::size_t layers, std::size_t stages) {
  const auto even = stagecut::uniform_cuts(layers, stages);
  std::vector<std::size_t> points{0};
  for (const stagecut::interval each : even->cuts) points.push_back(each.last);
  return points;
}

/// The smallest makespan of named schedules with this many stages per rank, each at its best cut.
std::optional<double> best_named(const bench::chain_model& model, const machine& on, std::size_t chunks, double memory,
                                 double seconds) {
  std::optional<double> best;
  for (const stagecut::schedule_entry& entry : stagecut::schedules) {
    if (entry.twin || !has_shape(entry.kind, on.ranks, chunks, on.microbatches)) continue;
    stagecut::makespan_request request;
    request.schedule = make_schedule(entry.kind, {.ranks = on.ranks, .stages_per_rank = chunks, .microbatches = on.microbatches});
    request.memory_limit = memory;
    request.search.time_limit = seconds;
    const auto found = stagecut::minimize_makespan(model, request);
    if (found && (!best || found->value < *best)) best = found->value;
  }
  return best;
}

void measure(benchmark::State& state, bool vee, double share, double seconds) {
  bench::shares gap, named, named_flat;
  double proved = 0;
  const auto wrong = [](const machine& on, const char* what) {
    failed = true;
    std::fprintf(stderr, "wrong: %s: %s\n", on.model, what);
  };
  for (auto _ : state) {
    for (const machine& on : machines) {
      bench::chain chain = bench::transformer_chain(on.model);
      chain.resident.assign(chain.resident.size(), 0);
      const bench::chain_model model(chain);
      const auto flat = stagecut::make_schedule("1f1b", {.ranks = on.ranks, .microbatches = on.microbatches});
      const double memory = share * bench::device_memory(flat)(model, even_cut(model.size(), on.ranks));
      stagecut::cut_and_schedule_request request;
      request.rank_of = vee ? stagecut::v_placement(on.ranks) : stagecut::loop_placement(on.ranks, 1);
      request.microbatches = on.microbatches;
      request.memory_limit = memory;
      request.search.time_limit = seconds;
      const auto made = stagecut::minimize_cut_and_schedule(model, request);
      const auto own = best_named(model, on, vee ? 2 : 1, memory, seconds / 6);
      const auto one = vee ? best_named(model, on, 1, memory, seconds / 6) : own;
      std::fprintf(stderr,
                   "%s, %zu ranks, %zu microbatches: %.6g, bound %.6g, named %.6g, with one stage a rank %.6g\n",
                   on.model, on.ranks, on.microbatches, made ? made->value : 0, made ? made->bound : 0,
                   own.value_or(0), one.value_or(0));
      if (!made) {
        if (own) wrong(on, "nothing is found, and there is a cut");
        continue;
      }
      std::vector<std::size_t> points{0};
      for (const stagecut::interval each : made->cuts) points.push_back(each.last);
      if (bench::device_memory(made->schedule)(model, points) > memory * (1 + 1e-9)) wrong(on, "it is too large");
      const double takes = baseline::simulate_cut(chain.times, made->schedule, made->cuts).makespan;
      if (std::abs(takes - made->value) > 1e-9 * takes) wrong(on, "the makespan is another one");
      if (own && *own < made->value * (1 - 1e-9)) wrong(on, "a named schedule is shorter");
      if (std::min(made->value, own.value_or(made->value)) < made->bound * (1 - 1e-9)) wrong(on, "bound");
      gap.add(made->gap());
      proved += made.state() == stagecut::state::optimal ? 1 : 0;
      if (own) named.add(*own / made->value - 1);
      if (one) named_flat.add(*one / made->value - 1);
    }
  }
  state.counters["cases"] = static_cast<double>(std::size(machines));
  state.counters["proved"] = proved;
  state.counters["named_fit"] = named.count();
  gap.tell(state, "gap");
  named.tell(state, "named_longer");
  if (vee) named_flat.tell(state, "one_stage_longer");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  double seconds = 6;
  for (int i = 1; i < argc; ++i) {
    constexpr std::string_view said = "--seconds=";
    const std::string_view word = argv[i];
    if (word.substr(0, said.size()) != said || (seconds = std::atof(argv[i] + said.size())) <= 0) {
      std::fprintf(stderr, "%s: not known\n", argv[i]);
      return 2;
    }
  }
  for (const bool vee : {false, true}) {
    for (const double memory : {1.0, 1.5}) {
      const std::string name = std::string(vee ? "V/" : "v1/") + (memory > 1 ? "1.5x" : "1x");
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { measure(state, vee, memory, seconds); })
          ->Iterations(1)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return failed ? 1 : 0;
}
