// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/json_plan.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "random_plans.hpp"

using stagecut::io::as_json;
using stagecut::io::parse_json_plan;

namespace {

/// What the refusal of a text says.
std::string refusal(const std::string& text) {
  try {
    (void)parse_json_plan(text, "p.json");
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

/// What the refusal of the full plan with `to` for the first `from` says.
std::string with(const std::string& from, const std::string& to) {
  std::string text = as_json(full_plan());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return refusal(text.replace(at, from.size(), to));
}

/// What the refusal to write the full plan after `change` says, without its start.
template <class Change>
std::string not_written(const Change& change) {
  stagecut::plan made = full_plan();
  change(made);
  try {
    (void)as_json(made);
  } catch (const stagecut::argument_error& error) {
    return std::string(error.what()).substr(std::string("stagecut::io::as_json: ").size());
  }
  return "written";
}

}  // namespace

TEST_CASE("any plan is read back as it was written") {
  random_plans random(3);
  for (int round = 0; round < 1000; ++round) {
    const stagecut::plan made = random.plan();
    REQUIRE(parse_json_plan(as_json(made), "p.json") == made);
  }
}

TEST_CASE("the form in which a plan is written") {
  stagecut::plan made = full_plan();
  made.profile.layers.resize(1);
  made.profile.layers[0] = {"a", "", 1, 2};
  made.profile.unknown_fields.clear();
  made.cuts = {0, 1};
  made.chunks = 1;
  made.stages.resize(1);
  made.timeline.resize(1);
  CHECK(as_json(made) == R"({"schema": "stagecut-plan-1",
 "cuts": [0, 1],
 "objective": {"name": "bottleneck", "of": "time", "value": 3.5, "bound": 3.25, "state": "feasible"},
 "devices": 1,
 "chunks": 1,
 "stages": [
  {"first": 0, "last": 1, "time": 3.5, "device": 0, "forward": 1, "backward": 2.5, "in_flight": 2, )"
                         R"("memory": {"resident": 24, "activations": 8, "workspace": 2, "buffers": 12}}
 ],
 "schedule": {"name": "interleaved", "microbatches": 4},
 "memory": {"optimizer": "adam", "parameter_multiplier": 4, "checkpoint": "never", )"
                         R"("boundary_buffers": 2, "per_device": 1024, "buffer_fraction": 0.1},
 "speeds": [0.5],
 "messages": {"kind": "blocking", "links": [{"latency": 0.25, "bandwidth": 8}]},
 "makespan": 17.5,
 "timeline": [
  [0, 0, "F", 0, 1]
 ],
 "of plan": "x",
 "profile_hash": ")" + stagecut::io::profile_hash(made.profile) +
                             R"(",
 "profile": {"schema": "stagecut-profile-1", "name": "full", "weights_only": true, "layers": [
  {"name": "a", "forward": 1, "backward": 2}
]}})");
}

TEST_CASE("what was not reckoned is not written") {
  stagecut::plan made;
  made.profile.layers.resize(2);
  made.cuts = {0, 2};
  made.devices = 1;
  made.stages.resize(1);
  const std::string text = as_json(made);
  for (const char* key : {"in_flight", "memory", "schedule", "speeds", "messages", "makespan", "timeline"}) {
    CHECK(text.find(key) == std::string::npos);
  }
  CHECK(parse_json_plan(text, "p.json") == made);
}

TEST_CASE("plans from files and streams") {
  std::istringstream stream(as_json(full_plan()));
  CHECK(stagecut::io::read_plan(stream, "standard input") == full_plan());
  CHECK_THROWS_WITH_AS((void)stagecut::io::read_plan("no/such/file"),
                       "no/such/file: cannot be opened: No such file or directory", stagecut::invalid_input);
  const std::string seed = STAGECUT_TEST_DATA "/io/seeds/json_plan/full.json";
  CHECK(stagecut::io::read_plan(seed) == full_plan());
}

TEST_CASE("each mistake in the head is named with its place") {
  CHECK(refusal("{") == "p.json:1: no JSON: the text ends too early");
  CHECK(refusal("{}") == "p.json#: \"schema\" is missing");
  CHECK(refusal(R"({"schema": "stagecut-profile-1"})") == "p.json#/schema: is a profile, and a plan is wanted");
  CHECK(with("stagecut-plan-1", "stagecut-plan-2") ==
        "p.json#/schema: \"stagecut-plan-2\" is not known; read is \"stagecut-plan-1\"");
  CHECK(with("\"name\": \"second\"", "\"name\": 1") == "p.json#/profile/layers/1/name: 1 is no string");
  const std::string hash = stagecut::io::profile_hash(full_chain());
  CHECK(with(hash, "0") ==
        "p.json#/profile_hash: \"0\" is not the hash of the profile, " + hash + ": it was changed after planning");
  CHECK(with("\"second\"", "\"2nd\"").starts_with("p.json#/profile_hash: \"" + hash + "\" is not the hash"));
  CHECK(with("\"of layer\"", "\"OF LAYER\"") == "not refused");
  CHECK(with("\"state\": \"feasible\"", "\"state\": \"good\"") ==
        "p.json#/objective/state: \"good\" is neither optimal, feasible, infeasible nor unknown");
  CHECK(with("\"bound\": 3.25", "\"bound\": -1") == "p.json#/objective/bound: -1 is negative");
  CHECK(with("\"bound\": 3.25", "\"bound\": 1, \"x\": 1") == "p.json#/objective/x: is not known");
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 1.5") ==
        "p.json#/schedule/microbatches: 1.5 is no whole number");
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 4, \"x\": 1") == "p.json#/schedule/x: is not known");
  CHECK(with("\"optimizer\": \"adam\"", "\"optimizer\": 4") == "p.json#/memory/optimizer: 4 is no string");
  CHECK(with("\"per_device\"", "\"per_gpu\"") == "p.json#/memory/per_gpu: is not known");
  CHECK(with("\"makespan\": 17.5", "\"makespan\": \"17.5\"") == "p.json#/makespan: \"17.5\" is not a number");
}

