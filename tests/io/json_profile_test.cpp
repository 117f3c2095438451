// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_profile.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>
#include <string>

#include "random_plans.hpp"

using stagecut::io::as_json;
using stagecut::io::parse_json_profile;
using stagecut::io::profile_hash;

namespace {

/// What the refusal of a text says.
std::string refusal(const std::string& text) {
  try {
    (void)parse_json_profile(text, "p.json");
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

/// What the refusal of a profile with these layers says.
std::string of_layers(const std::string& layers) {
  return refusal(R"({"schema": "stagecut-profile-2", "layers": [)" + layers + "]}");
}

/// What the refusal to write says, without its start.
std::string not_written(const stagecut::profile& model) {
  try {
    (void)as_json(model);
  } catch (const stagecut::argument_error& error) {
    return std::string(error.what()).substr(std::string("stagecut::io::as_json: ").size());
  }
  return "written";
}

}  // namespace

TEST_CASE("any profile is read back as it was written") {
  random_plans random(1);
  for (int round = 0; round < 1000; ++round) {
    const stagecut::profile model = random.profile();
    REQUIRE(parse_json_profile(as_json(model), "p.json") == model);
    const stagecut::profile graph = random.graph();
    REQUIRE(parse_json_profile(as_json(graph), "p.json") == graph);
  }
}

TEST_CASE("the form in which a profile is written") {
  stagecut::profile model;
  model.name = "two";
  model.layers.resize(2);
  model.layers[0].name = "a";
  model.layers[0].forward = 0.5;
  model.layers[1].tied = {{"word", 64, 128, stagecut::tied_parameters::placement::colocated}};
  model.unknown_fields = R"({"by":"me"})";
  CHECK(as_json(model) == R"({"schema": "stagecut-profile-2", "name": "two", "by": "me", "layers": [
  {"name": "a", "forward": 0.5},
  {"name": "", "tied": [{"name": "word", "bytes": 64, "resident": 128, "placement": "colocate"}]}
]})");
  model.layers[0].children = {1};
  model.layers[1].tied.clear();
  model.edges = {{1, 0}};
  CHECK(as_json(model) == R"({"schema": "stagecut-profile-2", "name": "two", "by": "me", "layers": [
  {"name": "a", "forward": 0.5, "children": [1]},
  {"name": ""}
], "edges": [[1, 0]]})");
  CHECK(parse_json_profile(as_json(full_profile()), "p.json") == full_profile());
}

TEST_CASE("what is not written has its default") {
  const auto model = parse_json_profile(R"({"schema": "stagecut-profile-2", "layers": [
      {"forward": 1, "backward_input": 2, "backward_weight": 0.5, "kind": null},
      {"name": "x", "backward_input": 1, "backward_weight": 1, "backward": 3, "recomputations": [{"name": "full"}],
       "tied": [{"name": "t", "bytes": 1}]}]})",
                                        "p.json");
  CHECK(model.name.empty());
  CHECK(!model.weights_only);
  CHECK(!model.inference);
  CHECK(model.layers[0].name == "0");
  CHECK(model.layers[0].backward == 2.5);
  CHECK(model.layers[1].backward == 3);
  CHECK(model.layers[1].recomputations[0] == stagecut::layer_variant{"full"});
  CHECK(model.layers[1].tied[0].where == stagecut::tied_parameters::placement::replicated);
}

TEST_CASE("unknown fields survive, of profile, layer and variant") {
  const std::string text = R"({"schema": "stagecut-profile-2", "layers": [
      {"name": "a", "color": "red", "forward": 1,
       "shardings": [{"name": "row", "tensor_parallel": 2, "skew": [1, null]}]}], "z": {}})";
  const auto model = parse_json_profile(text, "p.json");
  CHECK(model.unknown_fields == R"({"z":{}})");
  CHECK(model.layers[0].unknown_fields == R"({"color":"red"})");
  CHECK(model.layers[0].shardings[0].unknown_fields == R"({"skew":[1,null]})");
  CHECK(parse_json_profile(as_json(model), "p.json") == model);
  CHECK(as_json(model).find(R"("color": "red"})") != std::string::npos);
}

