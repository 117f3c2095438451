// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/graphs/assignment_json.hpp>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "../refusal.hpp"
#include "graph_plans.hpp"

using doctest::Contains;
using stagecut::io::as_assignment_json;
using stagecut::io::as_stage_map;
using stagecut::io::parse_assignment_json;

namespace {

std::string refused(const std::string& text) {
  const auto model = diamond_plan().profile;
  return refusal<stagecut::invalid_input>([&] { return parse_assignment_json(text, "f", model); });
}

}  // namespace

TEST_CASE("the form of an assignment") {
  stagecut::plan made = diamond_plan();
  made.profile.machine.link = stagecut::link_speed{0, 10};
  made.stages[0].on_cpu = true;
  CHECK(as_assignment_json(made) == R"({"assignment": {
  "a": 0,
  "b": 1,
  "c": 0,
  "d": 1
 },
 "objective": {"name": "bottleneck", "of": "time", "value": 11.5, "bound": 11, "state": "feasible"},
 "stages": [
  {"time": 4, "communication": 0, "memory": 0, "cpu": true, "vertices": ["a", "c"]},
  {"time": 6.5, "communication": 4, "memory": 96, "vertices": ["b", "d"]}
 ]})");
  for (std::size_t i = 0; i < 4; ++i)
    made.profile.layers[i].unknown_fields = "{\"id\": " + std::to_string(10 - i) + "}";
  CHECK(as_assignment_json(made).starts_with("{\"assignment\": {\n  \"10\": 0,\n  \"9\": 1,"));
  CHECK(as_assignment_json(made).find("\"vertices\": [\"9\", \"7\"]") != std::string::npos);
  CHECK(parse_assignment_json(as_assignment_json(made), "f", made.profile) == made.assignment);
}

TEST_CASE("the stage of every layer by name") {
  stagecut::plan made = diamond_plan();
  CHECK(as_stage_map(made) == "{\n \"a\": 0,\n \"b\": 1,\n \"c\": 0,\n \"d\": 1\n}");
  made.profile.layers[3].name = "a";
  CHECK(as_stage_map(made) == "{\n \"0\": 0,\n \"1\": 1,\n \"2\": 0,\n \"3\": 1\n}");
  CHECK(as_stage_map(plan_of({layer_of("x\"\n", "")}, {0, 1})) == "{\n \"x\\\"\\n\": 0\n}");
}

TEST_CASE("whatever plan is written is read back as its stages") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    stagecut::plan made = random_graph_plan(random);
    if (round % 3 == 0) made.profile.layers[0].name = made.profile.layers[1].name = "";
    if (round % 5 == 0) made.profile.layers[2].name = "\xE2\x82\xAC/~\"";
    const std::string text = as_assignment_json(made);
    REQUIRE(parse_assignment_json(text, "f", made.profile) == stage_of_layers(made));
    // A reader that knows nothing else finds every vertex once, on the stage that lists it.
    const auto whole = nlohmann::json::parse(text);
    std::set<std::string> known;
    for (std::size_t s = 0; s < made.stages.size(); ++s) {
      for (const auto& id : whole["stages"][s]["vertices"]) {
        REQUIRE(whole["assignment"][id.get<std::string>()] == s);
        REQUIRE(known.insert(id.get<std::string>()).second);
      }
    }
    REQUIRE(known.size() == made.profile.layers.size());
    REQUIRE(whole["assignment"].size() == known.size());
  }
}

TEST_CASE("each mistake in an assignment is named with its place") {
  const std::string all = R"({"assignment": {"a": 0, "b": 1, "c": 0, "d": 3}, "x": 1})";
  CHECK(refused(all) == "not refused");
  CHECK(refused("{") == "f:1: no JSON: the text ends too early");
  CHECK(refused("{}") == "f: \"assignment\" is missing");
  CHECK(refused(R"({"assignment": []})") == "f#/assignment: [] is no object");
  CHECK(refused(R"({"assignment": {"a": 0, "b": 1, "c": 0}})") == "f#/assignment: vertex \"d\" is missing");
  CHECK(refused(R"({"assignment": {"e/": 0}})") == "f#/assignment/e~1: the profile has no vertex \"e/\"");
  CHECK(refused(R"({"assignment": {"a": -1}})") == "f#/assignment/a: -1 is no stage: a whole number from 0 on");
  CHECK(refused(R"({"assignment": {"a": 0.5}})") == "f#/assignment/a: 0.5 is no stage: a whole number from 0 on");
  CHECK(refused(R"({"assignment": {"a": 4}})") == "f#/assignment/a: 4 is not below the number of vertices, 4");
  CHECK(refused(R"({"assignment": {"a": 0, "a": 0}})") == "f#/assignment/a: stands twice in its object");
}

TEST_CASE("what cannot be written as an assignment") {
  stagecut::plan made = diamond_plan();
  made.profile.layers[1].name = "\xE9";
  CHECK_THROWS_WITH_AS((void)as_assignment_json(made),
                       Contains("plan#/profile/layers/1/name = \"\\xe9\", must be UTF-8"), stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)as_stage_map(made), Contains("io::as_stage_map: plan#/profile/layers/1/name"),
                       stagecut::argument_error);
  made = diamond_plan();
  made.stages[0].forward = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS((void)as_assignment_json(made), Contains("plan#/stages/0/time = infinity"),
                       stagecut::argument_error);
  made = diamond_plan();
  made.edges.clear();
  CHECK_THROWS_WITH_AS((void)as_assignment_json(made), Contains("io::as_assignment_json: plan#/assignment"),
                       stagecut::argument_error);
  made = diamond_plan();
  made.profile.edges.push_back({3, 9});
  CHECK_THROWS_WITH_AS((void)as_assignment_json(made), Contains("plan#/profile/edges/4/1"), stagecut::argument_error);
}
