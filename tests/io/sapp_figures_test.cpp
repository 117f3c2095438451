// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/sapp_figures.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include <stagecut/io/json/sapp_layers.hpp>

#include "../refusal.hpp"

using stagecut::io::as_sapp_layers;
using stagecut::io::sapp_figures;

namespace {

constexpr double mb = 1048576;

sapp_figures small() {
  return {"m",
          3,
          {0.0000627, 0.0031347, 0.0035109},
          -2 * mb,
          2217 * mb,
          4614 * mb,
          5885.5 * mb,
          {"none", "full"},
          {1002 * mb, 423.25 * mb}};
}

template <class Change>
std::string refused(const Change& change) {
  sapp_figures figures = small();
  change(figures);
  return refusal<stagecut::argument_error>([&] { return as_sapp_layers(figures); });
}

}  // namespace

TEST_CASE("layers as they are written") {
  CHECK(as_sapp_layers(small()) ==
        "{\"name\": \"m\",\n"
        " \"pre_defined_layer\": {\"head\": 0, \"tail\": -1},\n"
        " \"auto_partition_layer\": {\"body\": 3},\n"
        " \"stage_const_mem\": -2,\n"
        " \"layers_description\": [\n"
        "  {\"name\": \"head\", \"type\": \"HEAD\", \"model_name\": \"m\", \"time\": 0.0627, \"nb_layer\": 1, "
        "\"memory_parameter\": 4614},\n"
        "  {\"name\": \"body\", \"type\": \"BODY\", \"model_name\": \"m\", \"time\": 3.1347, \"nb_layer\": 3, "
        "\"memory_parameter\": 2217, \"memory_activation\": 1002, \"memory_recompute\": 423.25},\n"
        "  {\"name\": \"tail\", \"type\": \"TAIL\", \"model_name\": \"m\", \"time\": 3.5109, \"nb_layer\": 1, "
        "\"memory_parameter\": 5885.5}]}\n");
}

TEST_CASE("and as they are read back") {
  const auto made = stagecut::io::read_sapp_layers(as_sapp_layers(small()), "x");
  CHECK(made.constant == -2 * mb);
  REQUIRE(made.profile.layers.size() == 5);
  CHECK(made.profile.layers[0].resident == 4614 * mb);
  CHECK(made.profile.layers[1].forward == 3.1347 * 1e-3);
  CHECK(made.profile.layers[1].activations == 1002 * mb);
  REQUIRE(made.profile.layers[3].recomputations.size() == 1);
  CHECK(made.profile.layers[3].recomputations[0].name == "full");
  CHECK(made.profile.layers[3].recomputations[0].activations == 423.25 * mb);
  CHECK(made.profile.layers[4].kind == "head");
}

TEST_CASE("a choice that keeps nothing is considered still") {
  sapp_figures figures = small();
  figures.activations = {0, 0};
  const auto made = stagecut::io::read_sapp_layers(as_sapp_layers(figures), "x");
  REQUIRE(made.profile.layers[1].recomputations.size() == 1);
  CHECK(made.profile.layers[1].activations == mb / 1000);
}

TEST_CASE("long times are written as they are") {
  sapp_figures figures = small();
  figures.times.body = 1e9;
  CHECK(stagecut::io::read_sapp_layers(as_sapp_layers(figures), "x").profile.layers[1].forward == 1e9);
}

TEST_CASE("what is wrong is refused") {
  const std::string begin = "stagecut::io::as_sapp_layers: figures.";
  CHECK(refused([](auto& f) { f.layers = 0; }) == begin + "layers = 0, must be at least 1");
  CHECK(refused([](auto& f) { f.times.body = -1; }) == begin + "times.body = -1, must be finite and not negative");
  CHECK(refused([](auto& f) { f.parameters = -1; }) == begin + "parameters = -1, must be finite and not negative");
  CHECK(refused([](auto& f) { f.head = std::numeric_limits<double>::quiet_NaN(); }) ==
        begin + "head = NaN, must be finite and not negative");
  CHECK(refused([](auto& f) { f.constant = std::numeric_limits<double>::infinity(); }) ==
        begin + "constant = inf, must be finite");
  CHECK(refused([](auto& f) { f.choices[0] = "full"; }) == begin + "choices = {…}, must begin with none");
  CHECK(refused([](auto& f) { f.choices[1] = "some"; }) == begin + "choices[1] = some, must be one of SAPP's");
  CHECK(refused([](auto& f) { f.choices[1] = "none"; }) == begin + "choices[1] = none, stands twice");
  CHECK(refused([](auto& f) { f.activations.pop_back(); }) ==
        begin + "activations.size() = 1, must be the number of choices");
  CHECK(refused([](auto& f) { f.activations[1] = -1; }) ==
        begin + "activations[1] = -1, must be finite and not negative");
}
