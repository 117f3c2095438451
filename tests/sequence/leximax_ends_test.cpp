// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/leximax_ends.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace detail = stagecut::detail;

TEST_CASE("the choices of all stages are a cut, and lists of costs tell which of two ends is worse, and by what") {
  const stagecut::prefix_sums cost{5, 1, 2, 4, 3};
  detail::leximax_ends ends(cost, 2);
  CHECK(ends.highest(0) == 0);
  CHECK(ends.behind().size() == 1);
  CHECK(ends.cost(0, 1, 3) == 3);

  // The last stage begins with item 3, 2 or 1, and has only one end.
  ends.limit(1, 3);
  using choice = decltype(ends)::choice;
  stagecut::detail::leximax_suffixes<std::int64_t> last;
  for (const std::size_t first : {3U, 2U, 1U}) {
    ends.push(1, choice{0, cost(first, 5)});
    last.push(first);
  }
  ends.finish(1, std::move(last));
  REQUIRE(ends.behind().size() == 3);

  // Columns are by item: stage 0 may end at 1, 2 or 3, with {5, 10}, {6, 9}, {8, 7}.
  const auto column = [&](std::size_t item) {
    std::size_t t = 0;
    while (ends.behind().item(t) != item) ++t;
    return choice{t, cost(0, item)};
  };
  const auto worse = [&](std::size_t left, std::size_t right) {
    const auto [order, step] = ends.compare(column(left), column(right));
    return std::pair(order, step == nullptr ? 0 : *step);
  };
  CHECK(worse(1, 2) == std::pair<int, std::int64_t>(1, 10));
  CHECK(worse(2, 3) == std::pair<int, std::int64_t>(1, 9));
  CHECK(worse(3, 1) == std::pair<int, std::int64_t>(-1, 10));
  CHECK(worse(2, 2).first == 0);

  ends.push(0, column(3));
  const auto best = ends.best();
  CHECK(best.cuts == stagecut::cuts{0, 3, 5});
  CHECK(best.value == std::vector<std::int64_t>{8, 7});
}
