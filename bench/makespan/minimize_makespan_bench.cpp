// SPDX-License-Identifier: BSL-1.0
// The cut of smallest makespan: the time to find and prove it, and the extra iteration time of other methods' cuts.
//
// Names: SCHEDULE/CHAIN/n:ITEMS/p:RANKS/v:CHUNKS/m:MICROBATCHES/TRANSFERS/MEMORY. Each runs once and solves several
// instances, with seeds from 1 on; the results are counters. The label is the goal. Instances that miss it, or are not
// proved, are named on stderr. The program ends if another cut is shorter than a bound; it fails, after all
// measurements, if another cut is shorter than an answer without proof.

#include "drawn_chains.hpp"
#include "layer_shifting.hpp"
#include "transformer_chains.hpp"

#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using stagecut::cuts;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::transfer_kind;

/// splitmix64, as a number in [0, 1).
double draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

enum class source { gpt3, random, equal };

/// Message times: none; all the same; or by the cut, from half of it to one and a half.
struct messages {
  enum class size { none, same, by_cut } sizes = size::none;
  double time = 0;  ///< in units of the mean stage time
};
constexpr messages none{};
constexpr messages latency(double time) { return {messages::size::same, time}; }
constexpr messages link(double time) { return {messages::size::by_cut, time}; }

/// The goal for every instance.
struct goal {
  double seconds;
  double gap = 0;  ///< 0: a proof
};

/// Instances that differ in their seeds.
struct row {
  schedule_kind kind;
  source from;
  int spread;  ///< ratio of the longest to the shortest layer, at most
  std::size_t items;
  std::size_t ranks;
  std::size_t chunks;
  std::size_t microbatches;
  messages transfers;
  double cap;  ///< memory, in units of the smallest sufficient one; 0: unlimited
  std::size_t instances;
  double time_limit;  ///< seconds
  goal reach;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string name_of(const row& of) {
  const auto chain = of.from == source::gpt3    ? std::string("gpt3-175b")
                     : of.from == source::equal ? std::string("equal")
                                                : "spread-" + std::to_string(of.spread);
  const auto transfers = of.transfers.sizes == messages::size::none   ? std::string("none")
                         : of.transfers.sizes == messages::size::same ? "latency-" + number(of.transfers.time)
                                                                      : "link-" + number(of.transfers.time);
  return std::string(to_string(of.kind)) + "/" + chain + "/n:" + std::to_string(of.items) +
         "/p:" + std::to_string(of.ranks) + "/v:" + std::to_string(of.chunks) +
         "/m:" + std::to_string(of.microbatches) + "/" + transfers + "/" +
         (of.cap != 0 ? "cap-" + number(of.cap) : std::string("free"));
}

std::string text_of(const goal& reach) {
  return (reach.gap == 0 ? std::string("proved in ") : "gap of " + number(100 * reach.gap) + " % in ") +
         number(reach.seconds) + " s";
}

/// Allows stages that fit into memory.
struct within_cap {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  const bench::chain_model* chain;
  const std::vector<std::size_t>* in_flight;
  double bytes;

  bool operator()(std::size_t s, std::size_t first, std::size_t last) const {
    return chain->memory(s, first, last, (*in_flight)[s]) <= bytes;
  }
};

/// A problem to solve.
struct instance {
  baseline::layer_times times{};
  std::vector<double> resident{};
  std::vector<double> activations{};

