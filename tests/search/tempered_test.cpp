// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/tempered.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "../makespan/random_chains.hpp"
#include "../makespan/tempering_chains.hpp"
#include "systems.hpp"

using chains::chain;
using chains::first_cut;
using chains::long_chain;
using chains::points;
using chains::some_chain;
using chains::valued;
using oracle::dice;
using stagecut::heuristic_call;
using stagecut::schedule;
using stagecut::detail::problem_access;
using stagecut::engine::cut_problem;
using stagecut::search::tempered;
using stagecut::search::tempering_options;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Bench>
cut_problem problem_of(Bench& bench) {
  return {bench.ticks, bench.request.schedule, bench.request.transfers, bench.checked};
}

/// What a heuristic says of a cut.
struct said {
  bool better = false;
  points cut{};

  friend bool operator==(const said&, const said&) = default;
};
template <class Heuristic, class Bench>
said ask(Heuristic& heuristic, Bench& bench, const points& from, std::size_t simulations, double goal = 0) {
  const cut_problem problem = problem_of(bench);
  const double makespan = bench.simulate(from) * bench.ticks.tick;
  said result{false, from};
  result.better = heuristic(
      {problem_access::problem(problem, bench.simulate), from, makespan, goal, infinity, simulations}, result.cut);
  return result;
}

/// Three calls, each from what the one before found.
template <class Policy>
std::vector<said> three_calls(const Policy& policy, const chain& of, const points& start,
                              const tempering_options& options) {
  std::vector<said> result;
  chains::with_workbench(of, [&](auto& bench) {
    auto heuristic = tempered(policy, options);
    points from = start;
    for (const std::size_t simulations : {700U, 1U, 1000U}) {
      result.push_back(ask(heuristic, bench, from, simulations));
      from = result.back().cut;
    }
  });
  return result;
}

}  // namespace

TEST_CASE("only allowed and better cuts are returned, and the best is nearly always found") {
  dice random(1);
  auto heuristic = tempered(thrust::seq);
  std::size_t rounds = 0;
  std::size_t optimal = 0;
  std::size_t with_memory = 0;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const chain of = some_chain(random, 11);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    std::map<points, double> makespans;
    for (const auto& [makespan, cut] : all) makespans[cut] = makespan;
    chains::with_workbench(of, [&](auto& bench) {
      points now = all.back().second;
      bool sound = true;
      for (int call = 0; call < 4; ++call) {
        const said found = ask(heuristic, bench, now, 3000);
        if (!found.better) {
          sound = sound && found.cut == now;
          continue;
        }
        const auto here = makespans.find(found.cut);
        sound = sound && here != makespans.end() && here->second < makespans[now];
        now = found.cut;
      }
      CHECK(sound);
      ++rounds;
      with_memory += bench.checked.has_rank_rules() ? 1 : 0;
      optimal += makespans[now] == all[0].first ? 1 : 0;
    });
  }
  CHECK(rounds > 350);
  CHECK(with_memory > 20);
  CHECK(optimal + 3 >= rounds);
  MESSAGE(optimal, " of ", rounds, ", with memory of ranks ", with_memory);
}

TEST_CASE("equal to the bit on all systems, for any number of threads, and when done again") {
  dice random(2);
  std::size_t better = 0;
  for (int round = 0; round < 24; ++round) {
    CAPTURE(round);
    const bool is_long = round % 2 == 0;
    const chain of = is_long ? long_chain(random) : some_chain(random, 12);
    points start = first_cut(of);
    if (!is_long) {
      const std::vector<valued> all = chains::all_cuts(of);
      if (all.empty()) continue;
      start = all.back().second;
    }
    tempering_options options;
    options.chains = round % 3 == 0 ? 8 : round % 3 == 1 ? 64 : 192;
    options.steps = random.from(1, 7);
    options.seed = random.below(3);
    const std::vector<said> once = three_calls(thrust::seq, of, start, options);
    CHECK(three_calls(thrust::seq, of, start, options) == once);
    on_each_system([&](const auto& policy) { CHECK(three_calls(policy, of, start, options) == once); });
    better += once[0].better ? 1 : 0;
  }
  CHECK(better > 16);
}

