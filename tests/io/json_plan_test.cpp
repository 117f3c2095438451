// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "random_plans.hpp"

using stagecut::io::as_json;
using stagecut::io::parse_json_plan;

namespace {

const std::string seeds = STAGECUT_TEST_DATA "/io/seeds/json_plan/";

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

/// The same of the plan of a graph.
std::string with_graph(const std::string& from, const std::string& to) {
  std::string text = as_json(full_graph_plan());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return refusal(text.replace(at, from.size(), to));
}

/// A file of the seeds.
std::string file_of(const std::string& name) {
  std::ifstream file(seeds + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A text with `to` for the first `from`.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The plan that is read from such a text.
stagecut::plan changed(const std::string& text, const std::string& from, const std::string& to) {
  return parse_json_plan(replaced(text, from, to), "p.json");
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
  made.profile.machine = {};
  made.cuts = {0, 1};
  made.stages_per_rank = 1;
  made.stages.resize(1);
  made.edges.clear();
  made.choices.clear();
  made.timeline.resize(1);
  CHECK(as_json(made) ==
        R"({"schema": "stagecut-plan-3",
 "cuts": [0, 1],
 "objective": {"name": "bottleneck", "of": "time", "value": 3.5, "bound": 3.25, "state": "feasible"},
 "devices": 1,
 "stages_per_rank": 1,
 "stages": [
  {"first": 0, "last": 1, "time": 3.5, "device": 0, "replicas": 3, "tensor_parallel": 2, "forward": 1, "backward": 2.5, )"
        R"("backward_kept": 1.5, "backward_input": 2.25, "backward_weight": 0.5, "all_reduce": 0.25, "in_flight": 2, )"
        R"("memory": {"resident": 24, "activations": 4, "recomputed": 3, "recomputed_apart": 5, "workspace": 2, "buffers": 12}}
 ],
 "schedule": {"name": "interleaved", "microbatches": 4},
 "memory": {"optimizer": "adam", "parameter_multiplier": 4, "checkpoint": "except_last", )"
        R"("boundary_buffers": 2, "memory_limit": 1024, "buffer_fraction": 0.1},
 "speeds": [0.5],
 "messages": {"kind": "blocking", "links": [{"latency": 0.25, "bandwidth": 8}]},
 "makespan": 17.5,
 "timeline": [
  [0, 0, "F", 0, 1]
 ],
 "of plan": "x",
 "profile_hash": ")" +
            stagecut::io::profile_hash(made.profile) +
            R"(",
 "profile": {"schema": "stagecut-profile-2", "name": "full", "weights_only": true, "inference": true, "layers": [
  {"name": "a", "forward": 1, "backward": 2}
]}})");
}

TEST_CASE("the form of what is no chain and has no name") {
  const std::string text = as_json(full_graph_plan());
  for (const char* part : {
           "{\"schema\": \"stagecut-plan-3\",\n \"assignment\": [1, 0, 1],\n \"objective\"",
           "\n  {\"time\": 3.5, \"device\": 1, ",
           "\n \"edges\": [{\"from\": 0, \"to\": 1, \"bytes\": 6}],\n",
           "\n \"choices\": [{\"recomputation\": \"full\", \"sharding\": \"full\"}, {\"recomputation\": \"full\"}, {}],\n",
           "\n \"own_microbatches\": true,\n",
           "\n \"schedule\": {\"name\": \"\", \"microbatches\": 2, \"orders\": [\n"
           "  [\"0F0\", [\"0F1\", \"0B0\"], \"0B1\"],\n  [\"1F0\", \"1I0\", \"1W0\", \"1F1\", \"1B1\"]\n ]},\n",
       }) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  }
  CHECK(parse_json_plan(text, "p.json") == full_graph_plan());
}

TEST_CASE("a group of microbatches stands beside their number") {
  stagecut::plan made = full_plan();
  made.schedule.group = 3;
  const std::string text = as_json(made);
  CHECK(text.find(R"("schedule": {"name": "interleaved", "microbatches": 4, "group": 3},)") != std::string::npos);
  CHECK(parse_json_plan(text, "p.json") == made);
  CHECK(as_json(full_plan()).find("\"group\": 0") == std::string::npos);
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 4, \"group\": 0").find("p.json#/schedule/group: ") == 0);
}

