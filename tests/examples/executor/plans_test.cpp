// SPDX-License-Identifier: BSL-1.0
#include "commands/plans.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/io/json/json_plan.hpp>

#include "commands/measure.hpp"
#include "commands/report.hpp"
#include "ranks/threads.hpp"
#include "../../refusal.hpp"

using namespace executor;
using stagecut::schedule_kind;

TEST_CASE("three plans of a chain: none is predicted to end before the one for the makespan") {
  for (const schedule_kind kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward,
                                   schedule_kind::interleaved, schedule_kind::zb_h1, schedule_kind::zbv}) {
    const auto plans = three_plans(timed_profile(24, 5), {.ranks = 4, .microbatches = 8, .link = {0.001, 0}}, kind);
    REQUIRE(plans.size() == 3);
    for (const planned_run& run : plans) {
      CAPTURE(run.order.name);
      CAPTURE(run.name);
      CHECK(run.order.name == to_string(kind));
      CHECK(plans[2].predicted.makespan <= run.predicted.makespan * (1 + 1e-12));
      REQUIRE(run.order.stages() == run.plan.cuts.stages());
      for (std::size_t s = 0; s < run.order.stages(); ++s) CHECK(run.plan.stages[s].device == run.order.rank_of[s]);
    }
    REQUIRE(plans[2].plan.makespan);
    CHECK(plans[2].predicted.makespan == doctest::Approx(*plans[2].plan.makespan));
    const std::size_t stages = plans[0].order.stages();
    for (std::size_t s = 0; s < stages; ++s) CHECK(plans[0].plan.cuts.stage(s).last - plans[0].plan.cuts.stage(s).first == 24 / stages);
  }
}

TEST_CASE("stages that take time alone: held as long as planned, in the order of the schedule, and compared with that") {
  for (const schedule_kind kind : {schedule_kind::one_forward_one_backward, schedule_kind::zb_h1, schedule_kind::zbv}) {
    auto profile = timed_profile(8, 2);
    for (auto& layer : profile.layers) {
      for (double* const time : {&layer.forward, &layer.backward, &*layer.backward_input, &*layer.backward_weight})
        *time /= 10;
    }
    const auto plans = three_plans(profile, {.ranks = 2, .microbatches = 6, .link = {0.0003, 0}}, kind);
    for (const planned_run& run : plans) {
      const measured_run found = compared(run, run_threads(setup_of(run, nullptr)));
      CAPTURE(run.order.name);
      CHECK(found.measured_bytes == found.predicted_bytes);
      // Nothing is earlier than planned, by more than the clock can tell; how late it is depends on the machine.
      for (const auto& one : found.comparison.ops) CHECK(one.measured >= one.predicted - 1e-9);
      CHECK(found.run.makespan >= run.predicted.makespan - 1e-9);
      CHECK(found.comparison.measured_makespan() == doctest::Approx(found.run.makespan));
    }
  }
}

TEST_CASE("a plan of a file is run as it is, or in another order") {
  const model_config model{.tokens = 4, .width = 4, .words = 8, .hidden = {4, 8, 4, 8}, .microbatches = 4, .seed = 1};
  const auto profile = measure_model(model, 1, 2, host_machine).profile;
  const auto planned = three_plans(profile, {.ranks = 2, .microbatches = 4}, schedule_kind::one_forward_one_backward)[2];
  const auto read = stagecut::io::parse_json_plan(stagecut::io::as_json(planned.plan), "a file");
  const planned_run again = prepare("a file", read);
  CHECK(again.order.orders == planned.order.orders);
  CHECK(again.predicted.makespan == planned.predicted.makespan);
  const planned_run other = prepare("a file", read, stagecut::gpipe(2, 4));
  const auto run = [&](const planned_run& of) { return joined(run_threads(setup_of(of, &model))); };
  CHECK(difference(run(again), run(other)) == 0);
}

TEST_CASE("what cannot be run is refused before anything starts") {
  const model_config model{.tokens = 4, .width = 4, .words = 8, .hidden = {4, 8, 4, 8}, .microbatches = 4, .seed = 1};
  const auto profile = timed_profile(6, 1);
  auto planned = three_plans(profile, {.ranks = 2, .microbatches = 4}, schedule_kind::one_forward_one_backward)[0];
  CHECK(refusal([&] { static_cast<void>(prepare("a file", planned.plan, stagecut::gpipe(3, 4))); }) ==
        "plan: the schedule has another number of stages");
  CHECK(refusal([&] { static_cast<void>(prepare("a file", planned.plan, stagecut::sliced_one_forward_one_backward(2, 4, 2))); })
            .find("that is not run") != std::string::npos);
  planned.plan.edges = {{0, 1, 8}};
  CHECK(refusal([&] { static_cast<void>(prepare("a file", planned.plan)); }).find("that is not run") != std::string::npos);
  model_config other = model;
  other.hidden.push_back(4);
  CHECK_THROWS_WITH_AS(static_cast<void>(setup_of(planned, &other)),
                       doctest::Contains("the plan has 6 layers and 4 microbatches, and the model 7 and 4"),
                       std::invalid_argument);
}

TEST_CASE("gradients are held apart as long as planned") {
  auto profile = timed_profile(4, 2);
  for (auto& layer : profile.layers) layer.backward_input = layer.backward;
  auto planned = three_plans(profile, {.ranks = 2, .microbatches = 4}, schedule_kind::zb_h1)[0].plan;
  const run_setup setup = setup_of(prepare("apart", planned), nullptr);
  REQUIRE(setup.hold.size() == 8);
  for (std::size_t s = 0; s < 2; ++s) {
    CHECK(setup.hold[s * 4].backward_input == doctest::Approx(planned.stages[s].backward));
    CHECK(setup.hold[s * 4].backward_weight == *planned.stages[s].backward_weight);
  }
}

TEST_CASE("the last microbatch is held as long as planned where it alone computes nothing again") {
  auto profile = timed_profile(4, 2);
  auto planned = three_plans(profile, {.ranks = 2, .microbatches = 3}, schedule_kind::gpipe)[0].plan;
  for (auto& stage : planned.stages) stage.backward_kept = stage.backward / 2;
  const planned_run run = prepare("kept", planned);
  const run_setup setup = setup_of(run, nullptr);
  REQUIRE(setup.hold.size() == 6);
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(setup.hold[s * 3 + k].backward == planned.stages[s].backward / (k == 2 ? 2 : 1));
      CHECK(setup.hold[s * 3 + k].forward == planned.stages[s].forward);
    }
  }
}

TEST_CASE("passes that were to run at once are run and predicted one after the other") {
  const auto plans = three_plans(timed_profile(8, 2), {.ranks = 2, .microbatches = 4}, schedule_kind::dualpipev);
  for (const planned_run& run : plans) {
    for (const auto& rank : run.order.orders) {
      for (const auto& op : rank) CHECK_FALSE(op.with_next);
    }
    const measured_run found = compared(run, run_threads(setup_of(run, nullptr)));
    CHECK(found.run.makespan >= run.predicted.makespan - 1e-9);
  }
}

TEST_CASE("messages that occupy no link are not held for a time") {
  auto planned =
      three_plans(timed_profile(4, 2), {.ranks = 2, .microbatches = 2, .link = {0.001, 0}}, schedule_kind::gpipe)[0]
          .plan;
  planned.messages.kind = "latency";
  const planned_run run = prepare("a file", planned);
  CHECK(refusal([&] { static_cast<void>(setup_of(run, nullptr)); }).find("do not occupy links") != std::string::npos);
}
