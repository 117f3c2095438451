// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/range_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "range_oracle.hpp"

namespace detail = stagecut::detail;

namespace {

std::vector<std::int64_t> random_items(std::mt19937_64& random, std::size_t n) {
  std::vector<std::int64_t> items(n);
  for (std::int64_t& item : items) item = static_cast<std::int64_t>(random() % 30);
  return items;
}

/// The costliest stage of the cut with the least bottleneck, by trying all, and the cut of equal numbers of items.
std::int64_t bottleneck_of(const detail::known_prefixes<std::int64_t>& chain, std::size_t k, std::size_t first = 0) {
  if (k == 1) return chain(first, chain.size());
  std::int64_t best = chain(first, chain.size());
  for (std::size_t last = first + 1; last + k - 1 <= chain.size(); ++last) {
    best = std::min(best, std::max(chain(first, last), bottleneck_of(chain, k - 1, last)));
  }
  return best;
}
std::vector<std::size_t> first_cut(std::size_t n, std::size_t k) {
  std::vector<std::size_t> cut;
  for (std::size_t s = 0; s < k; ++s) cut.push_back(s);
  cut.push_back(n);
  return cut;
}

}  // namespace

TEST_CASE("from any cut, the search ends at the least range of all cuts within the cap, the smallest of them, and says so") {
  std::mt19937_64 random(73);
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 2 + random() % 9;
    const std::size_t k = 1 + random() % n;
    const detail::known_prefixes<std::int64_t> chain{stagecut::prefix_sums(random_items(random, n))};
    const std::int64_t least = bottleneck_of(chain, k);
    const std::int64_t cap = round % 2 == 0 ? chain(0, n) : least + static_cast<std::int64_t>(random() % 20);
    const auto within = [&](std::size_t, std::size_t first, std::size_t last) { return chain(first, last) <= cap; };
    const auto expected = oracle::range_by_enumeration(chain, k, within);
    REQUIRE(expected);

    const stagecut::search_options limits;
    detail::chain_clock clock(limits);
    detail::range_probe<std::int64_t> probe(chain, k);
    const std::vector<std::size_t> start = round % 2 == 0 ? first_cut(n, k) : expected->first;
    detail::range_search<std::int64_t, decltype(probe)> search(probe, start, cap, clock);
    const auto& best = search.run(least);
    CHECK(best.points == expected->first);
    CHECK(best.range() == expected->second);
    CHECK(search.proved());
    CHECK(search.bound() == expected->second);
  }
}

TEST_CASE("a search that is stopped keeps its cut, and a bound that no cut is below") {
  std::mt19937_64 random(74);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 3 + random() % 8;
    const std::size_t k = 2 + random() % (n - 1);
    const detail::known_prefixes<std::int64_t> chain{stagecut::prefix_sums(random_items(random, n))};
    const auto all = [](std::size_t, std::size_t, std::size_t) { return true; };
    const auto expected = oracle::range_by_enumeration(chain, k, all);
    const auto after = random() % 6;
    std::size_t asked = 0;
    const auto stop = [&] { return asked++ >= after; };
    stagecut::search_options limits;
    limits.stop = stop;
    detail::chain_clock clock(limits);
    detail::range_probe<std::int64_t> probe(chain, k);
    detail::range_search<std::int64_t, decltype(probe)> search(probe, first_cut(n, k), chain(0, n), clock);
    const auto range = search.run(bottleneck_of(chain, k)).range();
    CHECK(range >= expected->second);
    CHECK(search.bound() <= expected->second);
    if (search.proved()) CHECK(range == expected->second);
  }
}
