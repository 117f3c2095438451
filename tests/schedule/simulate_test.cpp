// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle.hpp"

using oracle::dice;
using oracle::written_transfers;
using stagecut::op;
using stagecut::op_kind;
using stagecut::pass_times;
using stagecut::schedule;
using stagecut::simulate;
using stagecut::simulation;
using stagecut::timed_op;
using stagecut::transfer_kind;
using stagecut::transfer_times;

namespace {

/// Compares every start, end and sum.
template <class T>
void compare(const schedule& order, const stagecut::pass_times<T>& times,
             const stagecut::transfer_times<T>& transfers) {
  const oracle::iteration<T> expected(order, times, transfers);
  REQUIRE(!expected.deadlock());
  const stagecut::simulation<T> run = expected.run();
  const stagecut::simulation<T> found = simulate(order, times, transfers);
  REQUIRE(found.makespan == run.makespan);
  REQUIRE(found.ops == run.ops);
  REQUIRE(found.transfers == run.transfers);
  REQUIRE(found.updates == run.updates);
  REQUIRE(found.ranks == run.ranks);
  REQUIRE(found.span == run.span);
}

constexpr transfer_kind kinds[] = {transfer_kind::latency, transfer_kind::link, transfer_kind::stream,
                                   transfer_kind::blocking};

/// Compares random orders, with whole times and with doubles; returns how many.
int agreeing(transfer_kind kind, std::uint64_t seed) {
  dice random(seed);
  int compared = 0;
  for (int round = 0; round < 2500; ++round) {
    CAPTURE(round);
    const auto written = static_cast<written_transfers>(random.below(kind == transfer_kind::blocking ? 2 : 3));
    const schedule order = oracle::random_schedule(random, written, random.once_in(2));
    const auto times = oracle::random_times<std::int64_t>(random, order);
    compare(order, times, oracle::random_transfers<std::int64_t>(random, order, kind));
    const auto seconds = oracle::random_times<double>(random, order);
    compare(order, seconds, oracle::random_transfers<double>(random, order, kind));
    ++compared;
  }
  return compared;
}

/// A random schedule with whole times.
struct random_case {
  schedule order{};
  pass_times<std::int64_t> times{};
  transfer_times<std::int64_t> transfers{};

  random_case(dice& random, transfer_kind kind) {
    const auto written = static_cast<written_transfers>(random.below(kind == transfer_kind::blocking ? 2 : 3));
    order = oracle::random_schedule(random, written, random.once_in(2));
    times = oracle::random_times<std::int64_t>(random, order);
    transfers = oracle::random_transfers<std::int64_t>(random, order, kind);
  }
  [[nodiscard]] simulation<std::int64_t> run() const { return simulate(order, times, transfers); }
  /// Everything that takes time.
  [[nodiscard]] std::vector<std::vector<std::int64_t>*> durations() {
    return {&times.forward,    &times.backward,       &times.backward_input, &times.backward_weight, &times.overlapped,
            &times.all_reduce, &times.optimizer_step, &transfers.forward,    &transfers.backward};
  }
};

bool contains(const std::vector<std::vector<timed_op<std::int64_t>>>& lists, const timed_op<std::int64_t>& each) {
  return std::any_of(lists.begin(), lists.end(),
                     [&](const auto& list) { return std::find(list.begin(), list.end(), each) != list.end(); });
}

void scale(std::vector<double>& values, double by) {
  for (double& value : values) value *= by;
}

/// Whether the boundary behind a stage of a chain, or before it, is one between ranks.
bool crosses_ranks(const schedule& order, std::size_t stage, bool down) {
  if (down ? stage + 1 == order.stages() : stage == 0) return false;
  return order.rank_of[down ? stage + 1 : stage - 1] != order.rank_of[stage];
}

/// Whether the ops of a rank before this one in `done` hold all that it needs of its own stage, so that the order is
/// sound for itself.
bool may_follow(const schedule& order, bool written, const std::map<oracle::key, bool>& done, const op& each) {
  const auto did = [&](op_kind kind) { return done.count(oracle::key_of(kind, each.stage, each)) != 0; };
  const bool crosses_up = written && crosses_ranks(order, each.stage, false);
  const bool crosses_down = written && crosses_ranks(order, each.stage, true);
  switch (each.kind) {
    case op_kind::forward: return !crosses_up || did(op_kind::receive_forward);
    case op_kind::backward:
    case op_kind::backward_input: return did(op_kind::forward) && (!crosses_down || did(op_kind::receive_backward));
    case op_kind::backward_weight: return did(op_kind::backward_input);
    case op_kind::send_forward: return did(op_kind::forward);
    case op_kind::send_backward: return did(op_kind::backward) || did(op_kind::backward_input);
    default: return true;
  }
}

/// Every rank's ops in a random order that is sound for itself; what runs together stays together.
schedule reordered(dice& random, const schedule& order) {
  schedule result = order;
  const bool written = stagecut::detail::has_transfers(order);
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    std::vector<std::vector<op>> left;
    for (const op& each : order.orders[r]) {
      if (!left.empty() && left.back().back().with_next) {
        left.back().push_back(each);
      } else {
        left.push_back({each});
      }
    }
    random.shuffle(left);
    std::map<oracle::key, bool> done;
    result.orders[r].clear();
    while (!left.empty()) {
      const auto next = std::find_if(left.begin(), left.end(), [&](const std::vector<op>& group) {
        return std::all_of(group.begin(), group.end(),
                           [&](const op& each) { return may_follow(order, written, done, each); });
      });
      for (const op& each : *next) {
        result.orders[r].push_back(each);
        done[oracle::key_of(each)] = true;
      }
      left.erase(next);
    }
  }
  return result;
}