TEST_CASE("slices of sequences stand beside the microbatches, of the one schedule that cuts them") {
  stagecut::plan made = full_plan();
  made.schedule = {"seq-1f1b", 4};
  CHECK(as_json(made).find("slices") == std::string::npos);
  made.schedule.slices = 3;
  const std::string text = as_json(made);
  CHECK(text.find(R"("schedule": {"name": "seq-1f1b", "microbatches": 4, "slices": 3},)") != std::string::npos);
  CHECK(parse_json_plan(text, "p.json") == made);
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 4, \"slices\": 2").find("p.json#/schedule/slices: 2 does not agree") == 0);
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 4, \"slices\": 0").find("p.json#/schedule/slices: ") == 0);
}

TEST_CASE("what was not reckoned is not written") {
  stagecut::plan made;
  made.profile.layers.resize(2);
  made.cuts = {0, 2};
  made.devices = 1;
  made.stages.resize(1);
  const std::string text = as_json(made);
  for (const char* key : {"in_flight", "memory", "schedule", "speeds", "messages", "makespan", "timeline", "assignment",
                          "edges", "choices", "replicas", "tensor_parallel", "backward_", "all_reduce", "cpu", "machine"}) {
    CHECK(text.find(key) == std::string::npos);
  }
  CHECK(parse_json_plan(text, "p.json") == made);
}

TEST_CASE("plans from files and streams") {
  std::istringstream stream(as_json(full_plan()));
  CHECK(stagecut::io::read_plan(stream, "standard input") == full_plan());
  CHECK_THROWS_WITH_AS((void)stagecut::io::read_plan("no/such/file"),
                       "no/such/file: cannot be opened: No such file or directory", stagecut::invalid_input);
  CHECK(stagecut::io::read_plan(seeds + "full_3.json") == full_plan());
  CHECK(stagecut::io::read_plan(seeds + "graph_3.json") == full_graph_plan());
}

TEST_CASE("files of the second version are read as those of the third") {
  CHECK(stagecut::io::read_plan(seeds + "full_2.json") == full_plan());
  CHECK(stagecut::io::read_plan(seeds + "graph_2.json") == full_graph_plan());
  const std::string text = file_of("graph_2.json");
  CHECK(changed(text, "\"name\": \"bottleneck\"", "\"name\": \"pipeline-length\"").objective.name == "pipeline-latency");
  const auto refused = [&](const std::string& from, const std::string& to) { return refusal(replaced(text, from, to)); };
  CHECK(refused("\"chunks\"", "\"stages_per_rank\"") == "p.json#/stages_per_rank: is \"chunks\" in this schema");
  CHECK(refused("\"shards\"", "\"tensor_parallel\"") ==
        "p.json#/stages/0/tensor_parallel: is \"shards\" in this schema");
  CHECK(refused("\"of_devices\"", "\"memory_limit\"") == "p.json#/memory/memory_limit: is \"per_device\" in this schema");
  CHECK(refused("\"of_devices\": [1024, 2048]", "\"of_devices\": 1024") == "p.json#/memory/of_devices: 1024 is no array");
  CHECK(refused("\"of_devices\": [1024, 2048]", "\"of_devices\": [1024, 2048, 1024]") ==
        "p.json#/memory/of_devices: 3 limits are not the number of devices, 2");
  CHECK(refused("\"shards\": 2", "\"shards\": 1048577") == "p.json#/stages/0/shards: 1048577 is above 1048576");
  CHECK(refused("\"ways\": 2", "\"ways\": 3").find(": it was changed after planning") != std::string::npos);
  CHECK(refused("\"ways\": 2", "\"tensor_parallel\": 2").ends_with("/tensor_parallel: is \"ways\" in this schema"));
}

TEST_CASE("former names are refused in files of the third version") {
  CHECK(with("\"stages_per_rank\"", "\"chunks\"") == "p.json#/chunks: is \"stages_per_rank\" in this schema");
  CHECK(with("\"tensor_parallel\"", "\"shards\"") == "p.json#/stages/0/shards: is \"tensor_parallel\" in this schema");
  CHECK(with("\"memory_limit\"", "\"per_device\"") == "p.json#/memory/per_device: is \"memory_limit\" in this schema");
  CHECK(with("\"memory_limit\"", "\"of_devices\"") == "p.json#/memory/of_devices: is not known");
  CHECK(with("\"name\": \"bottleneck\"", "\"name\": \"pipeline-length\"")
            .starts_with("p.json#/objective/name: \"pipeline-length\" is none of makespan, "));
  CHECK(not_written([](stagecut::plan& p) { p.unknown_fields = R"({"chunks": 1})"; }) ==
        "plan#/unknown_fields = \"{\"chunks\": 1}\", must not hold \"chunks\"");
}