TEST_CASE("a profile of the first version is read as one of the second") {
  const std::string layers = R"(, "layers": [{"name": "a", "shardings": [{"name": "row", "ways": 2}]}]})";
  const auto first = parse_json_profile(R"({"schema": "stagecut-profile-1")" + layers, "p.json");
  CHECK(first.layers[0].shardings[0].tensor_parallel == 2);
  CHECK(as_json(first) == R"({"schema": "stagecut-profile-2", "layers": [
  {"name": "a", "shardings": [{"name": "row", "tensor_parallel": 2}]}
]})");
  CHECK(parse_json_profile(as_json(first), "p.json") == first);
  CHECK(refusal(R"({"schema": "stagecut-profile-2")" + layers) ==
        "p.json#/layers/0/shardings/0/ways: is \"tensor_parallel\" in this schema");
  stagecut::profile model = first;
  model.layers[0].shardings[0].unknown_fields = R"({"ways": 2})";
  CHECK(not_written(model) ==
        "model#/layers/0/shardings/0/unknown_fields = \"{\"ways\": 2}\", must not hold \"ways\"");
  const std::string seeds = STAGECUT_TEST_DATA "/io/seeds/json_profile/";
  CHECK(stagecut::io::read_profile(seeds + "full.json") == stagecut::io::read_profile(seeds + "full_2.json"));
}

TEST_CASE("each mistake in the head is named with its place") {
  CHECK(refusal("[]") == "p.json: [] is no object");
  CHECK(refusal("{}") ==
        "p.json: is neither a profile (\"schema\": \"stagecut-profile-2\"), nor a plan, nor the config.json of a "
        "model (\"model_type\"): \"schema\" is missing");
  for (const char* const of_a_model : {"{\"model_type\": \"llama\"}", "{\"layers\": 2, \"vocabulary\": 100}"}) {
    CHECK(refusal(of_a_model) ==
          "p.json: is a model's configuration, and a profile is wanted: stagecut profile transformer --config computes "
          "one");
  }
  CHECK(refusal("{\"schema\": 1}") == "p.json#/schema: 1 is no string");
  CHECK(refusal("{\"schema\": \"stagecut-profile-3\"}") ==
        "p.json#/schema: \"stagecut-profile-3\" is not known; read are \"stagecut-profile-1\" and "
        "\"stagecut-profile-2\"");
  CHECK(refusal("{\"schema\": \"stagecut-plan-1\"}") ==
        "p.json#/schema: is a plan; its member \"profile\" would be a profile");
  CHECK(refusal("{\"schema\": \"stagecut-plan-3\"}") ==
        "p.json#/schema: is a plan; its member \"profile\" would be a profile");
  const std::string start = R"({"schema": "stagecut-profile-2", )";
  CHECK(refusal(start + "\"name\": 1}") == "p.json#/name: 1 is no string");
  CHECK(refusal(start + "\"weights_only\": 1}") == "p.json#/weights_only: 1 is neither true nor false");
  CHECK(refusal(start + "\"inference\": \"yes\"}") == "p.json#/inference: \"yes\" is neither true nor false");
  CHECK(refusal(start + "\"name\": \"x\"}") == "p.json: \"layers\" is missing");
  CHECK(refusal(start + "\"layers\": {}}") == "p.json#/layers: {} is no array");
  CHECK(refusal(start + "\"layers\": []}") == "p.json#/layers: names no layer");
}

