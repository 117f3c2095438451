// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/pipeline_picture.hpp>

#include <doctest/doctest.h>

#include <string>

#include "worked_picture.hpp"

namespace io = stagecut::io;
using stagecut::op_kind;

TEST_CASE("a picture is called as it is titled, or as its schedule") {
  auto picture = worked_picture(2, 3);
  CHECK(io::title_of(picture) == "gpipe");
  picture.title = "mine";
  CHECK(io::title_of(picture) == "mine");
  CHECK(io::title_of({}) == "schedule");
}

TEST_CASE("what a picture calls ops, and where they stand") {
  stagecut::schedule order;
  order.orders.resize(2);
  order.rank_of = stagecut::v_placement(2);
  CHECK(io::detail::most_chunks(order) == 2);
  CHECK(io::detail::most_chunks({}) == 1);
  CHECK(io::detail::receiver(order, {op_kind::send_forward, 0}) == 1);
  CHECK(io::detail::receiver(order, {op_kind::send_backward, 3}) == 1);
  CHECK(io::microbatch_text(order, {op_kind::forward, 0, 12, 1}) == "12");
  order.slices = 2;
  CHECK(io::microbatch_text(order, {op_kind::forward, 0, 12, 1}) == "12:1");
  CHECK(io::kind_name(op_kind::backward_input) == std::string("input gradient"));
  CHECK(io::kind_name(op_kind::optimizer_step) == std::string("optimizer step"));
}
