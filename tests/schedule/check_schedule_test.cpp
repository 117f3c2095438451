// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "random_schedules.hpp"

using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;

namespace {

/// What the refusal of a schedule says.
std::string refusal(const schedule& all) {
  try {
    stagecut::check_schedule(all);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

/// Two ranks, two microbatches: 0F0 0F1 0B0 0B1, 1F0 1F1 1B0 1B1.
schedule small() { return stagecut::gpipe(2, 2); }

/// The refusal of `small()` with the ops of rank 1 replaced.
std::string refusal_of(std::vector<op> order) {
  schedule all = small();
  all.orders[1] = std::move(order);
  return refusal(all);
}

constexpr op forward_0{op_kind::forward, 1, 0};
constexpr op forward_1{op_kind::forward, 1, 1};
constexpr op backward_0{op_kind::backward, 1, 0};
constexpr op backward_1{op_kind::backward, 1, 1};
constexpr op input_0{op_kind::backward_input, 1, 0};
constexpr op weight_0{op_kind::backward_weight, 1, 0};

}  // namespace

TEST_CASE("every schedule that runs to its end is accepted, with and without transfers") {
  random_schedules random(1);
  for (int round = 0; round < 2000; ++round) {
    const schedule all = random.next(3);
    REQUIRE(refusal(all) == "not refused");
    REQUIRE(refusal(stagecut::lower_transfers(all)) == "not refused");
    REQUIRE(refusal(stagecut::merge_backward(all)) == "not refused");
  }
}

TEST_CASE("a schedule of nothing") {
  schedule all = small();
  all.microbatches = 0;
  CHECK(refusal(all) == "schedule: has no microbatch");
  all = small();
  all.slices = 0;
  CHECK(refusal(all) == "schedule: has no slice");
  CHECK(refusal({}) == "schedule: has no stage: rank_of is empty");
  all = small();
  all.rank_of[1] = 2;
  CHECK(refusal(all) == "schedule: stage 1 names rank 2, which must be below 2");
}

TEST_CASE("what an op names is there") {
  CHECK(refusal_of({forward_0, {op_kind::forward, 2, 1}}) ==
        "rank 1, op 1 (2F1): names stage 2, which must be below 2");
  CHECK(refusal_of({{op_kind::forward, 0, 1}}) == "rank 1, op 0 (0F1): stands on rank 1, and its stage on rank 0");
  CHECK(refusal_of({{op_kind::forward, 1, 2}}) == "rank 1, op 0 (1F2): names microbatch 2, which must be below 2");
  CHECK(refusal_of({{op_kind::forward, 1, 1, 1}}) == "rank 1, op 0 (1F1:1): names slice 1, which must be below 1");
  CHECK(refusal_of({{op_kind::unshard, 1, 1}}) == "rank 1, op 0 (1UNSHARD): is of a stage, not of a microbatch");
  CHECK(refusal_of({{op_kind::optimizer_step, 0}}) ==
        "rank 1, op 0 (0OPTIMIZER): stands on rank 1, and its stage on rank 0");
}

TEST_CASE("ops of a stage may stand anywhere on its rank, as often as they like") {
  const op unshard{op_kind::unshard, 1};
  CHECK(refusal_of({unshard,
                    forward_0,
                    unshard,
                    {op_kind::reshard, 1},
                    forward_1,
                    backward_0,
                    backward_1,
                    {op_kind::reduce_gradient, 1},
                    {op_kind::optimizer_step, 1}}) == "not refused");
}

TEST_CASE("each pass stands once, behind what it needs of its own stage") {
  CHECK(refusal_of({forward_0, forward_1, backward_0, forward_0}) == "rank 1, op 3 (1F0): stands on its rank twice");
  CHECK(refusal_of({forward_0, backward_0, backward_0}) == "rank 1, op 2 (1B0): stands on its rank twice");
  CHECK(refusal_of({backward_0, forward_0, forward_1, backward_1}) == "rank 1, op 0 (1B0): needs 1F0 before it");
  CHECK(refusal_of({input_0, forward_0, forward_1, weight_0}) == "rank 1, op 0 (1I0): needs 1F0 before it");
  CHECK(refusal_of({forward_0, weight_0, input_0}) == "rank 1, op 1 (1W0): needs 1I0 before it");
  CHECK(refusal_of({forward_0, backward_0, input_0}) == "rank 1, op 2 (1I0): stands behind 1B0: B is I and W in one");
  CHECK(refusal_of({forward_0, backward_0, weight_0}) == "rank 1, op 2 (1W0): stands behind 1B0: B is I and W in one");
  CHECK(refusal_of({forward_0, input_0, backward_0}) == "rank 1, op 2 (1B0): stands behind 1I0: B is I and W in one");
}

TEST_CASE("no pass is missing") {
  CHECK(refusal_of({forward_0, backward_0, forward_1}) == "rank 1: 1B1 is missing");
  CHECK(refusal_of({forward_0, input_0, forward_1, backward_1}) == "rank 1: 1W0 is missing");
  CHECK(refusal_of({forward_1, backward_1}) == "rank 1: 1F0 is missing");
  CHECK(refusal_of({}) == "rank 1: 1F0 is missing");
  schedule all = small();
  all.orders = {{}, {}};
  CHECK(refusal(all) == "rank 0: stage 0 has 0 F, too few for 2 microbatches in 1 slices");
  all = small();
  all.slices = 2;
  CHECK(refusal(all) == "rank 0: 0F0:1 is missing");
}

TEST_CASE("figures for which there are no ops are refused at once, however large") {
  constexpr std::size_t most = ~std::size_t{0};
  schedule all = small();
  all.microbatches = most;
  CHECK(refusal(all) == "rank 0: stage 0 has 2 F, too few for 18446744073709551615 microbatches in 1 slices");
  all.slices = most;
  CHECK(refusal(all).ends_with("microbatches in 18446744073709551615 slices"));
  all = small();
  all.slices = most;
  CHECK(refusal(all) == "rank 0: stage 0 has 2 F, too few for 2 microbatches in 18446744073709551615 slices");
  all = small();
  all.microbatches = 5;  // stage 0 has enough
  for (std::size_t k = 2; k < 5; ++k) all.orders[0].push_back({op_kind::forward, 0, k});
  all.orders[1] = {forward_0};
  CHECK(refusal(all) == "rank 1: stage 1 has 1 F, too few for 5 microbatches in 1 slices");
}

TEST_CASE("only an F runs together with the next op, and that is B of another microbatch") {
  op pair = forward_1;
  pair.with_next = true;
  CHECK(refusal_of({forward_0, pair, backward_0, backward_1}) == "not refused");
  CHECK(refusal_of({forward_0, backward_0, pair, backward_1}) ==
        "rank 1, op 2 (1F1): is to run together with the next op, which must be B of another microbatch");
  CHECK(refusal_of({forward_0, pair, input_0, weight_0, backward_1}) ==
        "rank 1, op 1 (1F1): is to run together with the next op, which must be B of another microbatch");
  CHECK(refusal_of({forward_0, backward_0, pair}) ==
        "rank 1, op 2 (1F1): is to run together with the next op, which must be B of another microbatch");
  op backward = backward_0;
  backward.with_next = true;
  CHECK(refusal_of({forward_0, forward_1, backward, backward_1}) ==
        "rank 1, op 2 (1B0): is to run together with the next op, as F alone may");
}

TEST_CASE("where there is a transfer, there are all, in their place") {
  schedule all;
  all.microbatches = 1;
  all.rank_of = {0, 1, 1};
  const op send{op_kind::send_forward, 0};
  const op receive{op_kind::receive_backward, 0};
  all.orders = {{{op_kind::forward, 0}, send, receive, {op_kind::backward, 0}},
                {{op_kind::receive_forward, 1},
                 {op_kind::forward, 1},
                 {op_kind::forward, 2},
                 {op_kind::backward_input, 2},
                 {op_kind::backward, 1},
                 {op_kind::send_backward, 1},
                 {op_kind::backward_weight, 2}}};
  const schedule sound = all;
  CHECK(refusal(all) == "not refused");

  const auto without = [&](std::size_t rank, std::size_t position) {
    schedule less = sound;
    less.orders[rank].erase(less.orders[rank].begin() + static_cast<std::ptrdiff_t>(position));
    return refusal(less);
  };
  CHECK(without(0, 1) == "rank 0: 0SEND_F0 is missing");
  CHECK(without(0, 2) == "rank 0: 0RECV_B0 is missing");
  CHECK(without(1, 0) == "rank 1: 1RECV_F0 is missing");
  CHECK(without(1, 5) == "rank 1: 1SEND_B0 is missing");

  const auto swapped = [&](std::size_t rank, std::size_t one, std::size_t other) {
    schedule changed = sound;
    std::swap(changed.orders[rank][one], changed.orders[rank][other]);
    return refusal(changed);
  };
  CHECK(swapped(0, 0, 1) == "rank 0, op 0 (0SEND_F0): needs 0F0 before it");
  CHECK(swapped(0, 2, 3) == "rank 0, op 3 (0RECV_B0): stands behind 0B0, which needs it");
  CHECK(swapped(1, 0, 1) == "rank 1, op 1 (1RECV_F0): stands behind 1F0, which needs it");
  CHECK(swapped(1, 4, 5) == "rank 1, op 4 (1SEND_B0): needs 1I0 before it");

  all.orders[0].push_back(send);
  CHECK(refusal(all) == "rank 0, op 4 (0SEND_F0): stands on its rank twice");
  const auto with = [&](op each) {
    schedule more = sound;
    more.orders[1].push_back(each);
    return refusal(more);
  };
  const std::string no_boundary = "crosses no boundary between two ranks";
  CHECK(with({op_kind::send_forward, 1}) == "rank 1, op 7 (1SEND_F0): " + no_boundary);
  CHECK(with({op_kind::send_forward, 2}) == "rank 1, op 7 (2SEND_F0): " + no_boundary);
  CHECK(with({op_kind::receive_backward, 2}) == "rank 1, op 7 (2RECV_B0): " + no_boundary);
  CHECK(with({op_kind::receive_forward, 2}) == "rank 1, op 7 (2RECV_F0): " + no_boundary);
  CHECK(with({op_kind::send_backward, 2}) == "rank 1, op 7 (2SEND_B0): " + no_boundary);
}

TEST_CASE("a gradient received behind the pass that needs it, whole or split") {
  for (const op_kind kind : {op_kind::backward, op_kind::backward_input}) {
    schedule all = stagecut::lower_transfers(stagecut::gpipe(2, 1));
    REQUIRE(all.orders[0].size() == 4);
    all.orders[0][3].kind = kind;
    std::swap(all.orders[0][2], all.orders[0][3]);
    const std::string pass = to_string(all.orders[0][2]);
    CHECK(refusal(all) ==
          stagecut::detail::joined({"rank 0, op 3 (0RECV_B0): stands behind ", pass, ", which needs it"}));
  }
}

TEST_CASE("any single change of an order is refused or leaves a schedule") {
  random_schedules random(2);
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    schedule all = random.next(2);
    if (random.up_to(1) == 0) all = stagecut::lower_transfers(all);
    auto& order = all.orders[random.up_to(all.ranks() - 1)];
    op& each = order[random.up_to(order.size() - 1)];
    const op before = each;
    switch (random.up_to(4)) {
      case 0: each.kind = static_cast<op_kind>(random.up_to(11)); break;
      case 1: each.stage = random.up_to(all.stages()); break;
      case 2: each.microbatch = random.up_to(all.microbatches); break;
      case 3: each.slice = random.up_to(all.slices); break;
      default: each.with_next = !each.with_next;
    }
    if (each == before) continue;
    // A pass that is not what it was is missing; but B may become I no more than I B.
    const std::string text = refusal(all);
    if (each.with_next == before.with_next) REQUIRE(text != "not refused");
    if (text != "not refused") ++refused;
  }
  CHECK(refused > 2000);
}
