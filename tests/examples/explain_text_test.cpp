// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/make_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "output/explain_text.hpp"

namespace {

stagecut::plan two_stages(std::size_t layers) {
  stagecut::profile model;
  for (std::size_t i = 0; i < layers; ++i) {
    stagecut::layer each;
    each.name = "layers." + std::to_string(i);
    each.forward = 1;
    each.backward = 2;
    each.output = 8;
    model.layers.push_back(each);
  }
  return *stagecut::make_plan(model, {.devices = 2, .microbatches = 4, .links = {{0, 80}}});
}

bool has(const std::string& text, const std::string& line) { return text.find(line + "\n") != text.npos; }

}  // namespace

TEST_CASE("neighbours that save the same stand in one line") {
  const auto made = two_stages(8);
  const auto told = stagecut::explain_plan(made);
  const std::string text = explain_text(made, told).text();
  CAPTURE(text);
  CHECK(text.starts_with("Where the time goes: 1f1b of 4 microbatches, makespan 60.4 s\n"));
  CHECK(has(text, "all passes of devices 0 .. 1      2              240 ms  0.397 %"));
  CHECK(has(text, "layers.0 .. layers.7              8  0 .. 1       60 ms  0.099 %"));
  CHECK(has(text, "all messages                      1                4 ms  0.007 %"));
  CHECK(text.find("to the next stage") == text.npos);
  CHECK(has(text, "0          8 s      16 s    400 ms   40.4 %"));
  CHECK(has(text, "(messages: between that stage and the next)"));
  CHECK(has(text, "no other cut ends its passes earlier: proved when the plan was made"));
}

TEST_CASE("what is not known, what does not help, and what would") {
  auto made = two_stages(8);
  made.memory.memory_limit = 1e9;
  auto told = stagecut::explain_plan(made);
  told.changes.clear();
  told.cut_proved = false;
  told.memory = {"nobody knows", 0, 0, {}, false};
  std::string text = explain_text(made, told).text();
  CHECK(has(text, "memory: not known\n(nobody knows)"));
  CHECK(text.ends_with("\nnothing of what was tried: boundaries, schedules, microbatches, links, devices\n"));
  told.memory = {"", 60, 58.5, {}, true};
  text = explain_text(made, told).text();
  CHECK(has(text, "memory, 1 % more, cut anew: 1.5 s shorter (58.5 s)"));
  CHECK(has(text, "memory, 1 % less, cut anew: no plan fits"));
  told.memory = {"", 60, 60, 61, false};
  text = explain_text(made, told).text();
  CHECK(has(text, "memory, 1 % more, cut anew: the same, as far as was searched"));
  CHECK(has(text, "memory, 1 % less, cut anew: 1 s longer (61 s), as far as was searched"));

  using enum stagecut::change_kind;
  const stagecut::cuts as_is = made.cuts;
  told.changes = {{boundary, 1, stagecut::cuts{0, 2, 8}, "1f1b", 4, 40, 20},
                  {boundary, 1, stagecut::cuts{0, 5, 8}, "1f1b", 4, 50, 10},
                  {cuts, 0, stagecut::cuts{0, 1, 8}, "1f1b", 4, 51, 9},
                  {schedule, 0, as_is, "gpipe", 4, 52, 8},
                  {microbatches, 0, as_is, "1f1b", 6, 80, 7},
                  {bandwidth, 0, as_is, "1f1b", 4, 54, 6},
                  {device, 1, as_is, "1f1b", 4, 55, 5}};
  text = explain_text(made, told).text();
  CAPTURE(text);
  for (const char* const each : {"layers.2 .. layers.3 from stage 0 to 1", "layers.4 from stage 1 to 0",
                                 "cut anew, layers: 1 7", "the schedule gpipe", "6 microbatches (saved of 4)",
                                 "messages at twice the bandwidth", "device 1 10 % faster"}) {
    CAPTURE(each);
    CHECK(text.find(each) != text.npos);
  }
  CHECK(has(text, "layers.2 .. layers.3 from stage 0 to 1      40 s   20 s  33.11 %"));
}
