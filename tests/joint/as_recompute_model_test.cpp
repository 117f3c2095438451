// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/as_recompute_model.hpp>

#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/joint/profile_options.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../refusal.hpp"

using stagecut::as_recompute_model;
using stagecut::layer;
using stagecut::layer_variant;
using stagecut::profile;
using stagecut::recomputed_chain;

namespace {

layer plain(const std::string& name, double forward) {
  layer each;
  each.name = name;
  each.forward = forward;
  each.backward = 2 * forward;
  each.backward_input = 1.5 * forward;
  each.backward_weight = forward / 2;
  each.parameters = 10;
  each.activations = 100;
  each.output = 8;
  each.workspace = forward;
  return each;
}

/// A layer that may be recomputed in full or in part.
layer decoder(const std::string& name) {
  layer each = plain(name, 4);
  layer_variant full;
  full.name = "full";
  full.forward = each.forward;
  full.backward = 12;
  full.backward_input = 10;
  full.backward_weight = each.backward_weight;
  full.activations = 8;
  full.workspace = 90;
  full.recomputed = 30;
  full.output = each.output;
  layer_variant part = full;
  part.name = "selective";
  part.backward = 9;
  part.backward_input = 7;
  part.activations = 60;
  part.workspace = 2;
  part.recomputed = 0;
  each.recomputations = std::vector<layer_variant>{part, full};
  return each;
}

profile model_of(const std::vector<layer>& layers) {
  profile model;
  model.layers = layers;
  return model;
}

std::vector<std::string> names_of(const recomputed_chain& chain, std::size_t type) {
  std::vector<std::string> names;
  for (const auto& choice : chain.model.types[type].choices) names.push_back(choice.name);
  return names;
}

const profile small = model_of(
    {plain("in", 1), plain("norm", 6), decoder("a"), decoder("b"), plain("mid", 2), decoder("c"), plain("out", 3)});

}  // namespace

TEST_CASE("head, layers and tail, and what each takes") {
  const recomputed_chain chain = as_recompute_model(small);
  CHECK(chain.first == 1);  // the second layer may be on the second stage
  CHECK(chain.model.layers == std::vector<std::size_t>{0, 1, 1, 2, 1});
  REQUIRE(chain.model.types.size() == 3);
  CHECK(names_of(chain, 0) == std::vector<std::string>{"none"});

  const stagecut::layer_type& type = chain.model.types[1];
  CHECK(type.name == "a");
  CHECK(type.forward == 4);
  CHECK(type.resident == 40);   // 4 bytes of Adam's for each of parameters
  CHECK(type.workspace == 0);   // every way has its own
  CHECK(type.sent_bytes == 8);
  CHECK(names_of(chain, 1) == std::vector<std::string>{"none", "selective", "full"});
  CHECK(type.choices[0] == stagecut::recompute_choice{"none", 8, 2, 100, 4});
  CHECK(type.choices[1] == stagecut::recompute_choice{"selective", 9, 2, 60, 2});
  CHECK(type.choices[2] == stagecut::recompute_choice{"full", 12, 2, 8, 90, 30, 30});
  CHECK(names_of(chain, 2) ==
        std::vector<std::string>{"none"});  // it has no choice, and stands between those that have

  const stagecut::layer_type& head = chain.model.head;
  CHECK(head.name == "in");
  CHECK(head.forward == 1);
  CHECK(head.resident == 40);
  CHECK(head.workspace == 1);
  CHECK(head.sent_bytes == 8);
  REQUIRE(head.choices.size() == 1);
  CHECK(head.choices[0] == stagecut::recompute_choice{"none", 2, 0.5, 100});
  CHECK(chain.model.tail.name == "out");
  CHECK(chain.model.tail.choices[0].backward == 6);
}

TEST_CASE("the recomputations that are asked for, and no others") {
  CHECK(names_of(as_recompute_model(small, {"full", "none"}), 1) == std::vector<std::string>{"none", "full"});
  const recomputed_chain full = as_recompute_model(small, {"full"});
  CHECK(names_of(full, 1) == std::vector<std::string>{"full"});
  CHECK(full.model.layers == std::vector<std::size_t>{0, 1, 1, 2, 1});
  CHECK(names_of(full, 0) == std::vector<std::string>{"none"});  // not asked for, but the only one there is
  const recomputed_chain none = as_recompute_model(small, {"none"});
  CHECK(names_of(none, 1) == std::vector<std::string>{"none"});
  CHECK(none.first == 1);
  CHECK(full.model.types[1].choices[0].workspace == 90);

  // A profile that was made with recomputation calls its own figures by that name.
  profile made = small;
  for (auto& layer : made.layers) {
    if (!layer.recomputations.empty()) layer.recomputation = "mine";
  }
  CHECK(names_of(as_recompute_model(made), 1) == std::vector<std::string>{"mine", "selective", "full"});
}

TEST_CASE("without choices all layers are layers, without head and tail") {
  const recomputed_chain chain = as_recompute_model(model_of({plain("a", 1), plain("b", 1), plain("c", 2)}));
  CHECK(chain.first == 0);
  CHECK(chain.model.layers == std::vector<std::size_t>{0, 0, 1});
  CHECK(chain.model.types[0].name == "a");
  CHECK(chain.model.head == stagecut::layer_type{});
  CHECK(chain.model.tail == stagecut::layer_type{});
  CHECK(chain.model.types[0].choices.size() == 1);
}

