// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/compare_recomputation.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

using namespace stagecut;

namespace {

/// Eight equal layers that keep 5 bytes, or 1 if they compute their forward pass again.
recompute_model equal_layers() {
  recompute_model model;
  model.types.push_back({.name = "a", .forward = 1, .choices = {{"none", 2, 0, 5}, {"full", 3, 0, 1}}});
  model.layers.assign(8, 0);
  return model;
}

recompute_request request_of(schedule_kind kind, double memory) {
  recompute_request request;
  request.schedule = make_schedule(kind, {.ranks = 2, .stages_per_rank = kind == schedule_kind::zbv ? 2U : 1U, .microbatches = 4});
  request.memory_limit = memory;
  return request;
}

const compared_strategy& row(const std::vector<compared_strategy>& rows, const std::string& name) {
  for (const compared_strategy& each : rows) {
    if (each.name == name) return each;
  }
  FAIL("no row of that name: ", name);
  return rows.front();
}

}  // namespace

TEST_CASE("a strategy's makespan, what it is made of, and its memory, worked by hand") {
  const recompute_model model = equal_layers();
  const recompute_request request = request_of(schedule_kind::one_forward_one_backward, 24);
  const auto best = minimize_recomputation(model, request);
  REQUIRE(best);
  const auto rows = compare_recomputation(model, request, {best->cuts, best->choices});
  REQUIRE(rows.size() == 4);
  CHECK(rows.back().name == "this plan");
  // Two stages of four layers, 4 microbatches: (4 + 1) passes of 4 * (1 + 2).
  const compared_strategy& fastest = row(rows, "even, the fastest");
  CHECK(fastest.makespan == 60);
  CHECK(fastest.memory == 40);  // two microbatches in flight of 4 * 5 bytes
  CHECK_FALSE(fastest.fits);
  CHECK(fastest.recomputation == 0);
  CHECK(fastest.parts.work == 48);
  const compared_strategy& leanest = row(rows, "even, the leanest");
  CHECK(leanest.makespan == 80);
  CHECK(leanest.memory == 8);
  CHECK(leanest.fits);
  CHECK(leanest.recomputation == 16);  // four passes of four layers
  CHECK(leanest.parts.work == 48);
  CHECK(rows.back().fits);
  CHECK(rows.back().makespan == best->value);
  CHECK(rows.back().makespan < leanest.makespan);
}

TEST_CASE("strategies of one's own stand before the plan; without an objective of SAPP's there is no row of it") {
  const recompute_model model = equal_layers();
  const recompute_request folded = request_of(schedule_kind::zbv, 1000);
  const recompute_strategy own = even_recomputation(model, folded.schedule.stages(), even_choice::leanest);
  const auto rows = compare_recomputation(model, folded, own, {{"mine", own}});
  REQUIRE(rows.size() == 4);
  CHECK(rows[2].name == "mine");
  CHECK(rows[2].makespan == rows[3].makespan);
  CHECK(rows[2].makespan == rows[1].makespan);
}

TEST_CASE("why SAPP's objective has no plan stands in its row") {
  const recompute_model model = equal_layers();
  const recompute_request tight = request_of(schedule_kind::one_forward_one_backward, 3);
  const auto even = even_recomputation(model, 2, even_choice::leanest);
  const auto rows = compare_recomputation(model, tight, even);
  CHECK(row(rows, "SAPP's objective").none.find("bytes") != std::string::npos);
  CHECK_FALSE(row(rows, "this plan").fits);
}

TEST_CASE("what parts layers that stand together has no figure beside the plan") {
  recompute_model model = equal_layers();
  model.forbidden_cuts = {4};  // where the even cut is
  const recompute_request request = request_of(schedule_kind::one_forward_one_backward, 1000);
  const auto best = minimize_recomputation(model, request);
  REQUIRE(best);
  const auto rows = compare_recomputation(model, request, {best->cuts, best->choices});
  for (const char* const each : {"even, the fastest", "even, the leanest"}) {
    CHECK(row(rows, each).none == "it parts layers that stand together");
    CHECK(row(rows, each).makespan == 0);
  }
  CHECK(rows.back().none.empty());
  CHECK(rows.back().makespan > 60);
}