TEST_CASE("each mistake in the head is named with its place") {
  CHECK(refusal("{") == "p.json:1: no JSON: the text ends too early");
  CHECK(refusal("{}") == "p.json: is no plan: \"schema\" is missing, which is \"stagecut-plan-3\" in one");
  CHECK(refusal(R"({"schema": "stagecut-profile-2"})") == "p.json#/schema: is a profile, and a plan is wanted");
  CHECK(with("stagecut-plan-3", "stagecut-plan-4") ==
        "p.json#/schema: \"stagecut-plan-4\" is not known; read are \"stagecut-plan-1\", \"stagecut-plan-2\" and "
        "\"stagecut-plan-3\"");
  CHECK(with("\"name\": \"second\"", "\"name\": 1") == "p.json#/profile/layers/1/name: 1 is no string");
  const std::string hash = stagecut::io::profile_hash(full_chain());
  CHECK(with(hash, "0") ==
        "p.json#/profile_hash: \"0\" is not the hash of the profile, " + hash + ": it was changed after planning");
  CHECK(with("\"second\"", "\"2nd\"").starts_with("p.json#/profile_hash: \"" + hash + "\" is not the hash"));
  CHECK(with("\"of layer\"", "\"OF LAYER\"") == "not refused");
  CHECK(with("\"state\": \"feasible\"", "\"state\": \"good\"") ==
        "p.json#/objective/state: \"good\" is none of optimal, feasible, infeasible, unknown");
  CHECK(with("\"bound\": 3.25", "\"bound\": -1") == "p.json#/objective/bound: -1 is negative");
  CHECK(with("\"bound\": 3.25", "\"bound\": 1, \"x\": 1") == "p.json#/objective/x: is not known");
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 1.5") ==
        "p.json#/schedule/microbatches: 1.5 is no whole number");
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 4, \"x\": 1") == "p.json#/schedule/x: is not known");
  CHECK(with("\"optimizer\": \"adam\"", "\"optimizer\": 4") == "p.json#/memory/optimizer: 4 is no string");
  CHECK(with("\"memory_limit\"", "\"per_gpu\"") == "p.json#/memory/per_gpu: is not known");
  CHECK(with("\"makespan\": 17.5", "\"makespan\": \"17.5\"") == "p.json#/makespan: \"17.5\" is not a number");
}

TEST_CASE("figures that contradict each other, and words that there are not, are refused") {
  CHECK(with("\"bound\": 3.25", "\"bound\": 3.75") ==
        "p.json#/objective/bound: the bound does not agree with the value, which it is above");
  CHECK(with("\"name\": \"bottleneck\"", "\"name\": \"total\"") ==
        "p.json#/objective/name: \"total\" is none of makespan, bottleneck, leximax, range, variance, time-per-token, iteration, stage-time, pipeline-latency, communication, "
        "nor empty");
  CHECK(with("\"except_last\"", "\"sometimes\"") ==
        "p.json#/memory/checkpoint: \"sometimes\" is none of never, except_last, always, nor empty");
  CHECK(with("\"buffer_fraction\": 0.1", "\"buffer_fraction\": 1") ==
        "p.json#/memory/buffer_fraction: the fraction is not below 1");
  CHECK(with("\"schedule\": {\"name\": \"interleaved\", \"microbatches\": 4},\n ", "") ==
        "p.json#/makespan: a time is given without a schedule");
  CHECK(with("\"microbatches\": 4", "\"microbatches\": 0") ==
        "p.json#/makespan: a time does not agree with a number of microbatches that is not known");
  CHECK(not_written([](stagecut::plan& p) { p.objective.bound = 4; }) ==
        "plan#/objective/bound = the bound, does not agree with the value, which it is above");
}

