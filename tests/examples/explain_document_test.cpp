// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "output/explain_document.hpp"

using nlohmann::json;

TEST_CASE("every figure of an explanation has its place") {
  stagecut::plan made;
  for (const char* const name : {"a", "b"}) made.profile.layers.emplace_back().name = name;
  stagecut::plan_explanation told;
  told.makespan = 100;
  told.parts = {40, 30, 20, 9, 1};
  told.devices = {{45, 30, 15, 9, 1}, {35, 30, 25, 9, 1}};
  told.path = {{{1, 2, 3, 4, 5}, {60, 0, 0, 0, 0}}, {25}};
  told.less = {"", {0.5, 0.25}, {0.75, 0.125}, {0.0625}, 2, 3};
  told.memory = {"", 100, 90, {}, true};
  using enum stagecut::change_kind;
  told.changes = {{boundary, 1, stagecut::cuts{0, 1, 2}, "1f1b", 4, 80, 20},
                  {device, 1, stagecut::cuts{0, 1, 2}, "", 4, 85, 15}};
  const json read = json::parse(explain_document(made, told).text());
  CHECK(read["makespan"] == 100);
  CHECK(read["mean"]["idle"] == json({{"schedule", 30}, {"imbalance", 20}, {"transfers", 9}, {"update", 1}}));
  CHECK(read["devices"][1]["work"] == 35);
  CHECK(read["critical_path"]["stages"][0] ==
        json({{"forward", 1}, {"backward", 2}, {"backward_input", 3}, {"backward_weight", 4}, {"update", 5}}));
  CHECK(read["critical_path"]["messages"] == json({25}));
  CHECK(read["one_per_cent_less"]["layers"][1] == json({{"name", "b"}, {"saves", 0.25}}));
  CHECK(read["one_per_cent_less"]["devices"] == json({0.75, 0.125}));
  CHECK(read["one_per_cent_less"]["links"] == json({0.0625}));
  CHECK(read["one_per_cent_less"]["all_links"] == 2);
  CHECK(read["one_per_cent_less"]["update"] == 3);
  CHECK(read["memory"] == json({{"as_is", 100}, {"more", 90}, {"less", nullptr}, {"proved", true}}));
  CHECK(read["cut_proved"] == false);
  CHECK(read["changes"][0]["change"] == "boundary");
  CHECK(read["changes"][0]["boundary"] == 1);
  CHECK(read["changes"][0]["cuts"] == json({0, 1, 2}));
  CHECK(!read["changes"][0].contains("device"));
  CHECK(read["changes"][1]["device"] == 1);
  CHECK(read["changes"][1]["saved"] == 15);
  told.memory.less = 110;
  CHECK(json::parse(explain_document(made, told).text())["memory"]["less"] == 110);
  told.memory.unknown = "nobody knows";
  CHECK(json::parse(explain_document(made, told).text())["memory"] == json({{"unknown", "nobody knows"}}));
}
