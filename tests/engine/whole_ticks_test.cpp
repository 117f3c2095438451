// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/whole_ticks.hpp>

#include <doctest/doctest.h>

namespace engine = stagecut::engine;

TEST_CASE("ticks are cut off to whole ones, up to the largest that are exact") {
  using stagecut::engine::whole_ticks;
  CHECK(engine::whole_ticks(0) == 0);
  CHECK(engine::whole_ticks(0.999) == 0);
  CHECK(engine::whole_ticks(7) == 7);
  CHECK(engine::whole_ticks(7.5) == 7);
  CHECK(engine::whole_ticks(0x1p52 - 0.5) == 0x1p52 - 1);
  CHECK(engine::whole_ticks(0x1p53) == 0x1p53);
}

TEST_CASE("rounded up, also what is negative, and what no whole number of 64 bits can hold") {
  using stagecut::engine::whole_ticks_up;
  CHECK(engine::whole_ticks_up(0) == 0);
  CHECK(engine::whole_ticks_up(2.25) == 3);
  CHECK(engine::whole_ticks_up(3) == 3);
  CHECK(engine::whole_ticks_up(-2.25) == -2);
  CHECK(engine::whole_ticks_up(1e300) == 1e300);
  CHECK(engine::whole_ticks_up(-1e300) == -1e300);
}
