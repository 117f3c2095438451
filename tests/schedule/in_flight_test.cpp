// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/in_flight.hpp>

#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::microbatches_in_flight;
using stagecut::schedule_kind;
using counts = std::vector<std::size_t>;

TEST_CASE("GPipe keeps all, 1F1B one for each stage from it on") {
  CHECK(microbatches_in_flight(schedule_kind::gpipe, 3, 8) == counts{8, 8, 8});
  CHECK(microbatches_in_flight(schedule_kind::one_forward_one_backward, 4, 6) == counts{4, 3, 2, 1});
  CHECK(microbatches_in_flight(schedule_kind::one_forward_one_backward, 4, 2) == counts{2, 2, 2, 1});
  CHECK(microbatches_in_flight(schedule_kind::one_forward_one_backward, 4, 0) == counts{4, 3, 2, 1});
  CHECK_THROWS_WITH_AS((void)microbatches_in_flight(schedule_kind::gpipe, 4, 0), doctest::Contains("microbatches = 0"),
                       stagecut::argument_error);
}

TEST_CASE("GPipe backward the other way, and eager 1F1B") {
  CHECK(microbatches_in_flight(schedule_kind::gpipe_lifo, 3, 8) == counts{8, 8, 8});
  CHECK(microbatches_in_flight(schedule_kind::eager_one_forward_one_backward, 4, 8) == counts{7, 5, 3, 1});
  CHECK(microbatches_in_flight(schedule_kind::eager_one_forward_one_backward, 4, 4) == counts{4, 4, 3, 1});
  CHECK(microbatches_in_flight(schedule_kind::eager_one_forward_one_backward, 4, 0) == counts{7, 5, 3, 1});
  CHECK_THROWS_WITH_AS((void)microbatches_in_flight(schedule_kind::gpipe_lifo, 4, 0),
                       doctest::Contains("microbatches = 0"), stagecut::argument_error);
}

TEST_CASE("The counts are those of the orders, and other schedules are not told by them") {
  const schedule_kind told[] = {schedule_kind::gpipe, schedule_kind::gpipe_lifo,
                                schedule_kind::one_forward_one_backward, schedule_kind::eager_one_forward_one_backward};
  for (const stagecut::schedule_entry& entry : stagecut::schedules) {
    const bool is_told = std::find(std::begin(told), std::end(told), entry.kind) != std::end(told);
    const bool is_known = entry.most_in_flight != nullptr;
    if (entry.kind <= schedule_kind::sapp_less_memory) REQUIRE(is_known == is_told);
    if (!is_known) {
      CHECK_THROWS_WITH_AS((void)microbatches_in_flight(entry.kind, 4, 8), doctest::Contains("kind = "),
                           stagecut::argument_error);
      continue;
    }
    for (std::size_t p = 1; p <= 5; ++p) {
      for (std::size_t m = 1; m <= 10; ++m) {
        CHECK(microbatches_in_flight(entry.kind, p, m) ==
              order::peaks(stagecut::make_schedule(entry.kind, {.ranks = p, .microbatches = m})));
      }
    }
  }
  CHECK_THROWS_WITH_AS((void)microbatches_in_flight(schedule_kind::zbv, 4, 8),
                       "stagecut::microbatches_in_flight: kind = zbv, must be gpipe, gpipe-lifo, 1f1b or eager-1f1b",
                       stagecut::argument_error);
}
