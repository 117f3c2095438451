// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/slot_program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <stagecut/schedule/simulate.hpp>

#include "../core/copied_arrays.hpp"
#include "random_graphs.hpp"

using random_graphs::dice;
using random_graphs::subject;
using random_graphs::table_of;
using stagecut::make_schedule;
using stagecut::op_kind;
using stagecut::slot_op;
using stagecut::slot_program;
using stagecut::slot_steps;
using stagecut::timed_task;
using stagecut::task_graph;
using stagecut::task_options;
using stagecut::transfer_kind;

namespace {

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The durations of a program, from the table of its task graph.
template <class T>
std::vector<T> times_of(const slot_program& program, const std::vector<T>& table) {
  std::vector<T> result;
  for (const std::uint32_t duration : program.durations()) result.push_back(table[duration]);
  return result;
}

template <class T>
T run(const slot_program& program, const std::vector<T>& table) {
  std::vector<T> state(program.steps().slots, static_cast<T>(77));  // whatever is there is not read
  return program.steps().makespan(times_of(program, table).data(), state.data());
}

/// Whether the ops find in their slots, and in the table, what the tasks await, and nobody writes slot 0: each slot is
/// marked with the task whose end it holds. Of a program whose arrays may have been changed.
bool does(const task_graph& graph, const std::vector<slot_op>& ops, const slot_program& program) {
  const slot_steps steps = program.steps();
  std::vector<std::optional<std::size_t>> holds(steps.slots);
  holds[0] = 0;
  if (ops.size() != graph.tasks().size() || steps.delays.size() != graph.delays().size()) return false;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const timed_task& each = graph.tasks()[i];
    if (holds.at(ops[i].before) != each.before || holds.at(ops[i].source) != each.source) return false;
    if (program.durations()[ops[i].time] != each.time) return false;
    if (!steps.delays.empty() && program.durations()[steps.delays[i]] != graph.delays()[i]) return false;
    if (ops[i].to == 0) return false;
    holds.at(ops[i].to) = i + 1;
  }
  if (steps.last.size() != graph.last_tasks().size()) return false;
  for (std::size_t i = 0; i < steps.last.size(); ++i) {
    if (holds.at(steps.last[i]) != graph.last_tasks()[i]) return false;
  }
  return true;
}

/// The most ends that are awaited at one moment, just after a task has ended, and slot 0.
std::size_t awaited_at_once(const task_graph& graph) {
  const std::size_t size = graph.tasks().size();
  std::vector<std::size_t> until(size + 1);  // the last task that awaits it
  for (std::size_t i = 1; i <= size; ++i) {
    until[i] = i;
    until[graph.tasks()[i - 1].before] = until[graph.tasks()[i - 1].source] = i;
  }
  for (const std::uint32_t task : graph.last_tasks()) until[task] = size + 1;
  std::vector<std::size_t> gone(size + 2);  // that are awaited no more, or were not
  for (std::size_t i = 1; i <= size; ++i) ++gone[std::max(until[i], i + 1)];
  std::size_t most = 0;
  std::size_t now = 1;
  for (std::size_t i = 1; i <= size; ++i) {
    now += 1 - gone[i];
    most = std::max(most, now);
  }
  return most;
}

std::size_t slots(stagecut::schedule_kind kind, const stagecut::schedule_shape& shape,
                  const task_options& options = {}) {
  return slot_program(task_graph(make_schedule(kind, shape), options)).steps().slots;
}

static_assert(std::is_trivially_copyable_v<slot_steps>);
static_assert(sizeof(slot_op) == 8);

/// Two ops: the second awaits the first, whose result is under way for 4.
constexpr int two_ops() {
  constexpr slot_op ops[]{{0, 0, 1, 1}, {0, 1, 2, 1}};
  constexpr std::uint16_t delays[]{0, 3};
  constexpr std::uint16_t last[]{1};
  constexpr int times[]{0, 5, 2, 4};
  int state[]{77, 77};
  return slot_steps{{ops, 2}, {delays, 2}, {last, 1}, 2, 4}.makespan(times, state);
}
static_assert(two_ops() == 11);

}  // namespace

TEST_CASE_TEMPLATE("a slot program says what the task graph says, to the bit", T, double, float, std::int64_t,
                   std::int32_t, unsigned) {
  dice random(1);
  random_graphs::each_subject(2, 40, [&](const subject& of) {
    const task_graph graph(of.order, of.options);
    const slot_program program(graph);
    for (int again = 0; again < 2; ++again) {
      const auto table = table_of<T>(random, of, graph);
      REQUIRE(same_bits(run(program, table), random_graphs::makespan_of(graph, table)));
    }
  });
}

