// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/deadlock.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "random_schedules.hpp"

using stagecut::detail::deadlock_text;
using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;

namespace {

using counts = std::vector<std::size_t>;

constexpr op f(std::size_t stage, std::size_t microbatch, std::size_t slice = 0) {
  return {op_kind::forward, stage, microbatch, slice};
}
constexpr op b(std::size_t stage, std::size_t microbatch, std::size_t slice = 0) {
  return {op_kind::backward, stage, microbatch, slice};
}

schedule made(std::size_t microbatches, std::vector<std::size_t> rank_of, std::vector<std::vector<op>> orders) {
  schedule all;
  all.microbatches = microbatches;
  all.rank_of = std::move(rank_of);
  all.orders = std::move(orders);
  return all;
}

}  // namespace

TEST_CASE("two ranks that wait for each other") {
  const schedule all = made(2, {0, 1}, {{f(0, 0), b(0, 0), f(0, 1), b(0, 1)}, {f(1, 1), f(1, 0), b(1, 0), b(1, 1)}});
  CHECK(
      deadlock_text(all, counts{1, 0}) ==
      "deadlock: 0B0 on rank 0 waits for 1B0 on rank 1, which stands behind 1F1, which waits for 0F1 on rank 0, which "
      "stands behind 0B0");
}

TEST_CASE("the cycle alone is told, and each op of it where the one before waits for that op itself") {
  // Rank 0 waits for 1 and 2, which wait for each other.
  const schedule all = made(2, {0, 1, 2},
                            {{f(0, 0), f(0, 1), b(0, 0), b(0, 1)},
                             {f(1, 0), b(1, 0), f(1, 1), b(1, 1)},
                             {f(2, 1), f(2, 0), b(2, 0), b(2, 1)}});
  CHECK(
      deadlock_text(all, counts{2, 1, 0}) ==
      "deadlock: 1B0 on rank 1 waits for 2B0 on rank 2, which stands behind 2F1, which waits for 1F1 on rank 1, which "
      "stands behind 1B0");
  // 0B0 waits for 1B0, for which rank 1 stands ready but for 2B0.
  const schedule deep = made(1, {0, 1, 0}, {{f(0, 0), b(0, 0), f(2, 0), b(2, 0)}, {f(1, 0), b(1, 0)}});
  CHECK(deadlock_text(deep, counts{1, 1}) ==
        "deadlock: 0B0 on rank 0 waits for 1B0 on rank 1, which waits for 2B0 on rank 0, which stands behind 0B0");
}

TEST_CASE("a rank that waits for itself") {
  const schedule all = made(1, {0, 0}, {{f(1, 0), f(0, 0), b(1, 0), b(0, 0)}});
  CHECK(deadlock_text(all, counts{0}) == "deadlock: 1F0 on rank 0 waits for 0F0, which stands behind 1F0");
  schedule early = made(1, {0}, {{{op_kind::backward_weight}, f(0, 0), {op_kind::backward_input}}});
  CHECK(deadlock_text(early, counts{0}) == "deadlock: 0W0 on rank 0 waits for 0I0, which stands behind 0W0");
  early.orders[0] = {b(0, 0), f(0, 0)};
  CHECK(deadlock_text(early, counts{0}) == "deadlock: 0B0 on rank 0 waits for 0F0, which stands behind 0B0");
}

TEST_CASE("slices wait for each other in their order, forward and backward") {
  schedule all = made(1, {0}, {{f(0, 0, 1), f(0, 0, 0), b(0, 0, 1), b(0, 0, 0)}});
  all.slices = 2;
  CHECK(deadlock_text(all, counts{0}) == "deadlock: 0F0:1 on rank 0 waits for 0F0, which stands behind 0F0:1");
  all.orders[0] = {f(0, 0, 0), f(0, 0, 1), b(0, 0, 0), b(0, 0, 1)};
  CHECK(deadlock_text(all, counts{2}) == "deadlock: 0B0 on rank 0 waits for 0B0:1, which stands behind 0B0");
  all.orders[0][3].kind = op_kind::backward_input;
  CHECK(deadlock_text(all, counts{2}) == "deadlock: 0B0 on rank 0 waits for 0I0:1, which stands behind 0B0");
}

TEST_CASE("a pair that overlaps waits for what either needs") {
  op first = f(1, 1);
  first.with_next = true;
  const schedule all = made(2, {0, 1}, {{f(0, 0), b(0, 0), f(0, 1), b(0, 1)}, {f(1, 0), first, b(1, 0), b(1, 1)}});
  CHECK(deadlock_text(all, counts{1, 1}) ==
        "deadlock: 0B0 on rank 0 waits for 1B0 on rank 1, which runs together with 1F1, which waits for 0F1 on rank 0, "
        "which stands behind 0B0");
  // Here it is the B that waits, and F for which it runs.
  op down = f(1, 1);
  down.with_next = true;
  const schedule turn = made(
      2, {0, 1, 0},
      {{f(0, 0), f(0, 1), f(2, 0), f(2, 1), b(2, 0), b(0, 0), b(2, 1), b(0, 1)}, {f(1, 0), down, b(1, 0), b(1, 1)}});
  CHECK(deadlock_text(turn, counts{3, 1}) ==
        "deadlock: 2F1 on rank 0 waits for 1F1 on rank 1, which runs together with 1B0, which waits for 2B0 on rank 0, "
        "which stands behind 2F1");
}

