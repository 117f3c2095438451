// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/zbv.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::zbv;
using counts = std::vector<std::size_t>;

TEST_CASE("ZB-V: the order of two ranks") {
  const stagecut::schedule made = zbv(2, 4);
  CHECK(made.name == "zbv");
  CHECK(made.rank_of == counts{0, 1, 1, 0});
  REQUIRE(made.ranks() == 2);
  CHECK(order::text(made.orders[0]) ==
        "0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 3W1 0F3 0I0 0W0 3F2 3I2 3W2 0I1 0W1 3F3 3I3 3W3 0I2 0W2 0I3 0W3");
  CHECK(order::text(made.orders[1]) ==
        "1F0 2F0 1F1 2F1 2I0 2W0 1F2 1I0 1W0 2F2 2I1 2W1 1F3 1I1 1W1 2F3 2I2 2W2 1I2 2I3 1I3 1W2 2W3 1W3");
}

TEST_CASE("ZB-V: any number of microbatches runs, and ranks keep the same") {
  CHECK(order::peaks(zbv(4, 8)) == counts{8, 8, 8, 8});
  for (std::size_t p = 1; p <= 7; ++p) {
    for (std::size_t m = 1; m <= 20; ++m) {
      REQUIRE(order::is_legal(zbv(p, m)));
      const counts kept = order::peaks(zbv(p, m));
      if (m + 1 >= 2 * p) REQUIRE(kept == counts(p, 2 * p));
      for (const std::size_t each : kept) REQUIRE(each <= 2 * std::min(p, m));
    }
  }
}

TEST_CASE("ZB-V: what cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)zbv(0, 4), "stagecut::zbv: ranks = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)zbv(2, 0), "stagecut::zbv: microbatches = 0, must be at least 1",
                       stagecut::argument_error);
}
