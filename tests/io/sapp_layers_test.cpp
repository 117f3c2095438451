// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/sapp_layers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <stagecut/io/frameworks/sapp.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/profile/training_memory.hpp>

#include "../refusal.hpp"

using doctest::Approx;
using stagecut::io::read_sapp_layers;
using stagecut::io::sapp_time;

namespace {

constexpr double mb = 1048576;

std::string file(const std::string& layers, const std::string& rest = "") {
  return R"({"layers_description": [)" + layers + "]" + rest + "}";
}
std::string head(const std::string& more = "") {
  return R"({"name": "HEAD", "type": "HEAD", "time": 30, "nb_layer": 1, "memory_parameter": 500)" + more + "}, ";
}
std::string body(const std::string& more) {
  return R"({"name": "BODY", "type": "BODY", "time": 90, "memory_parameter": 100)" + more + "}";
}
std::string refused(const std::string& text, const stagecut::io::read_limits& limits = {}) {
  return refusal<stagecut::invalid_input>([&] { return read_sapp_layers(text, "x", sapp_time::forward, limits); });
}

}  // namespace

TEST_CASE("layers in the order of the model, with all types of recomputation") {
  const auto made = read_sapp_layers(
      file(R"({"name": "TAIL", "type": "TAIL", "time": 180, "nb_layer": 1, "memory_parameter": 1203}, )" + head() +
               body(R"(, "nb_layer": 2, "model_name": "m", "memory_activation": 800, "memory_select_rec": 700,
                       "memory_select_comm": 500, "memory_both_comm_select": 400, "memory_recompute": 30)"),
           R"(, "name": "demo", "pre_defined_layer": {"HEAD": 0, "TAIL": -1}, "stage_const_mem": -2)"),
      "x");
  CHECK(made.profile.name == "demo");
  CHECK(made.constant == -2 * mb);
  REQUIRE(made.profile.layers.size() == 4);
  const auto& first = made.profile.layers[0];
  CHECK(first.name == "HEAD");
  CHECK(first.kind == "embedding");
  CHECK(first.forward == Approx(0.03));
  CHECK(first.backward == Approx(0.06));
  CHECK(first.parameters == 500 * mb);
  CHECK(first.resident == 500 * mb);
  CHECK(first.activations == 0);
  CHECK(first.recomputations.empty());
  CHECK(made.profile.layers[3].name == "TAIL");
  CHECK(made.profile.layers[3].kind == "head");
  CHECK(made.profile.layers[3].time() == Approx(0.54));

  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const auto& each = made.profile.layers[i];
    CHECK(each.name == (i == 1 ? "BODY.0" : "BODY.1"));
    CHECK(each.kind == "decoder");
    CHECK(each.forward == Approx(0.09));
    CHECK(each.backward == Approx(0.18));
    CHECK(each.activations == 800 * mb);
    CHECK(each.recomputation.empty());
    REQUIRE(each.recomputations.size() == 4);
    const char* const names[] = {"select", "comm", "both", "full"};
    const double backward[] = {0.1872, 0.2025, 0.2097, 0.27};  // 0.18 times 1.04, 1.125, 1.165, 1.5
    const double kept[] = {700, 500, 400, 30};
    for (std::size_t r = 0; r < 4; ++r) {
      const auto& variant = each.recomputations[r];
      CHECK(variant.name == names[r]);
      CHECK(variant.forward == each.forward);
      CHECK(variant.backward == Approx(backward[r]));
      CHECK(variant.activations == kept[r] * mb);
      CHECK(variant.parameters == 100 * mb);
      CHECK(variant.resident == 100 * mb);
    }
  }
  CHECK(stagecut::io::parse_json_profile(stagecut::io::as_json(made.profile), "y") == made.profile);
  // A stage of both bodies with 3 microbatches in flight: 2 * 100 + 3 * 2 * 800 MB.
  CHECK(stagecut::training_memory(made.profile)(1, 3, 3).total() == 5000 * mb);
}

TEST_CASE("times and shares that are said go before those that are usual") {
  const auto made = read_sapp_layers(
      file(
          R"({"name": "a", "type": "BODY", "nb_layer": 1, "forward_time": 10, "time": 99, "backward_time": 21,
               "memory_parameter": 1, "memory_activation": 5, "memory_select_rec": 4, "select_rec_time": 23,
               "memory_select_comm": 3, "select_comm_time": 0, "select_comm_coef": 0.25, "memory_recompute": 1, "recompute_time ": 31},
              {"name": "b", "type": "BODY", "nb_layer": 1, "time": 10, "backward_coef": -0.5, "memory_parameter": 1,
               "memory_activation": 5, "memory_recompute": 1, "recompute_time": 32},
              {"name": "HEAD", "type": "HEAD", "time": 9, "backward_time": 7, "memory_parameter": 1, "memory_activation": 2})"),
      "x");
  REQUIRE(made.profile.layers.size() == 3);
  CHECK(made.profile.layers[0].backward == Approx(0.007));
  CHECK(made.profile.layers[0].activations == 2 * mb);
  const auto& a = made.profile.layers[1];
  CHECK(a.forward == Approx(0.01));
  CHECK(a.backward == Approx(0.021));
  REQUIRE(a.recomputations.size() == 3);
  CHECK(a.recomputations[0].backward == Approx(0.023));
  CHECK(a.recomputations[1].backward == Approx(0.025));
  CHECK(a.recomputations[2].backward == Approx(0.031));
  const auto& b = made.profile.layers[2];
  CHECK(b.name == "b.0");
  CHECK(b.backward == Approx(0.01));
  REQUIRE(b.recomputations.size() == 1);
  CHECK(b.recomputations[0].backward == Approx(0.032));
}

