// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/precedence.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"

using stagecut::argument_error;
using stagecut::invalid_input;
using stagecut::precedence;

TEST_CASE("neighbours are listed once and in order, and each element after what it follows") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random() % 12;
    std::vector<precedence::element> label(n);
    for (std::size_t e = 0; e < n; ++e) label[e] = static_cast<precedence::element>(e);
    std::shuffle(label.begin(), label.end(), random);
    std::vector<precedence::pair> pairs;
    for (std::size_t i = random() % 40; i > 0; --i) {
      const std::size_t a = random() % n;
      const std::size_t b = random() % n;
      pairs.emplace_back(label[std::min(a, b)], label[std::max(a, b)]);
    }
    const precedence below(n, pairs);
    std::set<precedence::pair> known(pairs.begin(), pairs.end());
    for (std::size_t e = 0; e < n; ++e) known.erase({label[e], label[e]});
    REQUIRE(below.size() == n);
    REQUIRE(below.pairs() == known.size());
    std::set<precedence::pair> forth;
    std::set<precedence::pair> back;
    for (std::size_t e = 0; e < n; ++e) {
      const auto here = static_cast<precedence::element>(e);
      REQUIRE(std::is_sorted(below.successors(e).begin(), below.successors(e).end()));
      REQUIRE(std::is_sorted(below.predecessors(e).begin(), below.predecessors(e).end()));
      for (const auto to : below.successors(e)) REQUIRE(forth.insert({here, to}).second);
      for (const auto from : below.predecessors(e)) REQUIRE(back.insert({from, here}).second);
    }
    REQUIRE(forth == known);
    REQUIRE(back == known);
    // Of those that may be next the least: said again, plainly.
    std::vector<bool> done(n);
    REQUIRE(below.order().size() == n);
    for (const auto e : below.order()) {
      const auto may_be_next = [&](std::size_t v) {
        return !done[v] && std::all_of(known.begin(), known.end(),
                                       [&](const auto& each) { return each.second != v || done[each.first]; });
      };
      std::size_t least = 0;
      while (!may_be_next(least)) ++least;
      REQUIRE(e == least);
      done[e] = true;
    }
  }
}

TEST_CASE("no element is ordered") {
  CHECK(precedence().size() == 0);
  CHECK(precedence().order().empty());
  CHECK(precedence(0, {}).pairs() == 0);
}

TEST_CASE("cycles, and elements that there are not, are refused") {
  CHECK(refusal<invalid_input>([] {
          return precedence(4, {{3, 1}, {1, 2}, {2, 3}, {0, 1}});
        }) == "element 1: 1 -> 2 -> 3 -> 1 is a cycle of 3 elements");
  std::vector<precedence::pair> ring;
  for (precedence::element e = 0; e < 12; ++e) ring.emplace_back(e, (e + 1) % 12);
  CHECK(refusal<invalid_input>([&] { return precedence(12, ring); }) ==
        "element 0: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> ... -> 0 is a cycle of 12 elements");
  CHECK(refusal<argument_error>([] {
          return precedence(2, {{0, 1}, {1, 2}});
        }) == "stagecut::precedence: pairs = 2, must be below the number of elements, 2");
  CHECK(refusal<argument_error>([] { return precedence(std::numeric_limits<precedence::element>::max(), {}); }) ==
        "stagecut::precedence: elements = 4294967295, must be below 2^32 - 1");
}
