// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/compare_runs.hpp>

#include <doctest/doctest.h>

#include <cstddef>
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
  return stagecut::make_schedule(kind, {.ranks = two ? 2U : 4U, .chunks = two ? 2U : 1U, .microbatches = microbatches});
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
    for (const auto& each : found.ops) {
      const bool message = stagecut::is_transfer(each.kind);
      const bool changed = message ? each.kind == op_kind::send_forward && each.stage == 1 : each.stage == 2;
      CHECK((each.measured == doctest::Approx(each.predicted)) == !changed);
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