TEST_CASE("equal to the bit when ladders begin anew, too") {
  dice random(8);
  for (const std::size_t chains : {8U, 128U}) {
    const chain of = long_chain(random);
    const auto search = [&](const auto& policy) {
      said result;
      chains::with_workbench(of, [&](auto& bench) {
        auto heuristic = tempered(policy, {.chains = chains, .steps = 1});
        result = ask(heuristic, bench, first_cut(of), 14'000 * chains);  // rounds
      });
      return result;
    };
    const said once = search(thrust::seq);
    CHECK(once.better);
    CHECK(search(thrust::seq) == once);
#ifdef STAGECUT_TEST_TBB
    if (chains > 64) CHECK(search(thrust::tbb::par) == once);
#endif
  }
}

TEST_CASE("chains are kept for the same problem, whatever its address, and not for another one") {
  dice random(3);
  std::size_t differs = 0;
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    const chain one = long_chain(random);
    const chain other = long_chain(random);
    const tempering_options options{.chains = 8, .steps = 1};
    auto heuristic = tempered(thrust::seq, options);
    const auto ask_of = [&](auto& who, const chain& of, const points& from) {
      said result;
      chains::with_workbench(of, [&](auto& bench) { result = ask(who, bench, from, 100); });
      return result;
    };
    const said first = ask_of(heuristic, one, first_cut(one));
    const said second = ask_of(heuristic, one, first.cut);
    auto anew = tempered(thrust::seq, options);
    differs += ask_of(anew, one, first.cut) == second ? 0 : 1;
    auto again = tempered(thrust::seq, options);
    CHECK(ask_of(again, one, first_cut(one)) == first);
    CHECK(ask_of(again, one, first.cut) == second);
    auto fresh = tempered(thrust::seq, options);
    CHECK(ask_of(heuristic, other, first_cut(other)) == ask_of(fresh, other, first_cut(other)));
    CHECK(ask_of(heuristic, one, first_cut(one)) == first);
  }
  CHECK(differs > 20);
}

namespace {

/// Ranks must not have stages that begin at two even items: a rule that is no sum of memory.
class parity_rules final : public stagecut::engine::cut_rules {
 public:
  [[nodiscard]] bool allows(std::size_t, std::size_t, std::size_t) const override { return true; }
  [[nodiscard]] bool hopeless(std::size_t, std::size_t, std::size_t) const override { return false; }
  [[nodiscard]] bool allows_rank(std::size_t, stagecut::view<const stagecut::interval> parts) const override {
    std::size_t even = 0;
    for (const stagecut::interval part : parts) even += part.first % 2 == 0 ? 1 : 0;
    return even < 2;
  }
  [[nodiscard]] bool has_rank_rules() const override { return true; }
};

}  // namespace

TEST_CASE("rules of ranks that are no sums are asked before a cut is returned") {
  dice random(4);
  std::size_t rounds = 0;
  std::size_t optimal = 0;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const chain of = some_chain(random, 11, {true, true, false, false});
    const parity_rules rules;
    std::vector<valued> all = chains::all_cuts(of);
    std::erase_if(
        all, [&](const valued& each) { return !stagecut::engine::allowed_cut(of.request.schedule, rules, each.second); });
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const cut_problem problem{bench.ticks, bench.request.schedule, bench.request.transfers, rules};
      auto heuristic = tempered(thrust::seq);
      valued now = all.back();
      for (int call = 0; call < 4; ++call) {
        points cut = now.second;
        if (!heuristic({problem_access::problem(problem, bench.simulate), now.second, now.first, 0, infinity, 3000},
                       cut))
          continue;
        const double makespan = bench.simulate(cut) * bench.ticks.tick;
        CHECK(stagecut::engine::allowed_cut(of.request.schedule, rules, cut));
        CHECK(makespan < now.first);
        now = {makespan, cut};
      }
      ++rounds;
      optimal += now.first == all[0].first ? 1 : 0;
    });
  }
  CHECK(rounds > 60);
  CHECK(optimal + 3 >= rounds);
}