/// What a deadlock's text says: ops that wait for each other, each one's place known, from one of them back to it.
void check_deadlock(const schedule& order, const oracle::iteration<std::int64_t>& expected, std::string text) {
  const std::string whole = text;
  CAPTURE(whole);
  const std::string prefix = "schedule: deadlock: ";
  REQUIRE(text.substr(0, prefix.size()) == prefix);
  text.erase(0, prefix.size());
  std::map<std::string, std::pair<std::size_t, std::size_t>> places;  // rank and position
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    for (std::size_t i = 0; i < order.orders[r].size(); ++i) places[to_string(order.orders[r][i])] = {r, i};
  }
  const auto op_at = [&](const std::string& name) {
    REQUIRE(places.count(name) == 1);
    return order.orders[places[name].first][places[name].second];
  };
  // A name, with its rank if that is said.
  const auto take_name = [&] {
    const std::string name = text.substr(0, text.find_first_of(" ,"));
    (void)op_at(name);
    text.erase(0, name.size());
    const std::string on = " on rank ";
    if (text.substr(0, on.size()) == on) {
      text.erase(0, on.size());
      std::size_t digits = 0;
      CHECK(std::stoul(text, &digits) == places[name].first);
      text.erase(0, digits);
    }
    return name;
  };
  const std::string first = take_name();
  std::string at = first;
  std::size_t waits = 0;
  while (!text.empty()) {
    for (const char* word : {",", " ", "which "}) {
      if (text.rfind(word, 0) == 0) text.erase(0, std::string(word).size());
    }
    const std::string wait = "waits for ";
    const std::string behind = "stands behind ";
    const std::string together = "runs together with ";
    const std::string& relation = text.rfind(wait, 0) == 0 ? wait : text.rfind(behind, 0) == 0 ? behind : together;
    REQUIRE(text.rfind(relation, 0) == 0);
    text.erase(0, relation.size());
    const std::string next = take_name();
    CAPTURE(at);
    CAPTURE(next);
    if (&relation == &wait) {
      ++waits;
      CHECK(expected.awaits(op_at(at), op_at(next)));
    } else {
      CHECK(places[at].first == places[next].first);
      const std::size_t here = places[at].second;
      const std::size_t there = places[next].second;
      if (&relation == &behind) {
        CHECK(there < here);
        CHECK(expected.depends(op_at(at), op_at(next)));
      } else {
        CHECK((there + 1 == here || here + 1 == there));
        CHECK(order.orders[places[at].first][std::min(here, there)].with_next);
      }
    }
    at = next;
  }
  CHECK(waits > 0);
  CHECK(at == first);
}

