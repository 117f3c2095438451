// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/zero_bubble.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::interleaved_zero_bubble;
using stagecut::zb_h1;
using stagecut::zb_h2;
using counts = std::vector<std::size_t>;

namespace {

/// The most microbatches that each rank keeps whole, from F to I.
counts whole_peaks(const stagecut::schedule& made) {
  stagecut::schedule joined = made;
  for (auto& ops : joined.orders) {
    std::erase_if(ops, [](const stagecut::op& op) { return op.kind == stagecut::op_kind::backward_weight; });
    for (auto& op : ops) {
      if (op.kind == stagecut::op_kind::backward_input) op.kind = stagecut::op_kind::backward;
    }
  }
  return order::peaks(joined);
}

}  // namespace

TEST_CASE("ZB-H1: the order of four ranks") {
  const stagecut::schedule made = zb_h1(4, 8);
  CHECK(made.name == "zb-h1");
  CHECK(made.rank_of == counts{0, 1, 2, 3});
  REQUIRE(made.ranks() == 4);
  CHECK(order::text(made.orders[0]) ==
        "0F0 0F1 0F2 0F3 0I0 0W0 0F4 0I1 0W1 0F5 0I2 0W2 0F6 0I3 0W3 0F7 0I4 0W4 0I5 0W5 0I6 0W6 0I7 0W7");
  CHECK(order::short_text(made.orders[1]) == "F0 F1 F2 I0 F3 I1 W0 F4 I2 W1 F5 I3 W2 F6 I4 W3 F7 I5 W4 I6 W5 I7 W6 W7");
  CHECK(order::short_text(made.orders[2]) == "F0 F1 I0 F2 I1 F3 I2 W0 F4 I3 W1 F5 I4 W2 F6 I5 W3 F7 I6 W4 I7 W5 W6 W7");
  CHECK(order::short_text(made.orders[3]) == "F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 F5 I5 W2 F6 I6 W3 F7 I7 W4 W5 W6 W7");
}

TEST_CASE("ZB-H2: the order of four ranks") {
  const stagecut::schedule made = zb_h2(4, 8);
  CHECK(made.name == "zb-h2");
  REQUIRE(made.ranks() == 4);
  CHECK(order::short_text(made.orders[0]) == "F0 F1 F2 F3 F4 F5 F6 I0 W0 F7 I1 W1 I2 W2 I3 W3 I4 W4 I5 W5 I6 W6 I7 W7");
  CHECK(order::short_text(made.orders[3]) == "F0 I0 F1 I1 F2 I2 F3 I3 F4 I4 F5 I5 F6 I6 W0 F7 I7 W1 W2 W3 W4 W5 W6 W7");
}

TEST_CASE("ZB-H1 and ZB-H2: what ranks keep, in all and whole") {
  for (std::size_t p = 1; p <= 6; ++p) {
    for (std::size_t m = 2 * p; m <= 3 * p + 2; ++m) {
      REQUIRE(order::is_legal(zb_h1(p, m)));
      REQUIRE(order::is_legal(zb_h2(p, m)));
      CHECK(order::peaks(zb_h1(p, m)) == counts(p, p));
      CHECK(order::peaks(zb_h2(p, m)) == counts(p, 2 * p - 1));
      counts one(p);
      counts two(p);
      for (std::size_t r = 0; r < p; ++r) one[r] = p - r, two[r] = 2 * (p - r) - 1;
      CHECK(whole_peaks(zb_h1(p, m)) == one);
      CHECK(whole_peaks(zb_h2(p, m)) == two);
    }
  }
}

TEST_CASE("Interleaved zero bubble: the order of two ranks with two chunks") {
  const stagecut::schedule made = interleaved_zero_bubble(2, 2, 4);
  CHECK(made.name == "interleaved-zb");
  CHECK(made.rank_of == counts{0, 1, 0, 1});
  REQUIRE(made.ranks() == 2);
  CHECK(order::text(made.orders[0]) ==
        "0F0 0F1 2F0 2F1 2I0 2W0 0F2 2I1 2W1 0F3 0I0 0W0 2F2 0I1 0W1 2F3 2I2 2W2 2I3 2W3 0I2 0W2 0I3 0W3");
  CHECK(order::text(made.orders[1]) ==
        "1F0 1F1 3F0 3I0 3F1 3I1 3W0 1F2 1I0 3W1 1F3 1I1 1W0 3F2 3I2 1W1 3F3 3I3 3W2 1I2 3W3 1I3 1W2 1W3");
}

TEST_CASE("Interleaved zero bubble: with one chunk it is ZB-H1") {
  for (std::size_t p = 1; p <= 6; ++p) {
    for (std::size_t rounds = 2; rounds <= 4; ++rounds) {
      CHECK(interleaved_zero_bubble(p, 1, rounds * p).orders == zb_h1(p, rounds * p).orders);
    }
  }
}

TEST_CASE("Interleaved zero bubble: all that it takes runs, and keeps what is said") {
  std::size_t made = 0;
  for (std::size_t p = 1; p <= 6; ++p) {
    for (std::size_t v = 1; v <= 4; ++v) {
      for (std::size_t m = 1; m <= 20; ++m) {
        const std::size_t rounds = std::max<std::size_t>(1, m / p);
        if (m % rounds != 0) {
          REQUIRE_THROWS_AS((void)interleaved_zero_bubble(p, v, m), stagecut::argument_error);
          continue;
        }
        const stagecut::schedule each = interleaved_zero_bubble(p, v, m);
        REQUIRE(order::is_legal(each));
        REQUIRE(order::peaks(each) == counts(p, std::min((v - 1) * (m / rounds) + p, v * m)));
        ++made;
      }
    }
  }
  CHECK(made > 200);
}

TEST_CASE("Zero bubble: what cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)zb_h1(4, 7),
                       "stagecut::zb_h1: microbatches = 7, must be at least twice the number of ranks, 8",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)zb_h2(4, 7),
                       "stagecut::zb_h2: microbatches = 7, must be at least twice the number of ranks, 8",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)zb_h2(0, 7), "stagecut::zb_h2: ranks = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS(
      (void)interleaved_zero_bubble(4, 2, 9),
      "stagecut::interleaved_zero_bubble: microbatches = 9, must be a multiple of the number of rounds, 2",
      stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)interleaved_zero_bubble(4, 0, 8), doctest::Contains("stages_per_rank = 0"),
                       stagecut::argument_error);
}

TEST_CASE("interleaved with split backward passes: fewer microbatches than ranks, as PyTorch has them") {
  const auto few = interleaved_zero_bubble(3, 2, 1);
  CHECK(order::text(few.orders[0]) == "0F0 3F0 3I0 3W0 0I0 0W0");
  CHECK(order::text(few.orders[1]) == "1F0 4F0 4I0 1I0 4W0 1W0");
  CHECK(order::text(few.orders[2]) == "2F0 5F0 5I0 2I0 5W0 2W0");
}
