// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/chain_ticks.hpp>

#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../schedule/oracle.hpp"

using oracle::dice;
using stagecut::item_times;
using stagecut::link_speed;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::with_speeds;
using stagecut::detail::chain_ticks;
using stagecut::detail::tick_b;
using stagecut::detail::tick_f;
using stagecut::detail::tick_w;

namespace {

schedule order_of(schedule_kind kind, std::size_t ranks, std::size_t microbatches, std::size_t chunks = 1) {
  return stagecut::make_schedule(kind, {.ranks = ranks, .chunks = chunks, .microbatches = microbatches});
}

}  // namespace

TEST_CASE("whole times stay what they are") {
  const item_times model({3, 1, 4, 1}, {6, 2, 8, 2}, {1, 1, 4, 0}, {10, 20, 30, 40});
  const schedule order = order_of(schedule_kind::one_forward_one_backward, 2, 4);
  const chain_ticks chain(model, order, {{1, 10}});
  CHECK(chain.items == 4);
  CHECK(chain.stages == 2);
  CHECK_FALSE(chain.splits);
  CHECK(chain.has_messages);
  int asked = 0;
  CHECK(chain.least([&](std::size_t s) { return ++asked, chain.pass(tick_f, s, 1, 4); }) * chain.tick == 6);
  CHECK(asked == 1);  // stages do not differ
  CHECK(chain.pass(tick_f, 0, 1, 4) * chain.tick == 6);
  CHECK(chain.pass(tick_b, 1, 0, 2) * chain.tick == 8);
  CHECK(chain.pass(tick_w, 1, 0, 4) == 0);
  CHECK(chain.load(0, 0, 4) * chain.tick == 27);
  CHECK(chain.message(0, 2) * chain.tick == 3);
  CHECK(chain.message(0, 3) * chain.tick == 4);
  CHECK(chain.rounded(7) * chain.tick == 7);
}

TEST_CASE("split backward passes") {
  const item_times model({3, 1, 4, 1}, {6, 2, 8, 2}, {1, 1, 4, 0});
  const chain_ticks chain(model, order_of(schedule_kind::zb_h1, 2, 4), {});
  CHECK(chain.splits);
  CHECK_FALSE(chain.has_messages);
  CHECK(chain.pass(tick_b, 0, 0, 2) * chain.tick == 6);
  CHECK(chain.pass(tick_w, 0, 0, 3) * chain.tick == 6);
  CHECK(chain.load(0, 0, 4) * chain.tick == 27);
  CHECK(chain.message(0, 2) == 0);
}

TEST_CASE("stages that differ") {
  const with_speeds<item_times> model(item_times({4, 8}, {8, 4}), {1, 2});
  const chain_ticks chain(model, order_of(schedule_kind::gpipe, 2, 3), {});
  CHECK(chain.least([&](std::size_t s) { return chain.pass(tick_f, s, 0, 2); }) * chain.tick == 6);
  CHECK(chain.pass(tick_f, 0, 0, 2) * chain.tick == 12);
  CHECK(chain.pass(tick_f, 1, 0, 2) * chain.tick == 6);
  CHECK(chain.row(tick_b, 1)[2] * chain.tick == 6);
}

TEST_CASE("a link for every boundary, and none within a rank") {
  const item_times model({1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {6, 12, 18, 24, 30, 36});
  const std::vector<link_speed> links{{1, 0}, {2, 6}, {3, 2}};
  const chain_ticks loop(model, order_of(schedule_kind::interleaved, 2, 4, 2), links);
  CHECK(loop.message(0, 3) * loop.tick == 1);
  CHECK(loop.message(1, 3) * loop.tick == 2 + 3);
  CHECK(loop.message(2, 1) * loop.tick == 3 + 3);
  const chain_ticks vee(model, order_of(schedule_kind::zbv, 2, 4, 2), links);
  CHECK(vee.has_messages);
  CHECK(vee.message(0, 3) * vee.tick == 1);
  CHECK(vee.message(1, 3) == 0);
  CHECK(vee.message(2, 1) * vee.tick == 6);
  const chain_ticks alone(model, order_of(schedule_kind::gpipe, 1, 4), links);
  CHECK_FALSE(alone.has_messages);
}

TEST_CASE("the tick is a power of two of which an iteration has about 2^50") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    const double scale = std::ldexp(1, static_cast<int>(random.below(400)) - 200);
    std::vector<double> forward;
    for (int i = 0; i < 20; ++i) forward.push_back(random.fraction() * scale);
    const std::size_t m = random.from(1, 50);
    const chain_ticks chain(item_times(forward, forward), order_of(schedule_kind::gpipe, 3, m), {});
    int exponent = 0;
    CHECK(std::frexp(chain.tick, &exponent) == 0.5);
    const double all = chain.load(0, 0, 20) * static_cast<double>(m);
    CHECK(all < std::ldexp(1, 50) * 1.001);
    CHECK(all > std::ldexp(1, 48));
    bool near = true;
    for (std::size_t i = 0; i < 20; ++i) {
      const double ticks = chain.pass(tick_f, 0, i, i + 1);
      near = near && ticks == std::floor(ticks) && std::abs(ticks * chain.tick - forward[i]) <= chain.tick / 2;
    }
    CHECK(near);
  }
  const chain_ticks none(item_times({0, 0}, {0, 0}), order_of(schedule_kind::gpipe, 2, 3), {});
  CHECK(none.load(0, 0, 2) == 0);
  CHECK(none.tick > 0);
}

TEST_CASE("what is not representable once it is rounded to ticks is refused") {
  constexpr double most = std::numeric_limits<double>::max();
  const schedule order = stagecut::gpipe(1, 1);
  CHECK_THROWS_AS(chain_ticks(item_times({most}, {0}), order, {}), stagecut::invalid_input);
  const chain_ticks half(item_times({most / 2}, {0}), order, {});
  CHECK(stagecut::is_finite(half.pass(tick_f, 0, 0, 1) * half.tick));
}
