// SPDX-License-Identifier: BSL-1.0
// The cut of smallest makespan with several stages per device: its distance to the best known cut, and the gap to its
// bound.
//
// Names: SCHEDULE/CHAIN/n:ITEMS/p:RANKS/v:CHUNKS/m:MICROBATCHES/TRANSFERS/MEMORY. Each runs once and solves several
// instances: with seeds from 1 on, or the models in examples/models that have enough items. The results are counters,
// the label is the goal. Every instance is reported on stderr. All rows take up to an hour.
//
//   --best-known=FILE       the known makespans of the instances; default: best_known.txt in this folder
//   --record                writes smaller ones to it
//   --annealing[=SECONDS]   also anneals every instance, for 60 s by default: hours for all rows.
//                           If an answer is longer than the annealed one, it is counted, not a failure
//
// The program fails, after all measurements, if a bound is above the makespan of any known cut, so that the proof is
// wrong, or if an answer is not an allowed cut, or takes longer than reported.

#include "best_known.hpp"
#include "device_memory.hpp"
#include "layer_shifting.hpp"
#include "plain_annealing.hpp"
#include "transformer_chains.hpp"

#include <stagecut/core/interval.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using stagecut::schedule;
using stagecut::schedule_kind;

constexpr double any = std::numeric_limits<double>::infinity();

enum class source { lognormal, spread, transformers };

/// The goal for every instance; `any`: none.
struct goal {
  double above;                  ///< excess over the best known makespan, as a share of it
  double gap;                    ///< gap of the best known makespan to the bound, as a share of it; 0: a proof
  bool below_annealing = false;  ///< or equal to the annealed makespan
  double first_cut = any;        ///< seconds
};

/// Instances that differ in their seeds, or models.
struct row {
  schedule_kind kind;
  source from;
  double spread;  ///< sigma of lognormal chains; otherwise the largest ratio of the longest to the shortest item
  std::size_t items;
  std::size_t ranks;
  std::size_t chunks;
  std::size_t microbatches;
  double link;  ///< message times, in units of the mean stage time; 0: none
  double cap;   ///< memory, in units of the smallest sufficient one; 0: unlimited
  double time_limit;
  goal reach;
};

/// The command-line settings.
struct settings {
  std::string best_known = STAGECUT_BEST_KNOWN;
  bool record = false;
  double annealing = 0;  ///< seconds; 0: none
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string name_of(const row& of) {
  const auto chain = of.from == source::transformers ? std::string("transformers")
                     : of.from == source::lognormal  ? "sigma-" + number(of.spread)
                                                     : "spread-" + number(of.spread);
  return std::string(to_string(of.kind)) + "/" + chain + "/n:" + (of.items != 0 ? std::to_string(of.items) : "all") +
         "/p:" + std::to_string(of.ranks) + "/v:" + std::to_string(of.chunks) +
         "/m:" + std::to_string(of.microbatches) + "/" + (of.link != 0 ? "link-" + number(of.link) : "none") + "/" +
         (of.cap != 0 ? "cap-" + number(of.cap) : "free");
}

std::string text_of(const row& of) {
  const auto percent = [](double share) { return "<= " + number(100 * share) + " %"; };
  std::string text = of.reach.above != any      ? percent(of.reach.above) + " above"
                     : of.reach.below_annealing ? "<= annealing"
                                                : "any";
  if (of.reach.gap == 0) text += ", proved";
  if (of.reach.gap != 0 && of.reach.gap != any) text += ", gap " + percent(of.reach.gap);
  if (of.reach.first_cut != any) text += ", a cut in " + number(of.reach.first_cut) + " s";
  return text + ", " + number(of.time_limit) + " s";
}

/// A problem to solve.
struct instance {
  std::string name{};
  bench::chain given{};
  std::optional<double> memory{};  ///< of a device
  /// The relative difference allowed between makespans of the same cut: integers differ by less than one.
  double rounding = 1e-12;
};

std::vector<instance> instances_of(const row& of, const schedule& order) {
  std::vector<instance> all;
  if (of.from != source::transformers) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      all.push_back({name_of(of) + "/seed:" + std::to_string(seed),
                     of.from == source::lognormal ? bench::lognormal_chain(of.items, of.spread, seed)
                                                  : bench::spread_chain(of.items, of.spread, seed)});
      if (of.link != 0) bench::add_messages(all.back().given, of.link, order.stages(), seed);
    }
    return all;
  }
  for (const char* const model : bench::transformers) {
    instance next{name_of(of) + "/" + model, bench::transformer_chain(model)};
    if (next.given.resident.size() < order.stages()) continue;
    next.rounding = 4e-9;  // the search rounds to ticks
    if (of.cap != 0) next.memory = of.cap * bench::device_memory(order).least(next.given);
    all.push_back(std::move(next));
  }
  return all;
}

