// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/sweep_rows.hpp>

#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"
#include "known_profile.hpp"
#include "random_sweeps.hpp"

using known_profile::known;
using stagecut::checkpointing;
using stagecut::make_plan;
using stagecut::plan_request;
using stagecut::schedule_kind;
using stagecut::state;
using stagecut::sweep_axes;
using stagecut::sweep_options;
using stagecut::sweep_row;
using stagecut::sweep_rows;

namespace {

constexpr auto one_forward = schedule_kind::one_forward_one_backward;

/// The bytes of the fullest device, by the checks of a plan.
double fullest(const stagecut::profile& model, const stagecut::plan& made) {
  for (const auto& check : stagecut::verify_plan(model, made).checks) {
    if (check.name == "memory") return check.claimed.value_or(0);
  }
  return -1;
}

/// Compares a row with the plan that is made for it alone; returns whether there was one.
bool same_as_plan(const stagecut::profile& model, const plan_request& request, const sweep_row& row) {
  const auto made = make_plan(model, stagecut::request_of_row(request, row));
  REQUIRE(row.state == made.state());
  if (!made) {
    REQUIRE(row.why == made.why().text());
    REQUIRE(row.makespan == 0);
    REQUIRE(row.memory == 0);
    return false;
  }
  REQUIRE(row.makespan == made->objective.value);
  REQUIRE(row.bound == made->objective.bound);
  REQUIRE(row.per_microbatch == row.makespan / static_cast<double>(row.microbatches));
  REQUIRE(row.memory == fullest(model, *made));
  REQUIRE(row.memory_bound <= row.memory);
  REQUIRE(row.why.empty());
  return true;
}

/// What rows say of time and memory, as pairs.
std::vector<std::vector<double>> front_of(const std::vector<sweep_row>& rows) {
  std::vector<std::vector<double>> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].on_front) result.push_back({static_cast<double>(i), rows[i].per_microbatch, rows[i].memory});
  }
  return result;
}

}  // namespace

TEST_CASE("each row is what make_plan says of it alone") {
  random_sweeps random(7);
  std::size_t planned = 0;
  std::size_t impossible = 0;
  for (int round = 0; round < 60; ++round) {
    const auto model = random.profile();
    auto request = random.request();
    request.search.node_limit = 200;
    sweep_options options;
    options.skip_dominated = false;
    for (const auto& row : sweep_rows(model, request, random.axes(), options)) {
      REQUIRE(!row.dominated);
      const bool impossible_shape = row.why.find(" does not run ") != std::string::npos;
      if (impossible_shape || row.why.starts_with("the schedule") || row.why.starts_with("the model")) {
        ++impossible;
        REQUIRE(row.state == (impossible_shape ? state::infeasible : state::unknown));
      } else {
        planned += same_as_plan(model, request, row) ? 1 : 0;
      }
    }
  }
  CHECK(planned > 300);
  CHECK(impossible > 300);
}

TEST_CASE("what is left out is worse than the front, which stays the same") {
  random_sweeps random(9);
  std::size_t dominated = 0;
  for (int round = 0; round < 30; ++round) {
    const auto model = random.profile();
    auto request = random.request();
    request.search.node_limit = 50;
    auto axes = random.axes();
    axes.devices = {1, 2, 3, 4, 5};
    axes.microbatches = {2, 4, 6, 8, 12, 16, 20, 24, 30, 36};
    axes.stages_per_rank = {1, 2};
    sweep_options options;
    const auto rows = sweep_rows(model, request, axes, options);
    options.skip_dominated = false;
    const auto all = sweep_rows(model, request, axes, options);
    REQUIRE(rows.size() == all.size());
    REQUIRE(front_of(rows) == front_of(all));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].dominated) {
        REQUIRE(rows[i] == all[i]);
        continue;
      }
      ++dominated;
      REQUIRE(rows[i].state == state::unknown);
      REQUIRE(!all[i].on_front);
      REQUIRE(rows[i].memory_bound == all[i].memory_bound);
      if (all[i].has_plan()) REQUIRE(rows[i].bound <= all[i].makespan);
      if (all[i].has_plan()) REQUIRE(rows[i].memory_bound <= all[i].memory);
    }
  }
  CHECK(dominated > 100);
}

