// SPDX-License-Identifier: BSL-1.0
// Schedules synthesized for given stages: their gap to the bound, and the extra time of other methods.
//
// Names: cells/PLACEMENT/MEMORY/hop:F, 16 chains of uneven stages each; published/…, the stages of the zero-bubble
// papers; even/…; large/…. PLACEMENT is v1, V, loop, and with -whole backward passes are not split; MEMORY is in units
// of the fullest rank's use under 1F1B with one stage per rank. Each row runs once; every schedule is reported on
// stderr. All rows take two or three minutes.
//
//   --seconds=S  per schedule of the cells, 0.3 by default; the other rows take 2
//
// The other methods are the named schedules that fit, and, for one stage per rank with I and W split, the zero-bubble
// heuristic. The program fails, after all measurements, if one of them is shorter than the result, or any schedule is
// shorter than its bound, or a schedule does not match its memory or its makespan.

#include "../shares.hpp"
#include "uneven_stages.hpp"
#include "zero_bubble_heuristic.hpp"

#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using bench::order_instance;
using bench::placement;
using bench::shares;
using bench::ticks;
using stagecut::op_kind;
using stagecut::schedule;

bool failed = false;

void wrong(const order_instance& of, const char* what) {
  failed = true;
  std::fprintf(stderr, "wrong: %s: %s\n", of.name.c_str(), what);
}

bool fits(const order_instance& of, const schedule& order) {
  for (const auto& rank : memory_curve(order, stagecut::simulation<ticks>{}, of.request.bytes)) {
    if (rank.peak() > of.request.memory_limit.of(0, 0)) return false;
  }
  return true;
}

/// The smallest makespan of the named schedules that fit.
std::optional<ticks> best_named(const order_instance& of) {
  std::optional<ticks> best;
  const std::size_t chunks = of.request.rank_of.size() / of.ranks;
  for (const stagecut::schedule_entry& entry : stagecut::schedules) {
    if (!has_shape(entry.kind, of.ranks, chunks, of.request.microbatches)) continue;
    const schedule order =
        make_schedule(entry.kind, {.ranks = of.ranks, .stages_per_rank = chunks, .microbatches = of.request.microbatches});
    if (order.rank_of != of.request.rank_of || (!of.request.split && has_kind(order, op_kind::backward_input))) continue;
    if (!fits(of, order)) continue;
    const ticks makespan = stagecut::simulate(order, of.times, of.hops).makespan;
    if (!best || makespan < *best) best = makespan;
  }
  return best;
}

/// The heuristic's results: its smallest makespan, and the makespan of its own choice, the smallest span.
struct heuristic_answer {
  ticks makespan = 0;
  ticks by_span = 0;
};

std::optional<heuristic_answer> zero_bubble(const order_instance& of) {
  const auto& bytes = of.request.bytes;
  if (of.request.rank_of.size() != of.ranks || !of.request.split) return std::nullopt;
  const baseline::zero_bubble_stages stages{of.times.forward,
                                            of.times.backward_input,
                                            of.times.backward_weight,
                                            bytes.activations,
                                            bytes.weight_part,
                                            of.request.memory_limit.of(0, 0),
                                            of.hops.forward.empty() ? 0 : of.hops.forward[0],
                                            of.request.microbatches};
  baseline::zero_bubble_heuristic heuristic(stages);
  std::optional<heuristic_answer> best;
  ticks span = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const auto order = heuristic({(i & 1U) != 0, (i & 2U) != 0, (i & 4U) != 0});
    if (!order) continue;
    if (!fits(of, *order)) wrong(of, "the heuristic's order does not fit");
    const auto run = stagecut::simulate(*order, of.times, of.hops);
    if (!best || run.span < span) {
      span = run.span;
      best = heuristic_answer{best ? best->makespan : run.makespan, run.makespan};
    }
    best->makespan = std::min(best->makespan, run.makespan);
  }
  return best;
}

double excess(ticks of, ticks over) { return static_cast<double>(of) / static_cast<double>(over) - 1; }

void measure(benchmark::State& state, const std::vector<order_instance>& all, double seconds) {
  shares gap, named, heuristic, by_span;
  double proved = 0, longest = 0;
  for (auto _ : state) {
    for (order_instance of : all) {
      of.request.search.time_limit = seconds;
      const auto begin = std::chrono::steady_clock::now();
      const auto made = stagecut::synthesize_schedule(of.times, of.hops, of.request);
      const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      longest = std::max(longest, took);
      const auto name = best_named(of);
      const auto other = zero_bubble(of);
      std::fprintf(stderr, "%s: %s %lld, bound %lld, named %lld, heuristic %lld (%lld by span), %.2f s\n",
                   of.name.c_str(), to_string(made.state()), made ? static_cast<long long>(made->makespan) : 0,
                   made ? static_cast<long long>(made->bound) : 0, static_cast<long long>(name.value_or(0)),
                   static_cast<long long>(other ? other->makespan : 0),
                   static_cast<long long>(other ? other->by_span : 0), took);
      if (!made) {
        if (name || other || made.state() == stagecut::state::infeasible) wrong(of, "no order, and there is one");
        continue;
      }
      if (!fits(of, made->schedule)) wrong(of, "the order does not fit");
      if (stagecut::simulate(made->schedule, of.times, of.hops).makespan != made->makespan)
        wrong(of, "the makespan is another one");
      const ticks least =
          std::min({made->makespan, name.value_or(made->makespan), other ? other->makespan : made->makespan});
      if (least < made->makespan) wrong(of, "others are shorter");
      if (least < made->bound) wrong(of, "the bound is above an order");
      gap.add(made->gap());
      proved += made.state() == stagecut::state::optimal ? 1 : 0;
      if (name) named.add(excess(*name, made->makespan));
      if (other) heuristic.add(excess(other->makespan, made->makespan));
      if (other) by_span.add(excess(other->by_span, made->makespan));
      if (all.size() > 1) continue;
      state.counters["makespan"] = static_cast<double>(made->makespan) / of.unit;
      state.counters["bound"] = static_cast<double>(made->bound) / of.unit;
      if (name) state.counters["named"] = static_cast<double>(*name) / of.unit;
      if (other) state.counters["heuristic"] = static_cast<double>(other->makespan) / of.unit;
    }
  }
  state.counters["orders"] = static_cast<double>(all.size());
  state.counters["proved"] = proved;
  state.counters["named_fit"] = named.count();
  state.counters["heuristic_fits"] = heuristic.count();
  state.counters["longest_s"] = longest;
  gap.tell(state, "gap");
  named.tell(state, "named_longer");
  heuristic.tell(state, "heuristic_longer");
  by_span.tell(state, "heuristic_by_span_longer");
}