/// Orders that may be none: refused for a cycle of ops, or run as the definition says. Returns how many were refused.
int refused_or_right(dice& random, const schedule& order, transfer_kind kind, bool with_transfers) {
  const auto times = oracle::random_times<std::int64_t>(random, order);
  transfer_times<std::int64_t> transfers;
  transfers.kind = kind;
  if (with_transfers) transfers.forward = {1};
  // What cannot be lowered does not end without transfers either.
  const bool lowered = with_transfers && (kind == transfer_kind::stream || kind == transfer_kind::blocking) &&
                       !stagecut::detail::has_transfers(order);
  const oracle::iteration<std::int64_t> expected(order, times, lowered ? transfer_times<std::int64_t>{} : transfers);
  if (!expected.deadlock()) {
    compare(order, times, transfers);
    return 0;
  }
  std::string text;
  try {
    (void)simulate(order, times, transfers);
  } catch (const stagecut::invalid_input& error) {
    text = error.what();
  }
  check_deadlock(order, expected, text);
  return 1;
}

}  // namespace

TEST_CASE("latency: random orders run as their definition says") { CHECK(agreeing(transfer_kind::latency, 1) == 2500); }

TEST_CASE("link: random orders run as their definition says") { CHECK(agreeing(transfer_kind::link, 2) == 2500); }

TEST_CASE("stream: random orders run as their definition says") { CHECK(agreeing(transfer_kind::stream, 3) == 2500); }

TEST_CASE("blocking: random orders run as their definition says") {
  CHECK(agreeing(transfer_kind::blocking, 4) == 2500);
}

TEST_CASE("doubles scaled by a power of two scale every time, to the last bit") {
  dice random(5);
  for (int round = 0; round < 500; ++round) {
    const schedule order = oracle::random_schedule(random, written_transfers::none, random.once_in(2));
    auto times = oracle::random_times<double>(random, order);
    auto transfers = oracle::random_transfers<double>(random, order, kinds[round % 4]);
    auto expected = simulate(order, times, transfers);
    const double by = random.once_in(2) ? 0x1p-30 : 0x1p40;
    for (auto* each :
         {&times.forward, &times.backward, &times.backward_input, &times.backward_weight, &times.overlapped,
          &times.all_reduce, &times.optimizer_step, &transfers.forward, &transfers.backward}) {
      scale(*each, by);
    }
    expected.makespan *= by;
    expected.span *= by;
    for (auto& rank : expected.ranks) {
      for (double* each : {&rank.busy, &rank.blocked, &rank.idle, &rank.first, &rank.last}) *each *= by;
    }
    for (auto* lists : {&expected.ops, &expected.transfers, &expected.updates}) {
      for (auto& list : *lists) {
        for (auto& each : list) each.start *= by, each.end *= by;
      }
    }
    for (auto& step : expected.critical_path) step.start *= by, step.end *= by;
    REQUIRE(simulate(order, times, transfers) == expected);
  }
}

TEST_CASE("what takes no time ends at 0") {
  dice random(6);
  for (int round = 0; round < 500; ++round) {
    random_case each(random, kinds[round % 4]);
    for (auto* durations : each.durations()) std::fill(durations->begin(), durations->end(), 0);
    const auto run = each.run();
    REQUIRE(run.makespan == 0);
    REQUIRE(run.span == 0);
    for (const auto& rank : run.ranks) REQUIRE(rank == stagecut::rank_use<std::int64_t>{});
  }
}

TEST_CASE("nothing that takes longer lets the iteration end sooner") {
  dice random(7);
  int raised = 0;
  while (raised < 4000) {
    random_case each(random, kinds[raised / 4 % 4]);
    const std::int64_t before = each.run().makespan;
    for (int i = 0; i < 4; ++i) {
      random_case longer = each;
      const auto all = longer.durations();
      std::vector<std::int64_t>& durations = *all[random.below(all.size())];
      if (durations.empty()) continue;
      durations[random.below(durations.size())] += static_cast<std::int64_t>(random.from(1, 30));
      REQUIRE(longer.run().makespan >= before);
      ++raised;
    }
  }
}

