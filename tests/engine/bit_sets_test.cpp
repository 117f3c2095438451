// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/bit_sets.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include <stagecut/engine/seeded.hpp>

using stagecut::engine::bit_rows;
using stagecut::engine::bit_sets;
using stagecut::engine::seeded;

namespace {

using elements = std::set<std::size_t>;

std::vector<std::uint64_t> bits_of(const elements& set, std::size_t n) {
  bit_rows result(n, 1);
  for (const std::size_t e : set) bit_rows::put(result[0], e);
  return result.bits;
}

}  // namespace

TEST_CASE("each set has one number, in the order in which they came, and a word's share of the hash is exchanged") {
  seeded random(1);
  for (const std::size_t n : {std::size_t{5}, std::size_t{64}, std::size_t{150}}) {
    bit_sets sets(n);
    std::vector<elements> known;
    for (int round = 0; round < 2000; ++round) {
      elements set;
      for (std::size_t i = 1 + random.below(3); i-- > 0;) set.insert(random.below(n));
      const auto bits = bits_of(set, n);
      const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), set) - known.begin());
      const auto [number, is_new] = sets.put(bits.data(), sets.hash_of(bits.data()));
      REQUIRE(number == at);
      REQUIRE(is_new == (at == known.size()));
      if (is_new) known.push_back(set);
      REQUIRE(sets.size() == known.size());
      REQUIRE(std::equal(bits.begin(), bits.end(), sets[number]));
      const std::size_t e = random.below(n);
      std::vector<std::uint64_t> other = bits;
      bit_rows::put(other.data(), e);
      const std::size_t w = e / 64;
      REQUIRE(sets.hash_of(other.data()) ==
              (sets.hash(number) ^ bit_sets::hash_of_word(w, bits[w]) ^ bit_sets::hash_of_word(w, other[w])));
    }
  }
}

TEST_CASE("what sets hold, whether one holds another, and what lies between") {
  seeded random(2);
  const std::size_t n = 130;
  bit_rows rows(n, 2);
  for (int round = 0; round < 300; ++round) {
    rows = bit_rows(n, 2);
    elements inner;
    elements outer;
    for (std::size_t i = random.below(9); i-- > 0;) inner.insert(random.below(n));
    if (random.below(2) == 0) outer = inner;
    for (std::size_t i = random.below(9); i-- > 0;) outer.insert(random.below(n));
    for (const std::size_t e : inner) bit_rows::put(rows[0], e);
    for (const std::size_t e : outer) bit_rows::put(rows[1], e);
    for (std::size_t e = 0; e < n; ++e) REQUIRE(rows.holds(0, e) == (inner.count(e) != 0));
    REQUIRE(rows.within(0, 1) == std::includes(outer.begin(), outer.end(), inner.begin(), inner.end()));
    std::vector<std::size_t> between;
    std::set_difference(outer.begin(), outer.end(), inner.begin(), inner.end(), std::back_inserter(between));
    std::vector<std::size_t> met;
    rows.each_between(0, 1, [&](std::size_t e) { met.push_back(e); });
    REQUIRE(met == between);
    const std::vector<std::uint64_t> same(rows[0], rows[1]);
    rows.add(same.data());
    REQUIRE(rows.size() == 3);
    rows.unite(rows[2], rows[1]);
    REQUIRE(rows.within(0, 2));
    REQUIRE(rows.within(1, 2));
    for (std::size_t e = 0; e < n; ++e) REQUIRE(rows.holds(2, e) == (inner.count(e) + outer.count(e) != 0));
  }
}
