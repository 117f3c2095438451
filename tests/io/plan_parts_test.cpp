// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/plan_parts.hpp>

#include <doctest/doctest.h>

#include <string>

#include "random_plans.hpp"

namespace {

/// The first mistake of a plan.
std::string mistake(const stagecut::plan& made) {
  const auto fault = stagecut::io::detail::find_plan_fault(made);
  return fault ? stagecut::detail::joined({fault.pointer, " ", fault.what, " ", fault.problem}) : "";
}

}  // namespace

TEST_CASE("parts of a plan that do not belong together are told") {
  stagecut::plan made;
  made.profile.layers.resize(4);
  made.cuts = {0, 2, 4};
  made.devices = 2;
  made.stages.resize(2);
  CHECK(mistake(made).empty());
  made.stages[1].device = 2;
  CHECK(mistake(made) == "/stages/1/device 2 is not below the number of devices, 2");
  made.stages[1].device = 1;
  made.devices = 1;
  CHECK(mistake(made).starts_with("/devices 1 times 1 stages per rank"));
  made.stages_per_rank = 2;
  made.stages[1].device = 0;
  CHECK(mistake(made).empty());
  made.timeline = {{2, 0, stagecut::op_kind::forward, 0, 1}};
  CHECK(mistake(made).starts_with("/timeline/0/0 2 is not below"));
  made.timeline = {{1, 0, stagecut::op_kind::forward, 1, 0}};
  CHECK(mistake(made) == "/timeline/0 the end is before the start");
  made.timeline = {{1, 0, stagecut::op_kind::send_forward, 0, 1}};
  CHECK(mistake(made) == "/timeline/0/2 SEND_F is no pass");
  made.timeline.clear();
  made.profile.layers.emplace_back();
  CHECK(mistake(made) == "/cuts/2 4 is not the number of layers, 5");
  made.profile.edges = {{0, 1}};
  CHECK(mistake(made) == "/cuts/2 4 is not the number of layers, 5");
  made.profile.layers.pop_back();
  CHECK(mistake(made).starts_with("/profile/edges 1 edges make a graph"));
  made.cuts = {0, 4};  // a stage needs no edges
  made.stages.resize(1);
  made.stages_per_rank = 1;
  CHECK(mistake(made).empty());
}

TEST_CASE("the devices of a rank are as many for all of its stages") {
  stagecut::plan made = full_plan();
  CHECK(mistake(made).empty());
  made.stages[0].replicas = 2, made.stages[0].tensor_parallel = 3;
  made.choices.clear();
  CHECK(mistake(made).empty());
  made.stages[0].tensor_parallel = 4;
  CHECK(mistake(made) == "/stages/1/tensor_parallel 2 times 3 replicas is not the number of devices of rank 0, 8");
  made.stages[0].replicas = 0;
  CHECK(mistake(made) == "/stages/0/replicas 0 is below 1");
  made.stages[0].replicas = ~std::size_t{0};
  CHECK(mistake(made) == "/stages/0/replicas 18446744073709551615 is above 1048576");
}

TEST_CASE("an op that runs with the next is told by its place in the pair") {
  stagecut::plan made = full_graph_plan();
  using stagecut::io::detail::order_pointer;
  CHECK(order_pointer(made, 0, 0) == "/schedule/orders/0/0");
  CHECK(order_pointer(made, 0, 1) == "/schedule/orders/0/1/0");
  CHECK(order_pointer(made, 0, 2) == "/schedule/orders/0/1/1");
  CHECK(order_pointer(made, 0, 3) == "/schedule/orders/0/2");
  CHECK(order_pointer(made, 1, 4) == "/schedule/orders/1/4");
}

TEST_CASE("figures that contradict each other, and words that there are not") {
  const auto with = [](const auto& change) {
    stagecut::plan made = full_plan();
    change(made);
    return mistake(made);
  };
  using stagecut::plan;
  CHECK(with([](plan&) {}).empty());
  CHECK(with([](plan& p) { p.objective.bound = 3.5; }).empty());
  CHECK(with([](plan& p) { p.objective.bound = 3.75; }) ==
        "/objective/bound the bound does not agree with the value, which it is above");
  CHECK(
      with([](plan& p) { p.objective.name = "total"; }) ==
      "/objective/name \"total\" is none of makespan, bottleneck, leximax, range, variance, time-per-token, "
      "iteration, stage-time, pipeline-latency, communication, nor empty");
  CHECK(with([](plan& p) { p.objective.name = "automatic"; }).starts_with("/objective/name"));
  CHECK(with([](plan& p) { p.objective.name = ""; }).empty());
  CHECK(with([](plan& p) { p.memory.checkpoint = "Always"; }) ==
        "/memory/checkpoint \"Always\" is none of never, except_last, always, nor empty");
  CHECK(with([](plan& p) { p.memory.checkpoint = ""; }).empty());
  CHECK(with([](plan& p) { p.memory.buffer_fraction = 1; }) == "/memory/buffer_fraction the fraction is not below 1");
  CHECK(with([](plan& p) { p.memory.buffer_fraction = 0.999; }).empty());
  CHECK(with([](plan& p) { p.schedule.name = ""; }) == "/makespan a time is given without a schedule");
  CHECK(with([](plan& p) { p.schedule.microbatches = 0; }) ==
        "/makespan a time does not agree with a number of microbatches that is not known");
  CHECK(with([](plan& p) { p.schedule = {}, p.makespan.reset(); }).empty());
  plan ordered = full_graph_plan();  // an order of its own is a schedule
  CHECK(ordered.makespan);
  CHECK(mistake(ordered).empty());
  ordered.schedule.group = 2;
  CHECK(mistake(ordered) == "/schedule/group 2 does not agree with a schedule of one's own, which gives it");
  for (const std::size_t slices : {std::size_t{0}, std::size_t{2}}) {
    CHECK(with([&](plan& p) { p.schedule.slices = slices; }) ==
          "/schedule/slices " + std::to_string(slices) +
              " does not agree with the schedule: seq-1f1b alone cuts sequences, into 1 or more");
  }
}