TEST_CASE("a rank is busy, blocked or idle") {
  dice random(8);
  for (int round = 0; round < 1000; ++round) {
    const random_case each(random, kinds[round % 4]);
    const auto run = each.run();
    for (std::size_t r = 0; r < run.ranks.size(); ++r) {
      const auto& rank = run.ranks[r];
      REQUIRE(rank.busy + rank.blocked + rank.idle == run.makespan);
      REQUIRE(rank.busy >= 0);
      REQUIRE(rank.blocked >= 0);
      REQUIRE(rank.idle >= 0);
      REQUIRE(rank.last <= run.makespan);
      REQUIRE(rank.last - rank.first <= run.span);
      if (each.transfers.kind != transfer_kind::blocking) REQUIRE(rank.blocked == 0);
    }
    REQUIRE(run.span <= run.makespan);
  }
}

TEST_CASE("the critical path begins at 0, ends with the iteration and has no gap") {
  dice random(9);
  for (int round = 0; round < 2000; ++round) {
    const random_case each(random, kinds[round % 4]);
    const auto run = each.run();
    std::int64_t at = 0;
    std::int64_t sum = 0;
    for (const auto& step : run.critical_path) {
      REQUIRE(step.start == at);
      REQUIRE(step.end >= at);
      sum += step.end - step.start;
      at = step.end;
      REQUIRE((contains(run.ops, step) || contains(run.transfers, step) || contains(run.updates, step)));
    }
    REQUIRE(at == run.makespan);
    REQUIRE(sum == run.makespan);
  }
}

TEST_CASE("orders that wait for themselves are refused with a cycle, all others run right") {
  dice random(10);
  int refused = 0;
  int ran = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const transfer_kind kind = kinds[random.below(4)];
    const bool with_transfers = !random.once_in(4);
    const auto written = static_cast<written_transfers>(random.below(3));
    schedule order = oracle::random_schedule(random, written, random.once_in(2));
    if (random.once_in(2)) {
      order = reordered(random, order);
    } else {  // a few neighbours change places, if the rank is sound with that
      for (int i = 0; i < 6; ++i) {
        schedule changed = order;
        auto& ops = changed.orders[random.below(changed.ranks())];
        if (ops.size() < 2) continue;
        const std::size_t at = random.below(ops.size() - 1);
        std::swap(ops[at], ops[at + 1]);
        if (stagecut::detail::find_fault(changed).problem.empty()) order = changed;
      }
    }
    const int found = refused_or_right(random, order, kind, with_transfers);
    refused += found;
    ran += 1 - found;
  }
  CHECK(refused > 1000);
  CHECK(ran > 1000);
}

TEST_CASE("shuffled passes are refused wherever some pass waits for itself") {
  dice random(11);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    schedule order = oracle::random_schedule(random, written_transfers::none, false);
    for (auto& ops : order.orders) {
      if (random.once_in(2)) random.shuffle(ops);
    }
    const auto times = oracle::random_times<std::int64_t>(random, order);
    if (oracle::iteration<std::int64_t>(order, times, {}).deadlock()) {
      REQUIRE_THROWS_AS((void)simulate(order, times), stagecut::invalid_input);
      ++refused;
    } else {
      compare<std::int64_t>(order, times, {});
    }
  }
  CHECK(refused > 500);
  CHECK(refused < 2000);
}

