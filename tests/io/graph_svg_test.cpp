// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/graph_svg.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>

#include "graph_plans.hpp"
#include "svg_reading.hpp"

using stagecut::io::as_graph_svg;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a graph is one XML element with a box a layer, in the colour of its stage") {
  stagecut::plan made = diamond_plan();
  made.profile.name = "<diamond>";
  made.stages[1].on_cpu = true;
  const std::string text = as_graph_svg(made);
  CHECK(is_balanced(text));
  CHECK(text.starts_with("<?xml"));
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("href") == std::string::npos);
  CHECK(text.find("<title>&lt;diamond&gt;: 4 layers on 2 stages</title>") != std::string::npos);
  CHECK(text.find(">stage 0: 2 layers, 4 s</text>") != std::string::npos);
  CHECK(text.find(">stage 1 on a CPU: 2 layers, 6.5 s</text>") != std::string::npos);
  CHECK(text.find("<title>c, stage 0: 3 s</title>") != std::string::npos);
  CHECK(svg_rects(text).size() == 4);
  CHECK(count(text, "rx=\"2\" fill=\"#a6c8f0\"") == 2);
  CHECK(count(text, "rx=\"2\" fill=\"#f6c48e\"") == 2);
  CHECK(text == as_graph_svg(made));
  CHECK(count(as_graph_svg(worked_plan()), "<rect") == 26);
}

TEST_CASE("boxes stand apart, and what is fed below what feeds it") {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    const stagecut::plan made = random_graph_plan(random);
    const std::string text = as_graph_svg(made);
    REQUIRE(is_balanced(text));
    const auto boxes = svg_rects(text);  // in the order of layers
    REQUIRE(boxes.size() == made.profile.layers.size());
    for (const auto& [from, to] : made.profile.edges) {
      REQUIRE(boxes[from].y + boxes[from].height < boxes[to].y);
    }
    for (std::size_t a = 0; a < boxes.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        REQUIRE((boxes[a].y != boxes[b].y || boxes[a].x + boxes[a].width <= boxes[b].x ||
                 boxes[b].x + boxes[b].width <= boxes[a].x));
      }
    }
  }
}

TEST_CASE("names cannot break out, and a plan has to be sound") {
  stagecut::plan made = diamond_plan();
  made.profile.layers[0].name = "</text><script>&\"\xff" + std::string(100, 'x');
  made.profile.layers[1].name = "";
  const std::string text = as_graph_svg(made);
  CHECK(is_balanced(text));
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("<title>layer 1, stage 1") != std::string::npos);
  made.stages.pop_back();
  CHECK_THROWS_AS((void)as_graph_svg(made), stagecut::argument_error);
}

TEST_CASE("a wide graph and a deep one keep to a page that can be looked at") {
  stagecut::plan wide;
  wide.profile.layers.resize(301);
  for (std::size_t i = 0; i < 300; ++i) wide.profile.edges.push_back({i, 300});
  wide.cuts = {0, 301};
  wide.devices = 1;
  wide.stages.resize(1);
  const std::string text = as_graph_svg(wide);
  CHECK(is_balanced(text));
  CHECK(attribute(text.substr(text.find("<svg")), "width") <= 1700);
  stagecut::plan deep;
  deep.profile.layers.resize(1000);
  deep.cuts = {0, 1000};
  deep.devices = 1;
  deep.stages.resize(1);
  CHECK(attribute(as_graph_svg(deep).substr(40), "height") <= 12200);
}