TEST_CASE("a plan is of leaves; of a graph, it has edges between its stages") {
  const auto text = [](const stagecut::profile& model, bool edges) {
    std::string made = as_json(full_plan());
    const std::string before = stagecut::io::profile_hash(full_chain());
    made.replace(made.find(before), before.size(), stagecut::io::profile_hash(model));
    const std::string own = " \"edges\": [{\"from\": 0, \"to\": 1, \"bytes\": 6}],\n";
    if (!edges) made.replace(made.find(own), own.size(), "");
    const std::size_t at = made.find("\"profile\": ");
    return made.substr(0, at) + "\"profile\": " + as_json(model) + "}";
  };
  stagecut::profile model = full_chain();
  CHECK(refusal(text(model, true)) == "not refused");
  CHECK(refusal(text(model, false)) == "not refused");
  model.edges = {{0, 1}};
  const auto without = [&](stagecut::plan& p) { p.profile = model, p.edges.clear(); };
  CHECK(refusal(text(model, true)) == "not refused");
  CHECK(refusal(text(model, false)) ==
        "p.json#/profile/edges: 1 edges make a graph: do not agree with no edges between its stages");
  CHECK(not_written(without) ==
        "plan#/profile/edges = 1 edges, make a graph: do not agree with no edges between its stages");
  model.edges.clear();
  model.layers[1].children = {0};
  const std::string tree = "/profile/layers/1/children";
  CHECK(refusal(text(model, true)) == "p.json#" + tree + ": 1 layers make a module tree, and a plan is of leaves");
  CHECK(not_written(without) == "plan#" + tree + " = 1 layers, make a module tree, and a plan is of leaves");
}

TEST_CASE("cuts, stages and devices agree") {
  CHECK(with("[0, 1, 2]", "[1, 2]") == "p.json#/cuts/0: 1 is not 0");
  CHECK(with("[0, 1, 2]", "[0, 1, 0]") == "p.json#/cuts/2: 0 is not above the point before it");
  CHECK(with("[0, 1, 2]", "[]") == "p.json#/cuts: holds no point");
  CHECK(with("[0, 1, 2]", "[0, 1, 3]").starts_with("p.json#/stages/1/last: 2 does not agree with the cuts: 3"));
  CHECK(with("[0, 1, 2]", "[0, 2]") == "p.json#/stages/0/last: 1 does not agree with the cuts: 2");
  CHECK(with("\"first\": 1", "\"first\": 0") == "p.json#/stages/1/first: 0 does not agree with the cuts: 1");
  CHECK(with("\"time\": 3.5", "\"cost\": 3.5") == "p.json#/stages/0: \"time\" is missing");
  CHECK(with("\"in_flight\": 2", "\"in_flight\": 0").starts_with("p.json#/stages/0/in_flight: "));
  CHECK(with("\"in_flight\"", "\"on_flight\"") == "p.json#/stages/0/on_flight: is not known");
  CHECK(with("\"buffers\": 12", "\"buffer\": 12") == "p.json#/stages/0/memory: \"buffers\" is missing");
  CHECK(with("\"buffers\": 12", "\"buffers\": 12, \"x\": 0") == "p.json#/stages/0/memory/x: is not known");
  CHECK(with("\"recomputed\": 3, ", "") == "p.json#/stages/0/memory: \"recomputed\" is missing");
  CHECK(with("\"device\": 0", "\"device\": 1") == "p.json#/stages/0/device: 1 is not below the number of devices, 1");
  CHECK(with("\"devices\": 1", "\"devices\": 0") == "p.json#/devices: 0 is below 1");
  CHECK(with("\"devices\": 1", "\"devices\": 2") == "p.json#/devices: 2 times 2 stages per rank is not the number of stages, 2");
  CHECK(with("\"stages_per_rank\": 2", "\"stages_per_rank\": 9223372036854775809") ==
        "p.json#/devices: 1 times 9223372036854775809 stages per rank is not the number of stages, 2");
  const std::string text = as_json(full_plan());
  const std::size_t second = text.find("  {\"first\": 1");
  const std::string stage = text.substr(second, text.find('\n', second) - second);
  CHECK(with(",\n" + stage, "") == "p.json#/stages: 1 stages do not agree with the cuts, which make 2");
  CHECK(with(stage, stage + "," + stage) == "p.json#/stages/2: the cuts make only 2 stages");
}

