// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace detail = stagecut::detail;
using sums = stagecut::prefix_sums<std::int64_t>;

namespace {

struct given {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  std::vector<double> sums;
  [[nodiscard]] std::size_t size() const { return sums.size() - 1; }
  [[nodiscard]] double prefix(std::size_t i) const { return sums[i]; }
  double operator()(std::size_t first, std::size_t last) const { return sums[last] - sums[first]; }
};

}  // namespace

static_assert(stagecut::additive_cost<detail::known_prefixes<double>>);

TEST_CASE("windows hold what stages from both ends leave") {
  const detail::known_prefixes<std::int64_t> chain(sums(std::vector<std::int64_t>(12, 1)));
  detail::stage_windows<std::int64_t> where(chain, 3);
  REQUIRE(where.at_least(3));
  where.at_most(5);
  // Stage 0 has 3 to 5 items, and the two behind it have at most 10.
  CHECK(where.low(1) == 3);
  CHECK(where.high(1) == 5);
  CHECK(where.low(2) == 7);
  CHECK(where.high(2) == 9);
  CHECK(where.low(0) == 0);
  CHECK(where.high(0) == 0);
  CHECK(where.low(3) == 12);
  CHECK(where.high(3) == 12);
  CHECK(where.at_least(4));
  CHECK(!where.at_least(5));
}

TEST_CASE("every cut whose stages keep to the bounds lies in the windows, whatever was asked before") {
  std::mt19937_64 random(67);
  int inside = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 3 + random() % 12;
    std::vector<std::int64_t> items(n);
    for (auto& item : items) item = static_cast<std::int64_t>(random() % 6);
    const detail::known_prefixes<std::int64_t> chain{sums(items)};
    detail::stage_windows<std::int64_t> where(chain, 3);
    for (int again = 0; again < 10; ++again) {
      const auto least = static_cast<std::int64_t>(random() % 10);
      const auto most = least + static_cast<std::int64_t>(random() % 10);
      const bool possible = where.at_least(least);
      where.at_most(most);
      for (std::size_t a = 1; a < n; ++a) {
        for (std::size_t b = a + 1; b < n; ++b) {
          bool kept = true;
          for (const auto cost : {chain(0, a), chain(a, b), chain(b, n)}) kept = kept && least <= cost && cost <= most;
          if (!kept) continue;
          ++inside;
          REQUIRE(possible);
          REQUIRE((where.low(1) <= a && a <= where.high(1)));
          REQUIRE((where.low(2) <= b && b <= where.high(2)));
        }
      }
    }
  }
  CHECK(inside > 1000);
}

TEST_CASE("known prefixes are finite and never fall, whatever a model says") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const detail::known_prefixes<double> chain(given{{nan, 2, 1, infinity, 5, nan}});
  std::vector<double> known;
  for (std::size_t i = 0; i <= chain.size(); ++i) known.push_back(chain.prefix(i));
  CHECK(known == std::vector<double>{0, 2, 2, 2, 5, 5});
  CHECK(detail::known_prefixes<double>(given{{-3, -1}})(0, 1) == 2);
}

TEST_CASE("prefixes never fall, and what lies between any two of them is a number, whatever a model says") {
  struct wild {
    using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
    [[nodiscard]] static std::size_t size() { return 3; }
    [[nodiscard]] static std::int64_t prefix(std::size_t i) {
      constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
      const std::int64_t said[] = {least, -1, 5, 3};
      return said[i];
    }
    std::int64_t operator()(std::size_t first, std::size_t last) const { return prefix(last) - prefix(first); }
  };
  const detail::known_prefixes<std::int64_t> chain{wild()};
  CHECK(chain(0, 1) == std::numeric_limits<std::int64_t>::max());
  CHECK(chain(0, 3) == std::numeric_limits<std::int64_t>::max());
  CHECK(chain(1, 3) == 0);
}