  [[nodiscard]] bench::chain_model model() const { return bench::chain_model({times, resident, activations}); }
};

/// GPT-3 on A100s, eight per layer: an embedding, 96 layers, a norm with the head. For one sample.
instance gpt3() {
  const bench::chain of = bench::transformer_chain("gpt3-175b, 8 wide");
  return {of.times, of.resident, of.activations};
}

/// Integers, so that sums are exact. A backward pass takes one to three times its forward pass.
instance random_chain(std::size_t items, int spread, std::uint64_t seed) {
  instance made;
  std::uint64_t state = seed;
  for (std::size_t i = 0; i < items; ++i) {
    const double forward = std::round(1000 * std::pow(spread, draw(state)));
    const double backward = std::round(forward * (1 + 2 * draw(state)));
    made.times.forward.push_back(forward);
    made.times.backward.push_back(backward);
    made.times.weight.push_back(std::round(backward * (0.3 + 0.3 * draw(state))));
    made.resident.push_back(1 + 9 * draw(state));
    made.activations.push_back(0.1 + 0.9 * draw(state));
  }
  return made;
}

instance equal_chain(std::size_t items) {
  instance made;
  made.times.forward.assign(items, 1000);
  made.times.backward.assign(items, 2000);
  made.times.weight.assign(items, 1000);
  made.resident.assign(items, 1);
  made.activations.assign(items, 0.1);
  return made;
}

instance make_instance(const row& of, std::uint64_t seed) {
  instance made = of.from == source::gpt3    ? gpt3()
                  : of.from == source::equal ? equal_chain(of.items)
                                             : random_chain(of.items, of.spread, seed);
  if (of.transfers.sizes == messages::size::none) return made;
  const bool same = of.transfers.sizes == messages::size::same;
  double sum = 0;
  for (const auto* each : {&made.times.forward, &made.times.backward}) {
    for (const double time : *each) sum += time;
  }
  const double mean = of.transfers.time * sum / static_cast<double>(of.ranks * of.chunks);
  std::uint64_t state = seed + 1000;
  for (std::size_t i = 0; i < of.items; ++i) {
    made.times.message.push_back(of.from == source::gpt3 ? mean : std::round(mean * (same ? 1 : 0.5 + draw(state))));
  }
  made.times.transfers = same ? transfer_kind::latency : transfer_kind::link;
  return made;
}

/// The smallest memory for which a cut exists.
double least_cap(const bench::chain_model& chain, const std::vector<std::size_t>& in_flight) {
  const std::size_t n = chain.size();
  std::vector<double> before(n + 1, std::numeric_limits<double>::infinity());
  before[0] = 0;
  for (std::size_t s = 0; s < in_flight.size(); ++s) {
    std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
    for (std::size_t last = s + 1; last <= n; ++last) {
      for (std::size_t first = s; first < last; ++first) {
        least[last] = std::min(least[last], std::max(before[first], chain.memory(s, first, last, in_flight[s])));
      }
    }
    before = std::move(least);
  }
  return before[n];
}

bool failed = false;  // another method's cut is shorter

[[noreturn]] void wrong(const std::string& where, const char* what) {
  std::fprintf(stderr, "%s: %s\n", where.c_str(), what);
  std::exit(1);
}

struct mean {
  void add(double value) { sum += value, ++count; }
  [[nodiscard]] double value() const { return sum / static_cast<double>(count); }

