// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/svg_memory.hpp>

#include <doctest/doctest.h>

#include "svg_reading.hpp"
#include "worked_picture.hpp"

namespace io = stagecut::io::detail;

namespace {

std::string drawn(const stagecut::io::pipeline_picture& picture, double most) {
  std::string text = "<svg>";
  io::memory_drawing(picture, {most, {}}, {50, 900, picture.run.makespan}).draw(text, 0);
  return text + "</svg>";
}

/// Where the first line of a colour stands, from the top.
double height_of(const std::string& text, const std::string& colour) {
  const std::size_t at = text.find("stroke=\"" + colour);
  REQUIRE(at != std::string::npos);
  const std::size_t move = text.find("d=\"M50 ", at);
  REQUIRE(move != std::string::npos);
  return std::stod(text.substr(move + 7));
}

}  // namespace

TEST_CASE("a limit stands at its height, and what exceeds it is red") {
  auto picture = worked_picture(4, 8);
  picture.memory_limit = 10;
  const std::string text = drawn(picture, 16);
  CHECK(is_balanced(text));
  const double bottom = height_of(text, "#8c959f");
  const double limit = height_of(text, "#cf222e");
  CHECK(bottom - limit == doctest::Approx(72 * 10.0 / 16));
  CHECK(text.find("\"#cf222e\">peak 11</tspan>") != std::string::npos);
  picture.memory_limit = 12;
  CHECK(drawn(picture, 16).find("\"#cf222e\">peak") == std::string::npos);
  CHECK(drawn(picture, 16).find(">12</text>") != std::string::npos);
}

TEST_CASE("ranks with limits of their own have each its line, in plots and in bars") {
  auto picture = worked_picture(4, 8);
  picture.memory_limits = {12, 12, 12, 12};
  CHECK(picture.limit_of(0) == 12);
  const std::string text = drawn(picture, 16);
  CHECK(is_balanced(text));
  CHECK(height_of(text, "#8c959f") - height_of(text, "#cf222e") == doctest::Approx(72 * 12.0 / 16));
  CHECK(text.find("\"#cf222e\">peak") == std::string::npos);
  picture.memory_limits[3] = 1;
  const std::string over = drawn(picture, 16);
  const std::size_t red = over.find("\"#cf222e\">peak");
  REQUIRE(red != std::string::npos);
  CHECK(over.rfind(">rank 3<", red) != std::string::npos);
  CHECK(over.find("\"#cf222e\">peak", red + 1) == std::string::npos);
  auto bars = worked_picture(17, 8);
  bars.memory_limits.assign(17, 3);
  const std::string drawing = drawn(bars, 20);
  CHECK(is_balanced(drawing));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = drawing.find("stroke-dasharray", at)) != std::string::npos; ++at) ++lines;
  CHECK(lines == 17);
}

TEST_CASE("few ranks have a plot each, many a bar each, and none take no room") {
  const auto height = [](const stagecut::io::pipeline_picture& picture) {
    return io::memory_drawing(picture, {20, {}}, {50, 900, picture.run.makespan}).height();
  };
  auto picture = worked_picture(16, 8);
  CHECK(drawn(picture, 20).find(">rank 15</tspan>") != std::string::npos);
  CHECK(height(picture) > height(worked_picture(2, 8)));
  picture.memory.clear();
  CHECK(height(picture) == 0);
  CHECK(drawn(picture, 20) == "<svg></svg>");
  const std::string bars = drawn(worked_picture(17, 8), 20);
  CHECK(is_balanced(bars));
  CHECK(bars.find("peak memory of every rank") != std::string::npos);
  CHECK(bars.find(">16</text>") != std::string::npos);
}

TEST_CASE("a curve of very many changes keeps its peak and few points") {
  auto picture = worked_picture(1, 20000);
  const std::string text = drawn(picture, 20003);
  CHECK(text.size() < 60000);
  CHECK(text.find("peak 20003") != std::string::npos);
}