TEST_CASE("each mistake in the edges of a graph is named with its place") {
  const auto of_edges = [](const std::string& edges) {
    return refusal(
        R"({"schema": "stagecut-profile-2", "layers": [{"name": "a"}, {"name": "b"}, {"name": "c"}], "edges": )" +
        edges + "}");
  };
  CHECK(of_edges("[[2, 1], [1, 0]]") == "not refused");
  CHECK(of_edges("null") == "not refused");
  CHECK(of_edges("1") == "p.json#/edges: 1 is no array");
  CHECK(of_edges("[]") == "p.json#/edges: holds no edge; a chain goes without \"edges\"");
  CHECK(of_edges("[1]") == "p.json#/edges/0: 1 is no array");
  CHECK(of_edges("[[0, 1], [1]]") == "p.json#/edges/1: [1] is not [from, to]");
  CHECK(of_edges("[[0, 1, 2]]") == "p.json#/edges/0: [0,1,2] is not [from, to]");
  CHECK(of_edges("[[0, -1]]") == "p.json#/edges/0/1: -1 is negative");
  CHECK(of_edges("[[0.5, 1]]") == "p.json#/edges/0/0: 0.5 is no whole number");
  CHECK(of_edges("[[\"a\", 1]]") == "p.json#/edges/0/0: \"a\" is not a number");
  CHECK(of_edges("[[3, 0]]") == "p.json#/edges/0/0: 3 is not below the number of layers, 3");
  CHECK(of_edges("[[0, 1], [0, 3]]") == "p.json#/edges/1/1: 3 is not below the number of layers, 3");
  CHECK(of_edges("[[1, 1]]") == "p.json#/edges/0: [1, 1] joins a layer to itself");
  CHECK(of_edges("[[0, 1], [1, 2], [0, 1]]") == "p.json#/edges/2: [0, 1] stands twice");
  CHECK(of_edges("[[0, 1], [2, 1], [1, 2]]") == "p.json#/edges: \"b\" -> \"c\" -> \"b\" is a cycle");
}

TEST_CASE("each mistake in the children of a module tree is named with its place") {
  const auto layer = [](const std::string& children) { return R"({"name": "x", "children": )" + children + "}, "; };
  CHECK(of_layers(layer("[1, 3]") + layer("[2]") + layer("[]") + R"({"name": "y"})") == "not refused");
  CHECK(of_layers(layer("null") + layer("[0, 2]") + R"({"name": "y"})") == "not refused");
  CHECK(of_layers(layer("2") + R"({"name": "y"})") == "p.json#/layers/0/children: 2 is no array");
  CHECK(of_layers(layer("[1.5]") + R"({"name": "y"})") == "p.json#/layers/0/children/0: 1.5 is no whole number");
  CHECK(of_layers(layer("[1, 2]") + R"({"name": "y"})") ==
        "p.json#/layers/0/children/1: 2 is not below the number of layers, 2");
  CHECK(of_layers(layer("[1, 1]") + R"({"name": "y"})") ==
        "p.json#/layers/0/children/1: layer 1 is a child of layer 0 already");
  CHECK(of_layers(layer("[2]") + layer("[2]") + R"({"name": "y"})") ==
        "p.json#/layers/1/children/0: layer 2 is a child of layer 0 already");
  CHECK(of_layers(layer("[0]") + R"({"name": "y"})") == R"(p.json#/layers/0/children: "x" -> "x" is a cycle)");
  CHECK(of_layers(R"({"name": "y"}, )" + layer("[2]") + R"({"name": "z", "children": [1]})") ==
        R"(p.json#/layers/1/children: "x" -> "z" -> "x" is a cycle)");
  CHECK(of_layers(layer("[1]") + R"({"name": "y"}, {"name": "z"})") ==
        "p.json#/layers/2: layer 2 is no child, nor is layer 0: a module tree has one root");
}

