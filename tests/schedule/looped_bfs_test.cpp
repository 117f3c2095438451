// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/looped_bfs.hpp>

#include <stagecut/schedule/generators/gpipe.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::looped_bfs;
using counts = std::vector<std::size_t>;

TEST_CASE("Looped BFS: the order of two ranks with two chunks") {
  const stagecut::schedule made = looped_bfs(2, 2, 4);
  CHECK(made.name == "looped-bfs");
  CHECK(made.rank_of == counts{0, 1, 0, 1});
  REQUIRE(made.ranks() == 2);
  CHECK(order::text(made.orders[0]) == "0F0 0F1 0F2 0F3 2F0 2F1 2F2 2F3 2B3 2B2 2B1 2B0 0B3 0B2 0B1 0B0");
  CHECK(order::text(made.orders[1]) == "1F0 1F1 1F2 1F3 3F0 3F1 3F2 3F3 3B3 3B2 3B1 3B0 1B3 1B2 1B1 1B0");
}

TEST_CASE("Looped BFS: ranks keep all; with one chunk it is GPipe; any number of microbatches runs") {
  CHECK(order::peaks(looped_bfs(3, 2, 5)) == counts{10, 10, 10});
  for (std::size_t p = 1; p <= 5; ++p) {
    for (std::size_t m = 1; m <= 8; ++m) {
      REQUIRE(looped_bfs(p, 1, m).orders == stagecut::gpipe(p, m, stagecut::backward_order::last_in_first_out).orders);
      REQUIRE(order::is_legal(looped_bfs(p, 3, m)));
    }
  }
}

TEST_CASE("Looped BFS: what cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)looped_bfs(0, 2, 4), "stagecut::looped_bfs: ranks = 0, must be at least 1",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)looped_bfs(2, 0, 4), "stagecut::looped_bfs: stages_per_rank = 0, must be at least 1",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)looped_bfs(2, 2, 0), "stagecut::looped_bfs: microbatches = 0, must be at least 1",
                       stagecut::argument_error);
}
