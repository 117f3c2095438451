// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

using stagecut::plan;
using stagecut::plan_chain;
using stagecut::schedule_kind;
using stagecut::schedule_of;
using stagecut::simulate;
using stagecut::times_of;
using numbers = std::vector<double>;

namespace {

/// Layers of 1, 2, 3, … seconds forward, twice that backward, two thirds of it for the weights.
stagecut::profile layers(std::size_t n) {
  stagecut::profile model;
  for (std::size_t i = 0; i < n; ++i) {
    stagecut::layer each;
    each.forward = static_cast<double>(i + 1);
    each.backward = 3 * each.forward;
    each.backward_input = each.forward;
    each.backward_weight = 2 * each.forward;
    each.parameters = 10;
    each.activations = 4;
    each.output = 100 * each.forward;
    model.layers.push_back(each);
  }
  return model;
}

std::string refusal(const plan& made) {
  try {
    (void)schedule_of(made);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a plan's makespan and timeline are those of its schedule, simulated") {
  for (const auto kind :
       {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::eager_one_forward_one_backward}) {
    const plan made = *plan_chain(layers(9), {.devices = 3, .microbatches = 5, .schedule = kind});
    CHECK(made.schedule.name == to_string(kind));
    const auto order = schedule_of(made);
    CHECK(order == make_schedule(kind, {.ranks = 3, .microbatches = 5}));
    CHECK(made.makespan == simulate(order, times_of(made, false)).makespan);
    CHECK(made.timeline.size() == 30);
  }
  const plan chunks = *plan_chain(layers(9), {.devices = 2, .microbatches = 4, .stages_per_rank = 2});
  CHECK(schedule_of(chunks) == stagecut::interleaved_one_forward_one_backward(2, 2, 4));
  CHECK(chunks.makespan == simulate(schedule_of(chunks), times_of(chunks, false)).makespan);
  CHECK(chunks.timeline.size() == 32);
  const plan eager = *plan_chain(layers(9), {.devices = 3, .microbatches = 5, .in_flight = {4, 4, 2}});
  CHECK(schedule_of(eager) == stagecut::in_flight_order(std::vector<std::size_t>{4, 4, 2}, 5));
}

TEST_CASE("the last microbatch, kept, goes back first and recomputes nothing") {
  stagecut::plan_request request{.devices = 3, .microbatches = 4, .schedule = schedule_kind::gpipe};
  request.memory_accounting.checkpoint = stagecut::checkpointing::except_last;
  const plan made = *plan_chain(layers(6), request);
  CHECK(schedule_of(made).name == "gpipe-lifo");
  const auto passes = times_of(made, false);
  REQUIRE(passes.backward.size() == 3 * 4);
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(passes.backward[s * 4 + k] == made.stages[s].forward * (k < 3 ? 4 : 3));
    }
  }
  // All forward passes, the kept microbatch back, then the others, whose slowest stage is the last.
  CHECK(made.makespan == simulate(schedule_of(made), passes).makespan);
  request.memory_accounting.checkpoint = stagecut::checkpointing::always;
  CHECK(*plan_chain(layers(6), request)->makespan > *made.makespan);
  request.memory_accounting.checkpoint = stagecut::checkpointing::never;
  CHECK(*plan_chain(layers(6), request)->makespan < *made.makespan);
}

TEST_CASE("gradients of inputs and weights apart") {
  plan made = *plan_chain(layers(4), {.devices = 2, .microbatches = 4});
  const auto passes = times_of(made, true);
  for (std::size_t s = 0; s < 2; ++s) {
    CHECK(passes.backward_input[s] == made.stages[s].forward);
    CHECK(passes.backward_weight[s] == 2 * made.stages[s].forward);
  }
  made.stages[1].backward += 5;  // what is recomputed belongs to the first of them
  CHECK(times_of(made, true).backward_input[1] == made.stages[1].forward + 5);
  made.stages[1].backward_weight.reset();
  CHECK_THROWS_WITH_AS((void)times_of(made, true),
                       "stage 1: has no backward_weight: the schedule runs the gradients of input and weights apart",
                       stagecut::invalid_input);
  made.profile.layers[3].backward_weight.reset();
  CHECK_THROWS_WITH_AS((void)times_of(made, true), doctest::Contains("has no backward_weight"),
                       stagecut::invalid_input);
  CHECK(times_of(made, false).backward_input.empty());
}

