// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sapp_interleaved.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::sapp_interleaved;
using stagecut::sapp_memory;
using counts = std::vector<std::size_t>;

namespace {

/// SAPP's own order, whose shorter warm-up counts only p microbatches of the first group.
stagecut::schedule of_sapp(std::size_t p, std::size_t v, std::size_t m, sapp_memory memory) {
  const std::size_t first = p + m % p;
  return stagecut::detail::grouped_schedule("", p, v, m, first, p, [&](std::size_t s) {
    if (v == 1) return p - s - 1;
    return memory == sapp_memory::big ? (v + 1) * p - 2 * s - 2 + m % p * (v - 1) : v * p - s - 1;
  });
}

}  // namespace

TEST_CASE("SAPP: the orders of two ranks with two chunks") {
  const stagecut::schedule big = sapp_interleaved(2, 2, 3, sapp_memory::big);
  CHECK(big.name == "sapp-big");
  CHECK(big.rank_of == counts{0, 1, 0, 1});
  REQUIRE(big.ranks() == 2);
  CHECK(order::text(big.orders[0]) == "0F0 0F1 0F2 2F0 2F1 2F2 2B0 2B1 2B2 0B0 0B1 0B2");
  CHECK(order::text(big.orders[1]) == "1F0 1F1 1F2 3F0 3B0 3F1 3B1 3F2 3B2 1B0 1B1 1B2");
  const stagecut::schedule less = sapp_interleaved(2, 2, 4, sapp_memory::less);
  CHECK(less.name == "sapp-less-memory");
  REQUIRE(less.ranks() == 2);
  CHECK(order::text(less.orders[0]) == "0F0 0F1 2F0 2F1 2B0 0F2 2B1 0F3 0B0 2F2 0B1 2F3 2B2 2B3 0B2 0B3");
  CHECK(order::text(less.orders[1]) == "1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3");
}

TEST_CASE("SAPP: its own orders wherever those run, and all of them do") {
  std::size_t corrected = 0;
  for (std::size_t p = 1; p <= 6; ++p) {
    for (std::size_t v = 1; v <= 4; ++v) {
      for (std::size_t m = p; m <= 20; ++m) {
        for (const sapp_memory memory : {sapp_memory::big, sapp_memory::less}) {
          const stagecut::schedule made = sapp_interleaved(p, v, m, memory);
          const stagecut::schedule own = of_sapp(p, v, m, memory);
          REQUIRE(order::is_legal(made));
          if (order::runs_to_the_end(own)) {
            REQUIRE(made.orders == own.orders);
          } else {
            REQUIRE(memory == sapp_memory::less);
            REQUIRE(m % p != 0);
            REQUIRE(v > 1);
            ++corrected;
          }
          const std::size_t ahead = memory == sapp_memory::big && v > 1 ? 2 : 1;
          const counts kept = order::peaks(made);
          for (std::size_t r = 0; r < p; ++r) {
            REQUIRE(kept[r] == std::min(ahead * (p - 1 - r) + (v - 1) * (p + m % p) + 1, v * m));
          }
        }
      }
    }
  }
  CHECK(corrected > 50);
}

TEST_CASE("SAPP: big is Megatron-LM's where p divides m; with one chunk both are 1F1B") {
  for (std::size_t p = 1; p <= 6; ++p) {
    for (std::size_t m = p; m <= 4 * p; ++m) {
      const auto plain = stagecut::one_forward_one_backward(p, m).orders;
      CHECK(sapp_interleaved(p, 1, m, sapp_memory::big).orders == plain);
      CHECK(sapp_interleaved(p, 1, m, sapp_memory::less).orders == plain);
      if (m % p != 0) continue;
      CHECK(sapp_interleaved(p, 3, m, sapp_memory::big).orders ==
            stagecut::interleaved_one_forward_one_backward(p, 3, m).orders);
    }
  }
}

TEST_CASE("SAPP: what cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)sapp_interleaved(4, 2, 3, sapp_memory::big),
                       "stagecut::sapp_interleaved: microbatches = 3, must be at least the number of ranks, 4",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)sapp_interleaved(4, 0, 8, sapp_memory::less),
                       "stagecut::sapp_interleaved: stages_per_rank = 0, must be at least 1", stagecut::argument_error);
}
