// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/take_measured.hpp>

#include <doctest/doctest.h>

namespace {

stagecut::profile four() {
  stagecut::profile model;
  for (const char* const name : {"a", "b", "c", "d"}) {
    stagecut::layer& each = model.layers.emplace_back();
    each.name = name;
    each.kind = each.name == "a" ? "other" : "alike";
    each.forward = 1;
    each.backward = 4;
    each.backward_input = 3;
    each.backward_weight = 1;
  }
  return model;
}

}  // namespace

TEST_CASE("a layer that was measured is taken as it is, and others of its kind are scaled") {
  stagecut::profile model = four();
  stagecut::take_measured(model, {{"b", 2, 8}, {"c", 4, {}}});
  CHECK(model.layers[1].forward == 2);
  CHECK(model.layers[2].forward == 4);
  CHECK(model.layers[3].forward == 3);  // the two were off by 6 / 2
  CHECK(model.layers[1].backward == 8);
  CHECK(*model.layers[1].backward_input == 6);
  CHECK(*model.layers[1].backward_weight == 2);
  CHECK(model.layers[2].backward == 8);
  CHECK(model.layers[3].backward == 8);
  CHECK(*model.layers[3].backward_input == 6);
  CHECK(model.layers[0] == four().layers[0]);
}

TEST_CASE("gradients that take longer apart than together do so as before") {
  stagecut::profile model = four();
  model.layers[1].backward_input = 5;
  stagecut::take_measured(model, {{"b", {}, 8}});
  CHECK(model.layers[1].backward == 8);
  CHECK(*model.layers[1].backward_input == 10);
  CHECK(*model.layers[1].backward_weight == 2);
}

TEST_CASE("nothing measured changes nothing, and a layer that is not there is named") {
  stagecut::profile model = four();
  stagecut::take_measured(model, {});
  CHECK(model == four());
  CHECK_THROWS_WITH_AS(stagecut::take_measured(model, {{"e", 1, 1}}), "measured: the model has no layer \"e\"",
                       stagecut::invalid_input);
}

TEST_CASE("a pass that takes no time as computed is taken as measured") {
  stagecut::profile model = four();
  for (auto& layer : model.layers) layer.forward = layer.backward = 0, layer.backward_input = layer.backward_weight = 0;
  stagecut::take_measured(model, {{"b", 2, 8}});
  CHECK(model.layers[1].forward == 2);
  CHECK(model.layers[1].backward == 8);
  CHECK(*model.layers[1].backward_input == 8);
  CHECK(model.layers[2].forward == 0);
}
