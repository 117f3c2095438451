// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>

#include <stagecut/schedule/generators/gpipe.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::eager_one_forward_one_backward;
using stagecut::in_flight_order;
using stagecut::one_forward_one_backward;
using counts = std::vector<std::size_t>;

namespace {

/// The order with any N, also one that waits forever.
stagecut::schedule unchecked(const counts& in_flight, std::size_t microbatches) {
  return stagecut::detail::one_stage_a_rank("", in_flight, microbatches);
}

}  // namespace

TEST_CASE("1F1B: the order of four ranks") {
  const stagecut::schedule made = one_forward_one_backward(4, 6);
  CHECK(made.name == "1f1b");
  CHECK(made.microbatches == 6);
  CHECK(made.slices == 1);
  CHECK(made.rank_of == counts{0, 1, 2, 3});
  REQUIRE(made.ranks() == 4);
  CHECK(order::text(made.orders[0]) == "0F0 0F1 0F2 0F3 0B0 0F4 0B1 0F5 0B2 0B3 0B4 0B5");
  CHECK(order::short_text(made.orders[1]) == "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  CHECK(order::short_text(made.orders[2]) == "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 B5");
  CHECK(order::text(made.orders[3]) == "3F0 3B0 3F1 3B1 3F2 3B2 3F3 3B3 3F4 3B4 3F5 3B5");
}

TEST_CASE("Ranks keep as many microbatches as they let in") {
  CHECK(order::peaks(one_forward_one_backward(4, 8)) == counts{4, 3, 2, 1});
  CHECK(order::peaks(one_forward_one_backward(4, 2)) == counts{2, 2, 2, 1});
  CHECK(order::peaks(eager_one_forward_one_backward(4, 8)) == counts{7, 5, 3, 1});
  CHECK(order::peaks(eager_one_forward_one_backward(4, 4)) == counts{4, 4, 3, 1});
  CHECK(order::peaks(in_flight_order(counts{6, 6, 4, 1}, 8)) == counts{6, 6, 4, 1});
  CHECK(order::peaks(in_flight_order(counts{6, 6, 4, 1}, 5)) == counts{5, 5, 4, 1});
}

TEST_CASE("Eager 1F1B: the order of three ranks") {
  const stagecut::schedule made = eager_one_forward_one_backward(3, 6);
  CHECK(made.name == "eager-1f1b");
  REQUIRE(made.ranks() == 3);
  CHECK(order::short_text(made.orders[0]) == "F0 F1 F2 F3 F4 B0 F5 B1 B2 B3 B4 B5");
  CHECK(order::short_text(made.orders[1]) == "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  CHECK(order::short_text(made.orders[2]) == "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5");
}

TEST_CASE("1F1B, its eager form and GPipe are orders by what is in flight") {
  CHECK(in_flight_order(counts{1}, 1).name == "in-flight");
  for (std::size_t p = 1; p <= 6; ++p) {
    for (std::size_t m = 1; m <= 14; ++m) {
      counts usual(p);
      counts eager(p);
      for (std::size_t r = 0; r < p; ++r) usual[r] = p - r, eager[r] = 2 * (p - 1 - r) + 1;
      REQUIRE(in_flight_order(usual, m).orders == one_forward_one_backward(p, m).orders);
      REQUIRE(in_flight_order(eager, m).orders == eager_one_forward_one_backward(p, m).orders);
      REQUIRE(in_flight_order(counts(p, m), m).orders == stagecut::gpipe(p, m).orders);
    }
  }
}

TEST_CASE("Whatever never rises from rank to rank runs, and nothing else does") {
  std::size_t refused = 0;
  for (std::size_t code = 0; code < 4 * 4 * 4 * 4; ++code) {
    const counts in_flight{1 + code % 4, 1 + code / 4 % 4, 1 + code / 16 % 4, 1 + code / 64};
    for (std::size_t m = 1; m <= 6; ++m) {
      counts capped = in_flight;
      for (std::size_t& each : capped) each = std::min(each, m);
      const bool falls = std::is_sorted(capped.rbegin(), capped.rend());
      REQUIRE(order::runs_to_the_end(unchecked(in_flight, m)) == falls);
      if (falls) {
        REQUIRE(order::is_legal(in_flight_order(in_flight, m)));
      } else {
        REQUIRE_THROWS_AS((void)in_flight_order(in_flight, m), stagecut::argument_error);
        ++refused;
      }
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("What cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)in_flight_order(counts{4, 2, 3, 1}, 8),
                       "stagecut::in_flight_order: in_flight[2] = 3, must not be above the rank before: deadlock",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)in_flight_order(counts{2, 0}, 8),
                       "stagecut::in_flight_order: in_flight[1] = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)in_flight_order(counts{}, 8),
                       "stagecut::in_flight_order: in_flight.size() = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)in_flight_order(counts{1}, 0),
                       "stagecut::in_flight_order: microbatches = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)one_forward_one_backward(0, 4),
                       "stagecut::one_forward_one_backward: ranks = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)eager_one_forward_one_backward(2, 0),
                       "stagecut::eager_one_forward_one_backward: microbatches = 0, must be at least 1",
                       stagecut::argument_error);
}
