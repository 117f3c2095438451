// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/svg.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "svg_reading.hpp"
#include "worked_picture.hpp"

namespace io = stagecut::io;

namespace {

std::string svg_of(std::vector<io::pipeline_picture> pictures) { return io::as_svg(pictures); }

/// Whether a box of the picture has this place, in hundredths of a pixel.
bool has_box(const std::vector<svg_rect>& all, double x, double width) {
  return std::any_of(all.begin(), all.end(), [&](const svg_rect& each) {
    return std::abs(each.x - x) <= 0.011 && std::abs(each.width - width) <= 0.011;
  });
}

}  // namespace

TEST_CASE("a picture is one XML element that closes what it opens, and runs nothing") {
  const std::string text = svg_of({worked_picture(4, 8, 0.25)});
  CHECK(is_balanced(text));
  CHECK(text.starts_with("<?xml"));
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("href") == std::string::npos);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("makespan 34.5, 30.4 % idle") != std::string::npos);
  CHECK(text == svg_of({worked_picture(4, 8, 0.25)}));
}

TEST_CASE("every op stands where it runs, and its microbatch in it") {
  const auto picture = worked_picture(4, 8);
  const std::string text = svg_of({picture});
  const auto boxes = svg_rects(text);
  REQUIRE(boxes.size() == 64);
  std::set<double> rows;
  for (const auto& box : boxes) rows.insert(box.y);
  CHECK(rows.size() == 4);
  for (const auto& rank : picture.run.ops) {
    for (const auto& op : rank) {
      CHECK(has_box(boxes, 64 + 900 * op.start / 33, 900 * (op.end - op.start) / 33));
    }
  }
  CHECK(text.find("<title>backward 7, stage 0: 31 to 33</title>") != std::string::npos);
  CHECK(text.find(">7</text>") != std::string::npos);
}

TEST_CASE("pictures share one scale of time") {
  auto shorter = worked_picture(4, 2);
  shorter.memory.clear();
  const auto longer = worked_picture(4, 8);
  const auto boxes = svg_rects(svg_of({longer, shorter}));
  REQUIRE(boxes.size() == 80);
  for (const auto& rank : shorter.run.ops) {
    for (const auto& op : rank) {
      CHECK(has_box({boxes.begin() + 64, boxes.end()}, 64 + 900 * op.start / 33, 900 * (op.end - op.start) / 33));
    }
  }
}

TEST_CASE("titles are escaped and cut") {
  auto picture = worked_picture(2, 2);
  picture.title = "<script>&\"" + std::string(500, 'x') + "\xff";
  const std::string text = svg_of({picture});
  CHECK(is_balanced(text));
  CHECK(text.find("<script>") == std::string::npos);
  CHECK(text.find("&lt;script&gt;&amp;&quot;") != std::string::npos);
  CHECK(text.find("\u2026</text>") != std::string::npos);
}

TEST_CASE("the legend names what occurs") {
  auto picture = worked_picture(4, 8, 0.25);
  std::string text = svg_of({picture});
  for (const char* name : {">forward<", ">backward<", ">idle<", ">transfer<", ">activations<"}) {
    CAPTURE(name);
    CHECK(text.find(name) != std::string::npos);
  }
  for (const char* name : {"gradient", "optimizer", "blocked by", "critical path", "limit", "too many", "too narrow"}) {
    CAPTURE(name);
    CHECK(text.find(name) == std::string::npos);
  }
  picture.run.critical_path = {picture.run.ops[0][0]};
  picture.memory_limit = 20;
  for (auto& rank : picture.run.ranks) rank.blocked = 1;
  text = svg_of({picture});
  for (const char* name : {">blocked by a transfer<", ">critical path<", ">memory limit<", "% blocked"}) {
    CAPTURE(name);
    CHECK(text.find(name) != std::string::npos);
  }
}

TEST_CASE("transfers that cannot be told apart are left out, and the legend says so") {
  const std::string text = svg_of({worked_picture(4, 200, 0.25)});
  CHECK(text.find("too many to be drawn") != std::string::npos);
  CHECK(text.find(">transfer<") == std::string::npos);
}

TEST_CASE("very many ops are drawn together, in a file that can be opened") {
  const std::string text = svg_of({worked_picture(64, 512)});
  CHECK(is_balanced(text));
  CHECK(text.size() < 8'000'000);
  CHECK(text.find("<rect") == std::string::npos);
  CHECK(text.find("too narrow to be seen") != std::string::npos);
  CHECK(text.find("peak memory of every rank") != std::string::npos);
}

TEST_CASE("what is empty is drawn as well") {
  CHECK(is_balanced(svg_of({})));
  CHECK(is_balanced(svg_of({{}})));
  io::pipeline_picture still = worked_picture(2, 2);
  still.run.makespan = 0;
  for (auto& rank : still.run.ops) rank.clear();
  still.memory.clear();
  still.run.ranks.assign(2, {});
  CHECK(is_balanced(svg_of({still})));
  auto wrong = worked_picture(2, 2);
  wrong.run.ops.pop_back();
  CHECK_THROWS_AS(svg_of({wrong}), stagecut::argument_error);
}
