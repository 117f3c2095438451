// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/in_flight_vectors.hpp>

#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::in_flight_vectors;
using stagecut::microbatches_in_flight;
using stagecut::schedule_kind;
using counts = std::vector<std::size_t>;

namespace {

/// What a rank holds after each pass of its order, by stage: those that no other one covers, in order.
std::vector<counts> vectors_by_walk(const stagecut::schedule& order, std::size_t rank) {
  counts stages;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    if (order.rank_of[s] == rank) stages.push_back(s);
  }
  std::vector<counts> all{counts(stages.size())};
  for (const stagecut::op& op : order.orders[rank]) {
    counts now = all.back();
    const auto place = std::find(stages.begin(), stages.end(), op.stage) - stages.begin();
    const bool done = op.kind == stagecut::op_kind::backward || op.kind == stagecut::op_kind::backward_weight;
    if (op.kind == stagecut::op_kind::forward) ++now[static_cast<std::size_t>(place)];
    if (done) --now[static_cast<std::size_t>(place)];
    all.push_back(now);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<counts> kept;
  for (const counts& each : all) {
    const auto covers = [&](const counts& other) {
      return other != each && std::equal(each.begin(), each.end(), other.begin(), std::less_equal<>());
    };
    if (std::none_of(all.begin(), all.end(), covers)) kept.push_back(each);
  }
  return kept;
}

}  // namespace

TEST_CASE("Stages of a rank at the same time: vectors that no other one covers, as a walk finds them") {
  std::size_t several = 0;
  for (const stagecut::schedule_entry& entry : stagecut::schedules) {
    for (std::size_t p = 1; p <= 4; ++p) {
      for (std::size_t v = 1; v <= 3; ++v) {
        for (std::size_t m = 1; m <= 10; ++m) {
          stagecut::schedule_shape shape;
          shape.ranks = p;
          shape.stages_per_rank = v;
          shape.microbatches = m;
          if (entry.takes == stagecut::shape_figure::in_flight) {
            for (std::size_t r = 0; r < p; ++r) shape.in_flight.push_back(r < m ? m - r : 1);
          }
          stagecut::schedule order;
          try {
            order = stagecut::make_schedule(entry.kind, shape);
          } catch (const stagecut::argument_error&) {
            continue;  // not of that shape
          }
          CAPTURE(entry.name);
          CAPTURE(p);
          CAPTURE(v);
          CAPTURE(m);
          const auto told = in_flight_vectors(order);
          const counts alone = microbatches_in_flight(order);
          REQUIRE(told.size() == p);
          bool right = true;
          for (std::size_t r = 0; r < p; ++r) {
            std::vector<counts> sorted = told[r];
            std::sort(sorted.begin(), sorted.end());
            right = right && sorted == vectors_by_walk(order, r);
            several += sorted.size() > 1 ? 1 : 0;
            // The maximum of each stage equals that for the stage alone.
            std::size_t place = 0;
            for (std::size_t s = 0; s < order.stages(); ++s) {
              if (order.rank_of[s] != r) continue;
              std::size_t most = 0;
              for (const counts& vector : told[r]) most = std::max(most, vector[place]);
              right = right && most == alone[s];
              ++place;
            }
          }
          CHECK(right);
        }
      }
    }
  }
  CHECK(several > 100);
}

TEST_CASE("SAPP's interleaved orders hold more than the ends of their warm-ups tell") {
  const auto sorted = [](std::vector<counts> vectors) {
    std::sort(vectors.begin(), vectors.end());
    return vectors;
  };
  // Three stages a rank: fifteen microbatches in flight, in five ways.
  const auto big = in_flight_vectors(stagecut::sapp_interleaved(4, 3, 8, stagecut::sapp_memory::big));
  CHECK(sorted(big[0]) == std::vector<counts>{{7, 4, 4}, {8, 4, 3}, {8, 5, 2}, {8, 6, 1}, {8, 7, 0}});
  // As many microbatches as ranks: all of them, of every stage but the last.
  for (const auto memory : {stagecut::sapp_memory::big, stagecut::sapp_memory::less}) {
    for (const auto& rank : in_flight_vectors(stagecut::sapp_interleaved(4, 3, 4, memory))) CHECK(rank.size() == 1);
  }
  const auto less = in_flight_vectors(stagecut::sapp_interleaved(4, 3, 4, stagecut::sapp_memory::less));
  for (std::size_t r = 0; r < 4; ++r) CHECK(less[r] == std::vector<counts>{{4, 4, 4 - r}});
  // Microbatches that ranks do not divide.
  CHECK(in_flight_vectors(stagecut::sapp_interleaved(4, 2, 6, stagecut::sapp_memory::big))[0] ==
        std::vector<counts>{{6, 6}});
}

TEST_CASE("One stage a rank: one number") {
  const auto of = [](schedule_kind kind) {
    return in_flight_vectors(stagecut::make_schedule(kind, {.ranks = 3, .microbatches = 6}));
  };
  CHECK(of(schedule_kind::one_forward_one_backward) == std::vector<std::vector<counts>>{{{3}}, {{2}}, {{1}}});
  CHECK(of(schedule_kind::gpipe) == std::vector<std::vector<counts>>{{{6}}, {{6}}, {{6}}});
  // I keeps what W needs.
  for (const auto& rank : of(schedule_kind::zb_h1)) CHECK(rank.size() == 1);
  // Slices count in place of microbatches.
  const auto sliced = stagecut::make_schedule(schedule_kind::sliced, {.ranks = 2, .microbatches = 3, .slices = 2});
  CHECK(in_flight_vectors(sliced) == std::vector<std::vector<counts>>{{{3}}, {{2}}});
  stagecut::schedule broken = stagecut::gpipe(2, 2);
  broken.orders[0].pop_back();
  CHECK_THROWS_AS((void)in_flight_vectors(broken), stagecut::invalid_input);
}
