// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/bounded.hpp>

#include <stagecut/makespan/detail/rank_relaxation.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "../makespan/stage_chains.hpp"
#include "systems.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::bound_call;
using stagecut::schedule;
using stagecut::schedule_entry;
using stagecut::schedule_kind;
using stagecut::detail::problem_access;
using stagecut::engine::chain_ticks;
using stagecut::engine::cut_problem;
using stagecut::search::bounded;

namespace {

constexpr double any = std::numeric_limits<double>::infinity();

using tuples_type = stagecut::search::detail::rank_tuples<decltype(thrust::seq)>;

/// A call in ticks.
struct ticks_call {
  double bound;
  double value;
  double seconds;
  stagecut::function_ref<bool()> stop{};
};

/// The answer in ticks.
template <class Provider, class Bench>
double told(const Provider& provider, Bench& bench, const cut_problem& problem, const ticks_call& call) {
  const double tick = bench.ticks.tick;
  return provider(bound_call{problem_access::problem(problem, bench.simulate), call.bound * tick, call.value * tick,
                             call.seconds, call.stop}) /
         tick;
}

/// A chain for ranks with several stages in a loop.
chain next_loop_chain(dice& random, std::size_t most_items, std::size_t least_chunks = 2) {
  for (;;) {
    const schedule_kind kind =
        chains::any_kind(random, [](const schedule_entry& entry) { return entry.stages_per_rank == 0; });
    const std::size_t chunks = random.from(least_chunks, 4);
    const schedule order = chains::random_order(random, kind, {most_items, 4, 9, chunks});
    if (order.ranks() < 2) continue;
    return chains::random_chain(random, order, most_items, {});
  }
}

/// What items, or messages, take at least in sum, from the definition.
/// @{
double least_items(const chain_ticks& chain, std::size_t kind, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) {
    double least = any;
    for (std::size_t s = 0; s < chain.stages; ++s) {
      const double here = chain.item(kind, chain.stages_differ() ? s : 0, i);
      least = std::min(least, here);
    }
    sum += least;
  }
  return sum;
}
double own_times(const chain_ticks& chain, std::size_t kind, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t s = from; s < to; ++s) sum += chain.own(kind, s);
  return sum;
}
/// Over all boundaries from the one after stage `from` to the one before stage `to`: the message at an end with a known
/// cut point, else the smallest.
double least_messages(const chain_ticks& chain, const points& cut, std::size_t from, std::size_t to, bool known_from,
                      bool known_to) {
  double sum = 0;
  for (std::size_t s = from; s < to; ++s) {
    double here = any;
    for (std::size_t y = s + 1; y < chain.items; ++y) here = std::min(here, chain.message(s, y));
    if ((s == from && known_from) || (s + 1 == to && known_to)) here = chain.message(s, cut[s + 1]);
    sum += here;
  }
  return sum;
}
/// @}

/// The bound of a rank of a cut.
double bound_of_rank(const chain_ticks& chain, const schedule& order, const points& cut, std::size_t rank) {
  using namespace stagecut::detail;
  std::vector<rank_relaxation::part> parts;
  std::size_t before = 0;
  std::size_t next = 0;
  for (std::size_t s = rank; s < chain.stages; s += order.ranks()) {
    const double way = s == 0 ? 0 : least_messages(chain, cut, next == 0 ? 0 : next - 1, s, next != 0, true);
    parts.push_back(
        {chain.pass(engine::tick_f, s, cut[s], cut[s + 1]), chain.pass(engine::tick_b, s, cut[s], cut[s + 1]),
         chain.pass(engine::tick_w, s, cut[s], cut[s + 1]),
         least_items(chain, engine::tick_f, before, cut[s]) + own_times(chain, engine::tick_f, next, s) + way,
         least_items(chain, engine::tick_b, before, cut[s]) + own_times(chain, engine::tick_b, next, s) + way});
    before = cut[s + 1];
    next = s + 1;
  }
  double turn = 2 * least_messages(chain, cut, next - 1, chain.stages - 1, true, false);
  for (const std::size_t kind : {engine::tick_f, engine::tick_b}) {
    turn += least_items(chain, kind, before, chain.items) + own_times(chain, kind, next, chain.stages);
  }
  const auto ends = rank_relaxation(order, rank)(parts, turn);
  return std::max(ends.any, ends.leaving + parts[0].up);
}

double bound_of_cut(const chain_ticks& chain, const schedule& order, const points& cut) {
  double most = 0;
  for (std::size_t r = 0; r < order.ranks(); ++r) most = std::max(most, bound_of_rank(chain, order, cut, r));
  return most;
}

}  // namespace

