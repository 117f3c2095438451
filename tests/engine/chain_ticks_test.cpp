// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/chain_ticks.hpp>

#include <stagecut/cost/stage_times.hpp>
#include <stagecut/cost/with_speeds.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../makespan/requests.hpp"
#include "../schedule/oracle.hpp"

namespace engine = stagecut::engine;
using chains::order_of;
using oracle::dice;
using stagecut::item_times;
using stagecut::link_speed;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::with_speeds;
using stagecut::engine::chain_ticks;
using stagecut::engine::tick_b;
using stagecut::engine::tick_f;
using stagecut::engine::tick_w;

TEST_CASE("whole times stay what they are") {
  const item_times model({3, 1, 4, 1}, {6, 2, 8, 2}, {1, 1, 4, 0}, {10, 20, 30, 40});
  const schedule order = order_of(schedule_kind::one_forward_one_backward, 2, 4);
  const engine::chain_ticks chain(model, order, {{1, 10}});
  CHECK(chain.items == 4);
  CHECK(chain.stages == 2);
  CHECK_FALSE(chain.splits);
  CHECK(chain.has_messages);
  int asked = 0;
  CHECK(chain.least([&](std::size_t s) { return ++asked, chain.pass(engine::tick_f, s, 1, 4); }) * chain.tick == 6);
  CHECK(asked == 1);  // stages do not differ
  CHECK(chain.pass(engine::tick_f, 0, 1, 4) * chain.tick == 6);
  CHECK(chain.pass(engine::tick_b, 1, 0, 2) * chain.tick == 8);
  CHECK(chain.pass(engine::tick_w, 1, 0, 4) == 0);
  CHECK(chain.load(0, 0, 4) * chain.tick == 27);
  CHECK(chain.message(0, 2) * chain.tick == 3);
  CHECK(chain.message(0, 3) * chain.tick == 4);
}

TEST_CASE("split backward passes") {
  const item_times model({3, 1, 4, 1}, {6, 2, 8, 2}, {1, 1, 4, 0});
  const engine::chain_ticks chain(model, order_of(schedule_kind::zb_h1, 2, 4), {});
  CHECK(chain.splits);
  CHECK_FALSE(chain.has_messages);
  CHECK(chain.pass(engine::tick_b, 0, 0, 2) * chain.tick == 6);
  CHECK(chain.pass(engine::tick_w, 0, 0, 3) * chain.tick == 6);
  CHECK(chain.load(0, 0, 4) * chain.tick == 27);
  CHECK(chain.message(0, 2) == 0);
}

TEST_CASE("stages that differ") {
  const with_speeds<item_times> model(item_times({4, 8}, {8, 4}), {1, 2});
  const engine::chain_ticks chain(model, order_of(schedule_kind::gpipe, 2, 3), {});
  CHECK(chain.least([&](std::size_t s) { return chain.pass(engine::tick_f, s, 0, 2); }) * chain.tick == 6);
  CHECK(chain.pass(engine::tick_f, 0, 0, 2) * chain.tick == 12);
  CHECK(chain.pass(engine::tick_f, 1, 0, 2) * chain.tick == 6);
  CHECK(chain.row(engine::tick_b, 1)[2] * chain.tick == 6);
}