TEST_CASE("speeds are those of the devices, links those of the boundaries") {
  const std::string limit = R"("memory_limit": 1024)";
  CHECK(with(limit, R"("memory_limit": [1024])") == "not refused");
  CHECK(with(limit, R"("memory_limit": [1, 2])") ==
        "p.json#/memory/memory_limit: 2 limits are not the number of devices, 1");
  CHECK(with(limit, R"("memory_limit": [])") == "p.json#/memory/memory_limit: holds no bytes");
  CHECK(with(limit, R"("memory_limit": [-1])") == "p.json#/memory/memory_limit/0: -1 is negative");
  CHECK(with(limit, R"("memory_limit": "1GB")") == "p.json#/memory/memory_limit: \"1GB\" is not a number");
  CHECK(not_written([](stagecut::plan& p) {
          p.memory.memory_limit = {1, 2};
        }) == "plan#/memory/memory_limit = 2 limits, are not the number of devices, 1");
  CHECK(with("[0.5]", "[0.5, 1]") == "p.json#/speeds: 2 speeds are not the number of devices, 1");
  CHECK(with("[0.5]", "[0]") == "p.json#/speeds/0: a speed is not above 0");
  CHECK(with("[0.5]", "[]") == "p.json#/speeds: holds no speed");
  CHECK(with("[0.5]", "[\"x\"]") == "p.json#/speeds/0: \"x\" is not a number");
  const std::string link = R"({"latency": 0.25, "bandwidth": 8})";
  CHECK(with("[" + link + "]", "[" + link + ", " + link + "]") ==
        "p.json#/messages/links: 2 links are neither 1 nor the number of edges between stages, 1");
  CHECK(with("[" + link + "]", "[]") == "p.json#/messages/links: holds no link");
  CHECK(with("\"blocking\"", "\"pigeon\"") ==
        "p.json#/messages/kind: \"pigeon\" is none of link, latency, stream, blocking");
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
        "p.json#/timeline/0/2: \"SEND_F\" is none of F, B, I, W");
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
          p.stages_per_rank = 1;
        }) == "plan#/cuts/1 = 0, is not above the point before it");
  CHECK(not_written([](plan& p) { p.stages.pop_back(); }) ==
        "plan#/stages = 1 stages, do not agree with the cuts, which make 2");
  CHECK(not_written([](plan& p) { p.stages_per_rank = 0; }) ==
        "plan#/devices = 1, times 0 stages per rank is not the number of stages, 2");
  CHECK(not_written([](plan& p) { p.stages[1].device = 1; }) ==
        "plan#/stages/1/device = 1, is not below the number of devices, 1");
  CHECK(not_written([](plan& p) { p.stages[1].memory.buffers = -1; }) ==
        "plan#/stages/1/memory/buffers = -1.0, must be finite and not negative");
  CHECK(not_written([](plan& p) { p.objective.of = "\xff"; }) == "plan#/objective/of = \"\\xff\", must be UTF-8");
  CHECK(not_written([](plan& p) { p.objective.name = "\xff"; }) ==
        "plan#/objective/name = \"\\xff\", is none of makespan, bottleneck, leximax, range, variance, time-per-token, iteration, stage-time, pipeline-latency, communication, "
        "nor empty");
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

TEST_CASE("files of the first version: figures of all microbatches become those of one, and simulate to the same") {
  struct known {
    const char* name;
    bool split;
    std::vector<double> peaks;  // as the version before this one printed them, and the totals of its stages
    std::vector<double> totals;
  };
  const std::vector<known> all = {
      {"first_never", false, {19136.400000000001, 9768.8999999999996}, {19136.399999999998, 9768.8999999999996}},
      {"first_always", false, {17735, 9805.2000000000007}, {17735, 9805.2000000000007}},
      {"first_except_last", false, {17735, 9841.5}, {17735, 9841.5}},
      {"first_zb_h1", true, {19136.400000000001, 11070.200000000001}, {19136.399999999998, 11070.200000000001}},
  };
  for (const known& each : all) {
    CAPTURE(each.name);
    const stagecut::plan first = stagecut::io::read_plan(seeds + each.name + ".json");
    const stagecut::plan second = parse_json_plan(as_json(first), "p.json");
    REQUIRE(second == first);
    for (const stagecut::plan& made : {first, second}) {
      const auto order = schedule_of(made);
      const auto run = stagecut::simulate(order, times_of(made, each.split), transfers_of(made));
      CHECK(run.makespan == made.makespan);
      std::vector<stagecut::timed_pass> passes;
      for (const auto& rank : run.ops) {
        for (const auto& one : rank) {
          passes.push_back({one.what.stage, one.what.microbatch, one.what.kind, one.start, one.end});
        }
      }
      CHECK(passes == made.timeline);
      const auto memory = memory_curve(order, run, bytes_of(made));
      for (std::size_t s = 0; s < 2; ++s) {
        CHECK(memory[s].peak() == each.peaks[s]);
        CHECK(made.stages[s].total_memory() == each.totals[s]);
      }
    }
  }
  const stagecut::plan full = stagecut::io::read_plan(seeds + "full.json");
  CHECK(full.stages[0].memory == stagecut::planned_memory{24, 4, 2, 12, 0});
  CHECK(full.stages[0].total_memory() == 46);
  CHECK(full.stages[1].backward_weight == 3);
  CHECK_FALSE(full.stages[1].backward_kept.has_value());
}