TEST_CASE("each mistake in a layer is named with its place") {
  CHECK(of_layers("{\"name\": \"a\"}, 3") == "p.json#/layers/1: 3 is no object");
  CHECK(of_layers("{}") == "p.json#/layers/0: a layer without a name and without a figure");
  CHECK(of_layers(R"({"kind": "x"})") == "p.json#/layers/0: a layer without a name and without a figure");
  CHECK(of_layers(R"({"name": 7})") == "p.json#/layers/0/name: 7 is no string");
  CHECK(of_layers(R"({"forward": -1})") == "p.json#/layers/0/forward: -1 is negative");
  CHECK(of_layers(R"({"output": "1"})") == "p.json#/layers/0/output: \"1\" is not a number");
  CHECK(of_layers(R"({"forward": 1e308, "backward": 1e308})") ==
        "p.json#/layers/0: forward + backward is out of range");
  CHECK(of_layers(R"({"backward": 1, "backward_input": 1e308, "backward_weight": 1e308})") ==
        "p.json#/layers/0: backward_input + backward_weight is out of range");
  CHECK(of_layers(R"({"backward_input": 1})") == "p.json#/layers/0: \"backward_input\" stands without its other half");
  CHECK(of_layers(R"({"backward_weight": 1})") ==
        "p.json#/layers/0: \"backward_weight\" stands without its other half");
  CHECK(of_layers(R"({"forward": 1, "modules": ["a", 2]})") == "p.json#/layers/0/modules/1: 2 is no string");
  CHECK(of_layers(R"({"name": "a", "shardings": [{"name": "row", "tensor_parallel": 0}]})") ==
        "p.json#/layers/0/shardings/0/tensor_parallel: 0 is below 1");
  CHECK(of_layers(R"({"name": "a", "recomputations": [{"forward": 1}]})") ==
        "p.json#/layers/0/recomputations/0: \"name\" is missing");
  CHECK(of_layers(R"({"name": "a", "recomputations": [{"name": "x", "backward_input": 1}]})") ==
        "p.json#/layers/0/recomputations/0: \"backward_input\" stands without its other half");
}

TEST_CASE("where a layer may stand is read as strictly") {
  CHECK(of_layers(R"({"cpu": 1, "accelerator": false}, {"name": "b", "stage": 0, "pass": null})") == "not refused");
  CHECK(of_layers(R"({"accelerator": false})") == "p.json#/layers/0: a layer without a name and without a figure");
  CHECK(of_layers(R"({"cpu": -1})") == "p.json#/layers/0/cpu: -1 is negative");
  CHECK(of_layers(R"({"name": "a", "stage": 0.5})") == "p.json#/layers/0/stage: 0.5 is no whole number");
  CHECK(of_layers(R"({"name": "a", "stage": 4294967296})") == "p.json#/layers/0/stage: 4294967296 is no stage: it must be below 2^32");
  CHECK(of_layers(R"({"name": "a", "accelerator": 0})") == "p.json#/layers/0/accelerator: 0 is neither true nor false");
  CHECK(of_layers(R"({"name": "a", "pass": "forward"})") == "p.json#/layers/0/pass: \"forward\" is none of backward");
  CHECK(of_layers(R"({"backward": 1, "pass": "backward"})") == "not refused");
  CHECK(of_layers(R"({"forward": 1, "pass": "backward"})") ==
        "p.json#/layers/0: an operator of the backward pass has a forward time");
  stagecut::profile model;
  model.layers.resize(1);
  model.layers[0].cpu = -1;
  CHECK(not_written(model) == "model#/layers/0/cpu = -1.0, must be finite and not negative");
  model.layers[0] = {"a", "", 1};
  model.layers[0].is_backward = true;
  CHECK(not_written(model) == "model#/layers/0 = an operator of the backward pass, has a forward time");
}

