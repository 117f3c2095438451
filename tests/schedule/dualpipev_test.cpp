// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/dualpipev.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../orders/order_text.hpp"

using stagecut::dualpipev;
using counts = std::vector<std::size_t>;

namespace {

/// As PyTorch writes it: a line a rank, commas between, pairs as `(2F0;5B0)OVERLAP_F_B`.
std::string lines(const stagecut::schedule& made) {
  std::string result;
  for (const auto& ops : made.orders) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (i > 0) result += ',';
      if (ops[i].with_next) {
        result += stagecut::detail::joined({"(", to_string(ops[i]), ";", to_string(ops[i + 1]), ")OVERLAP_F_B"});
        ++i;
      } else {
        result += to_string(ops[i]);
      }
    }
    result += '\n';
  }
  return result;
}

}  // namespace

TEST_CASE("DualPipeV: the order of four ranks, as long as PyTorch's file") {
  const stagecut::schedule made = dualpipev(4, 10);
  CHECK(made.name == "dualpipev");
  CHECK(made.rank_of == counts{0, 1, 2, 3, 3, 2, 1, 0});
  REQUIRE(made.ranks() == 4);
  CHECK(order::text(made.orders[0]) ==
        "0F0 0F1 0F2 0F3 0F4 0F5 0F6 7F0 7I0 7W0 7F1 7I1 7W1 7F2 7I2 7W2 7F3 (0F7 7B3) (7F4 0B0) (0F8 7B4) "
        "(7F5 0B1) (0F9 7B5) (7F6 0B2) 7B6 (7F7 0B3) 7B7 (7F8 0B4) 7B8 (7F9 0B5) 7B9 0I6 0W6 0I7 0W7 0I8 0W8 "
        "0I9 0W9");
  CHECK(order::text(made.orders[3]) ==
        "3F0 4F0 3F1 4F1 3F2 4F2 3F3 4F3 3F4 4B0 (4F4 3B0) (3F5 4B1) (4F5 3B1) (3F6 4B2) (4F6 3B2) (3F7 4B3) "
        "(4F7 3B3) (3F8 4B4) (4F8 3B4) (3F9 4B5) (4F9 3B5) 4B6 3B6 4B7 3B7 4I8 3I8 4I9 3I9 4W8 3W8 4W9 3W9");
  CHECK(lines(made).size() == 1261);
}

TEST_CASE("DualPipeV: all that it takes runs, and ranks keep the same") {
  for (std::size_t p = 1; p <= 7; ++p) {
    for (std::size_t m = 2 * p; m <= 2 * p + 9; ++m) {
      REQUIRE(order::is_legal(dualpipev(p, m)));
      REQUIRE(order::peaks(dualpipev(p, m)) == counts(p, 2 * p + 1));
    }
  }
  CHECK(order::peaks(dualpipev(4, 10)) == counts{9, 9, 9, 9});
}

TEST_CASE("DualPipeV: what cannot be is refused with the reason") {
  CHECK_THROWS_WITH_AS((void)dualpipev(4, 7),
                       "stagecut::dualpipev: microbatches = 7, must be at least the number of stages, 8",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)dualpipev(0, 7), "stagecut::dualpipev: ranks = 0, must be at least 1",
                       stagecut::argument_error);
}
