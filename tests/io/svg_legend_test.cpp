// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/svg_legend.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "svg_reading.hpp"
#include "worked_picture.hpp"

namespace io = stagecut::io::detail;
using stagecut::op_kind;

TEST_CASE("a legend takes as many lines as it needs") {
  const std::vector<stagecut::io::pipeline_picture> pictures{worked_picture(4, 8, 0.25)};
  const io::svg_legend legend(pictures, {64, 900, 33});
  std::string wide = "<svg>";
  std::string narrow = "<svg>";
  CHECK(legend.draw(wide, 1000) == 12);
  CHECK(legend.draw(narrow, 300) > 12);
  CHECK(is_balanced(wide + "</svg>"));
  CHECK(is_balanced(narrow + "</svg>"));
}

TEST_CASE("shades are told where ranks have several stages") {
  std::vector<stagecut::io::pipeline_picture> pictures(1);
  auto& picture = pictures[0];
  picture.order.orders.resize(1);
  picture.order.rank_of = {0, 0};
  picture.run.ops = {{{{op_kind::backward_input, 0}, 0, 1}, {{op_kind::backward_weight, 1}, 1, 2}}};
  std::string text;
  io::svg_legend(pictures, {64, 900, 2}).draw(text, 1000);
  CHECK(text.find(">input gradient<") != std::string::npos);
  CHECK(text.find(">weight gradient<") != std::string::npos);
  CHECK(text.find("the first of a rank's 2 stages darkest") != std::string::npos);
  CHECK(text.find(">forward<") == std::string::npos);
}
