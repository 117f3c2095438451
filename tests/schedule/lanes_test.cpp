// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/lanes.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "random_graphs.hpp"

using random_graphs::dice;
using random_graphs::makespan_of;
using random_graphs::subject;
using random_graphs::table_of;
using stagecut::lane_registers;
using stagecut::lanes;
using stagecut::make_schedule;
using stagecut::slot_program;
using stagecut::task_graph;

namespace {

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// All that this machine has.
std::vector<lane_registers> here() {
  std::vector<lane_registers> result;
  for (const auto registers : {lane_registers::plain, lane_registers::bits_256, lane_registers::bits_512}) {
    if (registers <= stagecut::widest_lane_registers()) result.push_back(registers);
  }
  return result;
}

static_assert(lanes<double>::width == 8);
static_assert(lanes<std::int64_t>::width == 8);
static_assert(lanes<float>::width == 16);
static_assert(lanes<std::int32_t>::width == 16);
static_assert(!std::is_constructible_v<lanes<double>, slot_program>);  // it would die
static_assert(std::is_constructible_v<lanes<double>, const slot_program&>);

}  // namespace

TEST_CASE_TEMPLATE("each lane says what the task graph says of its durations, to the bit", T, double, float,
                   std::int64_t, std::int32_t, unsigned, unsigned long long) {
  dice random(1);
  random_graphs::each_subject(2, 30, [&](const subject& of) {
    const task_graph graph(of.order, of.options);
    const slot_program program(graph);
    std::vector<std::vector<T>> tables;
    std::vector<T> expected;
    for (std::size_t l = 0; l < lanes<T>::width; ++l) {
      tables.push_back(table_of<T>(random, of, graph));
      expected.push_back(makespan_of(graph, tables.back()));
    }
    for (const lane_registers registers : here()) {
      lanes<T> all(program, registers);
      for (std::size_t l = 0; l < all.width; ++l) all.set(l, tables[l]);
      for (int again = 0; again < 2; ++again) {  // nothing is left of the first time
        const auto found = all.run();
        REQUIRE(found.size() == all.width);
        for (std::size_t l = 0; l < all.width; ++l) REQUIRE(same_bits(found[l], expected[l]));
      }
    }
  });
}

TEST_CASE("a duration of one lane changes that lane alone") {
  dice random(3);
  for (std::size_t round = 0; round < 20; ++round) {
    subject of{oracle::random_schedule(random, oracle::written_transfers::none, false), {}};
    of.options = random_graphs::options_of(round);
    const task_graph graph(of.order, of.options);
    const slot_program program(graph);
    for (const lane_registers registers : here()) {
      lanes<std::int64_t> all(program, registers);
      std::vector<std::vector<std::int64_t>> tables(all.width);
      for (std::size_t l = 0; l < all.width; ++l) all.set(l, tables[l] = table_of<std::int64_t>(random, of, graph));
      for (std::size_t d = 1; d < program.durations().size(); ++d) {
        const std::size_t lane = random.below(all.width);
        CHECK(all.time(d, lane) == tables[lane][program.durations()[d]]);
        all.time(d, lane) += 100;
        tables[lane][program.durations()[d]] += 100;
        const auto found = all.run();
        for (std::size_t l = 0; l < all.width; ++l) REQUIRE(found[l] == makespan_of(graph, tables[l]));
      }
    }
  }
}

TEST_CASE("durations are 0 until they are set") {
  const task_graph graph(make_schedule("1f1b", {.ranks = 3, .microbatches = 4}));
  const slot_program program(graph);
  for (const lane_registers registers : here()) {
    lanes<float> all(program, registers);
    for (const float each : all.run()) CHECK(each == 0);
    all.time(1, 5) = 2;
    const auto found = all.run();
    CHECK(found[5] > 0);
    CHECK(found[4] == 0);
    all.time(1, 5) = 0;
    CHECK(all.run()[5] == 0);  // nothing is left of what was longer
  }
}

TEST_CASE("lanes may be moved and copied") {
  const task_graph graph(make_schedule("1f1b", {.ranks = 3, .microbatches = 4}));
  const slot_program program(graph);
  lanes<int> first(program);
  for (std::size_t d = 1; d < program.durations().size(); ++d) first.time(d, 2) = static_cast<int>(d);
  const int expected = first.run()[2];
  CHECK(expected > 0);
  lanes<int> second(first);
  CHECK(second.run()[2] == expected);
  std::vector<lanes<int>> many;
  for (int i = 0; i < 5; ++i) many.push_back(second);
  first = std::move(many[3]);
  CHECK(first.run()[2] == expected);
  CHECK(reinterpret_cast<std::uintptr_t>(first.run().data()) % 64 == 0);
}

TEST_CASE("registers that the machine has not are refused") {
  const task_graph graph(make_schedule("1f1b", {.ranks = 3, .microbatches = 4}));
  const slot_program program(graph);
  CHECK(here().front() == lane_registers::plain);
  for (const auto registers : {lane_registers::bits_256, lane_registers::bits_512}) {
    if (registers <= stagecut::widest_lane_registers()) {
      CHECK_NOTHROW(lanes<double>(program, registers));
      continue;
    }
    const char* const text = registers == lane_registers::bits_256
                                 ? "stagecut::lanes: registers = bits_256, must be registers that this machine has"
                                 : "stagecut::lanes: registers = bits_512, must be registers that this machine has";
    CHECK_THROWS_WITH_AS(lanes<double>(program, registers), text, stagecut::argument_error);
  }
  CHECK_THROWS_AS(lanes<double>(program, static_cast<lane_registers>(3)), stagecut::argument_error);
}
