// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

#include "../orders/order_text.hpp"

using stagecut::backward_order;
using stagecut::gpipe;

TEST_CASE("GPipe: all forward passes, then all backward passes") {
  const auto fifo = gpipe(2, 3);
  CHECK(fifo.name == "gpipe");
  CHECK(fifo.microbatches == 3);
  CHECK(order::text(fifo.orders[0]) == "0F0 0F1 0F2 0B0 0B1 0B2");
  CHECK(order::text(fifo.orders[1]) == "1F0 1F1 1F2 1B0 1B1 1B2");
  const auto lifo = gpipe(2, 3, backward_order::last_in_first_out);
  CHECK(lifo.name == "gpipe-lifo");
  CHECK(order::text(lifo.orders[1]) == "1F0 1F1 1F2 1B2 1B1 1B0");
}

TEST_CASE("GPipe: the order of the backward passes does not change the makespan") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const std::size_t p = 1 + random() % 6;
    const std::size_t m = 1 + random() % 8;
    stagecut::pass_times<std::int64_t> times;
    for (std::size_t s = 0; s < p; ++s) {
      times.forward.push_back(random() % 20);
      times.backward.push_back(random() % 20);
    }
    REQUIRE(stagecut::simulate(gpipe(p, m), times).makespan ==
            stagecut::simulate(gpipe(p, m, backward_order::last_in_first_out), times).makespan);
  }
}

TEST_CASE("GPipe: what is refused") {
  CHECK_THROWS_WITH_AS((void)gpipe(0, 1), "stagecut::gpipe: ranks = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)gpipe(1, 0), "stagecut::gpipe: microbatches = 0, must be at least 1",
                       stagecut::argument_error);
}