TEST_CASE("transfers wait for what they send, receipts for what is sent, passes for what they receive") {
  schedule all = stagecut::lower_transfers(stagecut::gpipe(2, 2));
  // Rank 0: 0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 …; rank 1: 1RECV_F0 1F0 1RECV_F1 1F1 1B0 1SEND_B0 …
  REQUIRE(to_string(all.orders[0][4]) == "0RECV_B0");
  std::swap(all.orders[0][2], all.orders[0][4]);
  CHECK(deadlock_text(all, counts{2, 2}) ==
        "deadlock: 0RECV_B0 on rank 0 waits for 1SEND_B0 on rank 1, which stands behind 1RECV_F1, which waits for "
        "0SEND_F1 on rank 0, which stands behind 0RECV_B0");
  // The same if the receipts were passed before anything was sent.
  all = stagecut::lower_transfers(stagecut::gpipe(2, 2));
  all.orders[0] = {f(0, 0), {op_kind::send_forward, 0, 0}, {op_kind::receive_backward, 0, 0}, b(0, 0), f(0, 1)};
  CHECK(
      deadlock_text(all, counts{3, 3}) ==
      "deadlock: 0B0 on rank 0 waits for 1SEND_B0 on rank 1, which stands behind 1F1, which waits for 0SEND_F1, which "
      "no rank runs");
  all.orders[0].push_back({op_kind::send_forward, 0, 1});
  CHECK(
      deadlock_text(all, counts{3, 3}) ==
      "deadlock: 0B0 on rank 0 waits for 1SEND_B0 on rank 1, which stands behind 1F1, which waits for 0SEND_F1 on rank "
      "0, which stands behind 0B0");
  // A sender that waits for its receiver.
  schedule meet = made(1, {0, 1, 0}, {{}, {}});
  meet.orders[0] = {f(0, 0), {op_kind::send_forward, 0}, f(2, 0), {op_kind::send_backward, 2}};
  meet.orders[1] = {f(1, 0), {op_kind::send_forward, 1}, {op_kind::receive_forward, 1}};
  CHECK(deadlock_text(meet, counts{1, 1}) ==
        "deadlock: 0SEND_F0 on rank 0 waits for 1RECV_F0 on rank 1, which stands behind 1SEND_F0, which waits for "
        "2RECV_F0, which no rank runs");
  meet.orders[0] = {{op_kind::send_backward, 2}};
  CHECK(deadlock_text(meet, counts{0, 1}) == "deadlock: 2SEND_B0 on rank 0 waits for 2I0, which no rank runs");
  meet.orders[0] = {b(2, 0), {op_kind::send_backward, 2}, {op_kind::receive_forward, 2}};
  meet.orders[1].push_back({op_kind::receive_backward, 1});
  CHECK(deadlock_text(meet, counts{1, 1}) ==
        "deadlock: 2SEND_B0 on rank 0 waits for 1RECV_B0 on rank 1, which stands behind 1SEND_F0, which waits for "
        "2RECV_F0 on rank 0, which stands behind 2SEND_B0");
}

TEST_CASE("an op that no rank runs") {
  const schedule all = made(1, {0, 1}, {{}, {f(1, 0)}});
  CHECK(deadlock_text(all, counts{0, 0}) == "deadlock: 1F0 on rank 1 waits for 0F0, which no rank runs");
}

TEST_CASE("nothing is said where an op could run, or all have") {
  const schedule all = stagecut::gpipe(2, 2);
  CHECK(deadlock_text(all, counts{0, 0}).empty());
  CHECK(deadlock_text(all, counts{4, 4}).empty());
  CHECK(deadlock_text(all, counts{4, 3}).empty());
  const schedule steps = made(1, {0}, {{{op_kind::unshard}, f(0, 0)}});
  CHECK(deadlock_text(steps, counts{0}).empty());
}

TEST_CASE("every cycle begins where it ends, and no order that runs has one") {
  random_schedules random(3);
  std::size_t cycles = 0;
  for (int round = 0; round < 3000; ++round) {
    schedule all = random.next(2);
    auto& order = all.orders[random.up_to(all.ranks() - 1)];
    std::swap(order[random.up_to(order.size() - 1)], order[random.up_to(order.size() - 1)]);
    if (!stagecut::detail::find_fault(all).problem.empty()) continue;
    try {
      (void)stagecut::lower_transfers(all);
    } catch (const stagecut::invalid_input& error) {
      const std::string text = error.what();
      REQUIRE(text.starts_with("schedule: deadlock: "));
      const std::string first = text.substr(20, text.find(' ', 20) - 20);
      // The last word is the op, but for the rank of an op that is waited for.
      const std::size_t end = text.ends_with(first) ? text.size() : text.rfind(" on rank ");
      REQUIRE(text.substr(0, end).ends_with(stagecut::detail::joined({" ", first})));
      ++cycles;
    }
  }
  CHECK(cycles > 100);
}
