// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/measured_file.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/profile/transformer.hpp>

namespace {

using stagecut::io::read_measured;

std::string refused(const std::string& text, const stagecut::io::read_limits& limits = {}) {
  try {
    (void)read_measured(text, "x", limits);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

std::string layers(const std::string& each) { return R"({"layers": [)" + each + "]}"; }
std::string iteration(const std::string& members) { return R"({"iterations": [{)" + members + "}]}"; }

}  // namespace

TEST_CASE("layers and iterations are as the file says them") {
  const auto made = read_measured(R"({"note": "of a run", "layers": [{"name": "a", "forward": 1, "kind": "decoder"},
      {"name": "b", "backward": 2.5}, {"name": "c", "forward": 3, "backward": 4}],
      "iterations": [{"devices": 4, "stages_per_rank": 2, "microbatches": 8, "schedule": "interleaved", "seconds": 5},
      {"devices": 1, "microbatches": 1, "seconds": 1e-3}]})",
                                  "x");
  REQUIRE(made.layers.size() == 3);
  CHECK(made.layers[0] == stagecut::measured_layer{"a", 1, {}});
  CHECK(made.layers[1] == stagecut::measured_layer{"b", {}, 2.5});
  CHECK(made.layers[2] == stagecut::measured_layer{"c", 3, 4});
  REQUIRE(made.iterations.size() == 2);
  CHECK(made.iterations[0] == stagecut::io::measured_iteration{4, 2, 8, "interleaved", 5});
  CHECK(made.iterations[1] == stagecut::io::measured_iteration{1, 1, 1, "1f1b", 1e-3});
}

TEST_CASE("one of both is enough") {
  CHECK(read_measured(layers(R"({"name": "a", "forward": 1})"), "x").iterations.empty());
  CHECK(read_measured(R"({"layers": null, "iterations": [{"devices": 1, "microbatches": 1, "seconds": 1}]})", "x")
            .layers.empty());
  CHECK(refused("{}") == "x: has neither layers nor iterations");
  CHECK(refused(R"({"layers": [], "iterations": []})") == "x: has neither layers nor iterations");
}

TEST_CASE("a profile will do") {
  stagecut::transformer::architecture a;
  a.name = "a";
  a.layers = a.hidden = a.heads = a.ffn = a.vocabulary = a.sequence = 2;
  const auto model = stagecut::transformer::profile(a);
  const auto made = read_measured(stagecut::io::as_json(model), "x");
  REQUIRE(made.layers.size() == model.layers.size());
  for (std::size_t i = 0; i < made.layers.size(); ++i) {
    CHECK(made.layers[i].name == model.layers[i].name);
    CHECK(made.layers[i].forward == model.layers[i].forward);
    CHECK(made.layers[i].backward == model.layers[i].backward);
  }
}

TEST_CASE("what was measured wrong is refused at its place") {
  CHECK(refused("") == "x:1: no JSON: the text ends too early");
  CHECK(refused("[]") == "x: [] is no object");
  CHECK(refused(R"({"layers": {}})") == "x#/layers: {} is no array");
  CHECK(refused(layers("3")) == "x#/layers/0: 3 is no object");
  CHECK(refused(layers(R"({"forward": 1})")) == "x#/layers/0: \"name\" is missing");
  CHECK(refused(layers(R"({"name": 1})")) == "x#/layers/0/name: 1 is no string");
  CHECK(refused(layers(R"({"name": "a"})")) == "x#/layers/0: has neither forward nor backward");
  CHECK(refused(layers(R"({"name": "a", "forward": 0})")) == "x#/layers/0/forward: is not above 0");
  CHECK(refused(layers(R"({"name": "a", "forward": -1})")) == "x#/layers/0/forward: -1 is negative");
  CHECK(refused(layers(R"({"name": "a", "backward": "1 ms"})")) == "x#/layers/0/backward: \"1 ms\" is not a number");
  CHECK(refused(R"({"iterations": 1})") == "x#/iterations: 1 is no array");
  CHECK(refused(iteration("")) == "x#/iterations/0: \"devices\" is missing");
  CHECK(refused(iteration(R"("devices": 0)")) == "x#/iterations/0/devices: 0 is below 1");
  CHECK(refused(iteration(R"("devices": 1)")) == "x#/iterations/0: \"microbatches\" is missing");
  CHECK(refused(iteration(R"("devices": 1, "microbatches": 1)")) == "x#/iterations/0: \"seconds\" is missing");
  CHECK(refused(iteration(R"("devices": 1, "microbatches": 1, "seconds": 0)")) ==
        "x#/iterations/0/seconds: is not above 0");
  CHECK(refused(iteration(R"("devices": 1, "microbatches": 1, "seconds": 1, "schedule": 3)")) ==
        "x#/iterations/0/schedule: 3 is no string");
  CHECK(refused(iteration(R"("devices": 1, "microbatches": 1, "seconds": 1, "schedule": "2f2b")"))
            .starts_with("x#/iterations/0/schedule: \"2f2b\" is none of gpipe, "));
  CHECK(refused(iteration(R"("devices": 1, "microbatches": 1, "seconds": 1, "chunks": 0)")) ==
        "x#/iterations/0/chunks: 0 is below 1");
  CHECK(refused(iteration(R"("devices": 1, "microbatches": 1, "seconds": 1, "stages_per_rank": 0)")) ==
        "x#/iterations/0/stages_per_rank: 0 is below 1");
  CHECK(refused(iteration(R"("devices": 1, "microbatches": 1, "seconds": 1, "chunks": 2, "stages_per_rank": 2)")) ==
        "x#/iterations/0/chunks: is the former name of \"stages_per_rank\", which stands next to it");
  CHECK(read_measured(iteration(R"("devices": 1, "microbatches": 1, "seconds": 1, "chunks": 2)"), "x")
            .iterations[0]
            .stages_per_rank == 2);
  CHECK(refused(iteration(R"("devices": 1, "loss": 1)")) == "x#/iterations/0/loss: is not known");
  CHECK(refused(layers(R"({"name": "a", "forward": 1})"), {.bytes = 10}).starts_with("x: "));
}

TEST_CASE("two layers of a name are refused at the second") {
  const std::string a = R"({"name": "a", "forward": 1})";
  const std::string b = R"({"name": "b", "forward": 1})";
  CHECK(refused(layers(b + ", " + a + ", " + b)) == "x#/layers/2/name: \"b\" is another layer's name too");
  CHECK(refused(layers(a + ", " + b)) == "");
  std::string many = a;
  for (int i = 0; i < 20'000; ++i) many += R"(, {"name": ")" + std::to_string(i) + R"(", "forward": 1})";
  CHECK(refused(layers(many)) == "");
  CHECK(refused(layers(many + ", " + a)) == "x#/layers/20001/name: \"a\" is another layer's name too");
}
