// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <stagecut/joint/sweep_recomputation.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "random_models.hpp"
#include "sapp_cases.hpp"

using namespace stagecut;

namespace {

recompute_model some_layers(std::size_t layers) {
  recompute_model model;
  model.types.push_back({.forward = 2, .resident = 1, .choices = {{"none", 4, 0, 8}, {"full", 6, 0, 1}}});
  model.layers.assign(layers, 0);
  model.tail.forward = 1;
  return model;
}

recompute_sweep_request request_for(std::size_t ranks, std::vector<std::size_t> microbatches) {
  recompute_sweep_request request{.ranks = ranks, .microbatches = std::move(microbatches)};
  request.with.search.time_limit.reset();
  return request;
}

const recompute_sweep_row& row_of(const recompute_sweep& sweep, std::size_t chunks, schedule_kind order) {
  for (const recompute_sweep_row& row : sweep.rows) {
    if (row.stages_per_rank == chunks && row.schedule == order) return row;
  }
  FAIL("no such row");
  return sweep.rows[0];
}

}  // namespace

TEST_CASE("the best of all combinations, by itself or among all") {
  std::mt19937 dice(31);
  std::size_t skipped = 0;
  std::size_t searched = 0;
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const joint_tests::small_case drawn = joint_tests::drawn_case(dice, round % 3 == 0 ? 2 : 1);
    const std::size_t ranks = drawn.request.schedule.ranks();
    auto request = request_for(ranks, {ranks, 2 * ranks});
    request.stages_per_rank = {1, 2, 3};
    request.with.memory_limit = drawn.request.memory_limit.for_all();
    request.with.constant = drawn.request.constant;
    request.with.least_layers = drawn.request.least_layers;
    request.with.head_alone = drawn.request.head_alone;
    request.with.tail_alone = drawn.request.tail_alone;
    request.in_order = round % 2 == 0;
    const recompute_sweep sweep = sweep_recomputation(drawn.model, request);
    REQUIRE(sweep.rows.size() == 2 * 3 * 3);
    double best = std::numeric_limits<double>::infinity();
    for (const recompute_sweep_row& row : sweep.rows) {
      if (!has_shape(row.schedule, ranks, row.stages_per_rank, row.microbatches)) {
        CHECK(row.found.state() == state::unknown);
        CHECK(!row.not_searched.empty());
        continue;
      }
      recompute_request alone = request.with;
      alone.schedule = make_schedule(
          row.schedule, {.ranks = ranks, .stages_per_rank = row.stages_per_rank, .microbatches = row.microbatches});
      const auto found = minimize_recomputation(drawn.model, alone);
      if (row.not_searched.empty()) CHECK(found.state() == row.found.state());
      (row.not_searched.empty() ? searched : skipped) += 1;
      if (!found) continue;
      CHECK(row.bound <= found->value);
      CHECK(row.bound > 0);
      best = std::min(best, found->value / static_cast<double>(row.microbatches));
    }
    REQUIRE(sweep.best.has_value() == (best < std::numeric_limits<double>::infinity()));
    if (!sweep.best) continue;
    CHECK(sweep.rows[*sweep.best].time_of_microbatch() == best);
    CHECK(sweep.bound <= best);
  }
  MESSAGE(searched, " rows searched, ", skipped, " left out by their work");
  CHECK(searched > skipped);
}

TEST_CASE("what is not searched says why") {
  auto request = request_for(2, {3});
  request.orders = {schedule_kind::one_forward_one_backward, schedule_kind::interleaved, schedule_kind::sliced,
                    schedule_kind::zbv};
  request.stages_per_rank = {1, 2};
  const recompute_sweep sweep = sweep_recomputation(some_layers(8), request);
  const auto why = [&](std::size_t chunks, schedule_kind order) { return row_of(sweep, chunks, order).not_searched; };
  CHECK(why(1, schedule_kind::one_forward_one_backward).empty());
  CHECK(why(2, schedule_kind::one_forward_one_backward) == "1f1b has stages_per_rank = 1 only");
  CHECK(why(1, schedule_kind::interleaved) == "interleaved with 1 stage per rank is another order");
  CHECK(why(2, schedule_kind::interleaved) == "interleaved is not made for ranks = 2 and microbatches = 3");
  CHECK(why(1, schedule_kind::sliced) == "seq-1f1b asks for more than ranks, stages per rank and microbatches");
  CHECK(why(2, schedule_kind::zbv).empty());
}

