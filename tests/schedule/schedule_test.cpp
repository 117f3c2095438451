// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using counts = std::vector<std::size_t>;

TEST_CASE("where stages stand") {
  CHECK(stagecut::loop_placement(3, 2) == counts{0, 1, 2, 0, 1, 2});
  CHECK(stagecut::loop_placement(3, 1) == counts{0, 1, 2});
  CHECK(stagecut::v_placement(3) == counts{0, 1, 2, 2, 1, 0});
  CHECK(stagecut::v_placement(1) == counts{0, 0});
}

TEST_CASE("chunks count the stages before on the same rank") {
  stagecut::schedule order;
  CHECK(stagecut::chunks_of_stages(order).empty());
  order.orders.resize(2);
  order.rank_of = stagecut::v_placement(2);
  CHECK(stagecut::chunks_of_stages(order) == counts{0, 0, 1, 1});
  order.rank_of = {1, 1, 0, 1, 0};
  CHECK(stagecut::chunks_of_stages(order) == counts{0, 1, 0, 2, 1});
}

TEST_CASE("a schedule counts its ranks and stages") {
  const auto empty = stagecut::detail::empty_schedule("mine", stagecut::v_placement(3), 3, 5);
  CHECK(empty.ranks() == 3);
  CHECK(empty.stages() == 6);
  CHECK(empty.microbatches == 5);
  CHECK(empty.slices == 1);
  CHECK(empty.name == "mine");
  stagecut::schedule other = empty;
  CHECK(other == empty);
  other.orders[1].push_back({});
  CHECK_FALSE(other == empty);
}

TEST_CASE("a schedule runs the kinds of ops that any rank has") {
  stagecut::schedule some = stagecut::detail::empty_schedule("mine", stagecut::loop_placement(2, 1), 2, 1);
  CHECK_FALSE(has_kind(some, stagecut::op_kind::forward));
  some.orders[1].push_back({stagecut::op_kind::forward, 1, 0});
  some.orders[1].push_back({stagecut::op_kind::backward_input, 1, 0});
  CHECK(has_kind(some, stagecut::op_kind::forward));
  CHECK(has_kind(some, stagecut::op_kind::backward_input));
  CHECK_FALSE(has_kind(some, stagecut::op_kind::backward));
}