TEST_CASE("a plan is of a chain") {
  const auto text = [](const stagecut::profile& model) {
    std::string made = as_json(full_plan());
    const std::string before = stagecut::io::profile_hash(full_chain());
    made.replace(made.find(before), before.size(), stagecut::io::profile_hash(model));
    const std::size_t at = made.find("\"profile\": ");
    return made.substr(0, at) + "\"profile\": " + as_json(model) + "}";
  };
  stagecut::profile model = full_chain();
  CHECK(refusal(text(model)) == "not refused");
  model.edges = {{0, 1}};
  const std::string graph = "/profile/edges: 1 edges make a graph, and a plan is of a chain";
  CHECK(refusal(text(model)) == "p.json#" + graph);
  CHECK(not_written([&](stagecut::plan& p) { p.profile = model; }) ==
        "plan#/profile/edges = 1 edges, make a graph, and a plan is of a chain");
  model.edges.clear();
  model.layers[1].children = {0};
  const std::string tree = "/profile/layers/1/children";
  CHECK(refusal(text(model)) == "p.json#" + tree + ": 1 layers make a module tree, and a plan is of a chain");
  CHECK(not_written([&](stagecut::plan& p) { p.profile = model; }) ==
        "plan#" + tree + " = 1 layers, make a module tree, and a plan is of a chain");
}

