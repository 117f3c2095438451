// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/tables/layer_ranges.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../refusal.hpp"

using stagecut::io::layer_ranges;
using stagecut::io::range_layer;
using stagecut::io::range_pass;

TEST_CASE("ranges by name, with and without a pass") {
  layer_ranges ranges;
  CHECK(ranges.empty());
  ranges.add("embed", "tok_embeddings");
  ranges.add("layers.3");
  CHECK(!ranges.empty());
  CHECK(ranges.find("embed") == range_layer{"tok_embeddings"});
  CHECK(ranges.find("nn.Module: embed") == range_layer{"tok_embeddings"});
  CHECK(ranges.find("layers.3 forward") == range_layer{"layers.3", range_pass::forward});
  for (const char* const name : {"layers.3 backward", "layers.3.bwd", "layers.3:bwd", "layers.3/backward",
                                 "layers.3_backward", "layers.3 - bwd"}) {
    CAPTURE(name);
    CHECK(ranges.find(name) == range_layer{"layers.3", range_pass::backward});
  }
  for (const char* const name : {"", "layers.33", "layers.3.attention", "layers.3backward", "backward", " backward",
                                 "layers.3 backward pass", "Layers.3"}) {
    CAPTURE(name);
    CHECK(!ranges.find(name));
  }
  // The whole name first.
  ranges.add("layers.3 backward", "other");
  CHECK(ranges.find("layers.3 backward") == range_layer{"other"});
}

TEST_CASE("a star is a number, which the layer's name has, too") {
  layer_ranges ranges;
  ranges.add("nn.Module: LlamaDecoderLayer_*", "layers.*+8");
  ranges.add("block*.mlp");
  ranges.add("Head_*", "output");
  ranges.add("LlamaDecoderLayer_7", "last");
  CHECK(ranges.find("nn.Module: LlamaDecoderLayer_0") == range_layer{"layers.8"});
  CHECK(ranges.find("LlamaDecoderLayer_23 fwd") == range_layer{"layers.31", range_pass::forward});
  CHECK(ranges.find("nn.Module: LlamaDecoderLayer_7") == range_layer{"last"});  // names before patterns
  CHECK(ranges.find("block12.mlp") == range_layer{"block12.mlp"});
  CHECK(ranges.find("Head_1") == range_layer{"output"});
  for (const char* const name : {"LlamaDecoderLayer_", "LlamaDecoderLayer_x", "LlamaDecoderLayer_-1", "block.mlp",
                                 "LlamaDecoderLayer_1234567890123456789", "Mlp_LlamaDecoderLayer_1"}) {
    CAPTURE(name);
    CHECK(!ranges.find(name));
  }
}

TEST_CASE("ranges that cannot be added") {
  layer_ranges ranges;
  const auto refused = [&](const std::string& range, const std::string& layer) {
    return refusal<stagecut::argument_error>([&] { return ranges.add(range, layer), 0; });
  };
  CHECK(refused("", "x") == "stagecut::io::layer_ranges::add: range = \"\", must not be empty");
  CHECK(refused("nn.Module: ", "x").ends_with("must not be empty"));
  CHECK(refused("a*b*", "x").ends_with("range = \"a*b*\", must not have more than one *"));
  CHECK(refused("a*", "**").ends_with("layer = \"**\", must not have more than one *"));
  CHECK(refused("a", "b*").ends_with("layer = \"b*\", must not have a * if its range has none"));
  CHECK(ranges.empty());
}
