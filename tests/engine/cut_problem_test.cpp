// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/cut_problem.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using stagecut::engine::is_cut;
using stagecut::engine::number_of_cuts;

TEST_CASE("a cut begins with the first item, ends behind the last one, and has no empty stage") {
  using points = std::vector<std::size_t>;
  CHECK(is_cut(points{0, 3}, 3));
  CHECK(is_cut(points{0, 1, 2, 3}, 3));
  CHECK_FALSE(is_cut(points{1, 3}, 3));
  CHECK_FALSE(is_cut(points{0, 2}, 3));
  CHECK_FALSE(is_cut(points{0, 2, 2, 3}, 3));
  CHECK_FALSE(is_cut(points{0, 2, 1, 3}, 3));
}

TEST_CASE("the number of cuts is that of enumeration") {
  for (std::size_t items = 1; items < 12; ++items) {
    std::vector<int> counts(items + 1);
    for (std::size_t inner = 0; inner < std::size_t{1} << (items - 1); ++inner) {
      std::size_t stages = 1;
      for (std::size_t bits = inner; bits != 0; bits &= bits - 1) ++stages;
      ++counts[stages];
    }
    for (std::size_t stages = 1; stages <= items; ++stages) {
      CHECK(number_of_cuts(items, stages) == doctest::Approx(counts[stages]).epsilon(1e-12));
    }
  }
}