/// The library's answer for an instance.
struct answer {
  std::vector<std::size_t> points{};  ///< empty: it found no cut
  double makespan = any;
  double bound = 0;
  bool proved = false;
  bool denied = false;  ///< whether it reports that there is no cut
  double seconds = 0;
  double first_cut = any;  ///< seconds
};

answer solve(const instance& of, const schedule& order, double time_limit) {
  const bench::chain_model model(of.given);
  stagecut::makespan_request request;
  request.schedule = order;
  if (!of.given.times.message.empty()) request.links = {{.latency = 0, .bandwidth = 1}};
  request.transfers = of.given.times.transfers;
  request.memory_limit = of.memory;
  request.search.time_limit = time_limit;
  answer found;
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const auto watch = [&](const stagecut::search_progress& now) {
    if (now.value > 0 && found.first_cut == any) found.first_cut = passed();
  };
  request.search.progress = watch;
  const auto best = stagecut::minimize_makespan(model, request);
  found.seconds = passed();
  found.denied = best.state() == stagecut::state::infeasible;
  if (!best) return found;
  found.first_cut = std::min(found.first_cut, found.seconds);
  found.points = {0};
  for (const stagecut::interval each : best->cuts) found.points.push_back(each.last);
  found.makespan = best->value;
  found.bound = best->bound;
  found.proved = best.state() == stagecut::state::optimal;
  return found;
}

/// Numbers summarized by median and worst case.
class sample {
 public:
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] double worst() const { return *std::max_element(values_.begin(), values_.end()); }
  [[nodiscard]] double median() const {
    std::vector<double> sorted(values_);
    std::sort(sorted.begin(), sorted.end());
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  }

 private:
  std::vector<double> values_;
};

/// The summary of a row.
struct figures {
  std::size_t instances = 0;
  std::size_t proved = 0;
  std::size_t missed = 0;
  std::size_t no_cut = 0;
  std::size_t improved = 0;         ///< below the known makespan
  std::size_t above_annealing = 0;  ///< answers
  sample above{}, gap{}, first_cut{}, seconds{}, annealing{};
};

/// Measures rows, one after the other.
class meter {
 public:
  explicit meter(const settings& said) : said_(said), known_(said.best_known) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool readable() const { return known_.readable(); }

  void measure(benchmark::State& state, const row& of) {
    const schedule order =
        stagecut::make_schedule(of.kind, {.ranks = of.ranks, .stages_per_rank = of.chunks, .microbatches = of.microbatches});
    figures told;
    for (auto _ : state) {
      for (const instance& each : instances_of(of, order)) look_at(of, order, each, told);
    }
    state.SetLabel(text_of(of));
    tell(state, told);
  }

 private:
  void wrong(const std::string& where, const std::string& what) {
    failed_ = true;
    std::fprintf(stderr, "wrong: %s: %s\n", where.c_str(), what.c_str());
  }

  /// The makespan found by annealing; infinite if it is disabled, or finds no allowed cut.
  [[nodiscard]] double anneal(const schedule& order, const instance& of) const {
    if (said_.annealing == 0) return any;
    const bench::chain_model model(of.given);
    const bench::device_memory memory(order);
    const auto excess = [&](const std::vector<std::size_t>& points) {
      return of.memory ? memory(model, points) / *of.memory - 1 : 0.0;
    };
    return baseline::plain_annealing(of.given.times, order, said_.annealing, excess).makespan;
  }