TEST_CASE("cuts, stages and devices agree") {
  CHECK(with("[0, 1, 2]", "[1, 2]") == "p.json#/cuts/0: 1 is not 0");
  CHECK(with("[0, 1, 2]", "[0, 1, 1]") == "p.json#/cuts/2: 1 is not above the point before it");
  CHECK(with("[0, 1, 2]", "[]") == "p.json#/cuts: holds no point");
  CHECK(with("[0, 1, 2]", "[0, 1, 3]").starts_with("p.json#/stages/1/last: 2 does not agree with the cuts: 3"));
  CHECK(with("[0, 1, 2]", "[0, 2]") == "p.json#/stages/0/last: 1 does not agree with the cuts: 2");
  CHECK(with("\"first\": 1", "\"first\": 0") == "p.json#/stages/1/first: 0 does not agree with the cuts: 1");
  CHECK(with("\"time\": 3.5", "\"cost\": 3.5") == "p.json#/stages/0: \"time\" is missing");
  CHECK(with("\"in_flight\"", "\"on_flight\"") == "p.json#/stages/0/on_flight: is not known");
  CHECK(with("\"buffers\": 12", "\"buffer\": 12") == "p.json#/stages/0/memory: \"buffers\" is missing");
  CHECK(with("\"buffers\": 12", "\"buffers\": 12, \"x\": 0") == "p.json#/stages/0/memory/x: is not known");
  CHECK(with("\"device\": 0", "\"device\": 1") == "p.json#/stages/0/device: 1 is not below the number of devices, 1");
  CHECK(with("\"devices\": 1", "\"devices\": 0") == "p.json#/devices: 0 is below 1");
  CHECK(with("\"devices\": 1", "\"devices\": 2") == "p.json#/devices: 2 times 2 chunks is not the number of stages, 2");
  CHECK(with("\"chunks\": 2", "\"chunks\": 9223372036854775809") ==
        "p.json#/devices: 1 times 9223372036854775809 chunks is not the number of stages, 2");
  const std::string text = as_json(full_plan());
  const std::size_t second = text.find("  {\"first\": 1");
  const std::string stage = text.substr(second, text.find('\n', second) - second);
  CHECK(with(",\n" + stage, "") == "p.json#/stages: 1 stages do not agree with the cuts, which make 2");
  CHECK(with(stage, stage + "," + stage) == "p.json#/stages/2: the cuts make only 2 stages");
}

TEST_CASE("speeds are those of the devices, links those of the boundaries") {
  CHECK(with("[0.5]", "[0.5, 1]") == "p.json#/speeds: 2 speeds are not the number of devices, 1");
  CHECK(with("[0.5]", "[0]") == "p.json#/speeds/0: a speed is not above 0");
  CHECK(with("[0.5]", "[]") == "p.json#/speeds: holds no speed");
  CHECK(with("[0.5]", "[\"x\"]") == "p.json#/speeds/0: \"x\" is not a number");
  const std::string link = R"({"latency": 0.25, "bandwidth": 8})";
  CHECK(with("[" + link + "]", "[" + link + ", " + link + "]") ==
        "p.json#/messages/links: 2 links are neither 1 nor the number of boundaries of stages, 1");
  CHECK(with("[" + link + "]", "[]") == "p.json#/messages/links: holds no link");
  CHECK(with("\"blocking\"", "\"pigeon\"") ==
        "p.json#/messages/kind: \"pigeon\" is neither link, latency, stream nor blocking");
  CHECK(with(link, R"({"latency": 0.25})") == "p.json#/messages/links/0: \"bandwidth\" is missing");
  CHECK(with(link, R"({"latency": -1, "bandwidth": 8})") == "p.json#/messages/links/0/latency: -1 is negative");
  CHECK(with(link, R"({"latency": 0, "bandwidth": 8, "x": 1})") == "p.json#/messages/links/0/x: is not known");
  CHECK(with(R"("kind": "blocking", )", "") == "p.json#/messages: \"kind\" is missing");
  using stagecut::plan;
  CHECK(not_written([](plan& p) { p.speeds = {1, 1}; }) == "plan#/speeds = 2 speeds, are not the number of devices, 1");
  CHECK(not_written([](plan& p) { p.speeds = {-1}; }) == "plan#/speeds/0 = a speed, is not above 0");
  CHECK(not_written([](plan& p) { p.messages.kind = ""; }) ==
        "plan#/messages/kind = \"\", is none of link, latency, stream, blocking, or there are no links");
  CHECK(not_written([](plan& p) { p.messages.links.clear(); }) ==
        "plan#/messages/kind = \"blocking\", is none of link, latency, stream, blocking, or there are no links");
  CHECK(not_written([](plan& p) { p.messages.links[0].latency = -1; }) ==
        "plan#/messages/links/0/latency = -1.0, must be finite and not negative");
  CHECK(not_written([](plan& p) { p.messages = {}; }) == "written");
}