TEST_CASE("work that takes as long as the best plan is not searched") {
  // With a microbatch less in flight the layers need not be computed again.
  recompute_model model = some_layers(4);
  model.types[0].choices[1].backward = 40;
  auto request = request_for(2, {4});
  request.stages_per_rank = {1, 2};
  request.in_order = true;
  request.with.memory_limit = 2 + 2 * 2 * 8;
  const recompute_sweep sweep = sweep_recomputation(model, request);
  const recompute_sweep_row& row = row_of(sweep, 2, schedule_kind::sapp_big);
  CHECK(row.not_searched.find("its work alone takes ") == 0);
  REQUIRE(sweep.best.has_value());
  CHECK(row.bound >= sweep.rows[*sweep.best].found->value);
}

TEST_CASE("what takes no time, and does not fit") {
  recompute_model model;
  model.types.push_back({.choices = {{"none", 0, 0, 8}, {"full", 6, 0, 1}}});
  model.layers.assign(4, 0);
  auto request = request_for(2, {2});
  request.stages_per_rank = {1};
  request.with.memory_limit = 4;
  const recompute_sweep sweep = sweep_recomputation(model, request);
  REQUIRE(sweep.best == std::size_t{0});
  CHECK(sweep.rows[0].bound == sweep.rows[0].found->value);
  model.types[0].choices.pop_back();
  request.with.memory_limit = {};
  CHECK(sweep_recomputation(model, request).rows[0].found->value == 0);
  request.with.memory_limit = 4;
  const recompute_sweep none = sweep_recomputation(model, request);
  CHECK(!none.best.has_value());
  CHECK(none.rows[0].found.state() == state::infeasible);
}

TEST_CASE("limits are those of the whole sweep") {
  auto request = request_for(4, {8});
  request.with.search.node_limit = 3000;
  request.with.memory_limit = 60;
  const recompute_sweep sweep = sweep_recomputation(some_layers(40), request);
  std::size_t nodes = 0;
  for (const recompute_sweep_row& row : sweep.rows) nodes += row.found ? row.found->statistics.nodes : 0;
  CHECK(nodes <= 3000 + 64 * sweep.rows.size());
  const recompute_sweep again = sweep_recomputation(some_layers(40), request);
  REQUIRE(sweep.best.has_value());
  CHECK(again.best == sweep.best);
  CHECK(again.rows[*again.best].found->choices == sweep.rows[*sweep.best].found->choices);

  std::size_t asked = 0;
  const auto stop = [&] { return ++asked > 0; };
  request.with.search.stop = stop;
  for (const recompute_sweep_row& row : sweep_recomputation(some_layers(40), request).rows) {
    CHECK(!row.not_searched.empty());
  }
}

TEST_CASE("sweeps that make no sense") {
  const auto said = [](recompute_sweep_request request) {
    return refusal([&] { return sweep_recomputation(some_layers(8), request); });
  };
  auto request = request_for(0, {4});
  CHECK(said(request) == "stagecut::sweep_recomputation: ranks = 0, must be at least 1");
  CHECK(said(request_for(2, {})) == "stagecut::sweep_recomputation: microbatches = {}, must not be empty");
  request = request_for(2, {4, 0});
  CHECK(said(request) == "stagecut::sweep_recomputation: microbatches = {…, 0, …}, must be at least 1 each");
  request = request_for(2, {4});
  request.orders.clear();
  CHECK(said(request) == "stagecut::sweep_recomputation: orders = {}, must not be empty");
  request = request_for(2, {4});
  request.with.links.resize(3);
  CHECK(said(request) == "stagecut::sweep_recomputation: with.links.size() = 3, must be 0 or 1: boundaries differ");
}

TEST_CASE("how many chunks SAPP's model of llama wants") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  for (const auto& each : all->at("solver_cases")) {
    if (each.at("name") != "llama_vpp1_mem56000") continue;
    const joint_tests::sapp_case known(each);
    auto request = request_for(16, {16});
    request.with.memory_limit = known.request.memory_limit.for_all();
    request.with.constant = known.request.constant;
    request.with.search.node_limit = 1'400'000;
    const recompute_sweep sweep = sweep_recomputation(known.model, request);
    for (const recompute_sweep_row& row : sweep.rows) {
      MESSAGE(std::string(to_string(row.schedule)), " with ", row.stages_per_rank, ": ", row.found ? row.found->value * 1e3 : 0,
              ", bound ", row.bound * 1e3, " ", row.not_searched);
    }
    REQUIRE(sweep.best.has_value());
    CHECK(sweep.rows[*sweep.best].found->value * 1e3 <= 1369.834300);
  }
}
