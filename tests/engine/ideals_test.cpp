// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/ideals.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <stagecut/graph/precedence.hpp>

namespace engine = stagecut::engine;
using stagecut::precedence;
using stagecut::engine::ideal_family;

namespace {

precedence random_order(std::mt19937& random, std::size_t n, unsigned sparse) {
  std::vector<precedence::element> label(n);
  for (std::size_t e = 0; e < n; ++e) label[e] = static_cast<precedence::element>(e);
  std::shuffle(label.begin(), label.end(), random);
  std::vector<precedence::pair> pairs;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (random() % sparse == 0) pairs.emplace_back(label[j], label[i]);
    }
  }
  return precedence(n, pairs);
}

/// What every set of a family holds, by the steps that lead there; they have to agree.
std::vector<std::set<std::size_t>> members(const ideal_family& family) {
  std::vector<std::set<std::size_t>> result(family.size());
  std::vector<bool> met(family.size());
  met[0] = true;
  for (std::size_t set = 0; set < family.size(); ++set) {
    REQUIRE(met[set]);
    for (const auto& [element, to] : family.steps_of(set)) {
      REQUIRE(to > set);
      REQUIRE(to < family.size());
      std::set<std::size_t> larger = result[set];
      REQUIRE(larger.insert(element).second);
      if (met[to]) REQUIRE(result[to] == larger);
      result[to] = larger;
      met[to] = true;
    }
  }
  return result;
}

bool holds_all_before(const precedence& below, const std::set<std::size_t>& set) {
  return std::all_of(set.begin(), set.end(), [&](std::size_t e) {
    const auto before = below.predecessors(e);
    return std::all_of(before.begin(), before.end(), [&](std::size_t from) { return set.count(from) != 0; });
  });
}

}  // namespace

TEST_CASE("down-sets are all sets that hold what their elements follow, each once, and steps are all that join two") {
  std::mt19937 random(1);
  for (int round = 0; round < 150; ++round) {
    const std::size_t n = random() % 10;
    const precedence below = random_order(random, n, 1 + static_cast<unsigned>(random() % 6));
    std::set<std::set<std::size_t>> all;
    for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
      std::set<std::size_t> set;
      for (std::size_t e = 0; e < n; ++e) {
        if ((bits >> e & 1U) != 0) set.insert(e);
      }
      if (holds_all_before(below, set)) all.insert(set);
    }
    const auto family = engine::ideal_search(below).run(10000, {});
    REQUIRE(family);
    const auto found = members(*family);
    REQUIRE(family->size() == all.size());
    REQUIRE(std::set<std::set<std::size_t>>(found.begin(), found.end()) == all);
    REQUIRE(found.front().empty());
    REQUIRE(found.back().size() == n);
    std::size_t steps = 0;
    for (std::set<std::size_t> set : all) {
      for (std::size_t e = 0; e < n; ++e) {
        if (set.erase(e) == 0) continue;
        steps += all.count(set);
        set.insert(e);
      }
    }
    REQUIRE(family->steps.size() == steps);
  }
}

TEST_CASE("sets of more elements than a word has bits are told apart") {
  // Two chains of 70 side by side, numbered by turns: 71 * 71 down-sets.
  std::vector<precedence::pair> pairs;
  for (precedence::element e = 2; e < 140; ++e) pairs.emplace_back(e - 2, e);
  const precedence below(140, pairs);
  const auto family = engine::ideal_search(below).run(100000, {});
  REQUIRE(family);
  CHECK(family->size() == 71 * 71);
  CHECK(family->steps.size() == 2 * 70 * 71);
  const auto found = members(*family);
  CHECK(std::set<std::set<std::size_t>>(found.begin(), found.end()).size() == 71 * 71);
}

TEST_CASE("no more sets are listed than are asked for, and none when stopped") {
  const precedence apart(10, {});
  CHECK(engine::ideal_search(apart).run(1024, {}));
  CHECK_FALSE(engine::ideal_search(apart).run(1023, {}));
  CHECK_FALSE(engine::ideal_search(apart).run(0, {}));
  int asked = 0;
  const auto stop = [&] { return ++asked == 3; };
  CHECK_FALSE(engine::ideal_search(apart).run(1024, stop));
  CHECK(asked == 3);
}

TEST_CASE("the prefixes of an order are the sets that it fills") {
  const std::vector<precedence::element> order{2, 0, 1};
  const auto found = members(ideal_family::prefixes_of({order.data(), order.size()}));
  REQUIRE(found.size() == 4);
  CHECK(found[1] == std::set<std::size_t>{2});
  CHECK(found[2] == std::set<std::size_t>{0, 2});
  CHECK(found[3] == std::set<std::size_t>{0, 1, 2});
}
