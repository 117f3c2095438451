// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/passes_left.hpp>

#include <doctest/doctest.h>

#include <stagecut/schedule/generators/zero_bubble.hpp>

TEST_CASE("the last pass that makes gradients completes its stage, and no other") {
  const stagecut::schedule order = stagecut::zb_h1(3, 6);
  stagecut::detail::passes_left left(order);
  for (const auto& rank : order.orders) {
    for (std::size_t i = 0; i < rank.size(); ++i) CHECK(left.completes(rank[i]) == (i + 1 == rank.size()));
  }
}
