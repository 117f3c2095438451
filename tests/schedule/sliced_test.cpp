// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::sliced_one_forward_one_backward;
using counts = std::vector<std::size_t>;

TEST_CASE("Sliced 1F1B: the order of two ranks with two slices") {
  const stagecut::schedule made = sliced_one_forward_one_backward(2, 2, 2);
  CHECK(made.name == "seq-1f1b");
  CHECK(made.slices == 2);
  CHECK(made.rank_of == counts{0, 1});
  REQUIRE(made.ranks() == 2);
  CHECK(order::text(made.orders[0]) == "0F0 0F0:1 0F1 0B0:1 0F1:1 0B0 0B1:1 0B1");
  CHECK(order::text(made.orders[1]) == "1F0 1F0:1 1B0:1 1F1 1B0 1F1:1 1B1:1 1B1");
}

TEST_CASE("Sliced 1F1B: what ranks keep; with one slice it is 1F1B; all of it runs") {
  CHECK(order::peaks(sliced_one_forward_one_backward(4, 8, 2)) == counts{5, 4, 3, 2});
  for (std::size_t p = 1; p <= 5; ++p) {
    for (std::size_t m = 1; m <= 8; ++m) {
      CHECK(sliced_one_forward_one_backward(p, m, 1).orders == stagecut::one_forward_one_backward(p, m).orders);
      for (std::size_t slices = 1; slices <= 5; ++slices) {
        const stagecut::schedule made = sliced_one_forward_one_backward(p, m, slices);
        REQUIRE(order::is_legal(made));
        const counts kept = order::peaks(made);
        for (std::size_t r = 0; r < p; ++r) REQUIRE(kept[r] == std::min(p - 1 - r + slices, m * slices));
      }
    }
  }
}

TEST_CASE("Sliced 1F1B: what cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)sliced_one_forward_one_backward(2, 4, 0),
                       "stagecut::sliced_one_forward_one_backward: slices = 0, must be at least 1",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)sliced_one_forward_one_backward(2, 4, std::size_t{1} << 40U),
                       doctest::Contains("slices = 1099511627776, makes more than 2^28 forward passes"),
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)sliced_one_forward_one_backward(2, 0, 2), doctest::Contains("microbatches = 0"),
                       stagecut::argument_error);
}
