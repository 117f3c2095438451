// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/probe.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace detail = stagecut::detail;
using sums = stagecut::prefix_sums<std::int64_t>;

TEST_CASE("a probe places cuts as far left as the bound allows, and says what would change it") {
  const sums cost{3, 1, 4, 1, 5};
  const detail::additive_chain<sums> chain{cost};
  detail::separators where;
  where.reset(5, 2);
  const auto found = detail::probe(chain, std::int64_t{10}, std::int64_t{0}, cost(0, 5), where);
  CHECK(found.feasible);
  CHECK(found.value == 10);  // 3 1 | 4 1 5
  CHECK(where.lowest == std::vector<std::size_t>{0, 2, 5});

  const auto failed = detail::probe(chain, std::int64_t{7}, std::int64_t{0}, std::int64_t{10}, where);
  CHECK(!failed.feasible);
  CHECK(failed.value == 8);  // 3 1 4 is left over, and 4 1 5 would cost 10
  CHECK(where.highest == std::vector<std::size_t>{0, 3, 5});
}

TEST_CASE("a single item above the bound is a lower bound itself") {
  const sums cost{3, 1, 9, 1, 5};
  detail::separators where;
  where.reset(5, 3);
  const auto failed =
      detail::probe(detail::additive_chain<sums>{cost}, std::int64_t{7}, std::int64_t{0}, cost(0, 5), where);
  CHECK(!failed.feasible);
  CHECK(failed.value == 9);
}

TEST_CASE("both chains give the same verdicts and separators") {
  std::mt19937_64 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::int64_t> items(1 + random() % 40);
    for (auto& item : items) item = static_cast<std::int64_t>(random() % 9);
    const sums cost(items);
    const stagecut::testing::counted<sums> hidden(cost);
    const detail::additive_chain<sums> additive{cost};
    const detail::opaque_chain<stagecut::testing::counted<sums>> opaque{hidden};
    const std::size_t stages = 1 + random() % items.size();
    detail::separators one;
    detail::separators other;
    one.reset(items.size(), stages);
    other.reset(items.size(), stages);
    // Bisection, so that each probe lies within what the windows know.
    std::int64_t low = 0;
    std::int64_t high = cost(0, items.size());
    while (low < high) {
      const std::int64_t bound = low + (high - low) / 2;
      const auto a = detail::probe(additive, bound, low, high, one);
      const auto b = detail::probe(opaque, bound, low, high, other);
      REQUIRE(a.feasible == b.feasible);
      REQUIRE(a.value == b.value);
      REQUIRE(one.lowest == other.lowest);
      REQUIRE(one.highest == other.highest);
      (a.feasible ? high : low) = a.value;
    }
  }
}
