// SPDX-License-Identifier: BSL-1.0
#include "output/timeline_text.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

#include "../io/worked_picture.hpp"

using stagecut::op_kind;

namespace {

/// The lines, without what sets colours.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else if (text[i] == '\n') {
      result.emplace_back();
    } else {
      result.back() += text[i];
    }
  }
  result.pop_back();
  return result;
}

}  // namespace

TEST_CASE("a timeline is never wider than the screen") {
  for (std::size_t width = 40; width <= 200; width += 7) {
    for (const std::size_t ranks : {1U, 2U, 9U, 10U, 40U, 41U, 64U}) {
      for (const bool colour : {false, true}) {
        auto picture = worked_picture(ranks, 3 * ranks, 0.125);
        picture.title = std::string(300, 'a');
        picture.seconds = ranks % 2 == 0;
        const auto lines = lines_of(timeline_text(picture, {width, colour}));
        std::size_t widest = 0;
        for (const auto& line : lines) widest = std::max(widest, glyphs(line));
        CAPTURE(width);
        CAPTURE(ranks);
        CHECK(widest <= width);
        CHECK(lines.size() >= std::min<std::size_t>(ranks, 40) + 4);
      }
    }
  }
}

TEST_CASE("a line shows what a rank does, in characters of equal time") {
  // A character is half of F's time.
  const std::string text = timeline_text(worked_picture(2, 2), {.width = 13 + 2 * 9, .colour = false});
  CHECK(text.find("idle") != std::string::npos);
  const auto wide = lines_of(timeline_text(worked_picture(2, 2), {.width = 13 + 4 * 9, .colour = false}));
  REQUIRE(wide.size() == 6);
  CHECK(wide[0] == "gpipe");
  CHECK(wide[1] == "9: 33.3 % idle");
  CHECK(wide[3] == "rank 0 F0--F1--............B0------B1------  33 %");
  CHECK(wide[4] == "rank 1 ....F0--F1--B0------B1------........  33 %");
  CHECK(wide[5] == "F forward  B backward");
}

TEST_CASE("microbatches are left out where they do not fit") {
  const auto lines = lines_of(timeline_text(worked_picture(2, 25), {.width = 13 + 78, .colour = false}));
  CHECK(lines[3] == "rank 0 " + std::string(25, 'F') + "..." + std::string(50, 'B') + "   4 %");
}

TEST_CASE("colours stand only where they are wanted, and end with the line") {
  const auto picture = worked_picture(2, 2);
  CHECK(timeline_text(picture, {.width = 100, .colour = false}).find('\x1b') == std::string::npos);
  const std::string text = timeline_text(picture, {.width = 100, .colour = true});
  std::istringstream lines(text);
  std::size_t coloured = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t last = line.rfind('\x1b');
    if (last == std::string::npos) continue;
    ++coloured;
    CHECK(line.substr(last, 4) == "\x1b[0m");
  }
  CHECK(coloured == 3);
}

TEST_CASE("of very many ranks some are shown, the first and the last among them") {
  const auto lines = lines_of(timeline_text(worked_picture(64, 8), {}));
  CHECK(lines[3].starts_with("rank  0 "));
  CHECK(lines[42].starts_with("rank 63 "));
  CHECK(lines[43] == "24 of 64 ranks left out");
}

TEST_CASE("two that run together take turns, and updates have letters") {
  auto picture = worked_picture(1, 1);
  auto& run = picture.run;
  run.ops[0][0].what.with_next = true;
  run.ops[0][0].end = run.ops[0][1].end = 2, run.ops[0][1].start = 0;
  run.updates[0] = {{{op_kind::optimizer_step, 0}, 2, 3}};
  const auto lines = lines_of(timeline_text(picture, {.width = 13 + 30, .colour = false}));
  CHECK(lines[3] == "rank 0 FBFBFBFBFBFBFBFBFBFBO---------   0 %");
  CHECK(lines[4] == "F forward  B backward  O optimizer step");
}

TEST_CASE("nothing that runs is a timeline as well") {
  stagecut::io::pipeline_picture still = worked_picture(2, 2);
  still.run.makespan = 0;
  for (auto& rank : still.run.ops) rank.clear();
  still.memory.clear();
  still.run.ranks.assign(2, {});
  CHECK(lines_of(timeline_text(still, {})).size() == 6);
  still.run.ops.pop_back();
  CHECK_THROWS_AS(static_cast<void>(timeline_text(still, {})), stagecut::argument_error);
}
