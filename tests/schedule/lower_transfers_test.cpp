// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/schedule/parts/stage_links.hpp>

#include "random_schedules.hpp"

using stagecut::detail::op_text;
using stagecut::lower_transfers;
using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;

namespace {

/// The ops of a rank as text.
std::string text(const std::vector<op>& order) {
  std::string result;
  for (const op& each : order) {
    if (!result.empty()) result += ' ';
    if (each.with_next) result += '+';
    result += to_string(each);
  }
  return result;
}

/// What the refusal of a schedule says.
std::string refusal(const schedule& all) {
  try {
    (void)lower_transfers(all);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

/// The rule once more, with a set of words for each rank: what it has done, sent and received.
std::vector<std::string> lowered_by_words(const schedule& all) {
  using stagecut::detail::joined;
  std::vector<std::set<std::string>> met(all.ranks());
  std::vector<std::string> result(all.ranks());
  std::vector<std::size_t> at(all.ranks());
  const auto has = [&](std::size_t rank, op_kind kind, op of, std::size_t stage, std::size_t slice) {
    of.stage = stage;
    of.slice = slice;
    return met[rank].count(op_text(kind, of)) != 0;
  };
  const auto ready = [&](const op& each) {
    const std::size_t rank = all.rank_of[each.stage];
    const std::size_t s = each.stage;
    if (each.kind == op_kind::forward) {
      if (each.slice != 0 && !has(rank, op_kind::forward, each, s, each.slice - 1)) return false;
      return s == 0 || has(rank, op_kind::receive_forward, each, s, each.slice) ||
             has(rank, op_kind::forward, each, s - 1, each.slice);
    }
    if (each.kind != op_kind::backward && each.kind != op_kind::backward_input) return true;
    if (each.slice + 1 != all.slices && !has(rank, op_kind::backward, each, s, each.slice + 1) &&
        !has(rank, op_kind::backward_input, each, s, each.slice + 1)) {
      return false;
    }
    return s + 1 == all.stages() || has(rank, op_kind::receive_backward, each, s, each.slice) ||
           has(rank, op_kind::backward, each, s + 1, each.slice) ||
           has(rank, op_kind::backward_input, each, s + 1, each.slice);
  };
  const auto add = [&](std::size_t rank, const op& each) {
    met[rank].insert(to_string(each));
    result[rank] += joined({result[rank].empty() ? "" : " ", each.with_next ? "+" : "", to_string(each)});
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < all.ranks(); ++r) {
      if (at[r] == all.orders[r].size()) continue;
      std::vector<op> action = {all.orders[r][at[r]]};
      if (action[0].with_next) action.push_back(all.orders[r][at[r] + 1]);
      bool all_ready = true;
      for (const op& each : action) all_ready = all_ready && ready(each);
      if (!all_ready) continue;
      for (const op& each : action) add(r, each);
      for (op each : action) {
        each.with_next = false;
        const bool forward = each.kind == op_kind::forward;
        if (!forward && each.kind != op_kind::backward && each.kind != op_kind::backward_input) continue;
        if (each.stage == (forward ? all.stages() - 1 : 0)) continue;
        op arrival = each;
        arrival.stage = forward ? each.stage + 1 : each.stage - 1;
        if (all.rank_of[arrival.stage] == r) continue;
        each.kind = forward ? op_kind::send_forward : op_kind::send_backward;
        arrival.kind = forward ? op_kind::receive_forward : op_kind::receive_backward;
        add(r, each);
        add(all.rank_of[arrival.stage], arrival);
      }
      at[r] += action.size();
      moved = true;
    }
  }
  for (std::size_t r = 0; r < all.ranks(); ++r) {
    if (at[r] != all.orders[r].size()) return {};
  }
  return result;
}

std::vector<std::string> texts(const schedule& all) {
  std::vector<std::string> result;
  for (const auto& order : all.orders) result.push_back(text(order));
  return result;
}

/// The messages from one rank to another, in the order of the sends or of the receipts, told by what is received.
std::vector<std::string> messages(const schedule& all, std::size_t from, std::size_t to, bool sends) {
  std::vector<std::string> result;
  for (op each : all.orders[sends ? from : to]) {
    if (!is_transfer(each.kind)) continue;
    const bool send = each.kind == op_kind::send_forward || each.kind == op_kind::send_backward;
    if (send != sends) continue;
    const std::size_t other = stagecut::detail::leads_down(each.kind) ? each.stage + 1 : each.stage - 1;
    if (all.rank_of[other] != (sends ? to : from)) continue;
    if (send) {
      each.kind = each.kind == op_kind::send_forward ? op_kind::receive_forward : op_kind::receive_backward;
      each.stage = other;
    }
    result.push_back(to_string(each));
  }
  return result;
}

}  // namespace

TEST_CASE("1F1B of two ranks") {
  schedule all = stagecut::gpipe(2, 3);
  all.orders[0] = {{op_kind::forward, 0, 0}, {op_kind::forward, 0, 1},  {op_kind::backward, 0, 0},
                   {op_kind::forward, 0, 2}, {op_kind::backward, 0, 1}, {op_kind::backward, 0, 2}};
  all.orders[1] = {{op_kind::forward, 1, 0},  {op_kind::backward, 1, 0}, {op_kind::forward, 1, 1},
                   {op_kind::backward, 1, 1}, {op_kind::forward, 1, 2},  {op_kind::backward, 1, 2}};
  const schedule lowered = lower_transfers(all);
  CHECK(text(lowered.orders[0]) == "0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0F2 0SEND_F2 0RECV_B1 0B1 0RECV_B2 0B2");
  CHECK(text(lowered.orders[1]) == "1RECV_F0 1F0 1RECV_F1 1B0 1SEND_B0 1F1 1RECV_F2 1B1 1SEND_B1 1F2 1B2 1SEND_B2");
  CHECK(lowered.name == "gpipe");
  CHECK(lower_transfers(lowered) == lowered);
}

TEST_CASE("a rank hands over to itself without a transfer, and a pair sends behind both") {
  schedule all;
  all.microbatches = 2;
  all.rank_of = {0, 1, 1, 0};
  op pair{op_kind::forward, 3, 1};
  pair.with_next = true;
  all.orders = {{{op_kind::forward, 0, 0},
                 {op_kind::forward, 0, 1},
                 {op_kind::forward, 3, 0},
                 pair,
                 {op_kind::backward, 3, 0},
                 {op_kind::backward, 0, 0},
                 {op_kind::backward, 3, 1},
                 {op_kind::backward, 0, 1}},
                {{op_kind::forward, 1, 0},
                 {op_kind::forward, 2, 0},
                 {op_kind::forward, 1, 1},
                 {op_kind::forward, 2, 1},
                 {op_kind::backward, 2, 0},
                 {op_kind::backward, 1, 0},
                 {op_kind::backward, 2, 1},
                 {op_kind::backward, 1, 1}}};
  const schedule lowered = lower_transfers(all);
  CHECK(text(lowered.orders[0]) ==
        "0F0 0SEND_F0 0F1 0SEND_F1 3RECV_F0 3F0 3RECV_F1 +3F1 3B0 3SEND_B0 0RECV_B0 0B0 3B1 3SEND_B1 0RECV_B1 0B1");
  CHECK(text(lowered.orders[1]) ==
        "1RECV_F0 1F0 1RECV_F1 2F0 2SEND_F0 1F1 2F1 2SEND_F1 2RECV_B0 2B0 1B0 1SEND_B0 2RECV_B1 2B1 1B1 1SEND_B1");
  CHECK(text(lower_transfers(stagecut::gpipe(1, 2)).orders[0]) == "0F0 0F1 0B0 0B1");
}

TEST_CASE("every step takes a turn, that of a stage too") {
  schedule all = stagecut::gpipe(2, 2);
  all.orders[1].insert(all.orders[1].begin(), {op_kind::unshard, 1});
  const std::string early = text(lower_transfers(all).orders[1]);
  CHECK(early == "1RECV_F0 1UNSHARD 1RECV_F1 1F0 1F1 1B0 1SEND_B0 1B1 1SEND_B1");
}

TEST_CASE("the rule in other words gives the same, or nothing where ranks wait for each other") {
  random_schedules random(4);
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    schedule all = random.next(3);
    if (random.up_to(2) == 0) {
      auto& order = all.orders[random.up_to(all.ranks() - 1)];
      std::swap(order[random.up_to(order.size() - 1)], order[random.up_to(order.size() - 1)]);
      if (!stagecut::detail::find_fault(all).problem.empty()) continue;
    }
    if (random.up_to(3) == 0) {
      const std::size_t s = random.up_to(all.stages() - 1);
      all.orders[all.rank_of[s]].insert(all.orders[all.rank_of[s]].begin(), {op_kind::unshard, s});
    }
    const std::vector<std::string> expected = lowered_by_words(all);
    if (expected.empty()) {
      REQUIRE(refusal(all).starts_with("schedule: deadlock: "));
      ++refused;
      continue;
    }
    const schedule lowered = lower_transfers(all);
    REQUIRE(texts(lowered) == expected);
    REQUIRE_NOTHROW(stagecut::check_schedule(lowered));
    for (std::size_t from = 0; from < all.ranks(); ++from) {
      for (std::size_t to = 0; to < all.ranks(); ++to) {
        REQUIRE(messages(lowered, from, to, true) == messages(lowered, from, to, false));
      }
    }
    schedule without = lowered;
    for (auto& order : without.orders) std::erase_if(order, [](const op& each) { return is_transfer(each.kind); });
    REQUIRE(without == all);
  }
  CHECK(refused > 100);
}

