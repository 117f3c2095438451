// SPDX-License-Identifier: BSL-1.0
#include "ranks/rank.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>

#include "commands/measure.hpp"
#include "commands/report.hpp"
#include "ranks/threads.hpp"

using namespace executor;
using stagecut::schedule;
using stagecut::schedule_kind;

namespace {

model_config config(std::uint64_t seed) {
  return {.tokens = 12, .width = 8, .words = 24, .hidden = {8, 24, 8, 40, 16, 8}, .microbatches = 8, .seed = seed};
}

schedule made(schedule_kind kind, std::size_t ranks) {
  const auto& entry = stagecut::entry_of(kind);
  return stagecut::make_schedule(kind,
                                 {.ranks = ranks, .stages_per_rank = entry.stages_per_rank == 0 ? 2 : entry.stages_per_rank, .microbatches = 8});
}

run_setup setup_for(const schedule& order, const model_config& model, std::vector<std::size_t> cuts) {
  run_setup result;
  result.order = stagecut::lower_transfers(order);
  result.model = model;
  result.cuts = std::move(cuts);
  result.iterations = 2;  // with a step of descent between them
  result.poison = true;
  result.timeout = 20;
  return result;
}

/// The whole model on one rank, microbatch by microbatch.
gradients on_one_device(const model_config& model) {
  return joined(run_threads(setup_for(stagecut::one_forward_one_backward(1, 8), model, {0, model.layers()})));
}

/// Whether every stage adds up its gradients by microbatch, as one device does.
bool in_turn(const schedule& order) {
  std::vector<std::size_t> next(order.stages());
  for (const auto& rank : order.orders) {
    for (const stagecut::op& op : rank) {
      const bool adds = op.kind == stagecut::op_kind::backward || op.kind == stagecut::op_kind::backward_weight;
      if (adds && op.microbatch != next[op.stage]++) return false;
    }
  }
  return true;
}

/// All ways to cut n layers into k stages would be many: even ones, and two with single layers at the ends.
std::vector<std::vector<std::size_t>> some_cuts(std::size_t layers, std::size_t stages) {
  std::vector<std::size_t> even{0}, early{0}, late{0};
  for (std::size_t s = 1; s < stages; ++s) {
    even.push_back(s * layers / stages);
    early.push_back(s);
    late.push_back(layers - stages + s);
  }
  for (auto* const each : {&even, &early, &late}) each->push_back(layers);
  return {even, early, late};
}

}  // namespace

TEST_CASE("every schedule and plan computes what one device does, bit for bit where microbatches go back in turn") {
  constexpr schedule_kind kinds[] = {schedule_kind::gpipe,
                                     schedule_kind::gpipe_lifo,
                                     schedule_kind::one_forward_one_backward,
                                     schedule_kind::eager_one_forward_one_backward,
                                     schedule_kind::interleaved,
                                     schedule_kind::looped_bfs,
                                     schedule_kind::zb_h1,
                                     schedule_kind::zb_h2,
                                     schedule_kind::interleaved_zero_bubble,
                                     schedule_kind::zbv,
                                     schedule_kind::dualpipev};
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const model_config model = config(seed);
    const gradients expected = on_one_device(model);
    REQUIRE(expected.layers.size() == model.layers());
    for (const schedule_kind kind : kinds) {
      const bool two = stagecut::entry_of(kind).stages_per_rank != 1;
      const schedule order = made(kind, two ? 2 : 4);
      for (const auto& cuts : some_cuts(model.layers(), order.stages())) {
        CAPTURE(order.name);
        const gradients found = joined(run_threads(setup_for(order, model, cuts)));
        const double apart = difference(found, expected);
        CHECK(apart <= 1e-5);
        CHECK((apart == 0) == in_turn(order));
      }
    }
  }
}

