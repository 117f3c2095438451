// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/starting_cut.hpp>

#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_rules.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "random_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::state;
using stagecut::detail::starting_cut;

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
    const stagecut::detail::stage_graph stages(bench.ticks, of.request.order, of.request.transfers, bench.checked);
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
      CHECK(stagecut::engine::allowed_cut(of.request.order, bench.checked, best.points()));
      CHECK(best.makespan() == bench.simulate(best.points()));
      CHECK(best.makespan() * bench.ticks.tick >= all[0].first);
    });
    chains::with_workbench(of, [&](auto& bench) {
      const silent_rules rules(bench.checked);
      stagecut::engine::incumbent best(bench.clock, bench.ticks.tick);
      const stagecut::detail::stage_graph stages(bench.ticks, of.request.order, of.request.transfers, rules);
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
  of.request.memory_per_device.reset();
  of.request.limits.time_limit = 0;
  start(of, [&](state found, const auto& best, auto&) {
    CHECK(found == state::feasible);
    CHECK(best.any());
  });
}
