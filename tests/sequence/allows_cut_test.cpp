// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/cuts.hpp>
#include <stagecut/sequence/detail/allows_cut.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

TEST_CASE("a cut is allowed if each of its stages is, which are asked from the front up to the first that is not") {
  std::vector<std::size_t> asked;
  const auto short_ones = [&](std::size_t stage, std::size_t first, std::size_t last) {
    asked.push_back(stage);
    return last - first <= 2;
  };
  CHECK(stagecut::detail::allows_cut(short_ones, stagecut::cuts{0, 2, 3, 5}, 3));
  CHECK(asked == std::vector<std::size_t>{0, 1, 2});
  asked.clear();
  CHECK_FALSE(stagecut::detail::allows_cut(short_ones, std::vector<std::size_t>{0, 2, 5, 6}, 3));
  CHECK(asked == std::vector<std::size_t>{0, 1});
}