TEST_CASE("a link for every boundary, and none within a rank") {
  const item_times model({1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {6, 12, 18, 24, 30, 36});
  const std::vector<link_speed> links{{1, 0}, {2, 6}, {3, 2}};
  const engine::chain_ticks loop(model, order_of(schedule_kind::interleaved, 2, 4, 2), links);
  CHECK(loop.message(0, 3) * loop.tick == 1);
  CHECK(loop.message(1, 3) * loop.tick == 2 + 3);
  CHECK(loop.message(2, 1) * loop.tick == 3 + 3);
  const engine::chain_ticks vee(model, order_of(schedule_kind::zbv, 2, 4, 2), links);
  CHECK(vee.has_messages);
  CHECK(vee.message(0, 3) * vee.tick == 1);
  CHECK(vee.message(1, 3) == 0);
  CHECK(vee.message(2, 1) * vee.tick == 6);
  const engine::chain_ticks alone(model, order_of(schedule_kind::gpipe, 1, 4), links);
  CHECK_FALSE(alone.has_messages);
}

TEST_CASE("the tick is a power of two of which an iteration has about 2^50") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    const double scale = std::ldexp(1, static_cast<int>(random.below(400)) - 200);
    std::vector<double> forward;
    for (int i = 0; i < 20; ++i) forward.push_back(random.fraction() * scale);
    const std::size_t m = random.from(1, 50);
    const engine::chain_ticks chain(item_times(forward, forward), order_of(schedule_kind::gpipe, 3, m), {});
    int exponent = 0;
    CHECK(std::frexp(chain.tick, &exponent) == 0.5);
    const double all = chain.load(0, 0, 20) * static_cast<double>(m);
    CHECK(all < std::ldexp(1, 50) * 1.001);
    CHECK(all > std::ldexp(1, 48));
    bool near = true;
    for (std::size_t i = 0; i < 20; ++i) {
      const double ticks = chain.pass(engine::tick_f, 0, i, i + 1);
      near = near && ticks == std::floor(ticks) && std::abs(ticks * chain.tick - forward[i]) <= chain.tick / 2;
    }
    CHECK(near);
  }
  const engine::chain_ticks none(item_times({0, 0}, {0, 0}), order_of(schedule_kind::gpipe, 2, 3), {});
  CHECK(none.load(0, 0, 2) == 0);
  CHECK(none.tick > 0);
}

TEST_CASE("ticks of the cuts that count: what takes longer alone counts as twice as much") {
  const item_times model({3, 1e9, 0.1, 0}, {1, 1, 1e20, 0}, {}, {1e15, 7, 0.1, 0});
  const std::size_t m = 4;
  engine::chain_ticks chain(model, order_of(schedule_kind::one_forward_one_backward, 2, m), {{0, 1}});
  CHECK(chain.most() > 4e20);
  CHECK(chain.error() > 3);  // these three vanish next to the rest
  CHECK(chain.pass(engine::tick_f, 0, 0, 1) == 0);
  CHECK(chain.time(engine::tick_f, 0, 0, 2) == 1e9 + 3);
  CHECK(chain.message_time(0, 2) == 7);
  chain.scale(100);
  CHECK(chain.most() == 100);
  CHECK(chain.tick == std::ldexp(1, 7 - 50));
  CHECK(chain.pass(engine::tick_f, 0, 0, 1) * chain.tick == 3);
  CHECK(chain.pass(engine::tick_b, 0, 1, 2) * chain.tick == 1);
  CHECK(chain.message(0, 2) * chain.tick == 7);
  CHECK(chain.pass(engine::tick_f, 0, 1, 2) * chain.tick * m > 2 * 100);
  CHECK(chain.pass(engine::tick_f, 0, 1, 2) * chain.tick * m < 2.001 * 100);
  CHECK(chain.pass(engine::tick_b, 0, 2, 3) == chain.pass(engine::tick_f, 0, 1, 2));
  CHECK(chain.message(0, 1) * chain.tick > 2 * 100);
  CHECK(chain.message(0, 1) * chain.tick < 2.001 * 100);
  // 0.1, of an item and of a message in both directions, for every microbatch.
  const double off = std::abs(chain.message(0, 3) * chain.tick - 0.1);
  CHECK(off > 0);
  CHECK(chain.error() >= m * 3 * off);
  CHECK(chain.error() <= m * 3 * off + 100 * std::ldexp(1, -44));
  CHECK(chain.time(engine::tick_b, 0, 1, 3) == 1e20 + 1);
}

TEST_CASE("sums over all items stay exact where many of them count as too long") {
  dice random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> forward;
    for (int i = 0; i < 300; ++i) forward.push_back(random.once_in(2) ? 1e30 : 0.5 + random.fraction());
    const std::size_t m = random.from(1, 3);
    engine::chain_ticks chain(item_times(forward, forward), order_of(schedule_kind::gpipe, 3, m), {});
    chain.scale(10);
    CHECK(chain.load(0, 0, 300) < std::ldexp(1, 53));
    bool whole = true;
    double sum = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      const double here = chain.pass(engine::tick_f, 0, i, i + 1);
      sum += here;
      whole = whole && here == std::floor(here) && chain.row(engine::tick_f, 0)[i + 1] == sum;
      whole = whole && (forward[i] < 2 ? std::abs(here * chain.tick - forward[i]) <= chain.tick / 2
                                       : here * chain.tick * static_cast<double>(m) > 20);
    }
    CHECK(whole);
    CHECK(chain.error() < 1e-8);
  }
}

