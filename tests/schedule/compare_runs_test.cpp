// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/compare_runs.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/recorded_run.hpp>

#include "../refusal.hpp"

using stagecut::compare_runs;
using stagecut::op_kind;
using stagecut::pass_times;
using stagecut::run_comparison;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::simulate;
using stagecut::simulation;
using stagecut::transfer_times;

namespace {

constexpr schedule_kind kinds[] = {schedule_kind::gpipe,       schedule_kind::one_forward_one_backward,
                                   schedule_kind::zb_h1,       schedule_kind::zb_h2,
                                   schedule_kind::interleaved, schedule_kind::zbv};

schedule made(schedule_kind kind, std::size_t microbatches = 8) {
  const bool two = kind == schedule_kind::interleaved || kind == schedule_kind::zbv;
  return stagecut::make_schedule(kind, {.ranks = two ? 2U : 4U, .stages_per_rank = two ? 2U : 1U, .microbatches = microbatches});
}

const pass_times<double> times{.forward = {1, 2, 1.5, 1},
                               .backward = {2, 4, 3, 2.5},
                               .backward_input = {1, 2, 1.5, 1.25},
                               .backward_weight = {1, 2, 1.5, 1.25}};
const transfer_times<double> messages{.forward = {0.25, 0.5, 0.25}, .backward = {0.25, 0.5, 0.25}};

simulation<double> recorded(const schedule& order, const simulation<double>& run) {
  return stagecut::recorded_run(order, run.ops, run.transfers);
}

}  // namespace

TEST_CASE("a run as predicted differs in nothing") {
  for (const schedule_kind kind : kinds) {
    const schedule order = made(kind);
    const run_comparison found =
        compare_runs(order, times, messages, recorded(order, simulate(order, times, messages)));
    CAPTURE(order.name);
    CHECK(found.predicted.total() == doctest::Approx(simulate(order, times, messages).makespan));
    CHECK(found.error() == doctest::Approx(0));
    CHECK(found.rest == doctest::Approx(0));
    CHECK(found.measured.work == doctest::Approx(found.predicted.work));
    CHECK(found.measured.transfers == doctest::Approx(found.predicted.transfers));
    for (const auto& each : found.ops) {
      CHECK(each.measured == doctest::Approx(each.predicted));
      CHECK(each.spread == doctest::Approx(0));
    }
  }
}

TEST_CASE("slower passes, slower messages and a late runtime are told apart") {
  for (const schedule_kind kind : kinds) {
    const schedule order = made(kind);
    CAPTURE(order.name);
    pass_times<double> slower = times;
    for (auto* const each : {&slower.forward, &slower.backward, &slower.backward_input, &slower.backward_weight}) {
      (*each)[2] *= 1.5;
    }
    transfer_times<double> late = messages;
    late.forward[1] = 2;
    const simulation<double> run = simulate(order, slower, late);
    simulation<double> measured = recorded(order, run);
    measured.makespan += 3;  // what no op shows
    const run_comparison found = compare_runs(order, times, messages, measured);
    CHECK(found.rest == doctest::Approx(3));
    CHECK(found.measured_makespan() == doctest::Approx(run.makespan + 3));
    CHECK(found.measured.total() == doctest::Approx(run.makespan));
    CHECK(found.error() == doctest::Approx((run.makespan + 3) / simulate(order, times, messages).makespan - 1));
    for (const auto& op : found.ops) {
      const bool message = stagecut::is_transfer(op.kind);
      const bool changed = message ? op.kind == op_kind::send_forward && op.stage == 1 : op.stage == 2;
      CHECK((op.measured == doctest::Approx(op.predicted)) == !changed);
    }
  }
}

TEST_CASE("the median of the microbatches, and what lies between the quartiles") {
  const schedule order = made(schedule_kind::gpipe, 5);
  pass_times<double> each;
  for (std::size_t s = 0; s < 4; ++s) {
    for (std::size_t k = 0; k < 5; ++k) each.forward.push_back(k == 4 ? 100 : 1 + static_cast<double>(k));
  }
  each.backward.assign(4, 2);
  const auto found = compare_runs(order, times, {}, recorded(order, simulate(order, each)));
  REQUIRE(found.ops.size() == 8);
  CHECK(found.ops[0].kind == op_kind::forward);
  CHECK(found.ops[0].predicted == 1);
  CHECK(found.ops[0].measured == 3);
  CHECK(found.ops[0].spread == 2);
  CHECK(found.ops[1].kind == op_kind::backward);
  CHECK(found.ops[1].spread == 0);
  CHECK(found.rest == doctest::Approx(0));
}

TEST_CASE("without recorded messages those predicted are taken") {
  const schedule order = made(schedule_kind::one_forward_one_backward);
  auto run = simulate(order, times, messages);
  const auto found = compare_runs(order, times, messages, stagecut::recorded_run(order, run.ops));
  CHECK(found.measured.transfers == doctest::Approx(found.predicted.transfers));
  CHECK(found.rest == doctest::Approx(0));
}

