// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/in_flight_bound.hpp>

#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "../makespan/requests.hpp"

namespace engine = stagecut::engine;
using chains::order_of;
using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::engine::in_flight_of;
using stagecut::engine::steady_window;
using stagecut::engine::steady_windows;
using numbers = std::vector<std::size_t>;

namespace {

/// The windows that take round trips up to a stage, and nothing else.
bool has(const std::vector<engine::steady_window>& windows,
         const std::vector<std::pair<std::size_t, std::size_t>>& trips, std::size_t below, std::size_t pairs) {
  for (const engine::steady_window& window : windows) {
    if (window.trips == trips && window.below == below && window.pairs == pairs) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("schedules that differ in what is in flight") {
  CHECK(engine::in_flight_of(order_of(schedule_kind::one_forward_one_backward, 4, 8)) == numbers{4, 3, 2, 1});
  CHECK(engine::in_flight_of(order_of(schedule_kind::one_forward_one_backward, 4, 2)) == numbers{2, 2, 2, 1});
  CHECK(engine::in_flight_of(order_of(schedule_kind::eager_one_forward_one_backward, 3, 8)) == numbers{5, 3, 1});
  CHECK(engine::in_flight_of(order_of(schedule_kind::gpipe, 3, 8)) == numbers{8, 8, 8});
  CHECK(engine::in_flight_of(order_of(schedule_kind::gpipe_lifo, 3, 1)) == numbers{1, 1, 1});
  CHECK(engine::in_flight_of(order_of(schedule_kind::interleaved, 3, 6, 1)) == numbers{3, 2, 1});
  CHECK(engine::in_flight_of(stagecut::lower_transfers(order_of(schedule_kind::gpipe, 2, 3))) == numbers{3, 3});
  schedule gathers = order_of(schedule_kind::gpipe, 2, 3);
  gathers.orders[1].insert(gathers.orders[1].begin(), op{op_kind::unshard, 1});
  CHECK(engine::in_flight_of(gathers) == numbers{3, 3});
}

TEST_CASE("schedules of another kind") {
  CHECK_FALSE(engine::in_flight_of(order_of(schedule_kind::gpipe_lifo, 3, 2)));
  CHECK_FALSE(engine::in_flight_of(order_of(schedule_kind::zb_h1, 2, 4)));
  CHECK_FALSE(engine::in_flight_of(order_of(schedule_kind::interleaved, 2, 4, 2)));
  CHECK_FALSE(engine::in_flight_of(order_of(schedule_kind::zbv, 2, 4, 2)));
  CHECK_FALSE(engine::in_flight_of(
      stagecut::make_schedule(schedule_kind::sliced, {.ranks = 2, .microbatches = 4, .slices = 2})));
  schedule other = order_of(schedule_kind::gpipe, 2, 3);
  std::swap(other.orders[0][0], other.orders[0][1]);
  CHECK_FALSE(engine::in_flight_of(other));
  other = order_of(schedule_kind::gpipe, 2, 3);
  std::swap(other.rank_of[0], other.rank_of[1]);
  CHECK_FALSE(engine::in_flight_of(other));
  other = order_of(schedule_kind::one_forward_one_backward, 1, 4);
  std::swap(other.orders[0][2], other.orders[0][3]);  // F0 B0 B1: another turn than its own
  CHECK_FALSE(engine::in_flight_of(other));
  other = order_of(schedule_kind::one_forward_one_backward, 2, 4);
  other.orders[0][1].with_next = true;
  CHECK_FALSE(engine::in_flight_of(other));
}

TEST_CASE("every window stands for the microbatches of the steady state") {
  for (std::size_t m = 1; m <= 12; ++m) {
    for (const auto kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward,
                            schedule_kind::eager_one_forward_one_backward}) {
      const numbers in_flight = *engine::in_flight_of(order_of(kind, 5, m));
      for (std::size_t k = 0; k < 5; ++k) {
        const auto windows = engine::steady_windows(in_flight, m, k);
        REQUIRE_FALSE(windows.empty());
        CHECK(has(windows, {}, 0, m - in_flight[k]));
        for (const engine::steady_window& window : windows) {
          // A trip up to stage r replaces N[r] - N[k] + 1 pairs, one down to the last N[k] - N[p - 1] + 1.
          std::size_t replaced = window.below * (in_flight[k] - in_flight[4]);
          for (const auto& [r, times] : window.trips) {
            CHECK(r < k);
            CHECK(in_flight[r] < m);
            replaced += times * (in_flight[r] - in_flight[k]);
          }
          CHECK(window.pairs + replaced == m - in_flight[k]);
        }
      }
    }
  }
}

TEST_CASE("the windows of 1F1B's second stage") {
  const auto windows = engine::steady_windows({4, 3, 2, 1}, 8, 1);
  CHECK(windows.size() == 3);
  CHECK(has(windows, {{0, 2}}, 0, 3));  // 5 = 2 trips that replace 2 each, and a pair
  CHECK(has(windows, {}, 1, 3));        // one down that replaces 3, and 2 pairs
  CHECK(engine::steady_windows({4, 3, 2, 1}, 4, 0).size() == 1);
}