TEST_CASE("ranks that wait for each other in a cycle") {
  schedule all = stagecut::gpipe(2, 2);
  std::swap(all.orders[0][1], all.orders[0][2]);
  std::swap(all.orders[1][0], all.orders[1][1]);
  CHECK(
      refusal(all) ==
      "schedule: deadlock: 0B0 on rank 0 waits for 1B0 on rank 1, which stands behind 1F1, which waits for 0F1 on rank "
      "0, which stands behind 0B0");
  all.orders[0].pop_back();
  CHECK(refusal(all) == "rank 0: 0B1 is missing");
}

TEST_CASE("I and W of the same stage, microbatch and slice become B where W is next") {
  schedule all;
  all.microbatches = 2;
  all.slices = 2;
  all.rank_of = {0};
  const auto i = [](std::size_t k, std::size_t q) { return op{op_kind::backward_input, 0, k, q}; };
  const auto w = [](std::size_t k, std::size_t q) { return op{op_kind::backward_weight, 0, k, q}; };
  all.orders = {{i(0, 1), w(0, 1), i(0, 0), w(1, 0), i(1, 1), w(1, 0), i(1, 0), {op_kind::send_backward}, w(1, 0)}};
  CHECK(text(stagecut::merge_backward(all).orders[0]) == "0B0:1 0I0 0W1 0I1:1 0W1 0I1 0SEND_B0 0W1");
  all.orders = {{i(0, 0)}};
  CHECK(stagecut::merge_backward(all) == all);
  const schedule split = stagecut::interleaved_zero_bubble(1, 1, 3);
  CHECK(text(stagecut::merge_backward(split).orders[0]) == "0F0 0B0 0F1 0B1 0F2 0B2");
}

