// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/sweep_scatter.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../refusal.hpp"
#include "random_sweep_rows.hpp"
#include "svg_reading.hpp"

using stagecut::sweep_row;
using stagecut::io::scatter_options;
using stagecut::io::sweep_scatter;

namespace {

struct point {
  double x, y, r;
};

std::vector<point> points_of(std::string_view text) {
  std::vector<point> result;
  for (std::size_t at = text.find("<circle"); at != text.npos; at = text.find("<circle", at + 1)) {
    const std::string_view tag = text.substr(at, text.find('>', at) - at);
    result.push_back({attribute(tag, "cx"), attribute(tag, "cy"), attribute(tag, "r")});
  }
  return result;
}

sweep_row planned(double time, double memory, stagecut::schedule_kind kind = stagecut::schedule_kind::gpipe) {
  sweep_row row;
  row.devices = 4;
  row.microbatches = 8;
  row.schedule = kind;
  row.state = stagecut::state::optimal;
  row.makespan = 8 * time;
  row.per_microbatch = time;
  row.memory = memory;
  return row;
}

}  // namespace

TEST_CASE("a picture is one XML element with a point for each row that has a plan") {
  random_sweep_rows random(5);
  for (int round = 0; round < 200; ++round) {
    const std::vector<sweep_row> rows = random.rows();
    const std::string text = sweep_scatter(rows);
    REQUIRE(is_balanced(text));
    REQUIRE(text.starts_with("<?xml"));
    REQUIRE(text.find("nan") == text.npos);
    REQUIRE(text.find("<script") == text.npos);
    std::size_t plans = 0;
    std::size_t front = 0;
    for (const sweep_row& row : rows) plans += row.has_plan() ? 1 : 0, front += row.on_front ? 1 : 0;
    const auto points = points_of(text);
    REQUIRE(points.size() == plans);
    for (std::size_t i = 0; i < plans; ++i) {
      REQUIRE(points[i].x >= 72);
      REQUIRE(points[i].x <= 872);
      REQUIRE(points[i].y >= 14);
      REQUIRE(points[i].y <= 494);
      REQUIRE((points[i].r == 5.5) == (i >= plans - front));
    }
  }
}

TEST_CASE("points stand at their memory and time, the front is joined, and the legend names the schedules that occur") {
  using enum stagecut::schedule_kind;
  std::vector<sweep_row> rows = {planned(0.004, 0x1p30), planned(0.002, 0x1p31, interleaved), planned(0.004, 0x1p31)};
  rows[1].stages_per_rank = 2;
  rows[1].checkpoint = stagecut::checkpointing::always;
  static_cast<void>(stagecut::mark_pareto_front(rows));
  const std::string text = sweep_scatter(rows, {.title = "a < b", .memory_limit = 0x1p31});
  const auto points = points_of(text);
  REQUIRE(points.size() == 3);
  // The axes end a twentieth beyond the last point. What is not on the front stands first.
  CHECK(std::abs(points[0].x - (72 + 800 / 1.05)) < 0.01);
  CHECK(std::abs(points[0].y - (14 + 480 * (1 - 1 / 1.05))) < 0.01);
  CHECK(std::abs(points[1].x - (72 + 400 / 1.05)) < 0.01);
  CHECK(std::abs(points[2].y - (14 + 480 * (1 - 0.5 / 1.05))) < 0.01);
  CHECK(text.find("d=\"M872 265.43V265.43H833.9V36.86H452.95V14\"") != text.npos);
  CHECK(text.find("<title>a &lt; b</title>") != text.npos);
  CHECK(text.find("<title>gpipe, 4 devices, 1 stage per rank, 8 microbatches: 4 ms a microbatch, 1 GiB</title>") != text.npos);
  CHECK(text.find(
            "<title>interleaved, 4 devices, 2 stages per rank, 8 microbatches, recomputed always: 2 ms a microbatch, 2 GiB") !=
        text.npos);
  for (const char* name : {">gpipe<", ">interleaved<", ">Pareto front<", ">memory limit<", "(ms)", "(GiB)"}) {
    CAPTURE(name);
    CHECK(text.find(name) != text.npos);
  }
  CHECK(text.find(">1f1b<") == text.npos);
  CHECK(sweep_scatter(rows).find("memory limit") == std::string::npos);
  CHECK(sweep_scatter(rows, {.seconds = false}).find("(ms)") == std::string::npos);
}

TEST_CASE("what is empty, or all zero, is drawn as well") {
  CHECK(is_balanced(sweep_scatter({})));
  CHECK(is_balanced(sweep_scatter(std::vector<sweep_row>(3))));
  const std::vector<sweep_row> zero = {planned(0, 0)};
  CHECK(points_of(sweep_scatter(zero)).size() == 1);
}

TEST_CASE("what is no time or memory is refused") {
  const auto refused = [](double time, double memory) {
    const std::vector<sweep_row> rows = {planned(time, memory)};
    return refusal([&] { return sweep_scatter(rows); });
  };
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(refused(-1, 1) ==
        "stagecut::io::sweep_scatter: rows[0].per_microbatch = -1.000000, must be finite and not negative");
  CHECK(refused(1, infinity).starts_with("stagecut::io::sweep_scatter: rows[0].memory = inf"));
  CHECK(refusal([] {
          return sweep_scatter({}, {.memory_limit = -1.0});
        }).starts_with("stagecut::io::sweep_scatter: options.memory_limit"));
}