TEST_CASE("the time of older files is that of both passes") {
  const auto text = file(head() + body(R"(, "nb_layer": 1, "memory_activation": 8, "memory_recompute": 1)"));
  const auto made = read_sapp_layers(text, "x", sapp_time::both);
  CHECK(made.profile.layers[0].forward == Approx(0.01));
  CHECK(made.profile.layers[0].time() == Approx(0.03));
  CHECK(made.profile.layers[1].forward == Approx(0.03));
  CHECK(made.profile.layers[1].backward == Approx(0.06));
  CHECK(made.profile.layers[1].recomputations[0].backward == Approx(0.09));
  // A time of the forward pass is that in these, too.
  CHECK(read_sapp_layers(file(body(R"(, "forward_time": 6, "nb_layer": 1, "memory_activation": 8)")), "x",
                         sapp_time::both)
            .profile.layers[0]
            .forward == Approx(0.006));
}

TEST_CASE("types without memory are not considered, of each body by itself") {
  const auto made = read_sapp_layers(
      file(
          R"({"name": "encoder", "type": "BODY", "time": 5, "nb_layer": 2, "memory_parameter": 1, "memory_activation": 2,
               "memory_select_rec": 0, "memory_recompute": -46, "memory_select_comm": null},
              {"name": "decoder", "type": "BODY", "time": 4, "nb_layer": 1, "memory_parameter": 1, "memory_activation": 2,
               "memory_recompute": 1})"),
      "x");
  REQUIRE(made.profile.layers.size() == 3);
  CHECK(made.profile.layers[1].name == "encoder.1");
  CHECK(made.profile.layers[1].recomputations.empty());
  CHECK(made.profile.layers[2].recomputations.size() == 1);
  CHECK(made.constant == 0);
  CHECK(refused(file(body(R"(, "nb_layer": 1)"))) ==
        "x#/layers_description/0: \"memory_activation\" is missing: what it keeps without recomputation");
  CHECK(refused(file(body(R"(, "nb_layer": 1, "memory_activation": -45)"))) ==
        "x#/layers_description/0/memory_activation: -45 is not above 0: what it keeps without recomputation has to be "
        "known");
}

