// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/task_graph.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/simulate.hpp>

#include "oracle.hpp"

using oracle::dice;
using oracle::written_transfers;
using stagecut::schedule;
using stagecut::simulate;
using stagecut::timed_task;
using stagecut::task_graph;
using stagecut::task_options;
using stagecut::transfer_kind;

namespace {

constexpr transfer_kind kinds[] = {transfer_kind::latency, transfer_kind::link, transfer_kind::stream,
                                   transfer_kind::blocking};

std::size_t tasks(const schedule& order, const task_options& options = {}) {
  return task_graph(order, options).tasks().size();
}

}  // namespace

TEST_CASE("made once, used with other durations, it says what a simulation says") {
  dice random(1);
  for (int round = 0; round < 300; ++round) {
    const transfer_kind kind = kinds[round % 4];
    const schedule order = oracle::random_schedule(random, written_transfers::none, random.once_in(2));
    const bool updates = random.once_in(2);
    const task_graph graph(order, {.transfers = kind,
                                   .with_transfers = true,
                                   .by_microbatch = true,
                                   .all_reduce = updates,
                                   .optimizer_step = updates});
    stagecut::simulation_workspace<double> workspace;
    stagecut::simulation_workspace<std::int64_t> whole;
    for (int again = 0; again < 4; ++again) {
      auto times = oracle::random_times<double>(random, order);
      auto ticks = oracle::random_times<std::int64_t>(random, order);
      times.all_reduce.assign(updates ? order.stages() : 0, 0.7);
      ticks.all_reduce.assign(updates ? order.stages() : 0, 7);
      times.optimizer_step.assign(updates ? order.ranks() : 0, 0.3);
      ticks.optimizer_step.assign(updates ? order.ranks() : 0, 3);
      auto transfers = oracle::random_transfers<double>(random, order, kind);
      auto messages = oracle::random_transfers<std::int64_t>(random, order, kind);
      // Without any there is nothing to be ordered, which is not the same as messages that take no time.
      if (transfers.forward.empty() && transfers.backward.empty()) transfers.forward = {0};
      if (messages.forward.empty() && messages.backward.empty()) messages.forward = {0};
      REQUIRE(graph.makespan(times, transfers, workspace) == simulate(order, times, transfers).makespan);
      REQUIRE(graph.makespan(ticks, messages, whole) == simulate(order, ticks, messages).makespan);
    }
  }
}

TEST_CASE("each task follows what it awaits") {
  dice random(2);
  for (int round = 0; round < 300; ++round) {
    const schedule order = oracle::random_schedule(random, written_transfers::none, random.once_in(2));
    const task_graph graph(order, {.transfers = kinds[round % 4],
                                   .with_transfers = true,
                                   .by_slice = true,
                                   .all_reduce = true,
                                   .optimizer_step = true});
    std::vector<double> table;
    auto times = oracle::random_times<double>(random, order);
    for (auto* each : {&times.forward, &times.backward, &times.backward_input, &times.backward_weight}) {
      each->assign(order.stages(), 1);
    }
    times.all_reduce.assign(order.stages(), 1);
    times.optimizer_step.assign(order.ranks(), 1);
    graph.fill(times, {graph.options().transfers, {}, {}}, table);
    std::size_t position = 0;
    for (const timed_task& task : graph.tasks()) {
      ++position;
      REQUIRE(task.before < position);
      REQUIRE(task.source < position);
      REQUIRE(task.time < table.size());
    }
    const bool late = graph.options().with_transfers && graph.options().transfers == transfer_kind::latency;
    REQUIRE(graph.delays().size() == (late ? graph.tasks().size() : 0));
    for (const std::uint32_t delay : graph.delays()) REQUIRE(delay < table.size());
    for (const std::uint32_t task : graph.last_tasks()) {
      REQUIRE(task > 0);
      REQUIRE(task <= graph.tasks().size());
    }
    REQUIRE(graph.last_tasks().size() == order.ranks());
  }
}

TEST_CASE("how many tasks there are") {
  const schedule order = stagecut::one_forward_one_backward(4, 8);
  const std::size_t passes = 2 * 4 * 8;
  const std::size_t messages = 2 * 3 * 8;
  CHECK(tasks(order) == passes);
  CHECK(tasks(order, {.transfers = transfer_kind::latency, .with_transfers = true}) == passes);
  CHECK(tasks(order, {.transfers = transfer_kind::link, .with_transfers = true}) == passes + messages);
  CHECK(tasks(order, {.transfers = transfer_kind::stream, .with_transfers = true}) == passes + 2 * messages);
  CHECK(tasks(order, {.transfers = transfer_kind::blocking, .with_transfers = true}) == passes + messages);
  CHECK(tasks(order, {.transfers = transfer_kind::blocking}) == passes);
  CHECK(tasks(order, {.all_reduce = true}) == passes + 4);
  CHECK(tasks(order, {.all_reduce = true, .optimizer_step = true}) == passes + 8);
  // From the last rank to the first messages wander, too; down and back up only at one of two ends.
  CHECK(tasks(stagecut::interleaved_one_forward_one_backward(2, 2, 4), {.with_transfers = true}) == 32 + 2 * 3 * 4);
  CHECK(tasks(stagecut::interleaved_one_forward_one_backward(1, 3, 4), {.with_transfers = true}) == 24);
  // Two that overlap are two tasks.
  std::size_t ops = 0;
  for (const auto& rank : stagecut::dualpipev(2, 6).orders) ops += rank.size();
  CHECK(tasks(stagecut::dualpipev(2, 6)) == ops);
}

TEST_CASE("transfers of a schedule count where they are ordered, and nowhere else") {
  const schedule order = stagecut::one_forward_one_backward(3, 5);
  const schedule lowered = stagecut::lower_transfers(order);
  for (const transfer_kind kind : kinds) {
    const task_options options{.transfers = kind, .with_transfers = true};
    const task_graph one(order, options);
    const task_graph other(lowered, options);
    REQUIRE(one.tasks().size() == other.tasks().size());
    for (std::size_t i = 0; i < one.tasks().size(); ++i) {
      REQUIRE(one.tasks()[i] == other.tasks()[i]);
      REQUIRE(one.what(i) == other.what(i));
    }
    CHECK(one.options().transfers == kind);
  }
}

TEST_CASE("durations for which it was not made") {
  const schedule order = stagecut::sliced_one_forward_one_backward(2, 3, 2);
  const std::vector<int> stages(2, 1);
  const std::vector<int> slices(4, 1);
  const std::vector<int> all(12, 1);
  stagecut::simulation_workspace<int> workspace;
  const auto run = [&](const task_graph& graph, const std::vector<int>& forward) {
    return graph.makespan({.forward = forward, .backward = stages}, {}, workspace);
  };
  const char* const text = "forward: differs by slice or microbatch, for which the task graph was not made";
  const task_graph plain(order);
  const task_graph sliced(order, {.by_slice = true});
  const task_graph full(order, {.by_microbatch = true});
  const int expected = run(plain, stages);
  CHECK(expected == 14);
  CHECK(run(sliced, stages) == expected);
  CHECK(run(full, stages) == expected);
  CHECK_THROWS_WITH_AS((void)run(plain, slices), text, stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)run(plain, all), text, stagecut::invalid_input);
  CHECK(run(sliced, slices) == expected);
  CHECK_THROWS_WITH_AS((void)run(sliced, all), text, stagecut::invalid_input);
  CHECK(run(full, slices) == expected);
  CHECK(run(full, all) == expected);
}