TEST_CASE("1F1B of two ranks, by hand") {
  const schedule order = stagecut::one_forward_one_backward(2, 2);
  const auto run = simulate(order, pass_times<int>{.forward = {1, 2}, .backward = {3, 4}, .optimizer_step = {1, 1}},
                            transfer_times<int>{.kind = transfer_kind::latency, .forward = {1}, .backward = {2}});
  // Rank 0: 0F0 0-1, 0F1 1-2, 0B0 10-13, 0B1 16-19. Rank 1: 1F0 2-4, 1B0 4-8, 1F1 8-10, 1B1 10-14.
  CHECK(run.makespan == 20);
  CHECK(run.span == 20);
  CHECK(run.ranks[0] == stagecut::rank_use<int>{.busy = 9, .blocked = 0, .idle = 11, .first = 0, .last = 20});
  CHECK(run.ranks[1] == stagecut::rank_use<int>{.busy = 13, .blocked = 0, .idle = 7, .first = 2, .last = 15});
  std::string path;
  for (const auto& step : run.critical_path) {
    path += to_string(step.what) + "@" + std::to_string(step.start) + " ";
  }
  CHECK(path == "0F0@0 0SEND_F0@1 1F0@2 1B0@4 1F1@8 1B1@10 1SEND_B1@14 0B1@16 0OPTIMIZER@19 ");
  std::string sent;
  for (const auto& rank : run.transfers) {
    for (const auto& op : rank) sent += to_string(op.what) + "@" + std::to_string(op.start) + " ";
  }
  CHECK(sent == "0SEND_F0@1 0SEND_F1@2 1SEND_B0@8 1SEND_B1@14 ");
}

TEST_CASE("every type of number") {
  const schedule order = stagecut::interleaved_one_forward_one_backward(2, 2, 4);
  const auto makespan = [&]<class T>(T one) {
    const std::vector<T> forward(4, one);
    const std::vector<T> backward(4, static_cast<T>(one + one));
    return static_cast<int>(simulate(order, pass_times<T>{.forward = forward, .backward = backward}).makespan);
  };
  CHECK(makespan(std::int8_t{1}) == 27);
  CHECK(makespan(std::uint8_t{1}) == 27);
  CHECK(makespan(1U) == 27);
  CHECK(makespan(std::uint64_t{1}) == 27);
  CHECK(makespan(1.0F) == 27);
  CHECK(makespan(1.0) == 27);
}

TEST_CASE("a rank without stages updates nothing but what it is told to") {
  schedule order = stagecut::one_forward_one_backward(2, 2);
  order.orders.emplace_back();
  const auto run = simulate(order, pass_times<int>{.forward = {1, 1}, .backward = {1, 1}, .optimizer_step = {1, 2, 4}});
  CHECK(run.makespan == 7);
  CHECK(run.updates[0].size() == 1);
  REQUIRE(run.updates[2].size() == 1);
  CHECK(run.updates[2][0].end == 4);
  CHECK(run.ranks[0].busy == 5);
  CHECK(run.ranks[2] == stagecut::rank_use<int>{.busy = 4, .blocked = 0, .idle = 3, .first = 0, .last = 4});
}

TEST_CASE("passes of all stages are told alike, by slice or one by one") {
  schedule order = stagecut::sliced_one_forward_one_backward(2, 2, 2);
  const std::vector<int> stages{3, 5};
  const std::vector<int> slices{3, 3, 5, 5};
  const std::vector<int> all{3, 3, 3, 3, 5, 5, 5, 5};
  const auto run = [&](const std::vector<int>& forward, const std::vector<int>& backward) {
    return simulate(order, pass_times<int>{.forward = forward, .backward = backward});
  };
  const auto expected = run(stages, stages);
  CHECK(expected.makespan > 0);
  for (const auto* forward : {&stages, &slices, &all}) {
    for (const auto* backward : {&stages, &slices, &all}) CHECK(run(*forward, *backward) == expected);
  }
  CHECK(simulate(order, pass_times<int>{.forward = stages, .backward_input = {1, 2, 1, 1}, .backward_weight = {2, 3}})
            .makespan == run(stages, {3, 4, 4, 4}).makespan);
}