TEST_CASE("orders that are known to run") {
  for (std::size_t ranks = 1; ranks <= 4; ++ranks) {
    for (std::size_t more = 0; more < 4; ++more) {
      CHECK(refusal(stagecut::dualpipev(ranks, 2 * ranks + more)) == "not refused");
      CHECK(refusal(stagecut::interleaved_zero_bubble(ranks, 1 + more, 3 * ranks)) == "not refused");
    }
  }
}

TEST_CASE("stage 0 runs whole where it ran W, as in PyTorch") {
  const stagecut::schedule all = stagecut::zb_h1(2, 4);
  const stagecut::schedule whole = stagecut::whole_first_stage(all);
  CHECK(whole.orders[1] == all.orders[1]);
  CHECK(whole.orders[0].size() + all.microbatches == all.orders[0].size());
  std::size_t next = 0;
  for (const stagecut::op& op : all.orders[0]) {
    if (op.kind == stagecut::op_kind::backward_input) continue;
    const bool weight = op.kind == stagecut::op_kind::backward_weight;
    CHECK(whole.orders[0][next].kind == (weight ? stagecut::op_kind::backward : op.kind));
    CHECK(whole.orders[0][next++].microbatch == op.microbatch);
  }
  CHECK_NOTHROW(stagecut::check_schedule(whole));
  CHECK(stagecut::whole_first_stage(whole) == whole);
}