TEST_CASE("gradients that take longer apart than together") {
  stagecut::profile model = layers(4);
  for (auto& layer : model.layers) layer.backward_input = 2 * layer.forward;
  stagecut::plan_request request{.devices = 2, .microbatches = 4};
  plan made = *plan_chain(model, request);
  for (std::size_t s = 0; s < 2; ++s) {
    CHECK(times_of(made, false).backward[s] == 3 * made.stages[s].forward);
    CHECK(times_of(made, true).backward_input[s] == 2 * made.stages[s].forward);
    CHECK(times_of(made, true).backward_weight[s] == 2 * made.stages[s].forward);
    CHECK(times_of(made, true).backward[s] == 3 * made.stages[s].forward);
  }
  request.schedule = schedule_kind::gpipe;
  request.memory_accounting.checkpoint = stagecut::checkpointing::except_last;
  made = *plan_chain(model, request);
  for (std::size_t s = 0; s < 2; ++s) {
    CHECK(times_of(made, true).backward_input[4 * s] == 3 * made.stages[s].forward);
    CHECK(times_of(made, true).backward_input[4 * s + 3] == 2 * made.stages[s].forward);
  }
}

TEST_CASE("memory and messages of a plan") {
  const plan made = *plan_chain(layers(4), {.devices = 2, .microbatches = 4});
  const auto bytes = stagecut::bytes_of(made);
  const auto memory = memory_curve(schedule_of(made), simulate(schedule_of(made), times_of(made, false)), bytes);
  for (std::size_t s = 0; s < 2; ++s) CHECK(memory[s].peak() == made.stages[s].total_memory());
  plan unknown = made;
  unknown.stages[0].in_flight = 0;
  CHECK(stagecut::bytes_of(unknown).activations.empty());

  CHECK(stagecut::transfers_of(made, 0, 0).forward == numbers{0});
  CHECK(stagecut::transfers_of(made, 2, 0).forward == numbers{2});
  const double output = made.profile.layers[made.cuts[1] - 1].output;
  CHECK(stagecut::transfers_of(made, 2, 50).backward == numbers{2 + output / 50});
  CHECK(stagecut::transfers_of(made, 1, 0, stagecut::transfer_kind::stream).kind == stagecut::transfer_kind::stream);
  CHECK_THROWS_WITH_AS((void)stagecut::transfers_of(made, -1, 0), doctest::Contains("latency = -1"),
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)stagecut::transfers_of(made, 0, -1), doctest::Contains("bandwidth = -1"),
                       stagecut::argument_error);
}

TEST_CASE("plans that cannot be simulated say why") {
  plan made = *plan_chain(layers(4), {.devices = 2, .microbatches = 4});
  CHECK(refusal(made).empty());
  made.schedule.name = "no such";
  CHECK(refusal(made) == "plan: its schedule \"no such\" is not known");
  made.schedule.name = "";
  CHECK(refusal(made) == "plan: names no schedule");
  made.schedule = {"1f1b", 0};
  CHECK(refusal(made) == "plan: knows no number of microbatches");
  made.schedule = {"1f1b", 4};
  made.stages[1].device = 0;
  CHECK(refusal(made) == "plan: stage 1 is not on device 1, where \"1f1b\" runs it");
  made.schedule.name = "zbv";
  CHECK_THROWS_WITH_AS((void)schedule_of(made), doctest::Contains("stages_per_rank = 1, must be 2 for zbv"),
                       stagecut::argument_error);
}