TEST_CASE("and so what a simulation says") {
  dice random(3);
  for (int round = 0; round < 100; ++round) {
    const auto kind = static_cast<transfer_kind>(round % 4);
    const auto order = oracle::random_schedule(random, oracle::written_transfers::none, random.once_in(2));
    auto times = oracle::random_times<double>(random, order);
    times.all_reduce.clear();
    times.optimizer_step.clear();
    auto transfers = oracle::random_transfers<double>(random, order, kind);
    if (transfers.forward.empty() && transfers.backward.empty()) transfers.forward = {0};
    const task_graph graph(order, {.transfers = kind, .with_transfers = true, .by_microbatch = true});
    std::vector<double> table;
    graph.fill(times, transfers, table);
    REQUIRE(run(slot_program(graph), table) == stagecut::simulate(order, times, transfers).makespan);
  }
}

TEST_CASE("no slot is written while its value is awaited, and there are no more than have to be") {
  random_graphs::each_subject(4, 80, [](const subject& of) {
    const task_graph graph(of.order, of.options);
    const slot_program program(graph);
    const slot_steps steps = program.steps();
    REQUIRE(does(graph, {steps.ops.begin(), steps.ops.end()}, program));
    REQUIRE(steps.slots == awaited_at_once(graph));
    REQUIRE(steps.durations == program.durations().size());
  });
}

TEST_CASE("the check finds a slot that is written too early") {
  dice random(5);
  std::size_t found = 0;
  std::size_t wrong = 0;
  random_graphs::each_subject(6, 20, [&](const subject& of) {
    const task_graph graph(of.order, of.options);
    const slot_program program(graph);
    const slot_steps steps = program.steps();
    std::vector<slot_op> ops(steps.ops.begin(), steps.ops.end());
    ops[random.below(ops.size())].to = static_cast<std::uint16_t>(random.below(steps.slots));
    if (std::equal(ops.begin(), ops.end(), steps.ops.begin())) return;
    ++wrong;
    found += does(graph, ops, program) ? 0 : 1;
  });
  CHECK(wrong > 100);
  // An end that nobody awaits may stand in another free slot as well.
  CHECK(found * 10 > wrong * 9);
}

TEST_CASE("how many slots there are") {
  using stagecut::schedule_kind;
  const task_options link{.transfers = transfer_kind::link, .with_transfers = true};
  for (const std::size_t p : {2U, 8U, 16U, 64U}) {
    CHECK(slots(schedule_kind::one_forward_one_backward, {.ranks = p, .microbatches = 2 * p}) == p + 2);
    CHECK(slots(schedule_kind::one_forward_one_backward, {.ranks = p, .microbatches = 8 * p}) == p + 2);
    CHECK(slots(schedule_kind::gpipe, {.ranks = p, .microbatches = 4 * p}) == p + 1);
  }
  for (const std::size_t p : {8U, 16U}) {
    CHECK(slots(schedule_kind::one_forward_one_backward, {.ranks = p, .microbatches = 4 * p}, link) == 3 * p - 1);
    for (const std::size_t v : {2U, 3U}) {
      const stagecut::schedule_shape shape{.ranks = p, .stages_per_rank = v, .microbatches = 4 * p};
      CHECK(slots(schedule_kind::interleaved, shape) == 2 * p + 2);
      CHECK(slots(schedule_kind::interleaved, shape, link) == 3 * p + 1);
    }
  }
}

TEST_CASE("candidates side by side") {
  dice random(7);
  random_graphs::each_subject(8, 10, [&](const subject& of) {
    const task_graph graph(of.order, of.options);
    const slot_program program(graph);
    const slot_steps steps = program.steps();
    const std::size_t stride = random.from(2, 5);
    std::vector<double> times(steps.durations * stride);
    std::vector<double> state(steps.slots * stride, -1);
    std::vector<double> expected;
    for (std::size_t c = 0; c < stride; ++c) {
      const auto table = table_of<double>(random, of, graph);
      const auto own = times_of(program, table);
      for (std::size_t i = 0; i < own.size(); ++i) times[i * stride + c] = own[i];
      expected.push_back(random_graphs::makespan_of(graph, table));
    }
    for (std::size_t c = 0; c < stride; ++c) {
      const auto before = state;
      REQUIRE(same_bits(steps.makespan(times.data() + c, state.data() + c, stride), expected[c]));
      for (std::size_t i = 0; i < state.size(); ++i) {
        if (i % stride != c) REQUIRE(state[i] == before[i]);  // the others are left alone
      }
    }
  });
}