TEST_CASE("what is wrong is refused at its place") {
  const std::string kept = R"(, "nb_layer": 1, "memory_activation": 1)";
  CHECK(refused("") == "x:1: no JSON: the text ends too early");
  CHECK(refused("{}") == "x: \"layers_description\" is missing");
  CHECK(refused(file("3")) == "x#/layers_description/0: 3 is no object");
  CHECK(refused(file(head().substr(0, head().size() - 2))) == "x#/layers_description: names no layer of type \"BODY\"");
  CHECK(refused(file(R"({"name": "a"})")) == "x#/layers_description/0: \"type\" is missing");
  CHECK(refused(file(R"({"type": "body"})")) == "x#/layers_description/0/type: \"body\" is none of HEAD, BODY, TAIL");
  CHECK(refused(file(body(kept + R"(, "memory_select": 1)"))) == "x#/layers_description/0/memory_select: is not known");
  CHECK(refused(file(head(R"(, "memory_recompute": 1)") + body(kept))) ==
        "x#/layers_description/0/memory_recompute: is not known");
  CHECK(refused(file(body(R"(, "nb_layer": 0, "memory_activation": 1)"))) ==
        "x#/layers_description/0/nb_layer: 0 is below 1");
  CHECK(refused(file(body(R"(, "memory_activation": 1)"))) == "x#/layers_description/0: \"nb_layer\" is missing");
  CHECK(refused(file(head() + head() + body(kept))) == "x#/layers_description/1/type: \"HEAD\" stands twice");
  CHECK(refused(file(R"({"name": "h", "type": "HEAD", "time": 1, "memory_parameter": 1, "nb_layer": 2}, )" +
                     body(kept))) == "x#/layers_description/0/nb_layer: 2 of them: of HEAD and of TAIL there is one");
  CHECK(refused(file(body(kept) + ", " + body(kept))) ==
        "x#/layers_description/1/name: there are two layers \"BODY.0\"");
  CHECK(refused(file(R"({"name": "a", "type": "BODY", "time": -1, "memory_parameter": 1, "nb_layer": 1})")) ==
        "x#/layers_description/0/time: -1 is negative");
  CHECK(refused(file(R"({"name": "a", "type": "BODY", "memory_parameter": 1, "nb_layer": 1})")) ==
        "x#/layers_description/0: \"time\" is missing");
  CHECK(refused(file(body(kept + R"(, "memory_recompute": 1, "recompute_time ": -2)"))) ==
        "x#/layers_description/0/recompute_time : -2 is negative");
  CHECK(refused(file(body(kept + R"(, "memory_recompute": 1, "recompute_time ": 2, "recompute_time": 2)"))) ==
        "x#/layers_description/0/recompute_time : is given without a blank behind its name, too");
  CHECK(refused(file(body(kept + R"(, "backward_coef": -1.5)"))) ==
        "x#/layers_description/0/backward_coef: -1.5 makes a negative time of the backward pass");
  CHECK(refused(file(body(kept + R"(, "backward_time": NaN)"))).starts_with("x#/layers_description/0/backward_time: NaN is no number of JSON"));
  CHECK(refused(file(body(R"(, "nb_layer": 1, "memory_activation": 1e308)"))) ==
        "x#/layers_description/0/memory_activation: 1e+308 is out of range");
  CHECK(refused(file(R"({"name": "a", "type": "BODY", "time": 90000, "memory_parameter": 1, "backward_coef": 1e308)" +
                     kept + "}")) == "x#/layers_description/0: forward and backward pass are out of range");
  CHECK(refused(file(body(R"(, "nb_layer": 10001, "memory_activation": 1)"))) ==
        "x#/layers_description/0: more than 10000 layers in all");
  CHECK(refused(file(R"({"type": "BODY", "name": ")" + std::string(1001, 'a') + R"("})")) ==
        "x#/layers_description/0/name: is longer than 1000 bytes");
  CHECK(refused(file(body(kept), R"(, "stage_const_mem": "1")")) == "x#/stage_const_mem: \"1\" is not a number");
  CHECK(refused(file(body(kept)), {.bytes = 10}).starts_with("x: "));
  CHECK(refused(file(body(kept)), {.depth = 2}).starts_with("x#/layers_description/0: nested deeper"));
}

TEST_CASE("layers of SAPP's cases") {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr || *folder == '\0') {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return;
  }
  std::ifstream stream(std::filesystem::path(folder) / "sapp" / "cases.json");
  if (!stream) {
    MESSAGE("skipped: there are no cases of SAPP");
    return;
  }
  const auto all = nlohmann::json::parse(stream);
  const nlohmann::json& shares = all.at("meta").at("coefficients");
  std::size_t read = 0;
  std::size_t without = 0;  // activations below 0, as SAPP fits them to demopp4
  for (const char* const group : {"strategy_simulations", "solver_cases"}) {
    for (const auto& each : all.at(group)) {
      const auto& input = each.at("input");
      CAPTURE(each.at("name"));
      const nlohmann::json file{{"layers_description", input.at("layers")},
                                {"stage_const_mem", input.at("stage_const_mem_mb")}};
      if (input.at("layers").at(1).at("memory_activation") < 0) {
        CHECK(refused(file.dump()).find("memory_activation: -45 is not above 0") != std::string::npos);
        ++without;
        continue;
      }
      const auto made = read_sapp_layers(file.dump(), "x");
      CHECK(made.constant == input.at("stage_const_mem_mb").get<double>() * mb);
      std::size_t i = 0;
      for (const char* const type : {"HEAD", "BODY", "TAIL"}) {
        for (const auto& wanted : input.at("layers")) {
          if (wanted.at("type") != type) continue;
          const double time = wanted.at("time").get<double>() / 1000;
          for (std::size_t copy = 0; copy < wanted.at("nb_layer"); ++copy, ++i) {
            REQUIRE(i < made.profile.layers.size());
            const auto& found = made.profile.layers[i];
            CHECK(found.forward == Approx(time));
            CHECK(found.backward == Approx(2 * time * (1 + wanted.value("backward_coef", 0.0))));
            CHECK(found.resident == wanted.at("memory_parameter").get<double>() * mb);
            for (const auto& variant : found.recomputations) {
              if (variant.name != "full") continue;
              const double share = wanted.value("recompute_coef", shares.at("FULL").get<double>());
              CHECK(variant.backward == Approx(2 * time * (1 + share)));
              CHECK(variant.activations == wanted.at("memory_recompute").get<double>() * mb);
            }
          }
        }
      }
      CHECK(i == made.profile.layers.size());
      ++read;
    }
  }
  CHECK(read + without == 23);
  CHECK(without == 1);
}
