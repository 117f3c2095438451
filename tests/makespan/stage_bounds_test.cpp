// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/stage_bounds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "stage_chains.hpp"

using chains::chain;
using chains::listed;
using chains::next_chain;
using stagecut::schedule_kind;

TEST_CASE("no edge's bound is above the makespan of a cut that uses it") {
  const chains::tally found = chains::tally_of_bounds(1, next_chain);
  CHECK(found.wrong == 0);
  CHECK(found.cuts > 10000);
}

// The listed values were computed by another program.
TEST_CASE("the least bounds of a listed chain are at least the listed ones, and at most its optima") {
  const auto between = [](double low, double found, double high) { return low <= found && found <= high; };
  CHECK(between(519, chains::listed_bound(schedule_kind::gpipe, 0), 600));
  CHECK(between(523, chains::listed_bound(schedule_kind::gpipe, 2), 612));
  CHECK(between(558, chains::listed_bound(schedule_kind::one_forward_one_backward, 0), 573));
  CHECK(between(573, chains::listed_bound(schedule_kind::one_forward_one_backward, 2), 589));
  CHECK(between(519, chains::listed_bound(schedule_kind::eager_one_forward_one_backward, 0), 543));
  CHECK(between(523, chains::listed_bound(schedule_kind::eager_one_forward_one_backward, 2), 547));
  CHECK(between(519, chains::listed_bound(schedule_kind::zb_h1, 0), 520));
  CHECK(chains::listed_bound(schedule_kind::zb_h1, 2) == 526);
  CHECK(chains::listed_bound(schedule_kind::zb_h2, 0) == 504);
  CHECK(chains::listed_bound(schedule_kind::zb_h2, 2) == 504);
}
