// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/dot_reader.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "../refusal.hpp"

namespace {

stagecut::profile read(const std::string& text) { return stagecut::io::detail::dot_reader(text, "g").read(); }

}  // namespace

TEST_CASE("subgraphs are read as if their braces were not there, however deep") {
  const std::string deep = std::string(100000, '{') + "a -> b" + std::string(100000, '}');
  CHECK(read("digraph {" + deep + "}").edges.size() == 1);
  CHECK(read("digraph { subgraph x { devices=3 a } { graph [devices=4] b -> a } devices=2 }").machine.devices == 2);
  CHECK(refusal<stagecut::invalid_input>([&] { return read("digraph {" + deep); }) == "g:1: the text ends too early");
}

TEST_CASE("a chain of edges shares its attributes, and words of DOT in quotes are names") {
  const auto model = read("digraph { \"node\" -> \"graph\" -> c [weight=1] [weight=2] }");
  CHECK(model.layers[0].name == "node");
  CHECK(model.layers[0].output == 2);
  CHECK(model.layers[1].output == 2);
  CHECK(model.layers[2].output == 0);
}