TEST_CASE("what stays: the optimizer's multiplier, what the profile says, what layers share") {
  profile model = model_of({decoder("a"), decoder("b"), decoder("c")});
  model.layers[1].resident = 7;
  model.layers[2].tied = std::vector<stagecut::tied_parameters>{{"w", 5, {}, {}}};
  stagecut::memory_options memory;
  memory.parameter_multiplier = 2;
  const recomputed_chain chain = as_recompute_model(model, {}, memory);
  REQUIRE(chain.model.types.size() == 3);
  CHECK(chain.model.types[0].resident == 20);
  CHECK(chain.model.types[1].resident == 7);
  CHECK(chain.model.types[2].resident == 20);
  CHECK(chain.model.types[2].shared == std::vector<std::size_t>{0});
  CHECK(chain.model.shared == std::vector<double>{2 * 5});
  memory.use_resident = false;
  CHECK(as_recompute_model(model, {}, memory).model.layers == std::vector<std::size_t>{0, 0, 1});
}

TEST_CASE("layers that stand together are not cut apart, an end among them") {
  profile model = small;
  model.layers[0].group = model.layers[1].group = std::string("g");
  const auto where = stagecut::tied_parameters::placement::colocated;
  model.layers[3].tied = std::vector<stagecut::tied_parameters>{{"w", 5, {}, where}};
  model.layers[5].tied = std::vector<stagecut::tied_parameters>{{"w", 5, {}, where}};
  CHECK(as_recompute_model(model).model.forbidden_cuts == std::vector<std::size_t>{0, 3, 4});
  model.layers[6].group = model.layers[5].group = std::string("h");
  CHECK(as_recompute_model(model).model.forbidden_cuts == std::vector<std::size_t>{0, 3, 4, 5});
}

TEST_CASE("what is no chain that may be recomputed is refused") {
  const auto said = [](const profile& model, const std::vector<std::string>& names = {},
                       const stagecut::memory_options& memory = {}) {
    return refusal([&] { return as_recompute_model(model, names, memory); });
  };
  profile model = small;
  model.edges = {{0, 1}};
  CHECK(said(model) == "stagecut::as_recompute_model: model.edges = 1, must be empty: see as_chain");
  model = model_of({plain("a", 0)});
  model.inference = true;
  model.layers[0].backward_input.reset();
  model.layers[0].backward_weight.reset();
  CHECK(said(model).find("inference = true, must be false") != std::string::npos);
  stagecut::memory_options memory;
  memory.checkpoint = stagecut::checkpointing::always;
  CHECK(said(small, {}, memory).find("memory_accounting.checkpoint = always, must be never") != std::string::npos);
  CHECK(said(small, {"silly"}).find("layer 2 (\"a\")") != std::string::npos);
  CHECK(said(small, {"silly"}).find("has none of the recomputations that were asked for, from \"silly\" on") !=
        std::string::npos);
  model = small;
  model.layers[3].recomputations[0].forward = 5;
  CHECK(said(model).find("layer 3 (\"b\"): recomputation \"selective\": forward = 5, must be the layer's, 4") !=
        std::string::npos);
  model = small;
  model.layers[0].forward = -1;
  CHECK(said(model).find("layer 0") != std::string::npos);
}

TEST_CASE(
    "a recomputation has the parameters, resident bytes and update of its layer: 0 means them, others are refused") {
  profile model = small;
  for (layer& each : model.layers) {
    each.update = 3;
    each.resident = 25;
  }
  const recomputed_chain inherited = as_recompute_model(model);
  profile told = model;
  for (layer& each : told.layers) {
    for (layer_variant& way : each.recomputations) {
      way.parameters = each.parameters;
      way.resident = each.resident;
      way.update = each.update;
    }
  }
  CHECK(as_recompute_model(told) == inherited);
  CHECK(inherited.model.types[1].resident == 25);
  CHECK(stagecut::with_choices(model, std::vector<stagecut::layer_choice>(7, {"full", ""})).layers[2].update == 3);

  const auto said = [&](const auto& change) {
    profile changed = told;
    change(changed.layers[5].recomputations[1]);
    const std::string text = refusal([&] { return as_recompute_model(changed); });
    CHECK(refusal([&] { return stagecut::profile_options(changed, {}); }) == text);
    const std::string start = "layer 5 (\"c\"): recomputation \"full\": ";
    return text.rfind(start, 0) == 0 ? text.substr(start.size()) : text;
  };
  CHECK(said([](layer_variant& way) { way.forward = 5; }) == "forward = 5, must be the layer's, 4");
  CHECK(said([](layer_variant& way) { way.output = 0; }) == "output = 0, must be the layer's, 8");
  CHECK(said([](layer_variant& way) { way.parameters = 4; }) == "parameters = 4, must be the layer's, 10");
  CHECK(said([](layer_variant& way) { way.resident = 24; }) == "resident = 24, must be the layer's, 25");
  CHECK(said([](layer_variant& way) { way.update = 1; }) == "update = 1, must be the layer's, 3");
  CHECK(said([](layer_variant& way) { way.tensor_parallel = 2; }) == "tensor_parallel = 2, must be the layer's, 1");
  told.layers[5].resident.reset();
  told.layers[5].recomputations[0].resident.reset();
  CHECK(said([](layer_variant&) {}) == "resident = 25, must be the layer's, not set");
}