  void check(const schedule& order, const instance& of, const answer& found) {
    if (found.denied) wrong(of.name, "there is said to be no cut, and there is one");
    if (found.points.empty()) return;
    const double takes = simulate_cut(of.given.times, order, stagecut::cuts(found.points)).makespan;
    if (std::abs(takes - found.makespan) > of.rounding * takes) {
      wrong(of.name, "the answer takes " + number(takes) + ", not as long as it says");
    }
    const double used = bench::device_memory(order)(bench::chain_model(of.given), found.points);
    if (of.memory && used > *of.memory * (1 + 1e-9)) wrong(of.name, "the answer is too large for the memory");
  }

  void look_at(const row& of, const schedule& order, const instance& each, figures& told) {
    const answer found = solve(each, order, of.time_limit);
    check(order, each, found);
    const double annealed = anneal(order, each);
    const double known = known_.find(each.name).value_or(any);
    const double best = std::min({known, annealed, found.makespan});
    if (found.bound > best * (1 + each.rounding)) {
      char text[128];
      std::snprintf(text, sizeof text, "the bound %.17g is above a cut that takes %.17g", found.bound, best);
      wrong(each.name, text);
    }
    if (known != any && best < known * (1 - each.rounding)) {
      ++told.improved;
      std::fprintf(stderr, "improved: %s: %.17g, not %.17g\n", each.name.c_str(), best, known);
    }
    if (said_.record && best != any) known_.record(each.name, best);
    add(of, each, found, best, annealed, told);
  }

  static void add(const row& of, const instance& each, const answer& found, double best, double annealed,
                  figures& told) {
    const auto share = [&](double larger, double smaller) {  // relative excess of the first over the second
      return larger <= smaller * (1 + each.rounding) ? 0 : larger / smaller - 1;
    };
    ++told.instances;
    told.seconds.add(found.seconds);
    const bool has_cut = !found.points.empty();
    told.no_cut += has_cut ? 0 : 1;
    const double above = has_cut ? share(found.makespan, best) : any;
    const double gap = best == any ? any : found.proved ? 0 : std::max(0.0, (best - found.bound) / best);
    told.proved += found.proved ? 1 : 0;
    if (has_cut) told.above.add(100 * above), told.first_cut.add(found.first_cut);
    if (has_cut) told.gap.add(100 * gap);
    const bool beaten = annealed < found.makespan * (1 - each.rounding);
    told.above_annealing += beaten ? 1 : 0;
    if (annealed != any && has_cut) told.annealing.add(100 * (annealed / found.makespan - 1));
    const goal& reach = of.reach;
    const bool met = has_cut && above <= reach.above && (reach.gap == 0 ? found.proved : gap <= reach.gap) &&
                     !(reach.below_annealing && beaten) && found.first_cut <= reach.first_cut &&
                     found.seconds <= 1.1 * of.time_limit;
    told.missed += met ? 0 : 1;
    std::fprintf(stderr,
                 "%s: %s: makespan %.17g, bound %.17g, %.4f %% above %.17g, gap %.3f %%%s, cut %.3f s, %.3f s\n",
                 met ? "met" : "missed", each.name.c_str(), found.makespan, found.bound, 100 * above, best, 100 * gap,
                 found.proved ? ", proved" : "", found.first_cut, found.seconds);
  }

  static void tell(benchmark::State& state, const figures& told) {
    auto& counters = state.counters;
    const auto count = [&](const char* what, std::size_t value) { counters[what] = static_cast<double>(value); };
    count("instances", told.instances);
    count("proved", told.proved);
    count("missed", told.missed);
    count("no_cut", told.no_cut);
    count("improved", told.improved);
    const auto both = [&](const std::string& what, const std::string& unit, const sample& of) {
      if (of.empty()) return;
      counters[what + "median" + unit] = of.median();
      counters[what + "worst" + unit] = of.worst();
    };
    both("above_", "_percent", told.above);
    both("gap_", "_percent", told.gap);
    both("first_cut_", "_s", told.first_cut);
    both("", "_s", told.seconds);
    if (told.annealing.empty()) return;
    count("above_annealing", told.above_annealing);
    counters["annealing_percent"] = told.annealing.median();
  }

