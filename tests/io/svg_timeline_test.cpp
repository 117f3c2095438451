// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/svg_timeline.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include "svg_reading.hpp"
#include "worked_picture.hpp"

namespace io = stagecut::io::detail;
using stagecut::op_kind;

namespace {

template <class Draw>
std::string drawn(const stagecut::io::pipeline_picture& picture, Draw draw) {
  const io::timeline_place place{0, 100 * picture.run.makespan, picture.run.makespan, 0, 20, 10};
  std::string text = "<svg>";
  draw(io::timeline_drawing(picture, place), text);
  text += "</svg>";
  CHECK(is_balanced(text));
  return text;
}

}  // namespace

TEST_CASE("messages lead from the sender's row to the receiver's") {
  const auto picture = worked_picture(2, 1, 0.5);
  const std::string text = drawn(picture, [](const auto& drawing, std::string& to) { drawing.transfers(to); });
  CHECK(text.find("M100 20L150 30") != std::string::npos);  // F from 1 to 1.5, down
  CHECK(text.find("M450 30L500 20") != std::string::npos);  // B from 4.5 to 5, up
  auto held = picture;
  for (auto& rank : held.run.ranks) rank.blocked = 1;
  CHECK(drawn(held, [](const auto& drawing, std::string& to) { drawing.transfers(to); }) == "<svg></svg>");
  const std::string blocked = drawn(held, [](const auto& drawing, std::string& to) { drawing.blocked(to); });
  CHECK(blocked.find("M100 0H150V20H100z") != std::string::npos);
  CHECK(blocked.find("M100 30H150V50H100z") != std::string::npos);
  CHECK(drawn(picture, [](const auto& drawing, std::string& to) { drawing.blocked(to); }) == "<svg></svg>");
}

TEST_CASE("idle time is what no box covers of a row as long as the makespan") {
  const std::string text =
      drawn(worked_picture(2, 1), [](const auto& drawing, std::string& to) { drawing.tracks(to); });
  CHECK(text.find("M0 0H600V20H0z") != std::string::npos);
  CHECK(text.find("M0 30H600V50H0z") != std::string::npos);
}

TEST_CASE("the critical path is one line from op to op") {
  auto picture = worked_picture(2, 1, 0.5);
  const auto& run = picture.run;
  picture.run.critical_path = {run.ops[0][0], run.transfers[0][0], run.ops[1][0], run.ops[1][1]};
  const std::string text = drawn(picture, [](const auto& drawing, std::string& to) { drawing.critical_path(to); });
  CHECK(text.find("d=\"M0 19H100L150 49H250L250 49H450\"") != std::string::npos);
}

TEST_CASE("microbatches are written where they fit, without tooltips where there are too many") {
  auto picture = worked_picture(1, 2);
  picture.run.updates[0] = {{{op_kind::reduce_gradient, 0}, 5.9, 6}};
  const auto ops = [](bool tooltips) {
    return [=](const auto& drawing, std::string& to) { drawing.ops(to, tooltips); };
  };
  const std::string text = drawn(picture, ops(true));
  CHECK(svg_rects(text).size() == 5);
  CHECK(text.find("<text x=\"50\" y=\"13.42\">0</text>") != std::string::npos);
  CHECK(text.find("<text x=\"500\" y=\"13.42\">1</text>") != std::string::npos);
  CHECK(text.find(">reduce</text>") == std::string::npos);
  const std::string plain = drawn(picture, ops(false));
  CHECK(svg_rects(plain).empty());
  CHECK(plain.find("M0 0H100V20H0z") != std::string::npos);
  picture.order.microbatches = 123456789012345678;
  picture.run.ops[0][0].what.microbatch = 123456789012345677;
  CHECK(drawn(picture, ops(true)).find(">123456789012345677</text>") == std::string::npos);
}