TEST_CASE("a file of the first version has what that had") {
  std::ifstream file(seeds + "first_except_last.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(refusal(text) == "not refused");
  const auto change = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return refusal(changed);
  };
  for (const char* key : {"assignment", "edges", "choices"}) {
    const std::string named = "\"" + std::string(key) + "\": ";
    CHECK(change("\"chunks\"", named + "[], \"chunks\"") ==
          "p.json#/" + std::string(key) + ": is not of schema \"stagecut-plan-1\"");
    CHECK(change("\"chunks\"", named + "null, \"chunks\"") == "not refused");
  }
  CHECK(change("\"in_flight\"", "\"shards\": 1, \"in_flight\"") == "p.json#/stages/0/shards: is not known");
  CHECK(change("\"workspace\"", "\"recomputed\": 1, \"workspace\"") == "p.json#/stages/0/memory/recomputed: is not known");
  CHECK(change("\"microbatches\"", "\"orders\": [], \"microbatches\"") == "p.json#/schedule/orders: is not known");
  CHECK(change("\"microbatches\"", "\"group\": 4, \"microbatches\"") == "p.json#/schedule/group: is not known");
  CHECK(change("[1, 0.75]", "[1e-320, 0.75]") ==
        "p.json#/stages/0/backward: the time of its layers is out of range");
  CHECK(change("\"except_last\"", "\"never\"") == "not refused");
}

TEST_CASE("the stage of every layer stands in cuts or in an assignment") {
  CHECK(with_graph("\"assignment\": [1, 0, 1]", "\"x\": 0") == "p.json: \"cuts\" is missing");
  CHECK(with_graph("[1, 0, 1],", "[1, 0, 1], \"cuts\": [0, 1, 3],") ==
        "p.json#/assignment: does not agree with cuts: give one of both");
  CHECK(with_graph("[1, 0, 1]", "[]") == "p.json#/assignment: holds no stage");
  CHECK(with_graph("[1, 0, 1]", "[1, 0]") == "p.json#/assignment: 2 stages are not the number of layers, 3");
  CHECK(with_graph("[1, 0, 1]", "[1, 0, 2]") == "p.json#/assignment/2: 2 is not below the number of stages, 2");
  CHECK(with_graph("[1, 0, 1]", "[1, 1, 1]") == "p.json#/stages/0: stage 0 has no layer");
  CHECK(with_graph("[1, 0, 1]", "[0, 0, 1]") ==
        "p.json#/assignment: {…} has intervals in the order of the model only, which cuts express");
  stagecut::plan forward = full_graph_plan();
  for (stagecut::layer& layer : forward.profile.layers) layer.is_backward = false;
  std::string text = as_json(forward);
  CHECK(
      refusal(text.replace(text.find("[1, 0, 1]"), 9, "[0, 1, 0]")) ==
      "p.json#/edges: 1 edges do not agree with the layers: layer 0 on stage 0 needs layer 1 on stage 1, from which no "
      "way leads there");
  CHECK(with_graph("{\"time\": 3.5", "{\"first\": 0, \"time\": 3.5") ==
        "p.json#/stages/0/first: does not agree with an assignment: the stage is no interval");
  CHECK(with_graph("{\"time\": 3.5", "{\"last\": 0, \"time\": 3.5") ==
        "p.json#/stages/0/last: does not agree with an assignment: the stage is no interval");
  const std::string edges = " \"edges\": [{\"from\": 0, \"to\": 1, \"bytes\": 6}],\n";
  CHECK(with_graph(edges, "") ==
        "p.json#/assignment: {…} is of stages that are no chain: do not agree with no edges between them");
}

