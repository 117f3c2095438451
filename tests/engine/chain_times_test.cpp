// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/chain_times.hpp>

#include <stagecut/cost/stage_times.hpp>
#include <stagecut/cost/with_speeds.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../makespan/requests.hpp"

namespace engine = stagecut::engine;
using chains::order_of;
using stagecut::item_times;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::with_speeds;
using stagecut::with_stage_times;
using stagecut::engine::chain_times;
using stagecut::engine::tick_b;
using stagecut::engine::tick_f;
using stagecut::engine::tick_w;

namespace {

const item_times items({3, 1, 4, 1}, {6, 2, 8, 2}, {1, 1, 4, 0}, {10, 20, 30, 40});

}  // namespace

TEST_CASE("a pass of a stage is the sum of its items and what the stage takes beside them, once") {
  const with_stage_times<item_times> model(items, {{0.5, 5}, {0, 7}, {0, 3}});
  const engine::chain_times whole(model, order_of(schedule_kind::gpipe, 2, 4), {});
  CHECK(whole.stages_differ());
  CHECK(whole.time(engine::tick_f, 0, 0, 4) == 9.5);
  CHECK(whole.time(engine::tick_f, 1, 0, 4) == 14);
  CHECK(whole.time(engine::tick_b, 0, 1, 3) == 10);
  CHECK(whole.time(engine::tick_b, 1, 1, 3) == 17);
  CHECK(whole.time(engine::tick_w, 1, 1, 3) == 0);
  const engine::chain_times split(model, order_of(schedule_kind::zb_h1, 2, 4), {});
  CHECK(split.time(engine::tick_b, 1, 1, 3) == 5 + 4);
  CHECK(split.time(engine::tick_w, 1, 1, 3) == 5 + 3);
  const engine::chain_times fast(with_speeds<with_stage_times<item_times>>(model, {1, 2}),
                                 order_of(schedule_kind::gpipe, 2, 4), {});
  CHECK(fast.time(engine::tick_f, 1, 0, 4) == 7);
}

TEST_CASE("stages that take nothing beside their items do not differ") {
  CHECK_FALSE(engine::chain_times(items, order_of(schedule_kind::gpipe, 2, 4), {}).stages_differ());
  const with_stage_times<item_times> nothing(items, {{0}, {}, {}});
  CHECK_FALSE(engine::chain_times(nothing, order_of(schedule_kind::gpipe, 2, 4), {}).stages_differ());
  CHECK(engine::chain_times(with_speeds<item_times>(items, {1, 1}), order_of(schedule_kind::gpipe, 2, 4), {})
            .stages_differ());
}

TEST_CASE("messages by the cut, and none within a rank") {
  const engine::chain_times linked(items, order_of(schedule_kind::gpipe, 2, 4), {{1, 10}});
  CHECK(linked.has_messages);
  CHECK(linked.message_time(0, 2) == 3);
  const schedule vee = stagecut::make_schedule(schedule_kind::zbv, {.ranks = 2, .stages_per_rank = 2, .microbatches = 4});
  const engine::chain_times within(items, vee, {{1, 10}});
  CHECK(within.message_time(0, 2) == 3);
  CHECK(within.message_time(1, 2) == 0);
}
