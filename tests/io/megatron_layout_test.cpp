// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/megatron.hpp>
#include <stagecut/io/frameworks/megatron_layout.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "worked_plan.hpp"

using doctest::Contains;

namespace {

/// A model from one letter a layer: v in front of the embedding, E, t, n the norm, m, L; of a hybrid one M * - X G, where X
/// has experts.
stagecut::profile model_of(const std::string& letters) {
  stagecut::profile model;
  for (const char letter : letters) {
    const char* const kind = letter == 'v'   ? "vision"
                             : letter == 'E' ? "embedding"
                             : letter == 't' ? "decoder"
                             : letter == 'm' ? "mtp"
                             : letter == 'n' ? "norm"
                             : letter == 'L' ? "head"
                             : letter == 'M' ? "mamba"
                             : letter == '*' ? "attention"
                             : letter == '-' ? "mlp"
                             : letter == 'X' ? "moe"
                             : letter == 'G' ? "gated_delta_net"
                                             : "other";
    model.layers.push_back(layer_of(letter + std::to_string(model.layers.size()), kind));
  }
  return model;
}

std::vector<std::size_t> sizes(const char* layout, const std::string& letters) {
  return stagecut::io::read_megatron_layout(layout, "layout", model_of(letters)).sizes();
}

}  // namespace

TEST_CASE("letters, numbers, groups and commas say which layers a stage has") {
  using list = std::vector<std::size_t>;
  CHECK(sizes("Ettt|L", "EtttL") == list{4, 1});
  CHECK(sizes("Et*2|(t*2|)*3,tL", "EtttttttttL") == list{3, 2, 2, 2, 2});
  CHECK(sizes("E|(|)*0(t|)*2L", "EttL") == list{1, 1, 1, 1});
  CHECK(sizes("E(|t)*2,|L", "EttL") == list{1, 1, 1, 1});
  CHECK(sizes("E,t,*2,|t|L", "EtttL") == list{3, 1, 1});
  CHECK(sizes("EtL", "EtnL") == list{4});
  CHECK(sizes("E|tt|L", "vvEttnL") == list{3, 2, 2});
  CHECK(sizes("Et|t|mL", "EttnmL") == list{2, 2, 2});
  CHECK(sizes("Et|t|m|L", "EttnmL") == list{2, 2, 1, 1});
}

TEST_CASE("what is no layout of the model is refused, with the place") {
  const auto refused = [](const char* layout, const std::string& letters, const char* why) {
    CHECK_THROWS_WITH_AS(static_cast<void>(sizes(layout, letters)), Contains(why), stagecut::invalid_input);
  };
  refused("Et|tL", "EtttL", "layout: \"Et|tL\": has other layers than the model: 2 t for 3");
  refused("tEtL", "EttL", "letter 1 is t, and layer 0 (\"E0\") is E");
  refused("Et||tL", "EttL", "stage 1 has no layer");
  refused("Et|tL|", "EttL", "stage 2 has no layer");
  refused("Et|tL|", "EttnL", "stage 2 has no layer");
  refused("Ex|tL", "EttL", "character 2, \"x\": letters are E, t, m and L");
  refused("E(t|*2L", "EttL", "character 2: the parenthesis is not closed");
  refused("E(t|)L", "EttL", "character 5: *N has to follow the parenthesis");
  refused("E(t|),L", "EttL", "character 5: *N has to follow the parenthesis");
  refused("E(t(t)*2|)*2L", "EttL", "character 4: a parenthesis in another one");
  refused("Et*|tL", "EttL", "character 3: a number has to follow *");
  refused("Et*99999999999999999999|L", "EttL", "more layers than any model");
  refused("E(t*1000000)*1000000|L", "EttL", "more layers than any model");
  refused("E(|*1000000)*1000000|L", "EttL", "more stages than any pipeline");
  refused("", "EtL", "0 E for 1, 0 t for 1, 0 L for 1");
  CHECK_THROWS_AS(static_cast<void>(sizes("tL", "tL")), stagecut::not_representable);
  CHECK_THROWS_AS(static_cast<void>(sizes("EtL", "EtxL")), stagecut::not_representable);
}

TEST_CASE("of a hybrid model the pattern says the stages, by a letter a layer") {
  using list = std::vector<std::size_t>;
  CHECK(sizes("M-M*|M-M-", "EM-M*M-M-L") == list{5, 5});
  CHECK(sizes("ME|G*-|M", "EMXG*-MnL") == list{3, 3, 3});
  CHECK(sizes("|*-*-|", "vE*-*-nL") == list{2, 4, 2});
  CHECK(sizes("M-", "EM-L") == list{4});
  const auto refused = [](const char* layout, const std::string& letters, const char* why) {
    CHECK_THROWS_WITH_AS(static_cast<void>(sizes(layout, letters)), Contains(why), stagecut::invalid_input);
  };
  refused("M-M|M-", "EM-MM-ML", "has other layers than the model: 3 M for 4");
  refused("M-|-M", "EM-M-L", "letter 3 is -, and layer 3 (\"M3\") is M");
  refused("M-||M", "EM-ML", "stage 1 has no layer");
  refused("M*2|-", "EM*-L", "character 3, \"2\": letters are M, *, -, E and G, of a hybrid model, bars stand between stages");
  refused("M-|M/M", "EM-ML", "character 5: guesses of further tokens, which the model has not");
  refused("Et|tL", "EM-L", "character 2, \"t\": letters are M");
  refused("M-|M-", "EttL", "character 1, \"M\": letters are E, t, m and L");
  CHECK_THROWS_AS(static_cast<void>(sizes("M-", "EM-mL")), stagecut::not_representable);
  CHECK_THROWS_AS(static_cast<void>(sizes("M-t", "EM-tL")), stagecut::not_representable);
}

TEST_CASE("what is written of a plan is read as its cut") {
  std::mt19937 random(1);
  std::size_t read = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
    std::string letters = up_to(4) == 0 ? "vE" : "E";
    const bool hybrid = up_to(2) == 0;
    for (std::size_t i = 1 + up_to(20); i-- > 0;) letters += hybrid ? "M*-XG"[up_to(4)] : 't';
    if (up_to(1) == 0) letters += 'n';
    letters += std::string(!hybrid && up_to(3) == 0 ? 1 + up_to(1) : 0, 'm') + "L";
    std::vector<std::size_t> points = {0};
    for (std::size_t i = 1; i < letters.size(); ++i) {
      if (up_to(2) == 0) points.push_back(i);
    }
    points.push_back(letters.size());
    const stagecut::profile model = model_of(letters);
    const stagecut::cuts at(points);
    try {
      const std::string text = stagecut::io::as_megatron(plan_of(model.layers, at, 1));
      const std::size_t quote = text.find('"') + 1;
      const std::string layout = text.substr(quote, text.find('"', quote) - quote);
      CAPTURE(layout);
      REQUIRE((text.find("--hybrid-layer-pattern \"") != std::string::npos) == hybrid);
      REQUIRE(stagecut::io::read_megatron_layout(layout, "layout", model) == at);
      ++read;
    } catch (const stagecut::not_representable&) {
    }
  }
  CHECK(read > 100);
}