TEST_CASE("lengths that do not fit") {
  const schedule whole = stagecut::one_forward_one_backward(3, 4);
  const schedule split = stagecut::zb_h1(3, 6);
  const auto refused = [](const char* with, const schedule& order, const pass_times<int>& times,
                          const transfer_times<int>& transfers) {
    CAPTURE(with);
    CHECK_THROWS_WITH_AS((void)simulate(order, times, transfers), with, stagecut::invalid_input);
  };
  const std::vector<int> three{1, 1, 1};
  const std::vector<int> two{1, 1};
  refused("forward: has 2 elements, the schedule has 3 stages", whole, {.forward = two, .backward = three}, {});
  refused("forward: has 0 elements, the schedule has 3 stages that need it", whole, {.backward = three}, {});
  refused("backward: has 0 elements, the schedule has 3 stages that need it", whole, {.forward = three}, {});
  refused("backward: has 13 elements, the schedule has 3 stages", whole,
          {.forward = three, .backward = std::vector<int>(13)}, {});
  refused("backward_weight: has 0 elements, the schedule has 3 stages that need it", whole,
          {.forward = three, .backward_input = three}, {});
  refused("backward_input: has 0 elements, the schedule has 3 stages that need it", split,
          {.forward = three, .backward = three}, {});
  refused("backward_weight: has 0 elements, the schedule has 3 stages that need it", split,
          {.forward = three, .backward_input = three}, {});
  refused("backward_weight: has 2 elements, the schedule has 3 stages", split,
          {.forward = three, .backward_input = three, .backward_weight = two}, {});
  refused("overlapped: has 2 elements, must have 3", whole, {.forward = three, .backward = three, .overlapped = two},
          {});
  refused("all_reduce: has 2 elements, must have 3", whole, {.forward = three, .backward = three, .all_reduce = two},
          {});
  refused("optimizer_step: has 2 elements, must have 3", whole,
          {.forward = three, .backward = three, .optimizer_step = two}, {});
  refused("transfers.forward: has 3 elements, must have 2", whole, {.forward = three, .backward = three},
          {.forward = three});
  refused("transfers.backward: has 3 elements, must have 2", whole, {.forward = three, .backward = three},
          {.backward = three});
  CHECK(simulate(whole, pass_times<int>{.forward = three, .backward = three}).makespan == 12);
}

TEST_CASE("times in braces are doubles") {
  const schedule order = stagecut::one_forward_one_backward(2, 3);
  const pass_times<double> times{.forward = {1, 0.5}, .backward = {2, 1.5}};
  const transfer_times<double> sent{.forward = {0.25}};
  CHECK(simulate(order, {.forward = {1, 0.5}, .backward = {2, 1.5}}) == simulate(order, times));
  CHECK(simulate(order, {.forward = {1, 0.5}, .backward = {2, 1.5}}, {.forward = {0.25}}) ==
        simulate(order, times, sent));
}

TEST_CASE("times that are none") {
  const schedule order = stagecut::one_forward_one_backward(2, 4);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> good{1, 1};
  const auto refused = [&](const char* with, const pass_times<double>& times, const transfer_times<double>& transfers) {
    CAPTURE(with);
    CHECK_THROWS_WITH_AS((void)simulate(order, times, transfers), doctest::Contains(with), stagecut::invalid_input);
  };
  refused("forward[1]: NaN, must be finite and not negative", {.forward = {1, nan}, .backward = good}, {});
  refused("forward[0]: -1", {.forward = {-1, 1}, .backward = good}, {});
  refused("backward[1]: infinity", {.forward = good, .backward = {1, infinity}}, {});
  refused("backward[0]: infinity", {.forward = good, .backward = {-infinity, 1}}, {});
  refused("backward_input[0]: NaN", {.forward = good, .backward_input = {nan, 1}, .backward_weight = good}, {});
  refused("backward_weight[1]: -0.5", {.forward = good, .backward_input = good, .backward_weight = {1, -0.5}}, {});
  refused("overlapped[0]: NaN", {.forward = good, .backward = good, .overlapped = {nan, 1}}, {});
  refused("all_reduce[1]: -1", {.forward = good, .backward = good, .all_reduce = {1, -1}}, {});
  refused("optimizer_step[0]: infinity", {.forward = good, .backward = good, .optimizer_step = {infinity, 1}}, {});
  refused("transfers.forward[0]: NaN", {.forward = good, .backward = good}, {.forward = {nan}});
  refused("transfers.backward[0]: -2", {.forward = good, .backward = good}, {.backward = {-2}});
  CHECK_THROWS_WITH_AS((void)simulate(order, pass_times<int>{.forward = {1, -3}, .backward = {1, 1}}),
                       "forward[1]: -3, must be finite and not negative", stagecut::invalid_input);
  // A zero with a sign is a zero; so is what takes no time.
  CHECK(simulate(order, pass_times<double>{.forward = {-0.0, 0}, .backward = {0, -0.0}}).makespan == 0);
}