TEST_CASE("checkpointed memory: a plan's own, and that of another schedule of the same stages") {
  const stagecut::profile model = layers(4);
  using stagecut::checkpointing;
  for (const auto mode : {checkpointing::never, checkpointing::always, checkpointing::except_last}) {
    const auto planned = [&](schedule_kind kind, std::size_t m) {
      stagecut::plan_request request{.devices = 2, .microbatches = m, .schedule = kind};
      request.memory_accounting.checkpoint = mode;
      return *plan_chain(model, request);
    };
    const auto peaks = [](const plan& of, const plan& under) {  // the stages of one under the schedule of the other
      plan mixed = of;
      mixed.schedule = under.schedule;
      const auto order = schedule_of(mixed);
      numbers result;
      for (const auto& rank : memory_curve(order, stagecut::simulation<double>{}, stagecut::bytes_of(mixed))) {
        result.push_back(rank.peak());
      }
      return result;
    };
    const auto totals = [](const plan& of) {
      return numbers{of.stages[0].total_memory(), of.stages[1].total_memory()};
    };
    const plan all = planned(schedule_kind::gpipe, 8);
    CHECK(peaks(all, all) == totals(all));
    const plan half = planned(schedule_kind::gpipe, 4);
    CHECK(peaks(all, half) == totals(half));
    CHECK(peaks(half, all) == totals(all));
    if (mode == checkpointing::except_last) continue;  // of GPipe alone
    const plan one = planned(schedule_kind::one_forward_one_backward, 8);
    REQUIRE(one.cuts == all.cuts);
    CHECK(peaks(one, one) == totals(one));
    CHECK(peaks(one, all) == totals(all));
    CHECK(peaks(all, one) == totals(one));
  }
}

TEST_CASE("messages over a plan's own links") {
  plan made;
  made.profile.layers.resize(5);
  for (std::size_t i = 0; i < 5; ++i) made.profile.layers[i].output = 10.0 * static_cast<double>(i);
  made.cuts = stagecut::cuts{0, 2, 4, 5};
  CHECK(stagecut::transfers_of(made).forward.empty());
  made.messages = {"stream", {{1, 10}}};
  const auto all = stagecut::transfers_of(made);
  CHECK(all.kind == stagecut::transfer_kind::stream);
  CHECK(all.forward == numbers{2, 4});
  CHECK(all.backward == all.forward);
  made.messages.links = {{1, 10}, {5, 0}};
  CHECK(stagecut::transfers_of(made).forward == numbers{2, 5});
  CHECK(stagecut::transfers_of(made, 2).forward == numbers{1.5, 5});
  for (const char* kind : {"link", "latency", "stream", "blocking"}) {
    made.messages.kind = kind;
    CHECK(std::string(to_string(stagecut::transfers_of(made).kind)) == kind);
  }
  made.messages.kind = "pigeon";
  CHECK_THROWS_WITH((void)stagecut::transfers_of(made), "plan: its messages of kind \"pigeon\" are not known");
  made.messages = {"link", {{1, 10}, {1, 10}, {1, 10}}};
  CHECK_THROWS_WITH((void)stagecut::transfers_of(made),
                    "plan: its links are neither one nor one for each boundary of stages");
}

TEST_CASE("layers take the time of the device that runs them") {
  stagecut::plan_request request{.devices = 2, .microbatches = 3, .speeds = {0.5, 4}};
  plan made = *plan_chain(layers(4), request);
  for (const bool split : {false, true}) {
    const auto passes = times_of(made, split);
    const auto [first, last] = made.cuts.stage(0);
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += static_cast<double>(i + 1);
    CHECK(passes.forward == numbers{2 * sum, (10 - sum) / 4});
    CHECK(passes.backward == numbers{6 * sum, 3 * (10 - sum) / 4});
    if (split) CHECK(passes.backward_weight == numbers{4 * sum, 2 * (10 - sum) / 4});
    if (split) CHECK(passes.backward_input == numbers{2 * sum, (10 - sum) / 4});
  }
  CHECK(made.makespan == simulate(schedule_of(made), times_of(made, false)).makespan);
  request.schedule = schedule_kind::gpipe;
  request.memory_accounting.checkpoint = stagecut::checkpointing::except_last;
  made = *plan_chain(layers(4), request);
  const auto passes = times_of(made, false);
  for (std::size_t s = 0; s < 2; ++s) {
    CHECK(passes.backward[s * 3 + 1] == 4 * made.stages[s].forward);
    CHECK(passes.backward[s * 3 + 2] == 3 * made.stages[s].forward);
  }
}

