// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <doctest/doctest.h>

#include <vector>

using stagecut::op_kind;
using stagecut::rank_use;
using stagecut::simulation;
using stagecut::timed_op;

TEST_CASE("what is not said: passes without times, messages over links that take none") {
  const stagecut::pass_times<double> times;
  for (const auto* each : {&times.forward, &times.backward, &times.backward_input, &times.backward_weight,
                           &times.overlapped, &times.all_reduce, &times.optimizer_step}) {
    CHECK(each->empty());
  }
  const stagecut::transfer_times<double> transfers;
  CHECK(transfers.kind == stagecut::transfer_kind::link);
  CHECK(transfers.forward.empty());
  CHECK(transfers.backward.empty());
}

TEST_CASE("shares are those of all ranks together") {
  simulation<double> run;
  CHECK(run.share(&rank_use<double>::idle) == 0);
  CHECK_FALSE(run.blocks());
  run.makespan = 4;
  run.ranks = {{.busy = 3, .idle = 1}, {.busy = 1, .idle = 3}};
  CHECK(run.share(&rank_use<double>::idle) == 0.5);
  CHECK(run.share(&rank_use<double>::blocked) == 0);
  CHECK_FALSE(run.blocks());
  run.ranks[1].blocked = 0.5;
  CHECK(run.share(&rank_use<double>::blocked) == 0.0625);
  CHECK(run.blocks());
  const simulation<int> whole{.makespan = 3, .ranks = {{.busy = 1}, {.busy = 2, .blocked = 1}}};
  CHECK(whole.share(&rank_use<int>::busy) == 0.5);
  CHECK(whole.blocks());
}

TEST_CASE("simulations are equal if they are in every part") {
  const timed_op<int> pass{{op_kind::forward, 1, 2}, 3, 4};
  simulation<int> run;
  CHECK(run == simulation<int>{});
  CHECK(run.makespan == 0);
  CHECK(run.span == 0);
  run = {.makespan = 4,
         .span = 3,
         .ranks = {{.busy = 1, .blocked = 2, .idle = 1, .first = 0, .last = 4}},
         .ops = {{pass}},
         .transfers = {{}},
         .updates = {{}},
         .critical_path = {pass}};
  const auto differs = [&](auto change) {
    simulation<int> other = run;
    CHECK(other == run);
    change(other);
    CHECK(other != run);
  };
  differs([](auto& other) { ++other.makespan; });
  differs([](auto& other) { ++other.span; });
  differs([](auto& other) { ++other.ranks[0].busy; });
  differs([](auto& other) { ++other.ranks[0].blocked; });
  differs([](auto& other) { ++other.ranks[0].idle; });
  differs([](auto& other) { ++other.ranks[0].first; });
  differs([](auto& other) { ++other.ranks[0].last; });
  differs([](auto& other) { ++other.ops[0][0].start; });
  differs([](auto& other) { ++other.ops[0][0].end; });
  differs([](auto& other) { other.ops[0][0].what.with_next = true; });
  differs([](auto& other) { other.transfers[0].push_back({}); });
  differs([](auto& other) { other.updates.clear(); });
  differs([](auto& other) { other.critical_path.clear(); });
}