TEST_CASE("the machine that a profile names") {
  const auto of_machine = [](const std::string& machine) {
    return R"({"schema": "stagecut-profile-2", "machine": )" + machine + R"(, "layers": [{"name": "a"}]})";
  };
  const auto read = [&](const std::string& machine) {
    return parse_json_profile(of_machine(machine), "p.json").machine;
  };
  using stagecut::link_speed;
  using stagecut::stated_machine;
  CHECK(read("null") == stated_machine{});
  CHECK(read("{}") == stated_machine{});
  CHECK(read(R"({"devices": 6, "cpus": 1, "memory": 8})") == stated_machine{6, 1, 8, {}});
  CHECK(read(R"({"latency": 0.5})") == stated_machine{0, 0, {}, link_speed{0.5, 0}});
  CHECK(read(R"({"bandwidth": 0})") == stated_machine{0, 0, {}, link_speed{0, 0}});
  CHECK(refusal(of_machine("[]")) == "p.json#/machine: [] is no object");
  CHECK(refusal(of_machine(R"({"devices": 0})")) == "p.json#/machine/devices: 0 is below 1");
  CHECK(refusal(of_machine(R"({"memory": -1})")) == "p.json#/machine/memory: -1 is negative");
  CHECK(refusal(of_machine(R"({"speed": 1})")) == "p.json#/machine/speed: is not known");
  stagecut::profile model;
  model.layers.resize(1);
  const std::string hash = profile_hash(model);
  model.machine = {6, 0, {}, link_speed{0, 8}};
  CHECK(profile_hash(model) != hash);
  CHECK(as_json(model) ==
        R"({"schema": "stagecut-profile-2", "machine": {"devices": 6, "latency": 0, "bandwidth": 8}, )"
        "\"layers\": [\n  {\"name\": \"\"}\n]}");
  model.machine.memory = std::numeric_limits<double>::infinity();
  CHECK(not_written(model) == "model#/machine/memory = infinity, must be finite and not negative");
}

TEST_CASE("tied parameters and groups agree over the layers") {
  const std::string tie = R"({"name": "a", "tied": [{"name": "w", "bytes": 1}]})";
  const auto tied = [](const std::string& entry) { return R"({"name": "b", "tied": [)" + entry + "]}"; };
  const std::string disagrees = "p.json#/layers/1/tied/0: \"w\" has other bytes, resident or placement than in layer 0";
  CHECK(of_layers(tie + "," + tied(R"({"name": "w", "bytes": 1, "placement": "replicate"})")) == "not refused");
  CHECK(of_layers(tie + "," + tied(R"({"name": "w", "bytes": 2})")) == disagrees);
  CHECK(of_layers(tie + "," + tied(R"({"name": "w", "bytes": 1, "resident": 1})")) == disagrees);
  CHECK(of_layers(tie + "," + tied(R"({"name": "w", "bytes": 1, "placement": "colocate"})")) == disagrees);
  CHECK(of_layers(tied(R"({"name": "w", "bytes": 1}, {"name": "w", "bytes": 1})")) ==
        "p.json#/layers/0/tied/1: \"w\" stands twice in its layer");
  CHECK(of_layers(tied(R"({"name": "w"})")) == "p.json#/layers/0/tied/0: \"bytes\" is missing");
  CHECK(of_layers(tied(R"({"name": "", "bytes": 1})")) == "p.json#/layers/0/tied/0/name: \"\" is empty");
  CHECK(of_layers(tied(R"({"name": "w", "bytes": 1, "placement": "near"})")) ==
        "p.json#/layers/0/tied/0/placement: \"near\" is none of replicate, colocate");
  CHECK(of_layers(tied(R"({"name": "w", "bytes": 1, "more": 1})")) == "p.json#/layers/0/tied/0/more: is not known");
  const auto grouped = [](const std::string& group) { return R"({"forward": 1, "group": ")" + group + "\"}"; };
  CHECK(of_layers(grouped("x") + "," + grouped("x") + "," + grouped("y") + "," + grouped("")) == "not refused");
  CHECK(of_layers(grouped("x") + "," + grouped("x") + "," + grouped("") + "," + grouped("x")) ==
        "p.json#/layers/3/group: group \"x\" was left at layer 2 and is entered again");
  const std::string apart = grouped("x") + "," + grouped("y") + "," + grouped("x");
  CHECK(of_layers(apart) == "p.json#/layers/2/group: group \"x\" was left at layer 1 and is entered again");
  CHECK(refusal(R"({"schema": "stagecut-profile-2", "edges": [[0, 2], [2, 1]], "layers": [)" + apart + "]}") ==
        "not refused");
}

