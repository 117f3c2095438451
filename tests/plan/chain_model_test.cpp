// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/chain_model.hpp>

#include <doctest/doctest.h>

#include <string>

using stagecut::chain_model;
using stagecut::checkpointing;
using stagecut::layer;
using stagecut::memory_options;
using stagecut::profile;

namespace {

profile four_layers() {
  profile model;
  for (const double time : {1.0, 2.0, 3.0, 4.0}) {
    layer each;
    each.name = "l";
    each.forward = time;
    each.backward = 2 * time;
    each.backward_weight = time / 2;
    each.backward_input = each.backward - time / 2;
    each.parameters = 10 * time;
    each.activations = time;
    each.output = 100 * time;
    model.layers.push_back(each);
  }
  return model;
}

std::string refusal(const profile& model, const memory_options& options) {
  try {
    (void)chain_model(model, options);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a profile is a pipeline model whose items are blocks of layers") {
  profile model = four_layers();
  model.layers[1].group = model.layers[2].group = "together";
  const chain_model chain(model);
  static_assert(stagecut::split_pipeline_model<chain_model>);
  static_assert(stagecut::sending_pipeline_model<chain_model>);
  static_assert(stagecut::memory_pipeline_model<chain_model>);
  static_assert(stagecut::promises<chain_model, stagecut::stage_invariant>);
  REQUIRE(chain.size() == 3);
  CHECK(chain.blocks()[1] == 1);
  CHECK(chain.blocks()[2] == 3);
  CHECK(chain.forward(0, 1) == 5);
  CHECK(chain.forward(0, 2) == 4);
  CHECK(chain.backward(7, 1) == 10);
  CHECK(chain.backward_weight(0, 1) == 2.5);
  CHECK(chain.splits_backward());
  CHECK(chain.sent(1) == 100);
  CHECK(chain.sent(2) == 300);  // of the last layer of the block before
}

TEST_CASE("blocks of one's own") {
  const profile model = four_layers();
  const chain_model chain(model, {}, stagecut::layer_blocks(model, {3}));
  REQUIRE(chain.size() == 3);
  CHECK(chain.forward(0, 2) == 7);
  CHECK(chain.sent(2) == 200);
  CHECK(chain.expand({0, 2, 3}) == stagecut::cuts{0, 2, 4});
  CHECK_THROWS_WITH_AS((void)chain_model(model, {}, stagecut::cuts{0, 3}),
                       "stagecut::chain_model: blocks.items() = 3, must be the number of layers, 4",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)chain.expand({0, 2}),
                       "stagecut::chain_model::expand: between_blocks.items() = 2, must be the number of blocks, 3",
                       stagecut::argument_error);
}

TEST_CASE("its memory is that of training, and none of microbatches if there is none in flight") {
  const profile model = four_layers();
  const stagecut::training_memory memory(model);
  const chain_model chain(model);
  for (std::size_t k = 1; k < 4; ++k) CHECK(chain.memory(2, 1, 3, k) == memory(1, 3, k).total());
  CHECK(chain.memory(0, 1, 3, 0) == memory(1, 3, 1).total() - 5);
  CHECK(chain.least_memory(0, 1, 3, 2) == memory.least(1, 3, 2));
  CHECK(chain.least_memory(0, 1, 3, 0) == memory.least(1, 3, 1) - 5);
  CHECK_FALSE(chain.recomputes());
  CHECK(chain.recomputed(0, 1, 3) == 0);
}

TEST_CASE("what is computed again is apart from what microbatches keep") {
  const profile model = four_layers();
  const stagecut::memory_options always{.checkpoint = checkpointing::always};
  const stagecut::training_memory memory(model, always);
  const chain_model chain(model, always);
  CHECK(chain.recomputes());
  CHECK(chain.recomputed(0, 1, 3) == memory.of_microbatch(1, 3));
  for (std::size_t k = 1; k < 4; ++k) {
    CHECK(chain.memory(2, 1, 3, k) + chain.recomputed(2, 1, 3) == memory(1, 3, k).total());
    CHECK(chain.least_memory(2, 1, 3, k) + chain.recomputed(2, 1, 3) == memory.least(1, 3, k));
  }
}

TEST_CASE("a backward pass that computes again takes longer") {
  const chain_model chain(four_layers(), {.checkpoint = checkpointing::always});
  CHECK(chain.backward(0, 3) == 12);
  CHECK(chain.backward_weight(0, 3) == 2);
}

TEST_CASE("gradients that take another time apart") {
  profile model = four_layers();
  for (auto& layer : model.layers) layer.backward_input = 7;
  CHECK(chain_model(model).backward_input(0, 3) == 7);
  CHECK(chain_model(model).backward_weight(0, 3) == 2);
  const chain_model again(model, {.checkpoint = checkpointing::always});
  CHECK(again.backward_input(0, 3) == 7 + model.layers[3].forward);
}

TEST_CASE("one layer that does not tell the gradients apart makes a model that does not") {
  profile model = four_layers();
  model.layers[2].backward_input.reset(), model.layers[2].backward_weight.reset();
  const chain_model chain(model);
  CHECK_FALSE(chain.splits_backward());
  CHECK(chain.backward_weight(0, 3) == 0);
}

TEST_CASE("what is no chain of equal microbatches is refused") {
  profile graph = four_layers();
  graph.edges = {{0, 1}};
  CHECK(refusal(graph, {}) == "stagecut::chain_model: model.edges = 1, must be empty: see as_chain");
  CHECK(refusal(four_layers(), {.checkpoint = checkpointing::except_last}) ==
        "stagecut::chain_model: options.checkpoint = except_last, has no equal microbatches: take never or always");
  profile wrong = four_layers();
  wrong.layers[0].forward = -1;
  CHECK_THROWS_AS((void)chain_model(wrong), stagecut::invalid_input);
}
