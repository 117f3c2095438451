// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_objective.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "enumeration.hpp"
#include "random_models.hpp"

using stagecut::empty_stages;
using stagecut::prefix_sums;
using stagecut::reason;
using stagecut::detail::explain_infeasible;

namespace {

/// How often which explanation was given.
struct tally {
  int items = 0;
  int stages = 0;
  int reach = 0;
  int none = 0;
};

bool begins_with(const std::string& text, const std::string& with) { return text.substr(0, with.size()) == with; }

/// The number behind some words.
std::size_t number_behind(const std::string& text, const std::string& words) {
  return std::stoul(text.substr(text.find(words) + words.size()));
}

/// The furthest end of the first `stages` stages, 0 if there are none.
template <class Allowed>
std::size_t furthest(const Allowed& allowed, std::size_t items, std::size_t stages) {
  std::size_t result = 0;
  for (std::size_t end = 1; end <= items; ++end) {
    oracle::for_each_cut(end, stages, empty_stages::forbidden, allowed, [&](const auto&) { result = end; });
  }
  return result;
}

/// Fails unless what is told of a chain that cannot be cut is so.
template <class Allowed>
void check(const Allowed& allowed, std::size_t n, std::size_t k, empty_stages empty, tally& seen) {
  const auto why = explain_infeasible(allowed, n, k, empty);
  REQUIRE(why.what == reason::cause::constraint);
  if (begins_with(why.place, "item ")) {
    const std::size_t item = number_behind(why.place, "item ");
    REQUIRE(item < n);
    for (std::size_t s = 0; s < k; ++s) REQUIRE(!allowed(s, item, item + 1));
    ++seen.items;
  } else if (begins_with(why.place, "stage ")) {
    REQUIRE(empty == empty_stages::forbidden);
    const std::size_t stage = number_behind(why.place, "stage ");
    REQUIRE(stage < k);
    REQUIRE(furthest(allowed, n, stage + 1) == 0);
    if (stage > 0) REQUIRE(furthest(allowed, n, stage) != 0);
    ++seen.stages;
  } else if (begins_with(why.place, std::to_string(k) + " stages reach no further than item ")) {
    REQUIRE(empty == empty_stages::forbidden);
    const std::size_t item = number_behind(why.place, "than item ");
    std::size_t end = 0;
    for (std::size_t stages = 1; stages <= k; ++stages) end = std::max(end, furthest(allowed, n, stages));
    REQUIRE(item + 1 == end);
    REQUIRE(end < n);
    ++seen.reach;
  } else {
    REQUIRE(why.place.empty());
    ++seen.none;
  }
}

}  // namespace

TEST_CASE("what is told is so") {
  models::generator random(1);
  tally seen;
  for (int i = 0; i < 60'000; ++i) {
    const std::size_t n = 1 + random() % 7;
    const std::size_t k = 1 + random() % n;
    const auto empty = random() % 4 == 0 ? empty_stages::allowed : empty_stages::forbidden;
    const auto ask = [&](const auto& allowed) {
      if (oracle::best_cut(n, k, empty, allowed, [](const auto&) { return 0; })) return;
      check(allowed, n, k, empty, seen);
    };
    switch (i % 4) {
      case 0: ask(models::random_permits(random, n, k)); break;
      case 1: ask(models::random_permits<stagecut::stage_invariant>(random, n, k)); break;
      case 2: ask(models::random_permits<stagecut::hereditary>(random, n, k)); break;
      default: ask(models::telling_permits{models::random_permits(random, n, k)}); break;
    }
  }
  CHECK(seen.items > 500);
  CHECK(seen.stages > 500);
  CHECK(seen.reach > 500);
  CHECK(seen.none > 500);
}

TEST_CASE("what the constraint itself can tell comes first") {
  const prefix_sums cost{1, 2, 3, 4};
  const stagecut::forbidden_cuts forbidden(4, {1, 3});
  CHECK(explain_infeasible(forbidden, 4, 3).place == "3 stages need 2 cuts, and 1 is allowed");
  CHECK(explain_infeasible(forbidden, 4, 3).remedy == "ask for at most 2");
  CHECK(stagecut::minimize_bottleneck(cost, 3, forbidden).why().text() ==
        "no cut keeps to the constraint: 3 stages need 2 cuts, and 1 is allowed; ask for at most 2");
  const stagecut::at_least_one blocks(std::vector<bool>{true, false, false, true});
  const auto both = stagecut::all_of(blocks, forbidden);
  CHECK(stagecut::minimize_leximax(cost, 3, both).why().place == "3 stages need 3 items of the kind, and there are 2");
  CHECK(stagecut::minimize_objective(cost, 4, stagecut::total_cost(), stagecut::at_most(cost, 3)).why().place ==
        "item 3 alone costs more than the 3 that a stage may cost: 4");
  // Stages that may be empty need no item of their own, and no cut.
  CHECK(explain_infeasible(forbidden, 4, 3, empty_stages::allowed).place.empty());
}

TEST_CASE("what is told of a cut of three stages") {
  const auto short_stages = [](std::size_t, std::size_t first, std::size_t last) { return last - first < 3; };
  CHECK(explain_infeasible(short_stages, 9, 3).place == "3 stages reach no further than item 5");
  const auto picky = [](std::size_t stage, std::size_t, std::size_t last) { return stage != 1 || last == 2; };
  CHECK(explain_infeasible(picky, 3, 2).place.empty());  // stage 0 may reach the end, and stage 1 may not
  const auto never = [](std::size_t stage, std::size_t, std::size_t) { return stage != 1; };
  CHECK(explain_infeasible(never, 5, 3).place == "stage 1 finds no items that it may hold, wherever those before it end");
}

TEST_CASE("of a long chain no more is asked than can be told in a second") {
  std::size_t asked = 0;
  const auto most = [&](std::size_t stage, std::size_t, std::size_t last) {
    ++asked;
    return stage != 499 || last != 3000;
  };
  const auto why = explain_infeasible(most, 3000, 500);
  CHECK(why.place.empty());
  CHECK(asked <= (std::size_t{1} << 26U));
}
