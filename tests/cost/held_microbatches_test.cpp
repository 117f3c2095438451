// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/parts/held_microbatches.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using stagecut::detail::held_microbatches;
using stagecut::detail::moments_of;
using stagecut::detail::stage_moments;

TEST_CASE("of microbatches in flight one goes back at the only moment, whole") {
  const auto held = moments_of(std::vector<std::size_t>{3, 1});
  CHECK(held == std::vector<stage_moments>{{{3, 1, 0}}, {{1, 1, 0}}});
}

TEST_CASE("moments that are known already stay what they are") {
  const std::vector<stage_moments> known{{{4, 2, 1}, {5, 0, 0}}, {}};
  CHECK(__builtin_addressof(moments_of(known)) == __builtin_addressof(known));
}
