// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <vector>

#include <stagecut/engine/order_moments.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

namespace engine = stagecut::engine;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::schedule_kind;
using moment = std::vector<stagecut::detail::held_microbatches>;

namespace {

bool is_below(const moment& a, const moment& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].in_flight > b[i].in_flight || a[i].recomputed > b[i].recomputed || a[i].apart > b[i].apart) return false;
  }
  return true;
}

/// What a rank holds while each of its operations runs.
std::vector<moment> all_moments(const schedule& order, const std::vector<std::size_t>& stages, std::size_t rank) {
  std::vector<moment> all;
  moment held(stages.size());
  for (const auto& op : order.orders[rank]) {
    std::size_t part = 0;
    while (stages[part] != op.stage) ++part;
    auto& here = held[part];
    if (op.kind == op_kind::forward) ++here.in_flight;
    if (op.kind == op_kind::backward || op.kind == op_kind::backward_input) ++here.recomputed;
    if (op.kind == op_kind::backward_input) ++here.apart;
    all.push_back(held);
    if (op.kind == op_kind::backward || op.kind == op_kind::backward_weight) --here.in_flight, --here.recomputed;
    if (op.kind == op_kind::backward_weight) --here.apart;
  }
  return all;
}

}  // namespace

TEST_CASE("the moments that count are the most of all, each once") {
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::interleaved,
                          schedule_kind::zb_h1, schedule_kind::zbv}) {
    const bool chunks = kind == schedule_kind::interleaved || kind == schedule_kind::zbv;
    const schedule order = stagecut::make_schedule(kind, {.ranks = 3, .stages_per_rank = chunks ? 2U : 1U, .microbatches = 6});
    const engine::order_moments moments(order, true);
    const auto stages = engine::stages_of_ranks(order);
    CHECK(moments.several() == chunks);
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      CHECK(moments.stages(r) == stages[r]);
      CHECK(moments.of_rank(r) == engine::most_held(order, r, true));
      const std::vector<moment> all = all_moments(order, stages[r], r);
      REQUIRE(moments.count(r) > 0);
      for (const moment& each : all) {
        bool any = false;
        for (const moment& most : moments.of_rank(r)) any = any || is_below(each, most);
        CHECK(any);
      }
      for (std::size_t i = 0; i < moments.count(r); ++i) {
        std::size_t above = 0;
        bool happens = false;
        for (const moment& most : moments.of_rank(r)) above += is_below(moments.of_rank(r)[i], most) ? 1 : 0;
        for (const moment& each : all) happens = happens || each == moments.of_rank(r)[i];
        CHECK(above == 1);  // itself
        CHECK(happens);
      }
    }
  }
}

TEST_CASE("what every stage holds by itself") {
  const schedule order =
      stagecut::make_schedule(schedule_kind::one_forward_one_backward, {.ranks = 4, .microbatches = 8});
  const auto held = engine::moments_of(order);
  const auto most = stagecut::microbatches_in_flight(order);
  REQUIRE(held.size() == 4);
  for (std::size_t s = 0; s < 4; ++s) {
    REQUIRE(held[s].size() == 1);
    CHECK(held[s][0] == stagecut::detail::held_microbatches{most[s], 1, 0});
  }
}
