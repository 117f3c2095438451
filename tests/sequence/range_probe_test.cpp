// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/range_probe.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace detail = stagecut::detail;
using points = std::vector<std::size_t>;

namespace {

/// The lexicographically smallest cut points whose stages cost between two numbers.
template <class Cost>
std::optional<points> first_between(const detail::known_prefixes<Cost>& chain, std::size_t stages, Cost least,
                                    Cost most, bool odd_only) {
  points cut{0};
  const auto extend = [&](const auto& self) -> bool {
    if (cut.size() == stages + 1) return cut.back() == chain.size();
    for (std::size_t last = cut.back() + 1; last <= chain.size(); ++last) {
      const Cost here = chain(cut.back(), last);
      if (here < least || most < here || (odd_only && (last - cut.back()) % 2 == 0)) continue;
      cut.push_back(last);
      if (self(self)) return true;
      cut.pop_back();
    }
    return false;
  };
  if (!extend(extend)) return std::nullopt;
  return cut;
}

}  // namespace

TEST_CASE_TEMPLATE("probes say whether stages can cost between two numbers, and where first", T, double, std::int64_t) {
  std::mt19937_64 random(71);
  int yes = 0;
  int no = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % n;
    std::vector<T> items(n);
    for (T& item : items) {
      item = static_cast<T>(random() % 8);
      if constexpr (std::is_floating_point_v<T>) item = item / T{10};
    }
    const detail::known_prefixes<T> chain{stagecut::prefix_sums<T>(items)};
    const auto odd = [](std::size_t, std::size_t first, std::size_t last) { return (last - first) % 2 == 1; };
    detail::range_probe<T> free(chain, k);
    const stagecut::search_options limits;
    detail::chain_clock clock(limits);
    detail::constrained_range_probe<T, decltype(odd)> constrained(chain, k, odd, clock);
    const auto compare = [&](auto& probe, T least, T most, bool odd_only) {
      const auto expected = first_between(chain, k, least, most, odd_only);
      ++(expected ? yes : no);
      REQUIRE((probe.at_least(least) && probe.find(least, most)) == expected.has_value());
      if (!expected) return;
      REQUIRE(probe.found.points == *expected);
      REQUIRE(least <= probe.found.lowest);
      REQUIRE(probe.found.highest <= most);
      REQUIRE(probe.found.range() <= most - least);
    };
    for (int again = 0; again < 5; ++again) {
      const std::size_t i = random() % n;
      const T least = chain(i, i + random() % (n + 1 - i));
      const std::size_t j = random() % n;
      const T most = chain(j, j + random() % (n + 1 - j));
      compare(free, least, most, false);
      compare(constrained, least, most, true);
    }
  }
  CHECK(yes > 1000);
  CHECK(no > 1000);
}