TEST_CASE("edges between stages lead on, in their order") {
  const std::string edge = "{\"from\": 0, \"to\": 1, \"bytes\": 6}";
  CHECK(with(edge, "") == "p.json#/edges: holds no edge; a chain goes without \"edges\"");
  CHECK(with(edge, R"({"from": 0, "to": 1})") == "p.json#/edges/0: \"bytes\" is missing");
  CHECK(with(edge, R"({"from": 0, "to": 1, "bytes": -1})") == "p.json#/edges/0/bytes: -1 is negative");
  CHECK(with(edge, R"({"from": 0, "to": 1, "bytes": 1, "x": 1})") == "p.json#/edges/0/x: is not known");
  CHECK(with(edge, R"({"from": 0, "to": 2, "bytes": 1})") == "p.json#/edges/0/to: 2 is not below the number of stages, 2");
  CHECK(with(edge, R"({"from": 1, "to": 1, "bytes": 1})") ==
        "p.json#/edges/0/from: 1 is not below the number of the stage that it leads to, 1");
  CHECK(with(edge, edge + ", " + edge) ==
        "p.json#/edges/1: the edge from 0 to 1 is not behind the one before it: by the stage they come from, then by the "
        "one they lead to");
  using stagecut::plan;
  CHECK(not_written([](plan& p) { p.edges[0].bytes = -1; }) ==
        "plan#/edges/0/bytes = -1.0, must be finite and not negative");
}

TEST_CASE("every rank has its devices") {
  CHECK(with("\"replicas\": 3", "\"replicas\": 0") == "p.json#/stages/0/replicas: 0 is below 1");
  CHECK(with("\"tensor_parallel\": 2", "\"tensor_parallel\": 1048577") ==
        "p.json#/stages/0/tensor_parallel: 1048577 is above 1048576");
  CHECK(with("\"replicas\": 3", "\"replicas\": 4") ==
        "p.json#/stages/1/tensor_parallel: 2 times 3 replicas is not the number of devices of rank 0, 8");
  CHECK(with("\"replicas\": 3, \"tensor_parallel\": 2", "\"replicas\": 2, \"tensor_parallel\": 3") ==
        "p.json#/choices/0/recomputation: \"full\" is of 2 devices, not the tensor-parallel degree of its stage, 3");
  using stagecut::plan;
  CHECK(not_written([](plan& p) { p.stages[0].tensor_parallel = 0; }) == "plan#/stages/0/tensor_parallel = 0, is below 1");
}

TEST_CASE("choices are variants of their layers") {
  const std::string choices = R"([{"recomputation": "full", "sharding": "full"}, {"recomputation": "full"}])";
  CHECK(with(choices, "[]") == "p.json#/choices: holds no choice");
  CHECK(with(choices, "[{}]") == "p.json#/choices: 1 choices are not the number of layers, 2");
  CHECK(with(choices, "[{}, {}]") == "not refused");
  CHECK(with(choices, "[{}, 1]") == "p.json#/choices/1: 1 is no object");
  CHECK(with(choices, R"([{}, {"x": 1}])") == "p.json#/choices/1/x: is not known");
  CHECK(with(choices, R"([{}, {"sharding": 1}])") == "p.json#/choices/1/sharding: 1 is no string");
  CHECK(with(choices, R"([{}, {"sharding": "row"}])") ==
        "p.json#/choices/1/sharding: \"row\" does not agree with the layer, which has no such variant");
  CHECK(with(choices, R"([{"recomputation": "row"}, {}])") ==
        "p.json#/choices/0/recomputation: \"row\" does not agree with the layer, which has no such variant");
}

TEST_CASE("whether the last microbatch is kept, stages and the checkpoint mode agree") {
  CHECK(with("\"backward_kept\": 1.5, ", "") ==
        "p.json#/stages/0/backward_kept: no time does not agree with the checkpoint mode, \"except_last\"");
  CHECK(with("\"except_last\"", "\"never\"") ==
        "p.json#/stages/0/backward_kept: a time does not agree with the checkpoint mode, \"never\"");
  CHECK(with("\"except_last\"", "\"\"") == "not refused");
  using stagecut::plan;
  CHECK(not_written([](plan& p) { p.memory = {}, p.stages[1].backward_kept.reset(); }) ==
        "plan#/stages/1/backward_kept = no time, does not agree with that of stage 0");
}

TEST_CASE("a gradient of the input comes with that of the weights") {
  CHECK(with("\"backward_weight\": 0.5, ", "") ==
        "p.json#/stages/0/backward_input: a time stands without backward_weight");
  CHECK(not_written([](stagecut::plan& p) { p.stages[1].backward_weight.reset(); }) ==
        "plan#/stages/1/backward_input = a time, stands without backward_weight");
  CHECK(with("\"backward_input\": 2.25, ", "") == "not refused");
}

