// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/op.hpp>

#include <cstddef>
#include <utility>

#include "plan_checks.hpp"

using plan_checks::plan_by_hand;
using plan_checks::said;
using stagecut::plan;
using stagecut::profile;

TEST_CASE("orders of a plan's own are gone through pass by pass") {
  using stagecut::op;
  using stagecut::op_kind;
  plan made = plan_by_hand();
  const profile& model = made.profile;
  made.schedule.microbatches = 2;
  for (std::size_t s = 0; s < 3; ++s) {
    made.schedule.orders.push_back(
        {{op_kind::forward, s, 0}, {op_kind::forward, s, 1}, {op_kind::backward, s, 0}, {op_kind::backward, s, 1}});
  }
  CHECK(said(model, made, "schedule") == "holds: : ");
  const auto spoilt_order = [&](std::size_t rank, std::size_t at, op each) {
    plan other = made;
    other.schedule.orders[rank][at] = each;
    return said(model, other, "schedule");
  };
  CHECK(spoilt_order(1, 0, {op_kind::forward, 0, 0}) ==
        "does not hold: device 1, op 0 (0F0): is of no stage of its rank");
  CHECK(spoilt_order(1, 0, {op_kind::forward, 1, 2}) ==
        "does not hold: device 1, op 0 (1F2): is of no microbatch of the iteration");
  CHECK(spoilt_order(1, 1, {op_kind::forward, 1, 0}) ==
        "does not hold: device 1, op 1 (1F0): stands twice, or before a pass that it needs");
  CHECK(spoilt_order(1, 0, {op_kind::backward, 1, 0}) ==
        "does not hold: device 1, op 0 (1B0): stands twice, or before a pass that it needs");
  CHECK(spoilt_order(2, 3, {op_kind::backward_input, 2, 1}) ==
        "does not hold: stage 2, microbatch 1: a pass is missing");
  CHECK(spoilt_order(2, 3, {op_kind::send_forward, 2, 1}) ==
        "does not hold: device 2, op 3 (2SEND_F1): is no pass of a whole microbatch");
  CHECK(spoilt_order(0, 1, {op_kind::forward, 0, 1, 0, true}) ==
        "does not hold: : its passes wait for each other in a cycle");
  CHECK(spoilt_order(0, 0, {op_kind::forward, 0, 0, 0, true}) ==
        "does not hold: device 0, op 0 (0F0): runs together with the next op, which is no B of another microbatch");
  plan other = made;
  other.schedule.orders[2].pop_back();
  CHECK(said(model, other, "schedule") == "does not hold: stage 2, microbatch 1: a pass is missing");
  other = made;
  std::swap(other.schedule.orders[0][1], other.schedule.orders[0][2]);
  std::swap(other.schedule.orders[1][0], other.schedule.orders[1][1]);
  CHECK(said(model, other, "schedule") == "does not hold: : its passes wait for each other in a cycle");
  // I and W apart, of layers that do not tell them.
  other = made;
  other.schedule.orders[2] = {{op_kind::forward, 2, 0},
                              {op_kind::backward_input, 2, 0},
                              {op_kind::backward_weight, 2, 0},
                              {op_kind::forward, 2, 1},
                              {op_kind::backward, 2, 1}};
  CHECK(said(model, other, "schedule") == "holds: : ");
  other.profile.layers[5].backward_input.reset();
  other.profile.layers[5].backward_weight.reset();
  const profile untold = other.profile;
  other.stages[2].in_flight = 1;
  CHECK(said(untold, other, "schedule") ==
        "does not hold: stage 2: I and W run apart, and its layers have no times of each");
}

TEST_CASE("interleaved runs in the groups that a plan says") {
  stagecut::profile model;
  for (int i = 0; i < 8; ++i) {
    stagecut::layer& each = model.layers.emplace_back();
    each.name = "l";
    each.forward = 1 + i % 3;
    each.backward = 2;
  }
  plan made = *stagecut::make_plan(model, {.devices = 3, .microbatches = 8, .stages_per_rank = 2, .group = 4});
  CHECK(stagecut::verify_plan(model, made).holds());
  CHECK(said(model, made, "schedule") == "holds: : ");
  made.schedule.group = 0;
  CHECK(said(model, made, "schedule") ==
        "does not hold: : \"interleaved\" is not made for 3 devices, 2 stages per rank and 8 microbatches");
  made.schedule.group = 3;
  CHECK(said(model, made, "schedule") ==
        "does not hold: : \"interleaved\" is not made for 3 devices, 2 stages per rank and 8 microbatches in groups of 3");
  made.schedule.group = 8;  // another order, in which stages keep more
  CHECK(said(model, made, "schedule") == "does not hold: stage 1: keeps another number of microbatches in flight");
  made.schedule.name = "looped-bfs";
  CHECK(said(model, made, "schedule").starts_with("does not hold: : \"looped-bfs\" is not made for"));
}