  settings said_;
  bench::best_known known_;
  bool failed_ = false;
};

/// Lognormal chains, each spread with its own goal.
void add_lognormal(std::vector<row>& all, row of, const std::vector<goal>& reach) {
  const double spreads[] = {0.3, 0.5, 1, 1.5};
  for (std::size_t i = 0; i < 4; ++i) {
    of.spread = spreads[i];
    of.reach = reach.size() == 1 ? reach[0] : reach[i];
    all.push_back(of);
  }
}

/// The rows of the tables.
std::vector<row> rows() {
  using enum schedule_kind;
  constexpr auto random = source::lognormal;
  std::vector<row> all;
  const auto add = [&](schedule_kind kind, std::size_t n, std::size_t p, std::size_t v, std::size_t m, double link,
                       const std::vector<goal>& reach) {
    add_lognormal(all, {kind, random, 0, n, p, v, m, link, 0, 10, {}}, reach);
  };
  add(interleaved, 96, 8, 2, 32, 0, {{0, 0}, {0, 0}, {0, 0.02}, {0, 0}});
  add(interleaved, 96, 16, 2, 32, 0, {{0.001, 0.013}, {0.001, 0.03}, {0.01, 0.07}, {0.001, 0.03}});
  for (const double link : {0.0, 0.05}) {
    add(interleaved, 160, 16, 2, 64, link, {{0.002, 0.028}, {0.002, 0.035}, {0.002, 0.07}, {0.002, 0.04}});
  }
  add(interleaved, 96, 8, 3, 32, 0, {{0.002, 0.06}, {0.002, 0.07}, {0.002, 0.11}, {0.002, 0.24}});
  all.push_back({interleaved, source::spread, 10, 48, 4, 3, 16, 0, 0, 2, {0, 0.02}});
  add(interleaved, 96, 8, 4, 32, 0, {{any, any, true}});
  add(looped_bfs, 96, 16, 2, 32, 0, {{any, any, true}});
  add(zbv, 96, 16, 2, 32, 0, {{any, 0.02, true}});
  add(dualpipev, 96, 16, 2, 32, 0, {{any, any, true}});
  for (const std::size_t p : {4U, 8U, 16U}) {
    for (const std::size_t v : {2U, 3U, 4U}) {
      for (const double cap : {0.0, 1.15, 1.02}) {
        all.push_back({interleaved, source::transformers, 0, 0, p, v, 4 * p, 0, cap, 10, {0, 0.01, false, 1}});
      }
    }
  }
  return all;
}

/// Parses the options that are not the benchmark library's; none, with a message, if an option is unknown.
std::optional<settings> read_settings(int argc, char** argv) {
  settings said;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    constexpr std::string_view file = "--best-known=";
    constexpr std::string_view seconds = "--annealing=";
    if (word.substr(0, file.size()) == file) {
      said.best_known = word.substr(file.size());
    } else if (word == "--record") {
      said.record = true;
    } else if (word == "--annealing") {
      said.annealing = 60;
    } else if (word.substr(0, seconds.size()) == seconds) {
      said.annealing = std::atof(argv[i] + seconds.size());
    } else {
      std::fprintf(stderr, "%s: not known\n", argv[i]);
      return std::nullopt;
    }
  }
  return said;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto said = read_settings(argc, argv);
  if (!said) return 2;
  meter meter(*said);
  if (!meter.readable()) {
    std::fprintf(stderr, "%s: must have a name and a makespan on each line\n", said->best_known.c_str());
    return 2;
  }
  for (const row& each : rows()) {
    benchmark::RegisterBenchmark(name_of(each).c_str(),
                                 [&meter, each](benchmark::State& state) { meter.measure(state, each); })
        ->Iterations(1)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return meter.failed() ? 1 : 0;
}