TEST_CASE("rows stand in the order of the axes, the last of which changes fastest") {
  const sweep_axes axes{
      {2, 4}, {8, 4}, {one_forward, schedule_kind::gpipe}, {1, 2}, {checkpointing::never, checkpointing::always}};
  const auto rows = sweep_rows(known, {}, axes);
  REQUIRE(rows.size() == 32);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].devices == (i < 16 ? 2 : 4));
    CHECK(rows[i].microbatches == (i / 8 % 2 == 0 ? 8 : 4));
    CHECK(rows[i].schedule == (i / 4 % 2 == 0 ? one_forward : schedule_kind::gpipe));
    CHECK(rows[i].stages_per_rank == (i / 2 % 2 == 0 ? 1 : 2));
    CHECK(rows[i].checkpoint == (i % 2 == 0 ? checkpointing::never : checkpointing::always));
    if (rows[i].stages_per_rank == 2) CHECK(rows[i].why.find(" does not run ") != std::string::npos);
  }
  CHECK(rows[16].makespan == 573);
  CHECK(rows[16].state == state::optimal);
  CHECK(rows[17].makespan > 573);
  CHECK(rows[17].memory < rows[16].memory);
}

TEST_CASE("empty axes leave what the request says: one row") {
  const auto rows = sweep_rows(known, {.devices = 4, .microbatches = 8}, {});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].makespan == 573);
  CHECK(rows[0].on_front);
  // With chunks 1F1B means interleaved, unless there is a list of schedules.
  const auto chunks = sweep_rows(known, {.devices = 2, .microbatches = 4, .stages_per_rank = 2}, {});
  CHECK(chunks[0].schedule == schedule_kind::interleaved);
  CHECK(chunks[0].has_plan());
}

TEST_CASE("configurations that cannot be say why") {
  const auto rows = sweep_rows(known, {.microbatches = 9, .memory_limit = 200.0},
                               {{1, 4, 9}, {}, {one_forward, schedule_kind::zb_h1, schedule_kind::in_flight}, {}, {}});
  CHECK(rows[0].state == state::infeasible);
  CHECK(rows[0].why.find("and a device has 200 bytes") != std::string::npos);
  CHECK(rows[3].has_plan());
  CHECK(rows[3].memory <= 200);
  CHECK(rows[5].why.find(" does not run ") != std::string::npos);
  CHECK(rows[6].why == "9 stages need at least 9 layers, and there are 8");
  const auto apart =
      sweep_rows(known, {.devices = 2, .microbatches = 8},
                 {{}, {}, {schedule_kind::zb_h1}, {}, {checkpointing::always, checkpointing::except_last}});
  CHECK(apart[0].why ==
        "the schedule splits the backward pass, and recomputed activations would be held between its parts");
  CHECK(apart[0].state == state::unknown);
  CHECK(apart[1].why == "the last microbatch takes less time than the others");
  CHECK(apart[1].state == state::unknown);
}

TEST_CASE("numbers whose product overflows are told like other ones that are too large") {
  const std::size_t large = std::size_t{1} << 32U;
  const auto rows = sweep_rows(known, {}, {{2, large}, {4, large}, {schedule_kind::looped_bfs}, {2, large}, {}});
  REQUIRE(rows.size() == 8);
  CHECK(rows[0].has_plan());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(rows[i].why == "there are more than 2^20 forward passes");
    CHECK(rows[i].state == state::unknown);
  }
}

