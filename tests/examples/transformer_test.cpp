// SPDX-License-Identifier: BSL-1.0
#include "transformer.hpp"

#include <doctest/doctest.h>

namespace {

double parameters(const transformer::architecture& a) {
  double bytes = 0;
  for (const auto& layer : transformer::profile(a).layers) bytes += layer.parameters;
  return bytes / transformer::bytes_per_number;
}

}  // namespace

TEST_CASE("parameter counts are those of the released checkpoints") {
  CHECK(parameters(transformer::gpt2_xl) == 1'557'611'200);
  CHECK(parameters(transformer::llama_2_7b) == 6'738'415'616);
}

TEST_CASE("a profile holds the embedding, the decoder layers, the norm and the head") {
  const auto model = transformer::profile(transformer::gpt2_xl);
  REQUIRE(model.layers.size() == 51);
  CHECK(model.layers.front().kind == "embedding");
  CHECK(model.layers[48].name == "layer.47");
  CHECK(model.layers[49].kind == "norm");
  CHECK(model.layers[50].kind == "head");
  // 2 FLOP a parameter and token are the bulk of a layer; attention adds 8 % at this length.
  const double flops = model.layers[1].forward * 312e12 * 0.5;
  CHECK(flops / (2 * 1024 * transformer::decoder_parameters(transformer::gpt2_xl)) ==
        doctest::Approx(1.107).epsilon(0.01));
}
