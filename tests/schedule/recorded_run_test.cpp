// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/recorded_run.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/schedule/simulate.hpp>

#include "random_schedules.hpp"
#include "../refusal.hpp"

using stagecut::op;
using stagecut::op_kind;
using stagecut::recorded_run;
using stagecut::schedule;
using stagecut::simulation;

namespace {

/// A run's passes and messages as a runtime would have recorded them whose clock began at another time.
template <class T>
simulation<T> recorded_again(const schedule& order, simulation<T> run, T later) {
  for (auto* const all : {&run.ops, &run.transfers}) {
    for (auto& rank : *all) {
      for (auto& op : rank) op.start += later, op.end += later;
    }
  }
  return recorded_run(order, run.ops, run.transfers);
}

stagecut::pass_times<int> some_times(random_schedules& random, const schedule& order) {
  stagecut::pass_times<int> times;
  for (auto* const to : {&times.forward, &times.backward, &times.backward_input, &times.backward_weight}) {
    for (std::size_t s = 0; s < order.stages(); ++s) to->push_back(1 + static_cast<int>(random.up_to(8)));
  }
  return times;
}

}  // namespace

TEST_CASE("a simulated run that is recorded is that run, whenever the clock began") {
  random_schedules random(3);
  for (int round = 0; round < 500; ++round) {
    const schedule order = random.next();
    bool overlaps = false;
    for (const auto& rank : order.orders) {
      for (const auto& op : rank) overlaps = overlaps || op.with_next;
    }
    if (overlaps) continue;  // two passes at a time are busy twice
    const auto times = some_times(random, order);
    const auto run = stagecut::simulate(order, times, {.forward = {2}, .backward = {3}});
    const auto again = recorded_again(order, run, 1000);
    CHECK(again.makespan == run.makespan);
    CHECK(again.span == run.span);
    CHECK(again.ops == run.ops);
    CHECK(again.transfers == run.transfers);
    for (std::size_t r = 0; r < order.ranks(); ++r) CHECK(again.ranks[r] == run.ranks[r]);
  }
}

TEST_CASE("a rank without passes, and none at all") {
  schedule order{.microbatches = 1, .rank_of = {0}, .orders = {{op{}, op{.kind = op_kind::backward}}, {}}};
  const auto run = recorded_run<int>(order, {{{order.orders[0][0], 5, 7}, {order.orders[0][1], 8, 12}}, {}});
  CHECK(run.makespan == 7);
  CHECK(run.span == 7);
  CHECK(run.ranks[0] == stagecut::rank_use<int>{.busy = 6, .idle = 1, .first = 0, .last = 7});
  CHECK(run.ranks[1] == stagecut::rank_use<int>{.idle = 7});
}

TEST_CASE("what no run can have recorded is refused") {
  const op forward{};
  const op backward{.kind = op_kind::backward};
  const schedule order{
      .microbatches = 1, .rank_of = {0, 1}, .orders = {{forward, backward}, {{.stage = 1}, {op_kind::backward, 1}}}};
  using recorded = std::vector<std::vector<stagecut::timed_op<double>>>;
  const recorded good{{{forward, 0, 1}, {backward, 4, 5}}, {{{.stage = 1}, 1, 2}, {{op_kind::backward, 1}, 2, 3}}};
  CHECK(recorded_run(order, good).makespan == 5);

  const auto why = [&](const recorded& ops, const recorded& sent = {}) {
    return refusal([&] { static_cast<void>(recorded_run(order, ops, sent)); });
  };
  CHECK(why({good[0]}) == "ops: must be those of 2 ranks");
  CHECK(why(good, {{}}) == "ops: must be those of 2 ranks");
  CHECK(why({good[0], {}}) == "ops[1]: has nothing where the schedule has 1F0");
  CHECK(why({good[1], good[1]}) == "ops[0]: has 1F0 where the schedule has 0F0");
  recorded bad = good;
  bad[0].push_back(bad[0][0]);
  CHECK(why(bad) == "ops[0]: has 3 passes, the schedule 2");
  bad = good;
  bad[1][1].end = 1.5;
  CHECK(why(bad) == "ops[1][1]: has an end before its start, or none");
  bad[1][1].end = 0.0 / (bad[0][0].start * 1.0);
  CHECK(why(bad) == "ops[1][1]: has an end before its start, or none");
  CHECK(why(good, {{{forward, 0, 1}}, {}}) == "transfers[0]: has 0F0, which this rank does not send");
  CHECK(why(good, {{{{op_kind::send_forward, 0, 7}, 0, 1}}, {}}) ==
        "transfers[0]: has 0SEND_F7, which this rank does not send");
  CHECK(why(good, {{{{op_kind::send_forward}, 2, 1}}, {}}) ==
        "transfers[0]: has 0SEND_F0, which has an end before its start");
  const auto not_sent = [&](const op& what, std::size_t rank) {
    recorded sent(2);
    sent[rank] = {{what, 1, 2}};
    return why(good, sent).find("which this rank does not send") != std::string::npos;
  };
  CHECK(not_sent({op_kind::send_backward, 0}, 0));       // there is no stage before it
  CHECK(not_sent({op_kind::send_forward, 1}, 1));        // nor one behind this one
  CHECK(not_sent({op_kind::send_forward, 0}, 1));        // another rank does
  CHECK(not_sent({op_kind::send_forward, 0, 0, 1}, 0));  // there are no slices
  CHECK(not_sent({op_kind::send_forward, 9}, 0));
  CHECK_FALSE(not_sent({op_kind::send_forward, 0}, 0));
  const stagecut::timed_op<double> message{{op_kind::send_forward}, 1, 2};
  CHECK(why(good, {{message, message}, {}}) == "transfers[0]: has 0SEND_F0, which is sent once");
  bad = good;
  std::swap(bad[0][0].start, bad[0][1].start);
  std::swap(bad[0][0].end, bad[0][1].end);
  CHECK(why(bad) == "ops[0][1]: begins before the pass in front of it");
  bad = good;
  bad[0][0].start = -1e308;
  bad[1][1].end = 1.5e308;
  CHECK(why(bad) == "times: the sum of all passes and transfers is not representable");
}

TEST_CASE("what stays on a rank is not sent") {
  const schedule order{.microbatches = 1,
                       .rank_of = {0, 0},
                       .orders = {{{}, {.stage = 1}, {op_kind::backward, 1}, {op_kind::backward}}}};
  const auto ops = stagecut::simulate(order, stagecut::pass_times<int>{.forward = {1, 1}, .backward = {1, 1}}).ops;
  CHECK(refusal([&] {
          static_cast<void>(recorded_run(order, ops, {{{{op_kind::send_forward}, 1, 1}}}));
        }) == "transfers[0]: has 0SEND_F0, which this rank does not send");
}

TEST_CASE("a rank that runs two passes at once is busy once") {
  schedule order{.microbatches = 2,
                 .rank_of = {0},
                 .orders = {{op{}, op{.microbatch = 1}, {op_kind::backward}, {op_kind::backward, 0, 1}}}};
  order.orders[0][1].with_next = true;
  const auto run = stagecut::simulate(order, stagecut::pass_times<int>{.forward = {1}, .backward = {2}});
  const auto again = recorded_run(order, run.ops);
  CHECK(run.makespan == 6);
  CHECK(again.ranks[0] == stagecut::rank_use<int>{.busy = 6, .idle = 0, .first = 0, .last = 6});
}
