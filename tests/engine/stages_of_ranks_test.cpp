// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/stages_of_ranks.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <stagecut/schedule/make_schedule.hpp>

using lists = std::vector<std::vector<std::size_t>>;
using stagecut::make_schedule;
using stagecut::engine::stages_of_ranks;

TEST_CASE("stages stand with their rank, ascending") {
  CHECK(stages_of_ranks(make_schedule("1f1b", {.ranks = 3, .microbatches = 3})) == lists{{0}, {1}, {2}});
  CHECK(stages_of_ranks(make_schedule("interleaved", {.ranks = 2, .stages_per_rank = 2, .microbatches = 4})) ==
        lists{{0, 2}, {1, 3}});
  CHECK(stages_of_ranks(make_schedule("zbv", {.ranks = 2, .stages_per_rank = 2, .microbatches = 4})) == lists{{0, 3}, {1, 2}});
}
