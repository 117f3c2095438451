// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/duration_row.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>

using namespace stagecut::engine;

TEST_CASE("a duration of a slot program is the sum of its terms") {
  // Three items on two stages: F takes 1, 2, 3, B ten and W a hundred times as much; the second stage adds 7 to W.
  const std::vector<double> sums{0, 1, 3, 6, 0, 10, 30, 60, 0, 100, 300, 600};
  const std::vector<double> own{0.5, 0, 0, 0, 0, 7};
  const std::vector<double> messages{0, 40, 50, 0};
  const std::vector<std::size_t> boundary{0};
  const tick_rows rows{sums, own, messages, boundary, 3, 2};
  const std::vector<std::uint32_t> first{0, 0, 1, 4};
  const std::vector<duration_row::term> terms{{1, tick_b}, {0, tick_f}, {0, tick_message}, {1, tick_w}};
  const duration_row durations{first, terms};
  const std::vector<std::size_t> points{0, 2, 3};
  REQUIRE(durations.size() == 3);
  CHECK(durations.of(0, rows, points) == 0);
  CHECK(durations.of(1, rows, points) == 30);
  CHECK(durations.of(2, rows, points) == 3.5 + 50 + 307);
}
