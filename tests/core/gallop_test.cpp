// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/detail/gallop.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

TEST_CASE("galloping finds the first index that fits from any start, and asks only inside") {
  std::size_t checked = 0;
  for (std::size_t lowest = 0; lowest < 4; ++lowest) {
    for (std::size_t highest = lowest; highest < lowest + 20; ++highest) {
      for (std::size_t answer = lowest; answer <= highest; ++answer) {
        for (std::size_t likely = 0; likely < highest + 3; ++likely) {
          const std::size_t found = stagecut::detail::gallop(lowest, highest, likely, [&](std::size_t i) {
            REQUIRE(i >= lowest);
            REQUIRE(i < highest);
            return i >= answer;
          });
          REQUIRE(found == answer);
          ++checked;
        }
      }
    }
  }
  CHECK(checked > 10'000);
}

TEST_CASE("galloping asks O(log d) times") {
  for (const std::size_t distance : {0U, 1U, 10U, 1000U, 100'000U}) {
    for (const bool right : {false, true}) {
      const std::size_t likely = 500'000;
      const std::size_t answer = right ? likely + distance : likely - distance;
      std::size_t calls = 0;
      const auto fits = [&](std::size_t i) { return ++calls, i >= answer; };
      CHECK(stagecut::detail::gallop(0, 1'000'000, likely, fits) == answer);
      std::size_t log = 0;
      while ((std::size_t{1} << log) < distance + 1) ++log;
      CHECK(calls <= 2 * log + 3);
    }
  }
}

TEST_CASE("galloping ends for a predicate that is not monotone") {
  for (unsigned mask = 0; mask < 1024; ++mask) {
    for (std::size_t likely = 0; likely < 10; ++likely) {
      const auto found = stagecut::detail::gallop(0, 10, likely, [&](std::size_t i) { return (mask >> i & 1U) != 0; });
      REQUIRE(found <= 10);
    }
  }
}