TEST_CASE("what could not be read back is not written, with its place") {
  stagecut::profile model = full_profile();
  CHECK(not_written({}) == "model#/layers = {}, must hold at least one layer");
  model.layers[1].modules[0] = "\xE9";
  CHECK(not_written(model) == "model#/layers/1/modules = \"\\xe9\", must be UTF-8");
  model = full_profile();
  model.name = "\xE9";
  CHECK(not_written(model) == "model#/name = \"\\xe9\", must be UTF-8");
  model = full_profile();
  model.layers[0].shardings[0].workspace = -1;
  CHECK(not_written(model) == "model#/layers/0/shardings/0/workspace = -1.0, must be finite and not negative");
  model.layers[0].shardings[0].tensor_parallel = 0;
  CHECK(not_written(model) == "model#/layers/0/shardings/0/tensor_parallel = 0, is below 1");
  model = full_profile();
  model.layers[1].tied[0].bytes = std::numeric_limits<double>::infinity();
  CHECK(not_written(model).starts_with("model#/layers/1/tied/0 = \"word\", has other bytes"));
  model.layers[0].tied[0].bytes = model.layers[1].tied[0].bytes;
  CHECK(not_written(model) == "model#/layers/0/tied/0/bytes = infinity, must be finite and not negative");
  model = full_profile();
  model.layers[1].backward_input.reset();
  CHECK(not_written(model) == "model#/layers/1 = \"backward_weight\", stands without its other half");
  model = full_profile();
  model.layers[1].unknown_fields = "7";
  CHECK(not_written(model).starts_with("model#/layers/1/unknown_fields = \"7\", must be a JSON object"));
  model.layers[1].unknown_fields = R"({"tied": 1})";
  CHECK(not_written(model).ends_with("must not hold \"tied\""));
  model.layers[1].unknown_fields = "{}";
  CHECK(not_written(model) == "written");
  model.edges = {{0, 2}};
  CHECK(not_written(model) == "model#/edges/0/1 = 2, is not below the number of layers, 2");
  model.edges = {{0, 1}, {1, 0}};
  CHECK(not_written(model) == "model#/edges = \"first\" -> \"second\" -> \"first\", is a cycle");
  model = full_profile();
  model.layers[1].children = {1};
  CHECK(not_written(model) == "model#/layers/1/children/0 = layer 1, is a child of layer 0 already");
}

TEST_CASE("the hash tells profiles apart, whatever is unknown") {
  const stagecut::profile model = full_profile();
  const std::string hash = profile_hash(model);
  CHECK(hash.size() == 16);
  CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
  stagecut::profile other = model;
  other.unknown_fields.clear();
  other.layers[1].unknown_fields = R"({"x":1})";
  other.layers[0].shardings[0].unknown_fields.clear();
  CHECK(profile_hash(other) == hash);
  other.layers[1].backward = 2.5000000000000004;
  CHECK(profile_hash(other) != hash);
  other = model;
  other.edges = {{1, 0}};
  CHECK(profile_hash(other) != hash);
  other = model;
  other.layers[0].children.clear();
  CHECK(profile_hash(other) != hash);

  // FNV-1a as published: the text that is hashed is short enough to be written here.
  stagecut::profile one;
  one.layers.push_back({"a", "", 1});
  std::uint64_t expected = 14695981039346656037U;
  for (const char c : std::string(R"({"schema":"stagecut-profile-2"}{"name":"a","forward":1})")) {
    expected = (expected ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  CHECK(std::stoull(profile_hash(one), nullptr, 16) == expected);
  one.layers.push_back({"b"});
  one.edges = {{0, 1}};
  expected = 14695981039346656037U;
  for (const char c : std::string(R"({"schema":"stagecut-profile-2"}{"name":"a","forward":1}{"name":"b"}[[0,1]])")) {
    expected = (expected ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  CHECK(std::stoull(profile_hash(one), nullptr, 16) == expected);

  random_plans random(2);
  std::set<std::string> hashes;
  for (int round = 0; round < 1000; ++round) hashes.insert(profile_hash(random.profile()));
  CHECK(hashes.size() == 1000);
}