TEST_CASE("a search that it helps proves the same") {
  dice random(5);
  std::size_t solved = 0;
  auto heuristic = tempered(thrust::seq);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    chain of = some_chain(random, 10);
    const auto alone = chains::solve(of);
    of.request.backends.heuristic = std::ref(heuristic);
    const auto helped = chains::solve(of);
    REQUIRE(helped.state() == alone.state());
    if (!alone) continue;
    ++solved;
    CHECK(helped->value == alone->value);
    CHECK(helped->bound == alone->bound);
    CHECK(helped->cuts == alone->cuts);
  }
  CHECK(solved > 100);
}

TEST_CASE("where there is nothing to move or to be had, it says so") {
  dice random(6);
  const chain of = long_chain(random);
  chains::with_workbench(of, [&](auto& bench) {
    auto heuristic = tempered(thrust::seq);
    const points start = first_cut(of);
    const cut_problem problem = problem_of(bench);
    const double makespan = bench.simulate(start) * bench.ticks.tick;
    points cut = start;
    stagecut::heuristic_call task{
        problem_access::problem(problem, bench.simulate), start, makespan, makespan, infinity, 1000};
    CHECK_FALSE(heuristic(task, cut));  // no cut is better
    task.goal = 0;
    points short_cut(start.size() - 1);
    CHECK_FALSE(heuristic(task, short_cut));
    points none = start;
    none[1] = none[2];
    task.points = none;
    CHECK_FALSE(heuristic(task, cut));
    task.points = start;
    CHECK(cut == start);
    task.seconds = 0;  // a round
    task.simulations = 0;
    static_cast<void>(heuristic(task, cut));
    task.seconds = 0.02;
    static_cast<void>(heuristic(task, cut));
    CHECK(bench.simulate(cut) * bench.ticks.tick < makespan);
  });
  for (const bool one_stage : {true, false}) {
    const std::size_t ranks = one_stage ? 1 : 5;
    const auto order =
        stagecut::make_schedule(stagecut::schedule_kind::one_forward_one_backward, {.ranks = ranks, .microbatches = 5});
    const chain tight = chains::random_chain(random, order, 5, {false, false, false, false});
    chains::with_workbench(tight, [&](auto& bench) {
      auto heuristic = tempered(thrust::seq);
      CHECK_FALSE(ask(heuristic, bench, first_cut(tight), 100).better);
    });
  }
}

TEST_CASE("it ends at the goal") {
  dice random(7);
  std::size_t met = 0;
  for (int round = 0; round < 20; ++round) {
    const chain of = long_chain(random);
    chains::with_workbench(of, [&](auto& bench) {
      auto heuristic = tempered(thrust::seq);
      const points start = first_cut(of);
      const double goal = bench.simulate(start) * bench.ticks.tick * 0.9;
      const said found = ask(heuristic, bench, start, ~std::size_t{0}, goal);  // would take for ever
      met += bench.simulate(found.cut) * bench.ticks.tick <= goal ? 1 : 0;
    });
  }
  CHECK(met == 20);
}

TEST_CASE("options that are out of range are refused") {
  using stagecut::argument_error;
  for (const std::size_t chains : {1U, 12U, 72U, 100U}) {
    CHECK_THROWS_AS(static_cast<void>(tempered(thrust::seq, {.chains = chains})), argument_error);
  }
  CHECK_THROWS_AS(static_cast<void>(tempered(thrust::seq, {.chains = std::size_t{1} << 30U})), argument_error);
  CHECK_THROWS_AS(static_cast<void>(tempered(thrust::seq, {.coldest = 0})), argument_error);
  CHECK_THROWS_AS(static_cast<void>(tempered(thrust::seq, {.hottest = 1e-4})), argument_error);
  CHECK_THROWS_AS(static_cast<void>(tempered(thrust::seq, {.hottest = 2})), argument_error);
  CHECK_THROWS_AS(static_cast<void>(tempered(thrust::seq, {.seed = ~std::uint64_t{0}})), argument_error);
  CHECK_THROWS_AS(static_cast<void>(tempered(thrust::seq, {.steps = 0})), argument_error);
  CHECK_NOTHROW(static_cast<void>(tempered(thrust::seq, {.chains = 56, .hottest = 0.5, .coldest = 0.5, .steps = 1})));
}
