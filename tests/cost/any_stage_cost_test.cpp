// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/parts/any_stage_cost.hpp>

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <type_traits>

using stagecut::detail::any_stage_cost;

TEST_CASE("a cost behind a pointer is asked once for each price, and promises what it is said to") {
  using grows = any_stage_cost<stagecut::axioms<stagecut::right_monotone>, int>;
  static_assert(stagecut::stage_cost<grows>);
  static_assert(stagecut::promises<grows, stagecut::right_monotone>);
  static_assert(!stagecut::promises<grows, stagecut::monotone>);
  static_assert(std::is_same_v<stagecut::cost_t<grows>, int>);
  int calls = 0;
  const auto price = [&](std::size_t stage, std::size_t first, std::size_t last) {
    ++calls;
    return static_cast<int>(100 * stage + 10 * first + last);
  };
  const grows any(price, 7);
  CHECK(any.size() == 7);
  CHECK(any(2, 3, 5) == 235);
  CHECK(calls == 1);
}

TEST_CASE("costs need not be numbers") {
  const auto price = [](std::size_t stage, std::size_t, std::size_t) { return std::string(stage, 'a'); };
  const any_stage_cost<stagecut::axioms<>, std::string> any(price, 1);
  CHECK(any(3, 0, 1) == "aaa");
}
