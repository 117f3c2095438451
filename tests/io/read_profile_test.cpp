// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/read_profile.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "random_plans.hpp"

using stagecut::io::parse_profile;
using stagecut::io::read_profile;

TEST_CASE("the format is told by the content") {
  const std::string seeds = STAGECUT_TEST_DATA "/io/seeds/";
  CHECK(read_profile(seeds + "csv/list.csv").layers.size() == 3);
  CHECK(read_profile(seeds + "csv/bare.csv").weights_only);
  CHECK(read_profile(seeds + "csv/layers.csv").layers[0].name == "a, \"b\"");
  CHECK(read_profile(seeds + "pipedream/graph.txt").layers[1].kind == "Conv2d");
  CHECK(read_profile(seeds + "json_profile/full.json") == full_profile());
  CHECK(read_profile(seeds + "dnn_partitioning/training.json").layers[1].is_backward);
  CHECK(read_profile(seeds + "dot/words.dot").layers[0].kind == "Conv2d");
  CHECK(parse_profile("// a graph\nstrict digraph { a }", "x").layers[0].name == "a");
  CHECK(parse_profile("\xEF\xBB\xBF\r\n \t{\"schema\": \"stagecut-profile-2\",\n\"layers\": [{\"forward\": 1}]}", "x")
            .layers.size() == 1);
  CHECK(parse_profile("fwd_ms\n1\n", "x").layers[0].forward == 1e-3);
  CHECK(parse_profile("Layer\tFwd (ms)\na\t1\n", "x").layers[0].name == "a");
  CHECK(parse_profile("Layer;Fwd, ms\na;1\n", "x").layers[0].forward == 1e-3);
  CHECK(parse_profile("# params;dgrad;wgrad\n1;1;1\n", "x").layers[0].parameters == 2);
  std::istringstream stream("1\n2\n");
  CHECK(read_profile(stream, "standard input").layers.size() == 2);
  std::istringstream exact(std::string(4096, '1'));  // a number out of range, as long as the buffer
  CHECK_THROWS_WITH_AS((void)read_profile(exact, "x"), doctest::Contains("is out of range"), stagecut::invalid_input);
}

TEST_CASE("SAPP's layers, whose constant is kept") {
  const auto made = read_profile(STAGECUT_TEST_DATA "/io/seeds/sapp_layers/demo.json");
  REQUIRE(made.layers.size() == 4);
  CHECK(made.layers[1].name == "BODY.0");
  CHECK(made.unknown_fields == "{\"memory_constant\":-1988100096}");
  CHECK(read_profile(STAGECUT_TEST_DATA "/io/seeds/sapp_layers/times.json").unknown_fields.empty());
  CHECK_THROWS_WITH_AS((void)parse_profile("{\"layers_description\": [{}]}", "x"),
                       "x#/layers_description/0: \"type\" is missing", stagecut::invalid_input);
}

TEST_CASE("a content of no known format, and no content") {
  CHECK_THROWS_WITH_AS(
      (void)parse_profile("[1]", "x"),
      "x:1: \"[1]\" begins no known format: a JSON object, a CSV with the column time, a CSV with columns "
      "like name,kind,forward,backward,parameters,activations,output, a PipeDream graph.txt, or a digraph in DOT",
      stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile("{\"a\": 1}", "x"),
                       "x: is neither a profile (\"schema\": \"stagecut-profile-2\"), nor a plan, nor the config.json "
                       "of a model (\"model_type\"): \"schema\" is missing",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile("\n{\"a\": 1 -- 2}", "x"), "x:2: no JSON: unexpected \"--\"",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)read_profile(STAGECUT_TEST_DATA "/io/seeds/json_plan/full.json"),
                       doctest::Contains("full.json#/schema: is a plan"), stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile("{\"nodes\": [], \"edges\": []}", "x"),
                       "x: is neither a profile (\"schema\": \"stagecut-profile-2\"), nor a plan, nor the config.json "
                       "of a model (\"model_type\"): \"schema\" is missing",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile("{\"nodes\": [], \"edges\": [], \"maxFPGAs\": 1}", "x"),
                       "x#/nodes: names no node", stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile("graph { a }", "x"), doctest::Contains("a digraph is wanted"),
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile(" \n", "x"), "x: is empty", stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile(std::string_view("\0\1", 2), "x"), doctest::Contains(R"("\u0000\u0001")"),
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)read_profile("no/such/file"), "no/such/file: cannot be opened: No such file or directory",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)read_profile(STAGECUT_TEST_DATA), doctest::Contains("cannot be read"),
                       stagecut::invalid_input);
}