  double sum = 0;
  std::size_t count = 0;
};

void measure(benchmark::State& state, const row& of) {
  const schedule order =
      stagecut::make_schedule(of.kind, {.ranks = of.ranks, .stages_per_rank = of.chunks, .microbatches = of.microbatches});
  const std::size_t stages = order.stages();
  const std::vector<std::size_t> in_flight = stagecut::microbatches_in_flight(order);
  // Evaluating cuts takes so long that the other methods also end after some seconds.
  const std::size_t passes = 2 * stages * of.microbatches;
  const std::size_t most_shifts = std::clamp(2'000'000 / passes, std::size_t{100}, std::size_t{1000});

  std::vector<double> seconds;
  std::size_t proved = 0;
  std::size_t missed = 0;
  std::size_t shifted_to_the_end = 0;
  double gap = 0;
  mean uniform, bottleneck, shifting;
  for (auto _ : state) {
    for (std::uint64_t seed = 1; seed <= of.instances; ++seed) {
      const std::string where = name_of(of) + " seed " + std::to_string(seed);
      const instance given = make_instance(of, seed);
      const bench::chain_model model = given.model();
      stagecut::makespan_request request;
      request.schedule = order;
      if (!given.times.message.empty()) request.links = {{.latency = 0, .bandwidth = 1}};
      request.transfers = given.times.transfers;
      request.search.time_limit = of.time_limit;
      if (of.cap != 0) request.memory_limit = of.cap * least_cap(model, in_flight);

      const auto begin = std::chrono::steady_clock::now();
      const auto best = stagecut::minimize_makespan(model, request);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (!best) wrong(where, best.why().text().c_str());
      const bool optimal = best.state() == stagecut::state::optimal;
      seconds.push_back(took.count());
      proved += optimal ? 1 : 0;
      gap = std::max(gap, best->gap());
      const bool met = of.reach.gap == 0 ? optimal && took.count() <= of.reach.seconds
                                         : best->gap() <= of.reach.gap && took.count() <= 1.1 * of.reach.seconds;
      missed += met ? 0 : 1;
      if (!met || !optimal) {
        std::fprintf(stderr, "%s: %s: gap %.3f %%, %.3f s, %zu nodes, makespan %.17g\n", met ? "not proved" : "missed",
                     where.c_str(), 100 * best->gap(), took.count(), best->statistics.nodes, best->value);
      }

      const within_cap allowed{&model, &in_flight,
                               request.memory_limit.for_all().value_or(std::numeric_limits<double>::infinity())};
      const auto fits = [&](const cuts& other) {
        for (std::size_t s = 0; s < stages; ++s) {
          if (of.cap != 0 && !allowed(s, other[s], other[s + 1])) return false;
        }
        return true;
      };
      const auto makespan = [&](const cuts& other) { return simulate_cut(given.times, order, other).makespan; };
      if (!fits(best->cuts)) wrong(where, "the answer is too large for the memory");
      if (std::abs(makespan(best->cuts) - best->value) > 1e-9 * best->value) {
        wrong(where, "the answer does not take as long as it says");
      }
      const auto compare = [&](const char* whose, const cuts& other, double time, mean& percent) {
        if (!fits(other)) return;
        if (time < best->bound * (1 - 1e-9)) wrong(where, (std::string(whose) + " is shorter than the bound").c_str());
        if (time < best->value * (1 - 1e-9)) {
          failed = true;
          std::fprintf(stderr, "beaten: %s: %s takes %.17g\n", where.c_str(), whose, time);
        }
        percent.add(100 * (time / best->value - 1));
      };
      std::vector<double> load(given.times.forward);
      for (std::size_t i = 0; i < load.size(); ++i) load[i] += given.times.backward[i];
      const auto light = stagecut::minimize_bottleneck(stagecut::prefix_sums(load), stages, allowed);
      const auto even = stagecut::uniform_cuts(of.items, stages);
      const auto shifted = baseline::layer_shifting(given.times, order, most_shifts);
      compare("the uniform cut", even->cuts, makespan(even->cuts), uniform);
      compare("the cut of least bottleneck", light->cuts, makespan(light->cuts), bottleneck);
      compare("the cut by shifting layers", shifted.cuts, shifted.makespan, shifting);
      shifted_to_the_end += shifted.finished ? 1 : 0;
    }
  }
  state.SetLabel(text_of(of.reach));
  auto& counters = state.counters;
  counters["instances"] = static_cast<double>(seconds.size());
  counters["proved"] = static_cast<double>(proved);
  counters["missed"] = static_cast<double>(missed);
  counters["gap_percent"] = 100 * gap;
  std::sort(seconds.begin(), seconds.end());
  counters["worst_s"] = seconds.back();
  counters["median_s"] = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
  const auto tell = [&](const char* what, const mean& percent) {
    if (percent.count != 0) counters[what] = percent.value();
  };
  tell("uniform_percent", uniform);
  tell("bottleneck_percent", bottleneck);
  tell("shifting_percent", shifting);
  counters["shifting_finished"] = static_cast<double>(shifted_to_the_end);
}

/// The rows of the tables.
std::vector<row> rows() {
  using enum schedule_kind;
  constexpr auto one = one_forward_one_backward;
  std::vector<row> all;
  for (const double cap : {0.0, 1.02, 1.15}) {
    for (const messages each : {none, link(0.02), link(0.3)}) {
      all.push_back({one, source::gpt3, 1, 98, 16, 1, 64, each, cap, 1, 10, {2}});
      all.push_back({one, source::random, 10, 96, 16, 1, 64, each, cap, 20, 10, {2}});
    }
  }
  for (const int spread : {10, 100}) {
    for (const std::size_t m : {32, 64, 256}) {
      for (const messages each : {none, latency(0.1)}) {
        all.push_back({one, source::random, spread, 96, 32, 1, m, each, 0, 10, 10, {10, 0.005}});
      }
    }
  }
  for (const messages each : {none, link(0.02)}) {
    all.push_back({one, source::random, 10, 1000, 64, 1, 512, each, 0, 3, 10, {10, 0.005}});
  }
  for (const int spread : {10, 100}) {
    for (const std::size_t m : {8, 16, 32}) {
      for (const messages each : {none, latency(0.1)}) {
        all.push_back({interleaved, source::random, spread, 64, 8, 2, m, each, 0, 5, 20, {20}});
      }
    }
  }
  for (const messages each : {none, latency(0.05)}) {
    all.push_back({interleaved, source::random, 10, 96, 16, 2, 64, each, 0, 3, 30, {30, 0.02}});
  }
  all.push_back({interleaved, source::equal, 1, 96, 16, 2, 64, none, 0, 1, 30, {30, 0.02}});
  for (const schedule_kind kind : {eager_one_forward_one_backward, zb_h1, gpipe}) {
    for (const messages each : {none, link(0.3)}) {
      all.push_back({kind, source::random, 10, 96, 16, 1, 64, each, 0, 10, 10, {2}});
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const row& each : rows()) {
    benchmark::RegisterBenchmark(name_of(each).c_str(), [each](benchmark::State& state) { measure(state, each); })
        ->Iterations(1)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return failed ? 1 : 0;
}
