// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/make_schedule.hpp>

#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::find_schedule;
using stagecut::make_schedule;
using stagecut::schedule;
using stagecut::schedule_entry;
using stagecut::schedule_kind;
using stagecut::schedule_shape;

namespace {

/// Whether a kind takes a shape, by what is written of it.
bool takes(schedule_kind kind, std::size_t v, std::size_t p, std::size_t m) {
  switch (kind) {
    case schedule_kind::zb_h1:
    case schedule_kind::zb_h2:
    case schedule_kind::dualpipev: return m >= 2 * p;
    case schedule_kind::interleaved: return v == 1 || m % p == 0;
    case schedule_kind::interleaved_zero_bubble: return m % std::max<std::size_t>(1, m / p) == 0;
    case schedule_kind::sapp_big:
    case schedule_kind::sapp_less_memory: return m >= p;
    default: break;
  }
  const auto fits = stagecut::entry_of(kind).fits;
  return kind <= schedule_kind::sapp_less_memory || fits == nullptr ||
         fits(p, v, m);  // of one that came later: its row
}

std::string refusal(const char* name, const schedule_shape& shape) {
  try {
    (void)make_schedule(find_schedule(name)->kind, shape);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST_CASE("Every schedule of every shape that it takes runs to its end; the others are refused") {
  for (const schedule_entry& entry : stagecut::schedules) {
    CAPTURE(entry.name);
    if (entry.make == nullptr) continue;  // below
    std::size_t made = 0;
    for (std::size_t p = 1; p <= 6; ++p) {
      for (std::size_t v = 1; v <= 4; ++v) {
        if (entry.stages_per_rank != 0 && entry.stages_per_rank != v) continue;
        for (std::size_t m = 1; m <= 20; ++m) {
          schedule_shape shape{.ranks = p, .stages_per_rank = v, .microbatches = m};
          if (entry.kind == schedule_kind::sliced) shape.slices = 1 + m % 4;
          if (entry.kind == schedule_kind::in_flight) shape.in_flight.assign(p, 1 + m % 5);
          CAPTURE(p);
          CAPTURE(v);
          CAPTURE(m);
          if (!takes(entry.kind, v, p, m)) {
            REQUIRE_THROWS_AS((void)make_schedule(entry.kind, shape), stagecut::argument_error);
            continue;
          }
          const schedule each = make_schedule(entry.kind, shape);
          REQUIRE(each.name == entry.name);
          REQUIRE(each.ranks() == p);
          REQUIRE(each.stages() == p * v);
          REQUIRE(each.microbatches == m);
          REQUIRE(each.slices == shape.slices);
          REQUIRE(order::problem(each) == "");
          REQUIRE(order::runs_to_the_end(each));
          const bool splits = std::any_of(each.orders[0].begin(), each.orders[0].end(), [](const stagecut::op& op) {
            return op.kind == stagecut::op_kind::backward_weight;
          });
          REQUIRE(splits == entry.splits_backward);
          ++made;
        }
      }
    }
    CHECK(made >= 60);
  }
}

TEST_CASE("What is said reaches the schedule") {
  CHECK(make_schedule(schedule_kind::interleaved, {.ranks = 2, .stages_per_rank = 2, .microbatches = 6, .group = 3}) ==
        stagecut::interleaved_one_forward_one_backward(2, 2, 6, 3));
  CHECK(make_schedule(schedule_kind::sliced, {.ranks = 2, .microbatches = 6, .slices = 3}) ==
        stagecut::sliced_one_forward_one_backward(2, 6, 3));
  CHECK(make_schedule(schedule_kind::in_flight, {.ranks = 2, .microbatches = 6, .in_flight = {3, 2}}) ==
        stagecut::in_flight_order(std::vector<std::size_t>{3, 2}, 6));
  CHECK(make_schedule(schedule_kind::gpipe_lifo, {.ranks = 2, .microbatches = 6}) ==
        stagecut::gpipe(2, 6, stagecut::backward_order::last_in_first_out));
  CHECK(make_schedule(schedule_kind::gpipe, {}) == stagecut::gpipe(1, 1));
}

TEST_CASE("What a schedule does not know of is refused with the reason") {
  CHECK(refusal("1f1b", {.ranks = 4, .stages_per_rank = 2, .microbatches = 8}) ==
        "stagecut::make_schedule: stages_per_rank = 2, must be 1 for 1f1b");
  CHECK(refusal("zbv", {.ranks = 4, .microbatches = 8}) == "stagecut::make_schedule: stages_per_rank = 1, must be 2 for zbv");
  CHECK(refusal("dualpipev", {.ranks = 4, .stages_per_rank = 3, .microbatches = 8}) ==
        "stagecut::make_schedule: stages_per_rank = 3, must be 2 for dualpipev");
  CHECK(refusal("looped-bfs", {.ranks = 4, .stages_per_rank = 2, .microbatches = 8, .group = 4}) ==
        "stagecut::make_schedule: group = 4, must be 0 for looped-bfs");
  CHECK(refusal("gpipe", {.ranks = 4, .microbatches = 8, .slices = 2}) ==
        "stagecut::make_schedule: slices = 2, must be 1 for gpipe");
  CHECK(refusal("1f1b", {.ranks = 2, .microbatches = 8, .in_flight = {2, 1}}) ==
        "stagecut::make_schedule: in_flight.size() = 2, must be 0 for 1f1b");
  CHECK(refusal("in-flight", {.ranks = 2, .microbatches = 8, .in_flight = {1}}) ==
        "stagecut::make_schedule: in_flight.size() = 1, must be the number of ranks, 2");
  CHECK(refusal("gpipe", {.ranks = 0, .microbatches = 8}) == "stagecut::gpipe: ranks = 0, must be at least 1");
  CHECK(refusal("zb-h1", {.ranks = 4, .microbatches = 4}) ==
        "stagecut::zb_h1: microbatches = 4, must be at least twice the number of ranks, 8");
}

TEST_CASE("by name, with what is said of the shape; a name that there is not is told with those that there are") {
  CHECK(make_schedule("1f1b", {.ranks = 4, .microbatches = 8}) == stagecut::one_forward_one_backward(4, 8));
  CHECK(make_schedule(std::string("zbv"), {.ranks = 2, .stages_per_rank = 2, .microbatches = 8}) == stagecut::zbv(2, 8));
  CHECK_THROWS_WITH_AS((void)make_schedule("1f2b", {.ranks = 4, .microbatches = 8}),
                       doctest::Contains("stagecut::make_schedule: name = \"1f2b\", must be gpipe, gpipe-lifo, 1f1b, "
                                         "eager-1f1b, in-flight, interleaved, looped-bfs, zb-h1, "),
                       stagecut::argument_error);
  CHECK_THROWS_AS((void)make_schedule("", {}), stagecut::argument_error);
}

TEST_CASE("every row of the table passes every door of the room") {
  for (const schedule_entry& entry : stagecut::schedules) {
    CAPTURE(entry.name);
    CHECK(find_schedule(entry.name) == &entry);
    CHECK(&stagecut::entry_of(entry.kind) == &entry);
    CHECK(std::string(to_string(entry.kind)) == entry.name);
    schedule_shape shape{.ranks = 3, .stages_per_rank = entry.stages_per_rank == 0 ? 2 : entry.stages_per_rank, .microbatches = 12};
    if (entry.make == nullptr) {
      CHECK(entry.takes == stagecut::shape_figure::times);
      CHECK_FALSE(stagecut::has_shape(entry.kind, 3, shape.stages_per_rank, 12));
      CHECK_THROWS_WITH_AS(
          (void)make_schedule(entry.name, shape),
          "stagecut::make_schedule: kind = synthesize, needs more than a shape: synthesize_schedule makes "
          "it, for what the stages take",
          stagecut::argument_error);
      continue;
    }
    if (entry.takes == stagecut::shape_figure::group) shape.group = 4;
    if (entry.takes == stagecut::shape_figure::slices) shape.slices = 2;
    if (entry.takes == stagecut::shape_figure::in_flight) shape.in_flight = {3, 2, 1};
    CHECK(stagecut::has_shape(entry.kind, 3, shape.stages_per_rank, 12) != needs_more(entry));
    const schedule made = make_schedule(entry.name, shape);
    CHECK(made == make_schedule(entry.kind, shape));
    CHECK(made.name == entry.name);
    stagecut::check_schedule(made);
    const auto held = microbatches_in_flight(made);
    REQUIRE(held.size() == made.stages());
    if (entry.most_in_flight != nullptr) CHECK(microbatches_in_flight(entry.kind, 3, 12) == held);
    stagecut::pass_times<double> times;
    for (auto* each : {&times.forward, &times.backward_input, &times.backward_weight}) each->assign(made.stages(), 1);
    for (const auto& each : stagecut::transfer_kind_names) {
      const auto run = stagecut::simulate(made, times, {each.value, {0.5}, {0.5}});
      CHECK(run.makespan >= 12 * 3 * static_cast<double>(shape.stages_per_rank));
      const auto memory = stagecut::memory_curve(made, run);
      CHECK(memory.size() == 3);
    }
    // What is meant with several stages a rank can have several, and is itself there.
    const schedule_entry& chunked = stagecut::entry_of(entry.with_stages_per_rank);
    CHECK((&chunked == &entry || (entry.stages_per_rank == 1 && chunked.stages_per_rank == 0)));
    CHECK(entry.v_shaped ==
          (made.rank_of == stagecut::v_placement(3) && made.rank_of != stagecut::loop_placement(3, 1)));
  }
}