void add(const std::string& name, std::vector<order_instance> all, double seconds) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = name + (all.size() > 1 ? "/" + all[i].name : "");
  benchmark::RegisterBenchmark(
      name.c_str(), [all = std::move(all), seconds](benchmark::State& state) { measure(state, all, seconds); })
      ->Iterations(1)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

constexpr const char* place_names[] = {"v1", "V", "loop"};

void add_cell(placement where, bool split, double memory, double hop, double seconds) {
  constexpr std::size_t shapes[][2] = {{4, 4}, {4, 8}, {4, 32}, {8, 8}, {8, 16}, {8, 64}, {16, 16}, {16, 64}};
  std::vector<order_instance> all;
  for (const bool head : {false, true}) {
    for (const auto& [p, m] : shapes) {
      all.push_back(instance_of(bench::uneven_pieces(p, m, head, 1000 * p + m), where, split, 0.45, memory, hop));
      all.back().name = (head ? "head/p:" : "uneven/p:") + std::to_string(p) + "/m:" + std::to_string(m);
    }
  }
  const std::string place = place_names[static_cast<std::size_t>(where)];
  add("cells/" + place + (split ? "/" : "-whole/") + number(memory) + "x/hop:" + number(hop), std::move(all), seconds);
}

void add_published() {
  // Table 9 of arXiv 2401.10241, microseconds: ranks, microbatches, F, I, W, message.
  struct stages {
    std::size_t p, m;
    ticks f, i, w, c;
  };
  constexpr stages rows[] = {{8, 24, 18522, 18086, 9337, 601},
                             {8, 24, 29718, 29444, 19927, 527},
                             {16, 48, 11347, 11248, 8132, 377},
                             {24, 72, 13526, 13938, 10502, 755},
                             {16, 128, 28632, 28612, 19278, 1619}};
  for (const auto& [p, m, f, i, w, c] : rows) {
    for (const placement where : {placement::one, placement::vee}) {
      for (const double memory : {1.0, 1.5, 2.0}) {
        if (where == placement::vee && memory > 1.5) continue;
        // Ticks of half a microsecond: with two stages per rank each takes half.
        order_instance of = instance_of(bench::even_pieces(p, m, f, i, w), where, true, 0.5, memory, 0);
        of.hops.forward = of.hops.backward = {2 * c};
        of.unit = 2;
        add(std::string("published/") + place_names[static_cast<std::size_t>(where)] + "/p:" + std::to_string(p) +
                "/m:" + std::to_string(m) + "/F:" + std::to_string(f) + "/" + number(memory) + "x",
            {std::move(of)}, 2);
      }
    }
  }
}

void add_even() {
  for (const placement where : {placement::one, placement::vee}) {
    for (const double memory : {1.0, 0.75, 0.5}) {
      const ticks time = where == placement::one ? 5 : 10;
      add(std::string("even/") + place_names[static_cast<std::size_t>(where)] + "/" + number(memory) + "x",
          {instance_of(bench::even_pieces(4, 8, time, time, time), where, true, 0.5, memory, 0)}, 2);
    }
  }
}

void add_large() {
  for (const placement where : {placement::one, placement::vee}) {
    for (const double memory : {1.0, 1.5}) {
      std::vector<order_instance> all;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        all.push_back(instance_of(bench::uneven_pieces(32, 128, false, seed), where, true, 0.45, memory, 0.1));
        all.back().name = "seed:" + std::to_string(seed);
      }
      add(std::string("large/") + place_names[static_cast<std::size_t>(where)] + "/" + number(memory) + "x",
          std::move(all), 2);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  double seconds = 0.3;
  for (int i = 1; i < argc; ++i) {
    constexpr std::string_view said = "--seconds=";
    const std::string_view word = argv[i];
    if (word.substr(0, said.size()) != said || (seconds = std::atof(argv[i] + said.size())) <= 0) {
      std::fprintf(stderr, "%s: not known\n", argv[i]);
      return 2;
    }
  }
  for (const auto& [where, split] : {std::pair{placement::one, true},
                                     {placement::vee, true},
                                     {placement::loop, true},
                                     {placement::one, false},
                                     {placement::loop, false}}) {
    for (const double hop : {0.0, 0.1}) {
      for (const double memory : {1.0, 1.5, 2.0}) add_cell(where, split, memory, hop, seconds);
    }
  }
  add_published();
  add_even();
  add_large();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return failed ? 1 : 0;
}