TEST_CASE("an order in PyTorch's words") {
  const model_config model = config(1);
  for (const char* const text : {"0F0,0F1,0F2,0F3,0F4,0F5,0F6,0F7,0B0,0B1,0B2,0B3,0B4,0B5,0B6,0B7\n"
                                 "1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3,1F4,1B4,1F5,1B5,1F6,1B6,1F7,1B7\n",
                                 "0F0,0F1,0F2,0I0,0F3,0I1,0W0,0F4,0I2,0F5,0W1,0I3,0F6,0I4,0F7,0I5,0I6,0I7,0W2,0W3,0W4,"
                                 "0W5,0W6,0W7\n"
                                 "1F0,1I0,1F1,1I1,1F2,1W0,1I2,1F3,1I3,1F4,1I4,1F5,1I5,1F6,1I6,1F7,1I7,1W1,1W2,1W3,1W4,"
                                 "1W5,1W6,1W7\n"}) {
    const schedule order = stagecut::io::parse_torch_schedule(text, "order");
    CHECK(difference(joined(run_threads(setup_for(order, model, {0, 3, 8}))), on_one_device(model)) == 0);
  }
}

TEST_CASE("the peak of every rank's activations is the one predicted, to the byte") {
  const model_config model = config(2);
  const auto sizes = measure_model(model, 1, 1, host_machine).profile;
  for (const schedule_kind kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::zb_h1,
                                   schedule_kind::zb_h2, schedule_kind::interleaved, schedule_kind::zbv}) {
    const bool two = stagecut::entry_of(kind).stages_per_rank != 1;
    const schedule order = made(kind, two ? 2 : 4);
    for (const auto& cuts : some_cuts(model.layers(), order.stages())) {
      CAPTURE(order.name);
      stagecut::stage_bytes bytes;
      for (std::size_t s = 0; s < order.stages(); ++s) {
        double sum = 0;
        for (std::size_t i = cuts[s]; i < cuts[s + 1]; ++i) sum += sizes.layers[i].activations;
        bytes.activations.push_back(sum);
      }
      const auto predicted = stagecut::memory_curve(order, stagecut::simulation<double>{}, bytes);
      const auto ranks = run_threads(setup_for(order, model, cuts));
      for (std::size_t r = 0; r < order.ranks(); ++r) {
        CHECK(static_cast<double>(ranks[r].peak_bytes[0]) == predicted[r].peak_activations);
      }
    }
  }
}

TEST_CASE("a rank that throws ends all, and the message names it and its op") {
  for (const char* const at : {"0F0", "1B2", "3B7", "2F3"}) {
    run_setup setup = setup_for(made(schedule_kind::one_forward_one_backward, 4), config(1), {0, 2, 4, 6, 8});
    setup.fault = {"throw", at};
    const std::string expected = "rank " + std::string(1, at[0]) + ", " + at + ": a fault that was asked for";
    CHECK_THROWS_WITH_AS(static_cast<void>(run_threads(setup)), expected.c_str(), rank_failed);
  }
}

TEST_CASE("a rank that hangs: the others give up, and name it") {
  run_setup setup = setup_for(made(schedule_kind::one_forward_one_backward, 2), config(1), {0, 4, 8});
  setup.timeout = 0.2;
  setup.fault = {"hang", "1F2"};
  CHECK_THROWS_WITH_AS(static_cast<void>(run_threads(setup)), "rank 0, 0B2: nothing came from rank 1 within 0.2 s",
                       rank_failed);
}

TEST_CASE("ops that wait for each other in a cycle are refused before anything starts") {
  const schedule order = stagecut::io::parse_torch_schedule("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n", "order");
  CHECK_THROWS_WITH_AS(static_cast<void>(stagecut::lower_transfers(order)), doctest::Contains("deadlock: "),
                       stagecut::invalid_input);
}

TEST_CASE("every rank has a core of its own, whatever was measured before") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
  if (CPU_COUNT(&allowed) < 2) return;
  static_cast<void>(measure_link(2, 4096, host_machine));
  run_setup setup = setup_for(made(schedule_kind::one_forward_one_backward, 2), config(1), {0, 4, 8});
  std::vector<cpu_set_t> cores(2);
  static_cast<void>(run_threads(setup, [&](const run_setup& of, std::size_t rank, std::vector<inbox>& boxes) {
    rank_machine result = host_machine(of, rank, boxes);
    sched_getaffinity(0, sizeof(cpu_set_t), &cores[rank]);
    return result;
  }));
  CHECK(CPU_COUNT(&cores[0]) == 1);
  CHECK(CPU_COUNT(&cores[1]) == 1);
  CHECK_FALSE(CPU_EQUAL(&cores[0], &cores[1]));
}