TEST_CASE("a run of another schedule is refused") {
  const schedule order = made(schedule_kind::one_forward_one_backward);
  const schedule other = made(schedule_kind::gpipe);
  const auto run = recorded(other, simulate(other, times, messages));
  CHECK(refusal([&] { static_cast<void>(compare_runs(order, times, messages, run)); }) ==
        "ops[0]: has 0F4 where the schedule has 0B0");
  CHECK(refusal([&] { static_cast<void>(compare_runs(order, times, messages, {})); }) ==
        "measured: is of another schedule");
}

TEST_CASE("waiting for the link is not the message's time, whether it was recorded or not") {
  // Messages of 4 behind passes of 1: all but the first wait. A runtime records them from when they were sent.
  const schedule order = stagecut::gpipe(2, 3);
  const pass_times<double> one{.forward = {1, 1}, .backward = {1, 1}};
  const transfer_times<double> four{.forward = {4}, .backward = {4}};
  const auto run = simulate(order, one, four);
  auto sent = run;
  for (auto& rank : sent.transfers) {
    for (auto& each : rank) {
      for (const auto& op : run.ops[order.rank_of[each.what.stage]]) {
        const bool made = (op.what.kind == op_kind::forward) == (each.what.kind == op_kind::send_forward);
        if (made && op.what.microbatch == each.what.microbatch) each.start = op.end;
      }
    }
  }
  CHECK(sent.transfers != run.transfers);
  for (const simulation<double>& each : {run, sent}) {
    const auto found = compare_runs(order, one, four, recorded(order, each));
    CHECK(found.measured.total() == run.makespan);
    CHECK(found.rest == 0);
    for (const auto& op : found.ops) CHECK(op.measured == op.predicted);
  }
}

TEST_CASE("messages of which nothing was recorded are as predicted, one by one") {
  const schedule order = made(schedule_kind::one_forward_one_backward);
  auto run = simulate(order, times, messages);
  for (auto& rank : run.transfers) {
    std::erase_if(rank, [](const auto& op) { return op.what.kind == op_kind::send_backward; });
  }
  const auto found = compare_runs(order, times, messages, recorded(order, run));
  CHECK(found.rest == doctest::Approx(0));
  for (const auto& op : found.ops) CHECK((op.count == 0) == (op.kind == op_kind::send_backward));
}

TEST_CASE("a kind that a stage never runs does not change what an iteration is made of") {
  // Stage 0 runs B, stage 1 I and W.
  const stagecut::op_kind b = op_kind::backward, i = op_kind::backward_input, w = op_kind::backward_weight;
  const schedule order{.microbatches = 2,
                       .rank_of = {0, 1},
                       .orders = {{{}, {.microbatch = 1}, {b}, {b, 0, 1}},
                                  {{.stage = 1}, {i, 1}, {w, 1}, {.stage = 1, .microbatch = 1}, {i, 1, 1}, {w, 1, 1}}}};
  const pass_times<double> passes{
      .forward = {2, 2}, .backward = {6, 6}, .backward_input = {3, 3}, .backward_weight = {3, 3}};
  const auto found = compare_runs(order, passes, {}, recorded(order, simulate(order, passes)));
  CHECK(found.measured.work == doctest::Approx(found.predicted.work));
  CHECK(found.measured.schedule == doctest::Approx(found.predicted.schedule));
  CHECK(found.measured.imbalance == doctest::Approx(found.predicted.imbalance));
}

TEST_CASE("no run records updates, so none is predicted") {
  const schedule order = made(schedule_kind::one_forward_one_backward);
  pass_times<double> with = times;
  with.all_reduce.assign(4, 100);
  with.optimizer_step.assign(4, 100);
  const auto found = compare_runs(order, with, messages, recorded(order, simulate(order, times, messages)));
  CHECK(found.predicted.update == 0);
  CHECK(found.error() == doctest::Approx(0));
}

TEST_CASE("what cannot be taken apart is refused") {
  schedule order = stagecut::one_forward_one_backward(3, 2);
  const pass_times<double> one{.forward = {1, 1, 1}, .backward = {1, 1, 1}};
  auto run = simulate(order, one);
  const auto why = [&] { return refusal([&] { static_cast<void>(compare_runs(order, one, {}, run)); }); };
  CHECK_NOTHROW(static_cast<void>(compare_runs(order, one, {}, run)));
  run.transfers[0] = {{{op_kind::send_backward}, 1, 2}};
  CHECK(why() == "transfers[0]: has 0SEND_B0, which this rank does not send");
  run.transfers.resize(2);
  CHECK(why() == "measured: is of another schedule");
  run = simulate(order, one);
  run.makespan = 0.0 / (run.makespan * 0);
  CHECK(why() == "measured: has no makespan");
  order.edges = {{0, 1}, {0, 2}};
  CHECK(why() == "order: its stages are no chain");
  order = stagecut::dualpipev(2, 4);
  const pass_times<double> four{.forward = times.forward,
                                .backward = times.backward,
                                .backward_input = times.backward_input,
                                .backward_weight = times.backward_weight};
  const auto pairs = simulate(order, four);
  CHECK(refusal([&] { static_cast<void>(compare_runs(order, four, {}, pairs)); }).find("runs two passes at once") !=
        std::string::npos);
}