TEST_CASE("no ops, and two") {
  CHECK(slot_steps{}.ops.empty());
  double nothing = 7;
  double state = 7;
  CHECK(slot_steps{}.makespan(&nothing, &state) == 0);

  const task_graph graph(make_schedule("1f1b", {}));
  const slot_program program(graph);
  REQUIRE(program.steps().ops.size() == 2);
  CHECK(program.steps().ops[0] == slot_op{0, 0, 1, 1});
  CHECK(program.steps().ops[1] == slot_op{1, 0, 2, 1});  // on its rank it follows F as it is
  CHECK(program.steps().slots == 2);
  CHECK(program.steps().durations == 3);
  std::vector<int> table;
  graph.fill<int>({.forward = {3}, .backward = {4}}, {}, table);
  CHECK(run(program, table) == 7);
}

TEST_CASE("a rank that does nothing") {
  stagecut::schedule order = make_schedule("1f1b", {.ranks = 2, .microbatches = 2});
  order.orders.emplace_back();
  const task_graph graph(order);
  std::vector<int> table;
  graph.fill<int>({.forward = {1, 1}, .backward = {2, 2}}, {}, table);
  CHECK(run(slot_program(graph), table) == 9);
}

TEST_CASE("up to 65,536 durations, of which 0 is one") {
  const auto order = [](std::size_t microbatches) {  // F, I and W of each
    return make_schedule("zb-h1", {.ranks = 1, .microbatches = microbatches});
  };
  const task_options options{.by_microbatch = true};
  const task_graph most(order(21845), options);
  const slot_program program(most);
  CHECK(program.steps().durations == 65536);
  stagecut::pass_times<int> times;
  for (auto* each : {&times.forward, &times.backward_input, &times.backward_weight}) each->assign(21845, 1);
  times.backward_weight.back() = 1000;
  std::vector<int> table;
  most.fill(times, {}, table);
  CHECK(run(program, table) == 65535 + 999);

  // F and B of each: one more than there may be.
  const task_graph graph(make_schedule("gpipe", {.ranks = 1, .microbatches = 32768}), options);
  CHECK_THROWS_WITH_AS(slot_program{graph}, "schedule: needs more than 65536 durations", stagecut::invalid_input);
  CHECK(slot_program(task_graph(order(21846))).steps().durations == 4);
}

TEST_CASE("up to 65,536 slots") {
  // The second rank awaits the last microbatch first: all others are kept.
  const auto graph_of = [](std::size_t microbatches) {
    stagecut::schedule order;
    order.rank_of = {0, 1};
    order.microbatches = microbatches;
    order.orders.resize(2);
    for (std::size_t k = 0; k < microbatches; ++k) order.orders[0].push_back({op_kind::forward, 0, k});
    for (std::size_t k = microbatches; k-- > 0;) {
      order.orders[1].push_back({op_kind::forward, 1, k});
      order.orders[1].push_back({op_kind::backward, 1, k});
      order.orders[0].push_back({op_kind::backward, 0, k});
    }
    return task_graph(order);
  };
  const task_graph few = graph_of(50);
  CHECK(slot_program(few).steps().slots == 52);
  CHECK(awaited_at_once(few) == 52);
  const task_graph most = graph_of(65534);
  const slot_program program(most);
  CHECK(program.steps().slots == 65536);
  std::vector<int> table;
  most.fill<int>({.forward = {1, 1}, .backward = {1, 1}}, {}, table);
  CHECK(run(program, table) == random_graphs::makespan_of(most, table));
  const task_graph more = graph_of(65535);
  CHECK_THROWS_WITH_AS(slot_program{more}, "schedule: needs more than 65536 slots", stagecut::invalid_input);
}

TEST_CASE("ops are told apart") {
  CHECK(slot_op{} == slot_op{0, 0, 0, 0});
  CHECK(slot_op{1, 0, 0, 0} != slot_op{});
  CHECK(slot_op{0, 1, 0, 0} != slot_op{});
  CHECK(slot_op{0, 0, 1, 0} != slot_op{});
  CHECK(slot_op{0, 0, 0, 1} != slot_op{});
}

TEST_CASE("placed a program is the same") {
  const stagecut::schedule order =
      make_schedule(stagecut::schedule_kind::interleaved, {.ranks = 3, .stages_per_rank = 2, .microbatches = 6});
  for (const transfer_kind kind : {transfer_kind::latency, transfer_kind::link}) {
    const task_graph graph(order, {kind, true});
    auto owner = std::make_unique<slot_program>(graph);
    copied_arrays memory;
    const slot_steps steps = stagecut::detail::placed(*owner, memory);
    static_assert(std::is_trivially_copyable_v<slot_steps>);
    std::vector<double> times(steps.durations);
    for (std::size_t i = 1; i < times.size(); ++i) times[i] = 1 / static_cast<double>(i);
    std::vector<double> state(steps.slots);
    const double expected = owner->steps().makespan(times.data(), state.data());
    owner.reset();
    CHECK(steps.makespan(times.data(), state.data()) == expected);
    CHECK(expected > 0);
  }
}
