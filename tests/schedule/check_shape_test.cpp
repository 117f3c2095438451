// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using stagecut::detail::check_shape;

TEST_CASE("pipelines without a rank, a chunk or a microbatch are refused, and those beyond all memory") {
  CHECK_NOTHROW(check_shape("f", 1, 1, 1));
  CHECK_NOTHROW(check_shape("f", 64, 4, std::size_t{1} << 20U));
  CHECK_THROWS_WITH_AS(check_shape("f", 0, 1, 1), "stagecut::f: ranks = 0, must be at least 1",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(check_shape("f", 1, 0, 1), doctest::Contains("stages_per_rank = 0"), stagecut::argument_error);
  CHECK_THROWS_WITH_AS(check_shape("f", 1, 1, 0), doctest::Contains("microbatches = 0"), stagecut::argument_error);
  const std::size_t most = ~std::size_t{0};
  for (const std::size_t ranks : {std::size_t{2}, most}) {
    CHECK_THROWS_WITH_AS(check_shape("f", ranks, most, most), doctest::Contains("more than 2^28"),
                         stagecut::argument_error);
  }
  CHECK_THROWS_AS(check_shape("f", 1, 1, (std::size_t{1} << 28U) + 1), stagecut::argument_error);
  CHECK_NOTHROW(check_shape("f", 1, 1, std::size_t{1} << 28U));
}