TEST_CASE("times whose sum is not representable") {
  const auto refused = [](const schedule& order, const auto& times, const auto& transfers) {
    CHECK_THROWS_WITH_AS((void)simulate(order, times, transfers),
                         "times: the sum of all passes and transfers is not representable", stagecut::invalid_input);
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const schedule order = stagecut::one_forward_one_backward(2, 2);
  using passes = pass_times<std::int64_t>;
  using messages = transfer_times<std::int64_t>;
  refused(order, passes{.forward = {most, 1}, .backward = {0, 0}}, messages{});
  refused(order, pass_times<double>{.forward = {1e308, 1e308}, .backward = {0, 0}}, transfer_times<double>{});
  refused(order, passes{.forward = {most / 8, most / 8}, .backward = {most / 8, most / 8 + 8}}, messages{});
  CHECK(simulate(order, passes{.forward = {most / 8, most / 8}, .backward = {most / 8, most / 8}}).makespan ==
        most / 8 * 6);
  refused(order, passes{.forward = {1, 1}, .backward = {1, 1}}, messages{.forward = {most}});
  for (const transfer_kind kind : kinds) {
    refused(order, passes{.forward = {1, 1}, .backward = {1, 1}},
            messages{.kind = kind, .forward = {most / 4}, .backward = {most / 4 + 1}});
  }
  refused(order, passes{.forward = {0, 0}, .backward = {0, 0}, .all_reduce = {most, most}}, messages{});
  // The sum of I and W, and the sum of F and B.
  refused(order, passes{.forward = {0, 0}, .backward_input = {most, 0}, .backward_weight = {1, 0}}, messages{});
  const schedule pairs = stagecut::dualpipev(1, 2);
  refused(pairs,
          passes{.forward = {most, 0}, .backward = {0, most}, .backward_input = {0, 0}, .backward_weight = {0, 0}},
          messages{});
  using small = pass_times<std::int8_t>;
  refused(order, small{.forward = {60, 0}, .backward = {4, 0}}, transfer_times<std::int8_t>{});
  refused(order, small{.forward = {0, 0}, .backward_input = {100, 0}, .backward_weight = {100, 0}},
          transfer_times<std::int8_t>{});
  CHECK(simulate(order, small{.forward = {60, 0}, .backward = {3, 0}}).makespan == 126);
  refused(order, pass_times<std::uint64_t>{.forward = {~std::uint64_t{0}, 0}, .backward = {1, 0}},
          transfer_times<std::uint64_t>{});
}

TEST_CASE("schedules that are none, and one that waits for itself") {
  const pass_times<int> times{.forward = {1, 1}, .backward = {1, 1}};
  schedule order = stagecut::one_forward_one_backward(2, 2);
  CHECK_THROWS_WITH_AS((void)simulate(schedule{}, times), doctest::Contains("schedule: "), stagecut::invalid_input);
  order.orders[1].pop_back();
  CHECK_THROWS_WITH_AS((void)simulate(order, times), "rank 1: 1B1 is missing", stagecut::invalid_input);
  order = stagecut::one_forward_one_backward(2, 2);
  std::swap(order.orders[0][1], order.orders[0][2]);  // 0F0 0B0 0F1 0B1, which waits for nothing but its turn
  std::swap(order.orders[1][1], order.orders[1][2]);  // 1F0 1F1 1B0 1B1
  CHECK_THROWS_WITH_AS(
      (void)simulate(order, times),
      "schedule: deadlock: 0B0 on rank 0 waits for 1B0 on rank 1, which stands behind 1F1, which waits "
      "for 0F1 on rank 0, which stands behind 0B0",
      stagecut::invalid_input);
}