TEST_CASE("an order of the plan's own is run, and no schedule of a name beside it") {
  const plan named = *plan_chain(layers(6), {.devices = 3, .microbatches = 4});
  plan own = named;
  own.schedule = {"", 4, schedule_of(named).orders};
  CHECK(schedule_of(own).orders == schedule_of(named).orders);
  CHECK(schedule_of(own).rank_of == schedule_of(named).rank_of);
  CHECK(simulate(schedule_of(own), times_of(own, false)).makespan == named.makespan);
  own.schedule.name = "1f1b";
  CHECK(refusal(own) == "plan: names the schedule \"1f1b\" and gives an order of its own");
  own.schedule.name = "";
  own.schedule.orders[1].pop_back();
  CHECK(refusal(own) == "rank 1: 1B3 is missing");
  own.schedule.microbatches = 0;
  CHECK(refusal(own) == "schedule: has no microbatch");
}

TEST_CASE("edges of stages go into the schedule, and messages along them") {
  plan made = *plan_chain(layers(4), {.devices = 4, .microbatches = 2});
  CHECK(stagecut::stage_edges_of(made).empty());
  made.edges = {{0, 1, 10}, {0, 2, 20}, {1, 3, 30}, {2, 3, 40}};
  const std::vector<stagecut::stage_edge> edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  CHECK(schedule_of(made).edges == edges);
  CHECK(stagecut::transfers_of(made, 1, 10).forward == numbers{2, 3, 4, 5});
  CHECK(stagecut::transfers_of(made, 1, 0).backward == numbers{1, 1, 1, 1});
  made.messages = {"latency", {{1, 10}}};
  CHECK(stagecut::transfers_of(made).forward == numbers{2, 3, 4, 5});
  made.messages.links = {{1, 10}, {2, 10}, {3, 10}, {4, 0}};
  CHECK(stagecut::transfers_of(made).forward == numbers{2, 4, 6, 4});
  made.messages.links.pop_back();
  CHECK_THROWS_WITH((void)stagecut::transfers_of(made), "plan: its links are neither one nor one for each edge");
  made.schedule = {"", 2, schedule_of(made).orders};
  CHECK(schedule_of(made).edges == edges);
  made.edges.clear();
  assign_stages(made, {3, 2, 1, 0});
  CHECK_THROWS_WITH((void)stagecut::transfers_of(made),
                    "plan: its stages are no chain, and it has no edges between them");
}

TEST_CASE("messages are as large as the variants that were chosen make them") {
  plan made = *plan_chain(layers(4), {.devices = 2, .microbatches = 2});
  const std::size_t before = made.cuts[1] - 1;
  stagecut::layer_variant half{"row"};
  half.output = 7;
  made.profile.layers[before].shardings = {half};
  made.choices.resize(4);
  CHECK(stagecut::transfers_of(made, 0, 1).forward == numbers{made.profile.layers[before].output});
  made.choices[before].sharding = "row";
  CHECK(stagecut::transfers_of(made, 0, 1).forward == numbers{7});
}

TEST_CASE("gradients are summed over replicas at the end") {
  plan made = *plan_chain(layers(4), {.devices = 2, .microbatches = 3});
  CHECK(times_of(made, false).all_reduce.empty());
  made.stages[0].all_reduce = 100;
  CHECK(times_of(made, false).all_reduce == numbers{100, 0});
  const double end = simulate(schedule_of(made), times_of(made, false)).makespan;
  CHECK(end == *made.makespan + 100);  // the first stage is the last to end
}