TEST_CASE("it is the least, over all cuts, of the largest bound of a rank, and no makespan is below it") {
  dice random(1);
  std::size_t cuts = 0;
  std::size_t helped = 0;
  std::size_t stopped = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const chain of = next_loop_chain(random, 12);
    chain free = of;
    free.rules.reset();
    free.request.memory_limit = {};
    const auto all = chains::all_cuts(free);
    chains::with_workbench(of, [&](auto& bench) {
      const chain_ticks& ticks = bench.ticks;
      double expected = any;
      bool sound = true;
      for (const auto& [makespan, cut] : all) {
        const double here = bound_of_cut(ticks, of.request.schedule, cut);
        sound = sound && here <= makespan / ticks.tick;
        expected = std::min(expected, here);
      }
      CHECK(sound);
      const cut_problem problem{ticks, of.request.schedule, of.request.transfers, bench.checked};
      tuples_type tuples(thrust::seq, problem);
      REQUIRE(tuples.fits());
      const double best = all[0].first / ticks.tick;
      CHECK(tuples.least(best, any) == expected);
      for (const double most : {0.0, best / 2, expected - 1, expected, expected + 1}) {
        const double whole = stagecut::engine::whole_ticks(most);
        CHECK(tuples.least(whole, any) == std::min(expected, whole + 1));
      }
      const double answer = told(bounded(thrust::seq), bench, problem, {0, best, any});
      const bool several = of.request.schedule.stages() >= 3 * of.request.schedule.ranks();
      CHECK(answer == (several ? expected : 0));
      // Stopped at once, or soon, it knows no more than before, or a part.
      const auto now = [] { return true; };
      CHECK(!tuples.least(best, any, now));
      std::size_t looks = 3;
      const auto soon = [&] { return looks-- == 0; };
      const double part = told(bounded(thrust::seq), bench, problem, {0, best, any, soon});
      CHECK(part <= answer);
      stopped += part < answer ? 1 : 0;
      if (several && answer == best) ++helped;
    });
    cuts += all.size();
  }
  CHECK(cuts > 50'000);
  CHECK(stopped > 100);
  CHECK(helped > 20);
}

TEST_CASE("it is not below the bounds of single stages, nor below what is known") {
  dice random(2);
  std::size_t better = 0;
  std::size_t compared = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    chain of = next_loop_chain(random, 14, 3);
    of.rules.reset();
    of.request.memory_limit = {};
    of.request.links.clear();  // single stages have a bound of messages that follow each other
    chains::with_workbench(of, [&](auto& bench) {
      const cut_problem problem{bench.ticks, of.request.schedule, of.request.transfers, bench.checked};
      tuples_type tuples(thrust::seq, problem);
      REQUIRE(tuples.fits());
      const double least = *tuples.least(0x1p51, any);
      CHECK(told(bounded(thrust::seq), bench, problem, {least + 5, least + 9, any}) == least + 5);
      // Theirs are of the items before as they stand, and know what the first stage does last.
      if (bench.ticks.stages_differ() || chains::splits(of.request.schedule)) return;
      const double single = bench.graph(stagecut::engine::no_ticks).least_bound();
      CHECK(least >= single);
      ++compared;
      if (least > single) ++better;
    });
  }
  CHECK(compared > 100);
  CHECK(better > compared / 2);
}

TEST_CASE("the same on all systems of hosts") {
  dice random(3);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const chain of = next_loop_chain(random, 16, 3);
    chains::with_workbench(of, [&](auto& bench) {
      const cut_problem problem{bench.ticks, of.request.schedule, of.request.transfers, bench.checked};
      const bound_call task{problem_access::problem(problem, bench.simulate), bench.ticks.tick,
                            0x1p51 * bench.ticks.tick, any};
      const double expected = bounded(thrust::seq)(task);
      on_each_system([&](const auto& policy) { CHECK(bounded(policy)(task) == expected); });
    });
  }
}

TEST_CASE("what is known is left as it is without time, and where ranks are no loop of three stages or more") {
  dice random(4);
  const chain of = next_loop_chain(random, 14, 3);
  chains::with_workbench(of, [&](auto& bench) {
    const cut_problem problem{bench.ticks, of.request.schedule, of.request.transfers, bench.checked};
    CHECK(told(bounded(thrust::seq), bench, problem, {7, 1e9, 0}) == 7);
    CHECK(told(bounded(thrust::seq), bench, problem, {7, 7, any}) == 7);
  });
  for (const schedule_kind kind : {schedule_kind::zbv, schedule_kind::one_forward_one_backward}) {
    const schedule order =
        stagecut::make_schedule(kind, {.ranks = 2, .stages_per_rank = kind == schedule_kind::zbv ? 2U : 1U, .microbatches = 4});
    const chain other = chains::random_chain(random, order, 8, {});
    chains::with_workbench(other, [&](auto& bench) {
      const cut_problem problem{bench.ticks, other.request.schedule, other.request.transfers, bench.checked};
      CHECK(told(bounded(thrust::seq), bench, problem, {7, 1e9, any}) == 7);
    });
  }
}

TEST_CASE("a search that it helps finds the same") {
  dice random(5);
  const auto bound_provider = bounded(thrust::seq);
  const stagecut::bound_provider referred = std::ref(bound_provider);
  CHECK(referred.trusted);
  CHECK(stagecut::bound_provider(bounded(thrust::seq)).trusted);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    chain of = next_loop_chain(random, 12, 3);
    of.with_model([&](const auto& model) {
      const auto search = [&] {
        return of.rules ? stagecut::minimize_makespan(model, of.request, *of.rules)
                        : stagecut::minimize_makespan(model, of.request);
      };
      const auto expected = search();
      of.request.backends.bound_provider = std::ref(bound_provider);
      const auto found = search();
      REQUIRE(found.state() == expected.state());
      if (!found) return 0;
      CHECK(found->value == expected->value);
      CHECK(found->cuts == expected->cuts);
      return 0;
    });
  }
}