TEST_CASE("a stopped sweep has rows of the whole one, and says of the others that they are not planned") {
  const auto model = known_profile::chain_of({8, 11, 2, 1, 18, 5, 4, 11, 7, 6, 3, 9});
  const sweep_axes axes{{2, 3, 4}, {12, 24}, {one_forward, schedule_kind::interleaved}, {1, 2}, {}};
  const auto whole = sweep_rows(model, {}, axes);
  std::size_t asked = 0;
  const auto count = [&] { return ++asked, false; };
  plan_request counted;
  counted.search.stop = count;
  CHECK(sweep_rows(model, counted, axes) == whole);
  const std::size_t most = asked;
  REQUIRE(most > 100);
  for (std::size_t after = 0; after <= most; after += 1 + most / 60) {
    asked = 0;
    const auto stop = [&] { return ++asked > after; };
    plan_request stopped_request;
    stopped_request.search.stop = stop;
    const auto rows = sweep_rows(model, stopped_request, axes);
    REQUIRE(rows.size() == whole.size());
    std::size_t stopped = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sweep_row expected = whole[i];
      expected.on_front = rows[i].on_front;
      if (rows[i].why == "stopped before it was planned") {
        ++stopped;
        CHECK(rows[i].state == state::unknown);
        CHECK(rows[i].makespan + rows[i].bound + rows[i].memory_bound == 0);
      } else {
        CHECK(rows[i] == expected);
      }
    }
    CHECK((after > 0 || stopped == rows.size()));
  }
}

TEST_CASE("progress tells of all rows at the end, and every row is planned once by whoever runs them") {
  const sweep_axes axes{
      {1, 2, 3, 4}, {4, 8, 12, 16}, {one_forward, schedule_kind::gpipe, schedule_kind::zb_h1}, {1, 2}, {}};
  std::vector<stagecut::sweep_progress> told;
  const auto tell = [&](const stagecut::sweep_progress& now) { told.push_back(now); };
  sweep_options options;
  options.progress = tell;
  const auto rows = sweep_rows(known, {}, axes, options);
  REQUIRE(told.size() >= 2);
  CHECK(told.back().done == rows.size());
  CHECK(told.back().rows == rows.size());
  CHECK(told.front().done < rows.size());
  std::size_t dominated = 0;
  for (const auto& row : rows) dominated += row.dominated ? 1 : 0;
  CHECK(told.back().dominated == dominated);
  const auto backwards = [](std::size_t size, const stagecut::function_ref<void(std::size_t)>& each) {
    for (std::size_t i = size; i-- > 0;) each(i);
  };
  plan_request request;
  std::size_t nodes = 0;
  request.search.nodes_spent = &nodes;
  CHECK(sweep_rows(known, request, axes) == rows);
  const std::size_t in_order = std::exchange(nodes, 0);
  CHECK(in_order > 0);
  request.search.threads = backwards;
  CHECK(sweep_rows(known, request, axes) == rows);
  CHECK(nodes == in_order);
}

TEST_CASE("what is wrong with every configuration is refused") {
  const auto refused = [](const plan_request& request, const sweep_axes& axes) {
    return refusal([&] { return sweep_rows(known, request, axes); });
  };
  CHECK(refused({.microbatches = 4}, {.devices = {2, 0}}) ==
        "stagecut::sweep_rows: axes.devices[1] = 0, must be at least 1");
  CHECK(refused({}, {.microbatches = {0}}) == "stagecut::sweep_rows: axes.microbatches[0] = 0, must be at least 1");
  CHECK(refused({.microbatches = 4}, {.stages_per_rank = {0}}) ==
        "stagecut::sweep_rows: axes.stages_per_rank[0] = 0, must be at least 1");
  CHECK(refused({.devices = 2}, {}) ==
        "stagecut::sweep_rows: objective = makespan, is not known: the number of microbatches is not known");
  CHECK(refused({.microbatches = 4, .objective = stagecut::plan_objective::bottleneck}, {}) ==
        "stagecut::sweep_rows: objective = bottleneck, must be the makespan, by which plans are compared");
  CHECK(
      refused({.devices = 2, .microbatches = 4}, {.checkpoints = {checkpointing::except_last}}) ==
      "stagecut::sweep_rows: objective = makespan, is not known: the last microbatch takes less time than the others");
  const std::vector<std::size_t> many(1U << 13U, 1);
  CHECK(refused({}, {.devices = many, .microbatches = many}) ==
        "stagecut::sweep_rows: axes = {…}, must have at most 16777216 configurations");
  CHECK(refused({.microbatches = 4, .memory_limit = -1.0}, {})
            .starts_with("stagecut::sweep_rows: memory_limit"));
}
