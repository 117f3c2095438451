// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan.hpp>

#include <stagecut/core/solution.hpp>
#include <stagecut/profile/stage_memory.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

TEST_CASE("a stage's memory is the sum of its parts") {
  constexpr stagecut::stage_memory memory{1, 20, 300, 4000};
  CHECK(memory.total() == 4321);
  CHECK(stagecut::stage_memory{}.total() == 0);
  stagecut::planned_stage stage;
  CHECK(stage.total_memory() == 0);
  stage.memory = {1, 20, 300, 4000, 0};
  CHECK(stage.total_memory() == 4321);  // of one microbatch, as it is not known how many
  stage.in_flight = 3;
  CHECK(stage.kept_activations() == 60);
  CHECK(stage.total_memory() == 4361);
  stage.memory.recomputed = 7;
  CHECK(stage.total_memory() == 4368);
  stage.backward_kept = 1;  // of the last, the 7 alone
  CHECK(stage.total_memory() == 4348);
}

TEST_CASE("the mean of a stage's backward passes is derived") {
  stagecut::planned_stage stage;
  stage.backward = 6;
  CHECK(stage.mean_backward(4) == 6);
  stage.backward_kept = 4;
  CHECK(stage.mean_backward(4) == 5.5);
  CHECK(stage.mean_backward(1) == 4);
  CHECK(stage.mean_backward(0) == 6);
}

TEST_CASE("how far a plan may be above the optimum") {
  stagecut::objective_value of{"makespan", "time", 30, 24, stagecut::state::feasible};
  CHECK(of.gap() == 0.25);
  CHECK(of.gap() == stagecut::solution<double>{30, 24}.gap());
  of.bound = 30;
  CHECK(of.gap() == 0);
  of.bound = 0;
  CHECK(of.gap() == 1);  // no bound is known
  of.value = 0;
  CHECK(of.gap() == 0);
}

TEST_CASE("the stage of every layer is said in one way") {
  stagecut::plan made;
  assign_stages(made, {0, 0, 1, 2, 2});
  CHECK(made.cuts == stagecut::cuts{0, 2, 3, 5});
  CHECK(made.assignment.empty());
  CHECK(stage_of_layers(made) == std::vector<std::size_t>{0, 0, 1, 2, 2});
  CHECK(layers_of(made, 2) == std::vector<std::size_t>{3, 4});
  assign_stages(made, {1, 0, 1, 2, 0});
  CHECK(made.cuts == stagecut::cuts{});
  CHECK(stage_of_layers(made) == std::vector<std::size_t>{1, 0, 1, 2, 0});
  CHECK(layers_of(made, 0) == std::vector<std::size_t>{1, 4});
  CHECK(layers_of(made, 2) == std::vector<std::size_t>{3});
  assign_stages(made, {0, 1, 1, 0});  // back again
  CHECK(made.assignment.size() == 4);
  assign_stages(made, {0, 1, 1, 1});
  CHECK(made.assignment.empty());
  CHECK(made.cuts == stagecut::cuts{0, 1, 4});
  assign_stages(made, {1, 1});
  CHECK(made.assignment.size() == 2);
  assign_stages(made, {});
  CHECK(made.cuts == stagecut::cuts{});
}

TEST_CASE("devices are numbered rank by rank") {
  stagecut::plan made;
  made.devices = 3;
  made.stages.resize(6);
  for (std::size_t s = 0; s < 6; ++s) made.stages[s].device = s % 3;
  CHECK(devices_of(made, 4) == stagecut::interval{1, 2});
  made.stages[0].replicas = made.stages[3].tensor_parallel = 3;
  made.stages[1].replicas = made.stages[1].tensor_parallel = made.stages[4].replicas = made.stages[4].tensor_parallel = 2;
  CHECK(devices_of(made, 3) == stagecut::interval{0, 3});
  CHECK(devices_of(made, 4) == stagecut::interval{3, 7});
  CHECK(devices_of(made, 2) == stagecut::interval{7, 8});
}

TEST_CASE("what a layer hands over is that of the variant that was chosen") {
  stagecut::plan made;
  made.profile.layers.resize(1);
  stagecut::layer& each = made.profile.layers[0];
  each.output = 1;
  each.recomputations = {stagecut::layer_variant{"full"}};
  each.shardings = {stagecut::layer_variant{"row"}, stagecut::layer_variant{"column"}};
  each.recomputations[0].output = 2;
  each.shardings[1].output = 3;
  CHECK(output_of(made, 0) == 1);
  made.choices = {{}};
  CHECK(output_of(made, 0) == 1);
  made.choices = {{"full", ""}};
  CHECK(output_of(made, 0) == 2);
  made.choices = {{"full", "column"}};
  CHECK(output_of(made, 0) == 3);
  made.choices = {{"", "none such"}};
  CHECK(output_of(made, 0) == 1);
  CHECK(stagecut::find_variant(each.shardings, "column") == &each.shardings[1]);
  CHECK(stagecut::find_variant(each.shardings, "full") == nullptr);
}

TEST_CASE("plans are equal if all of their parts are") {
  stagecut::plan made;
  made.cuts = {0, 1};
  made.devices = 1;
  made.stages.resize(1);
  stagecut::plan other = made;
  CHECK(other == made);
  other.stages[0].memory.buffers = 1;
  CHECK(other != made);
  other = made;
  other.makespan = 0;
  CHECK(other != made);
  other = made;
  other.timeline.push_back({0, 0, stagecut::op_kind::backward, 1, 2});
  CHECK(other != made);
  other = made;
  other.profile.layers.emplace_back();
  CHECK(other != made);
  for (const auto change :
       {+[](stagecut::plan& p) { p.stages[0].replicas = 2; }, +[](stagecut::plan& p) { p.stages[0].tensor_parallel = 2; },
        +[](stagecut::plan& p) { p.stages[0].backward_kept = 0; },
        +[](stagecut::plan& p) { p.stages[0].backward_weight = 0; },
        +[](stagecut::plan& p) { p.stages[0].backward_input = 0; },
        +[](stagecut::plan& p) { p.stages[0].all_reduce = 1; }, +[](stagecut::plan& p) { p.assignment = {0}; },
        +[](stagecut::plan& p) {
          p.edges = {{0, 1, 2}};
        },
        +[](stagecut::plan& p) {
          p.choices = {{"full", ""}};
        },
        +[](stagecut::plan& p) { p.schedule.orders.resize(1); }}) {
    other = made;
    change(other);
    CHECK(other != made);
  }
}