TEST_CASE("an order is one that a schedule may have") {
  const std::string order = R"(["0F0", ["0F1", "0B0"], "0B1"])";
  const std::string at = "p.json#/schedule/orders/0";
  CHECK(with_graph("\"name\": \"\"", "\"name\": \"mine\"") ==
        "p.json#/schedule/name: \"mine\" does not agree with an order of one's own, which has no name");
  CHECK(with_graph(order + ",", "") == "p.json#/schedule/orders: 1 orders are not the number of devices, 2");
  CHECK(with_graph("\"microbatches\": 2", "\"microbatches\": 0") ==
        "p.json#/schedule: the schedule has no microbatch");
  CHECK(with_graph("\"microbatches\": 2", "\"microbatches\": 3").find("p.json#/schedule/orders/") == 0);
  CHECK(with_graph(order, "1") == at + ": 1 is no array");
  CHECK(with_graph(order, "[1]") == at + "/0: 1 is no string");
  for (const char* text : {"", "F0", "0F", "0", "0X0", "0FF0", "0F0 ", "-1F0", "0F-1", "0SEND_F0", "0F0:1",
                           "0F99999999999999999999", "99999999999999999999F0"}) {
    CHECK(with_graph("\"0F0\"", "\"" + std::string(text) + "\"") ==
          at + "/0: \"" + text + "\" is no pass: a stage, F, B, I or W, and a microbatch, as \"2F0\"");
  }
  CHECK(with_graph(R"(["0F1", "0B0"])", R"(["0F1"])") ==
        at + "/1: [\"0F1\"] is not [F, B], two passes that run together");
  CHECK(with_graph(R"(["0F1", "0B0"], "0B1")", R"(["0F1", "0B1"], "0B0")") ==
        at + "/1/0: 0F1 is to run together with the next op, which must be B of another microbatch");
  CHECK(with_graph(R"(["0F1", "0B0"], "0B1")", R"("0F1", "0B0", "0B0")") == at + "/3: 0B0 stands on its rank twice");
  CHECK(with_graph(R"(["0F1", "0B0"], "0B1")", R"(["0F1", "0B0"], "1B1")").find(at + "/2: 1B1 stands on rank 0") == 0);
  CHECK(with_graph("\"0F0\", ", "").find(at + "/0/1: 0B0 needs 0F0 before it") == 0);
  using stagecut::plan;
  CHECK(not_written([](plan& p) {
          p = full_graph_plan();
          p.schedule.orders[1][0].kind = stagecut::op_kind::send_forward;
        }) == "plan#/schedule/orders/1/0 = 1SEND_F0, is no pass");
  CHECK(not_written([](plan& p) {
          p = full_graph_plan();
          p.schedule.orders[1][0].slice = 1;
        }) == "plan#/schedule/orders/1/0 = 1F0:1, is of a slice, not of a microbatch");
  CHECK(not_written([](plan& p) {
          p = full_graph_plan();
          p.schedule.orders[0].back().with_next = true;
        }).find("plan#/schedule/orders/0/2 = 0B1, is to run together") == 0);
}

TEST_CASE("a plan of any kind that is read back is simulated to the same figures") {
  random_plans random(11);
  std::size_t simulated = 0;
  for (int round = 0; round < 400; ++round) {
    const stagecut::plan made = random.plan();
    const stagecut::plan again = parse_json_plan(as_json(made), "p.json");
    REQUIRE(bytes_of(again).activations == bytes_of(made).activations);
    REQUIRE(bytes_of(again).recomputed == bytes_of(made).recomputed);
    REQUIRE(transfers_of(again).forward == transfers_of(made).forward);
    if (made.schedule.orders.empty()) continue;
    bool split = false;
    for (const auto& stage : made.stages) split = split || !stage.backward_weight;
    if (split) continue;
    try {
      const auto run = stagecut::simulate(schedule_of(made), times_of(made, true), transfers_of(made));
      REQUIRE(stagecut::simulate(schedule_of(again), times_of(again, true), transfers_of(again)) == run);
      ++simulated;
    } catch (const stagecut::invalid_input&) {  // a sum that is no number
      CHECK_THROWS_AS((void)stagecut::simulate(schedule_of(again), times_of(again, true), transfers_of(again)),
                      stagecut::invalid_input);
    }
  }
  CHECK(simulated > 10);
}
