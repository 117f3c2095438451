// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/plan_choices.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

using stagecut::has_shape;
using stagecut::schedule_kind;

TEST_CASE("a schedule has a shape exactly where it can be made, with one chunk only if it has no more") {
  int made = 0;
  for (const auto& entry : stagecut::schedules) {
    if (entry.kind == schedule_kind::in_flight || entry.kind == schedule_kind::sliced) {
      CHECK_FALSE(has_shape(entry.kind, 2, 1, 4));
      continue;
    }
    for (std::size_t p = 1; p <= 5; ++p) {
      for (std::size_t v = 1; v <= 3; ++v) {
        for (std::size_t m = 1; m <= 14; ++m) {
          stagecut::schedule_shape shape;
          shape.ranks = p;
          shape.chunks = v;
          shape.microbatches = m;
          bool can = true;
          try {
            (void)stagecut::make_schedule(entry.kind, shape);
          } catch (const stagecut::argument_error&) {
            can = false;
          }
          const bool is_other = entry.chunks == 0 && v == 1;
          made += can ? 1 : 0;
          CHECK_MESSAGE(has_shape(entry.kind, p, v, m) == (can && !is_other), entry.name, " ", p, " ", v, " ", m);
        }
      }
    }
  }
  CHECK(made > 500);
  CHECK_FALSE(has_shape(schedule_kind::gpipe, 0, 1, 1));
  CHECK_FALSE(has_shape(schedule_kind::gpipe, 1, 0, 1));
  CHECK_FALSE(has_shape(schedule_kind::gpipe, 1, 1, 0));
}