TEST_CASE("what the last microbatch keeps is said by the stage alone") {
  plan made = *plan_chain(layers(4), {.devices = 2, .microbatches = 3, .schedule = schedule_kind::gpipe});
  for (auto& stage : made.stages) stage.backward_kept = stage.backward - 1;
  CHECK(schedule_of(made).name == "gpipe-lifo");
  const auto passes = times_of(made, true);
  for (std::size_t s = 0; s < 2; ++s) {
    const auto& stage = made.stages[s];
    CHECK(passes.backward[3 * s] == stage.backward);
    CHECK(passes.backward[3 * s + 2] == stage.backward - 1);
    CHECK(passes.backward_weight[3 * s + 2] == *stage.backward_weight);
    CHECK(passes.backward_input[3 * s + 2] == stage.backward - 1 - *stage.backward_weight);
  }
  for (auto& stage : made.stages) stage.memory = {0, 3, 0, 0, 50};
  const auto bytes = stagecut::bytes_of(made);
  CHECK(bytes.activations == numbers{3, 3, 50, 3, 3, 50});
  CHECK(bytes.recomputed == numbers{50, 50, 0, 50, 50, 0});
}

TEST_CASE("stages side by side run at the same time") {
  stagecut::plan made;
  made.profile.layers.resize(4);
  made.profile.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  made.cuts = {0, 1, 2, 3, 4};
  made.devices = 4;
  for (std::size_t s = 0; s < 4; ++s) {
    stagecut::planned_stage stage;
    stage.device = s, stage.forward = 1, stage.backward = 2;
    made.stages.push_back(stage);
  }
  made.edges = {{0, 1, 8}, {0, 2, 8}, {1, 3, 4}, {2, 3, 4}};
  made.schedule.name = "gpipe";
  made.schedule.microbatches = 1;
  const auto makespan = [&] {
    return stagecut::simulate(schedule_of(made), times_of(made, false), transfers_of(made)).makespan;
  };
  CHECK(makespan() == 9);  // one after the other: 12
  // Along the edges 2, 1, 1 and 2: F0 to 1; F1 3 to 4, F2 2 to 3; F3 5 to 6; B3 to 8; B1 9 to 11, B2 10 to 12; B0 13 to 15.
  made.messages = {"latency", {{1, 8}, {1, 0}, {1, 0}, {2, 0}}};
  CHECK(makespan() == 15);
  made.schedule.orders = schedule_of(made).orders;
  made.schedule.name.clear();
  CHECK(makespan() == 15);
}

TEST_CASE("the memory of devices is that of all their stages at the fullest moment") {
  const stagecut::plan_request request{.devices = 2, .microbatches = 4, .stages_per_rank = 2};
  plan made = *plan_chain(layers(8), request);
  const numbers found = stagecut::device_memories(made);
  REQUIRE(found.size() == 2);
  // By hand: the passes of each device in the order of its schedule, and what is kept behind each of them.
  const auto order = schedule_of(made);
  for (std::size_t d = 0; d < 2; ++d) {
    double resident = 0, kept = 0, most = 0;
    for (const auto& stage : made.stages) {
      if (stage.device == d) resident += stage.memory.resident + stage.memory.workspace + stage.memory.buffers;
    }
    for (const auto& op : order.orders[d]) {
      const bool forward = op.kind == stagecut::op_kind::forward;
      kept += (forward ? 1 : -1) * made.stages[op.stage].memory.activations;
      if (most < kept) most = kept;
    }
    CHECK(found[d] == doctest::Approx(resident + most));
    double apart = 0;
    for (const auto& stage : made.stages) apart += stage.device == d ? stage.total_memory() : 0;
    CHECK(found[d] <= apart);
  }
  CHECK(stagecut::fullest_device(made) == std::max(found[0], found[1]));
  for (auto& stage : made.stages) stage.in_flight = 0;
  CHECK(stagecut::device_memories(made).empty());
  CHECK(stagecut::fullest_device(made) == 0);
}
