// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_layer.hpp>

#include <doctest/doctest.h>

#include <string>

#include <stagecut/io/json/json_line.hpp>

namespace detail = stagecut::io::detail;

TEST_CASE("what is not written of the backward pass is the sum of its parts") {
  stagecut::layer each;
  CHECK(detail::usual_backward(each) == 0);
  each.backward_input = 1;
  CHECK(detail::usual_backward(each) == 0);
  each.backward_weight = 2;
  CHECK(detail::usual_backward(each) == 3);
}

TEST_CASE("a layer is written as it is read, without what is at its default") {
  const std::string text =
      R"({"name": "a", "forward": 1, "backward": 2.5, "tied": [{"name": "w", "bytes": 8, "placement": "colocate"}], )"
      R"("recomputations": [{"name": "full", "backward": 3}], "mine": 1})";
  const auto parsed = detail::parse_json(text, "f");
  const stagecut::layer each = detail::read_layer(detail::json_value(parsed, "f"), 7, false);
  CHECK(each.tied.size() == 1);
  CHECK(stagecut::io::json_line(detail::layer_json(each, "l", detail::written::all)) == text);
  CHECK(detail::layer_json(each, "l", detail::written::all).contains("mine"));
  CHECK_FALSE(detail::layer_json(each, "l", detail::written::known).contains("mine"));
  const std::string placed =
      R"({"name": "a", "backward": 2, "cpu": 7, "stage": 0, "accelerator": false, "pass": "backward"})";
  const auto parsed_placed = detail::parse_json(placed, "f");
  const stagecut::layer gradient = detail::read_layer(detail::json_value(parsed_placed, "f"), 0, false);
  CHECK(gradient.cpu == 7);
  CHECK(gradient.stage == 0);
  CHECK_FALSE(gradient.accelerator);
  CHECK(gradient.is_backward);
  CHECK(stagecut::io::json_line(detail::layer_json(gradient, "l", detail::written::known)) == placed);
  const auto unnamed = detail::parse_json(R"({"forward": 1})", "f");
  CHECK(detail::read_layer(detail::json_value(unnamed, "f"), 7, false).name == "7");
  const auto nothing = detail::parse_json("{}", "f");
  CHECK_THROWS_WITH_AS((void)detail::read_layer(detail::json_value(nothing, "f"), 7, false),
                       "f: a layer without a name and without a figure", stagecut::invalid_input);
}