TEST_CASE("the passes of a timeline are those of the plan") {
  const std::string pass = "[0, 0, \"F\", 0, 1]";
  CHECK(with(pass, "[0, 0, \"F\", 0]") ==
        "p.json#/timeline/0: [0,0,\"F\",0] is not [stage, microbatch, \"F\", start, end]");
  CHECK(with(pass, "[0, 0, \"SEND_F\", 0, 1]") ==
        "p.json#/timeline/0/2: \"SEND_F\" is neither \"F\", \"B\", \"I\" nor \"W\"");
  CHECK(with(pass, "[2, 0, \"F\", 0, 1]") == "p.json#/timeline/0/0: 2 is not below the number of stages, 2");
  CHECK(with(pass, "[0, 4, \"F\", 0, 1]") == "p.json#/timeline/0/1: 4 is not below the number of microbatches, 4");
  CHECK(with(pass, "[0, 0, \"F\", 2, 1]") == "p.json#/timeline/0: the end is before the start");
  CHECK(with(pass, "[0, 0, \"F\", -1, 1]") == "p.json#/timeline/0/3: -1 is negative");
}

TEST_CASE("what could not be read back is not written, with its place") {
  using stagecut::plan;
  CHECK(not_written([](plan&) {}) == "written");
  CHECK(not_written([](plan& p) { p = {}; }) == "plan#/cuts = {}, makes no stage");
  CHECK(not_written([](plan& p) { p.cuts = {0, 1}; }) == "plan#/cuts/1 = 1, is not the number of layers, 2");
  CHECK(not_written([](plan& p) {
          p.cuts = stagecut::cuts({0, 0, 2}, stagecut::empty_stages::allowed);
        }) == "plan#/cuts/1 = 0, is not above the point before it");
  CHECK(not_written([](plan& p) { p.stages.pop_back(); }) ==
        "plan#/stages = 1 stages, do not agree with the cuts, which make 2");
  CHECK(not_written([](plan& p) { p.chunks = 0; }) ==
        "plan#/devices = 1, times 0 chunks is not the number of stages, 2");
  CHECK(not_written([](plan& p) { p.stages[1].device = 1; }) ==
        "plan#/stages/1/device = 1, is not below the number of devices, 1");
  CHECK(not_written([](plan& p) { p.stages[1].memory.buffers = -1; }) ==
        "plan#/stages/1/memory/buffers = -1.0, must be finite and not negative");
  CHECK(not_written([](plan& p) { p.objective.name = "\xff"; }) == "plan#/objective/name = \"\\xff\", must be UTF-8");
  CHECK(not_written([](plan& p) { p.timeline[1].start = -1; }) ==
        "plan#/timeline/1/3 = -1.0, must be finite and not negative");
  CHECK(not_written([](plan& p) { p.makespan = -1; }) == "plan#/makespan = -1.0, must be finite and not negative");
  CHECK(not_written([](plan& p) { p.unknown_fields = R"({"cuts": 1})"; }) ==
        "plan#/unknown_fields = \"{\"cuts\": 1}\", must not hold \"cuts\"");
  CHECK(not_written([](plan& p) {
          p.profile.layers[0].kind = "\xff";
        }).ends_with("/layers/0/kind = \"\\xff\", must be UTF-8"));
  CHECK(not_written([](plan& p) { p.profile.layers[0].group = ""; }) == "written");
}
