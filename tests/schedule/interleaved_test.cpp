// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/interleaved.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/schedule/generators/one_forward_one_backward.hpp>

#include "../orders/order_text.hpp"

using stagecut::interleaved_one_forward_one_backward;
using counts = std::vector<std::size_t>;

TEST_CASE("Interleaved: the order of two ranks with two chunks") {
  const stagecut::schedule made = interleaved_one_forward_one_backward(2, 2, 4);
  CHECK(made.name == "interleaved");
  CHECK(made.microbatches == 4);
  CHECK(made.rank_of == counts{0, 1, 0, 1});
  REQUIRE(made.ranks() == 2);
  CHECK(order::text(made.orders[0]) == "0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 2B2 2B3 0B2 0B3");
  CHECK(order::text(made.orders[1]) == "1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3");
}

TEST_CASE("Interleaved: what ranks keep") {
  CHECK(order::peaks(interleaved_one_forward_one_backward(4, 2, 8)) == counts{11, 9, 7, 5});
  CHECK(order::peaks(interleaved_one_forward_one_backward(4, 4, 16)) == counts{19, 17, 15, 13});
  for (std::size_t p = 1; p <= 5; ++p) {
    for (std::size_t v = 2; v <= 3; ++v) {
      for (std::size_t group = p; group <= 3 * p; ++group) {
        const std::size_t m = 2 * group;
        const counts kept = order::peaks(interleaved_one_forward_one_backward(p, v, m, group));
        for (std::size_t r = 0; r < p; ++r) {
          REQUIRE(kept[r] == std::min(2 * (p - 1 - r) + (v - 1) * group + 1, m * v));
        }
      }
    }
  }
}

TEST_CASE("Interleaved: a group of another size, the last shorter") {
  const stagecut::schedule made = interleaved_one_forward_one_backward(2, 2, 5, 3);
  REQUIRE(made.ranks() == 2);
  CHECK(order::text(made.orders[1]) ==
        "1F0 1F1 1F2 3F0 3B0 3F1 3B1 3F2 3B2 1F3 1B0 1F4 1B1 3F3 1B2 3F4 3B3 3B4 1B3 1B4");
  CHECK(order::is_legal(made));
}

TEST_CASE("Interleaved: with one chunk it is 1F1B, whatever the group") {
  for (std::size_t p = 1; p <= 5; ++p) {
    for (std::size_t m = 1; m <= 12; ++m) {
      const auto expected = stagecut::one_forward_one_backward(p, m).orders;
      REQUIRE(interleaved_one_forward_one_backward(p, 1, m).orders == expected);
      CHECK(interleaved_one_forward_one_backward(p, 1, m, 3).orders == expected);
    }
  }
}

TEST_CASE("Interleaved: what Megatron-LM allows runs; of the rest, a shorter last group deadlocks in part") {
  std::size_t deadlocks = 0;
  for (std::size_t p = 1; p <= 5; ++p) {
    for (std::size_t v = 2; v <= 4; ++v) {
      for (std::size_t m = p; m <= 14; ++m) {
        for (std::size_t group = p; group <= m; ++group) {
          if (m % group == 0 || m % group >= p) {
            REQUIRE(order::is_legal(interleaved_one_forward_one_backward(p, v, m, group)));
            continue;
          }
          REQUIRE_THROWS_AS((void)interleaved_one_forward_one_backward(p, v, m, group), stagecut::argument_error);
          const auto anyway = stagecut::detail::grouped_schedule(
              "", p, v, m, group, group, [&](std::size_t r) { return 2 * (p - 1 - r) + (v - 1) * group; });
          REQUIRE(order::problem(anyway).empty());
          if (!order::runs_to_the_end(anyway)) ++deadlocks;
        }
      }
    }
  }
  CHECK(deadlocks > 0);
}

TEST_CASE("Interleaved: fewer microbatches than ranks run in one group, as in PyTorch") {
  CHECK(order::text(interleaved_one_forward_one_backward(3, 2, 2, 2).orders[1]) == "1F0 1F1 4F0 4F1 4B0 4B1 1B0 1B1");
  for (std::size_t p = 1; p <= 7; ++p) {
    for (std::size_t v = 2; v <= 4; ++v) {
      for (std::size_t m = 1; m < p; ++m) {
        REQUIRE(order::is_legal(interleaved_one_forward_one_backward(p, v, m, m)));
        if (m > 1)
          REQUIRE_THROWS_AS((void)interleaved_one_forward_one_backward(p, v, m, m - 1), stagecut::argument_error);
      }
    }
  }
}

TEST_CASE("Interleaved: what cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)interleaved_one_forward_one_backward(4, 2, 6),
                       "stagecut::interleaved_one_forward_one_backward: microbatches = 6, must be a multiple of the "
                       "group, 4, or leave at least 4, the ranks, not 2",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)interleaved_one_forward_one_backward(4, 2, 3),
                       "stagecut::interleaved_one_forward_one_backward: microbatches = 3, must be at least the number "
                       "of ranks, 4",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)interleaved_one_forward_one_backward(4, 2, 8, 3),
                       "stagecut::interleaved_one_forward_one_backward: group = 3, must be at least the number of "
                       "ranks, 4",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)interleaved_one_forward_one_backward(4, 2, 8, 9),
                       "stagecut::interleaved_one_forward_one_backward: group = 9, must be at most the number of "
                       "microbatches, 8",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)interleaved_one_forward_one_backward(4, 0, 8), doctest::Contains("stages_per_rank = 0"),
                       stagecut::argument_error);
}