TEST_CASE("no time is too small for a tick, and none too large") {
  const double least = std::ldexp(1, -1074);
  const engine::chain_ticks small(item_times({3 * least, least}, {0, 0}), order_of(schedule_kind::gpipe, 2, 3), {});
  CHECK(small.tick == least);
  CHECK(small.pass(engine::tick_f, 0, 0, 2) == 4);
  CHECK(small.error() == 0);
  const std::vector<double> large(4, 1e308);
  engine::chain_ticks beyond(item_times(large, large), order_of(schedule_kind::gpipe, 2, 3), {});
  CHECK(beyond.load(0, 0, 4) < std::ldexp(1, 53));
  beyond.scale(0);  // only what takes no time is in a cut that counts
  CHECK(beyond.pass(engine::tick_f, 0, 0, 1) >= 1);
}

TEST_CASE("the step is the largest power of two that divides all times, and so all makespans") {
  dice random(3);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const double unit = std::ldexp(1, static_cast<int>(random.below(60)) - 30);
    const bool split = random.once_in(2);
    std::vector<double> lists[4];
    const std::size_t n = random.from(3, 8);
    const auto time = [&] { return unit * static_cast<double>(random.below(random.once_in(2) ? 4 : 40) * 2); };
    for (std::size_t i = 0; i < n; ++i) {
      lists[0].push_back(time());
      lists[2].push_back(time());
      lists[1].push_back(time() + lists[2][i]);
      lists[3].push_back(time());
    }
    lists[0][0] = 4 * unit;
    // One odd time, wherever it is.
    const std::size_t where = random.below(3);
    const bool odd = random.once_in(2);
    if (odd) (where == 0 ? lists[0][1] : where == 1 ? lists[1][n - 1] : lists[3][1]) += unit;
    const schedule order = order_of(split ? schedule_kind::zb_h1 : schedule_kind::gpipe, 3, random.from(6, 9));
    const engine::chain_ticks chain(item_times(lists[0], lists[1], lists[2], lists[3]), order, {{0, 1}});
    REQUIRE(chain.error() == 0);
    int exponent = 0;
    CHECK(std::frexp(chain.step(), &exponent) == 0.5);
    if (odd) {
      CHECK(chain.step() * chain.tick == unit);
      continue;
    }
    CHECK(chain.step() * chain.tick >= 2 * unit);
    bool divides = true;
    bool next = true;  // whether twice as much does, too
    const auto look = [&](double ticks) {
      divides = divides && std::fmod(ticks, chain.step()) == 0;
      next = next && std::fmod(ticks, 2 * chain.step()) == 0;
    };
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto kind : {engine::tick_f, engine::tick_b, engine::tick_w}) look(chain.pass(kind, 0, i, i + 1));
      if (i > 0) look(chain.message(0, i));
    }
    CHECK(divides);
    CHECK_FALSE(next);
  }
}

TEST_CASE("the step divides what stages take beside their items, and is 1 tick where times are rounded") {
  const std::vector<double> times{4, 8, 4};
  const schedule order = order_of(schedule_kind::gpipe, 2, 2);
  const engine::chain_ticks none(item_times(times, times), order, {});
  CHECK(none.step() * none.tick == 4);
  struct with_own : item_times {
    using item_times::item_times;
    [[nodiscard]] double stage_backward(std::size_t s) const { return s == 1 ? 2 : 0; }
  };
  const engine::chain_ticks other(with_own(times, times), order, {});
  CHECK(other.step() * other.tick == 2);
  const std::vector<double> thirds{1.0 / 3, 5.0 / 7, 1.0 / 9};
  const engine::chain_ticks rounded(item_times(thirds, thirds), order, {});
  CHECK(rounded.error() > 0);
  CHECK(rounded.step() == 1);
}
