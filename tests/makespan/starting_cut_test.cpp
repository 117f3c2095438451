// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/starting_cut.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_rules.hpp>

#include "../schedule/oracle.hpp"
#include "random_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::state;
using stagecut::detail::chunk_cuts;
using stagecut::detail::starting_cut;
namespace engine = stagecut::engine;

namespace {

/// Rules that do not say what they are.
class silent_rules final : public stagecut::engine::cut_rules {
 public:
  explicit silent_rules(const engine::cut_rules& rules) : rules_(rules) {}
  [[nodiscard]] bool allows(std::size_t s, std::size_t first, std::size_t last) const override {
    return rules_.allows(s, first, last);
  }
  [[nodiscard]] bool hopeless(std::size_t s, std::size_t first, std::size_t last) const override {
    return rules_.hopeless(s, first, last);
  }
  [[nodiscard]] bool allows_rank(std::size_t rank, stagecut::view<const stagecut::interval> parts) const override {
    return rules_.allows_rank(rank, parts);
  }
  [[nodiscard]] bool has_rank_rules() const override { return rules_.has_rank_rules(); }

 private:
  const engine::cut_rules& rules_;
};

/// What it finds for a chain, and whether that is allowed.
template <class Check>
void start(const chain& of, const Check& check) {
  chains::with_workbench(of, [&](auto& bench) {
    stagecut::engine::incumbent best(bench.clock, bench.ticks.tick);
    const stagecut::detail::stage_graph stages(bench.ticks, of.request.schedule, of.request.transfers, bench.checked);
    starting_cut starting(bench.ticks, of.request, bench.checked, bench.simulate, bench.clock, best);
    const state found = starting.find(stages, bench.layout);
    check(found, best, bench);
  });
}

}  // namespace

TEST_CASE("there is a cut to begin with exactly if any is allowed") {
  dice random(7);
  int none = 0;
  int some = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {9, 4, 8}), 9, {});
    const std::vector<valued> all = chains::all_cuts(of);
    start(of, [&](state found, const auto& best, auto& bench) {
      CHECK(found == (all.empty() ? state::infeasible : state::feasible));
      (all.empty() ? none : some) += 1;
      if (all.empty()) return;
      CHECK(stagecut::engine::allowed_cut(of.request.schedule, bench.checked, best.points()));
      CHECK(best.makespan() == bench.simulate(best.points()));
      CHECK(best.makespan() * bench.ticks.tick >= all[0].first);
    });
    chains::with_workbench(of, [&](auto& bench) {
      const silent_rules rules(bench.checked);
      stagecut::engine::incumbent best(bench.clock, bench.ticks.tick);
      const stagecut::detail::stage_graph stages(bench.ticks, of.request.schedule, of.request.transfers, rules);
      starting_cut starting(bench.ticks, of.request, rules, bench.simulate, bench.clock, best);
      CHECK(starting.find(stages, bench.layout) == (all.empty() ? state::infeasible : state::feasible));
    });
  }
  CHECK(none > 5);
  CHECK(some > 300);
}

TEST_CASE("it is not worse than the user's") {
  dice random(8);
  for (int round = 0; round < 200; ++round) {
    chain of = chains::random_chain(random, chains::random_order(random, schedule_kind::interleaved, {9, 4, 8}), 9, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    of.request.start = stagecut::cuts(all[0].second);
    start(of, [&](state, const auto& best, auto& bench) { CHECK(best.makespan() * bench.ticks.tick == all[0].first); });
  }
}

TEST_CASE("no time is enough where no rule needs a search") {
  dice random(9);
  chain of = chains::random_chain(random, chains::random_order(random, schedule_kind::gpipe, {9, 4, 8}), 9, {});
  of.rules.reset();
  of.request.memory_limit = {};
  of.request.search.time_limit = 0;
  start(of, [&](state found, const auto& best, auto&) {
    CHECK(found == state::feasible);
    CHECK(best.any());
  });
}

using points = std::vector<std::size_t>;

namespace {

std::vector<points> cuts_of(const std::vector<double>& load, std::size_t stages, std::size_t ranks, std::size_t most) {
  std::vector<points> result;
  chunk_cuts(load, stages, ranks).each(most, [&](stagecut::view<const std::size_t> cut) {
    result.emplace_back(cut.begin(), cut.end());
  });
  return result;
}

}  // namespace

TEST_CASE("all ways to deal out items that are alike, and ranks that chunks begin at") {
  const std::vector<points> all = cuts_of(std::vector<double>(6, 5), 4, 2, 100);
  CHECK(all == std::vector<points>{{0, 1, 2, 4, 6}, {0, 1, 3, 5, 6}, {0, 2, 4, 5, 6}, {0, 2, 3, 4, 6}});
  // Three chunks of two ranks that have five items each: six ways.
  const std::vector<points> more = cuts_of(std::vector<double>(10, 1), 6, 2, 100);
  CHECK(more.size() == 12);
  for (const points& cut : more) {
    for (std::size_t r = 0; r < 2; ++r) {
      std::size_t sum = 0;
      for (std::size_t s = r; s < 6; s += 2) sum += cut[s + 1] - cut[s];
      CHECK(sum == 5);
    }
  }
  CHECK(std::count(more.begin(), more.end(), points{0, 1, 2, 4, 6, 8, 10}) == 1);
}

TEST_CASE("what would have no item, or chunks that can only be alike") {
  CHECK(cuts_of(std::vector<double>(4, 1), 4, 2, 100).empty());
  CHECK(cuts_of(std::vector<double>(3, 1), 4, 2, 100).empty());
}

TEST_CASE("cuts of any chain, about as many as were asked for, and near what stages should take") {
  dice random(3);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const std::size_t ranks = random.from(1, 5);
    const std::size_t chunks = random.from(2, 4);
    std::vector<double> load(random.from(1, 80));
    for (double& each : load) each = random.once_in(5) ? 0 : static_cast<double>(random.below(1000));
    const std::size_t most = random.from(1, 50);
    const std::vector<points> all = cuts_of(load, ranks * chunks, ranks, most);
    CHECK(all.size() <= 2 * most);
    for (const points& cut : all) {
      CHECK(cut.size() == ranks * chunks + 1);
      CHECK(cut.front() == 0);
      CHECK(cut.back() == load.size());
      CHECK(std::adjacent_find(cut.begin(), cut.end(), [](auto a, auto b) { return a >= b; }) == cut.end());
    }
  }
}
