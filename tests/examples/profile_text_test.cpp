// SPDX-License-Identifier: BSL-1.0
#include "output/profile_text.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <string>

TEST_CASE("a profile sums its layers by kind, and shared parameters once") {
  stagecut::profile made;
  made.name = "tiny";
  for (std::size_t i = 0; i < 3; ++i) {
    stagecut::layer each;
    each.kind = i == 0 ? "first" : "";
    each.forward = 0.001 * static_cast<double>(i + 1);
    each.backward = 2 * each.forward;
    each.parameters = 1024;
    made.layers.push_back(each);
  }
  made.layers[0].tied = made.layers[2].tied = {{"w", 2048, std::nullopt, {}}};
  const std::string text = profile_text(made);
  CHECK(text.find("tiny, for one microbatch\n") == 0);
  CHECK(text.find("first       1     1 ms") != std::string::npos);
  CHECK(text.find("-           2     5 ms") != std::string::npos);
  CHECK(text.find("all         3     6 ms     12 ms") != std::string::npos);
  CHECK(text.find("and 2 KiB of parameters that layers share") != std::string::npos);
  made.edges = {{0, 1}, {1, 2}, {0, 2}};
  CHECK(profile_text(made).find("tiny, for one microbatch\na graph of 3 edges\nkind ") == 0);
}

TEST_CASE("a profile that serves has passes in one direction, and tells what is kept") {
  stagecut::profile made;
  made.name = "tiny";
  made.inference = true;
  made.layers.resize(2);
  for (auto& layer : made.layers) layer.forward = 0.002, layer.activations = 1024;
  CHECK(profile_text(made) ==
        "tiny, to serve: one pass\n"
        "kind  layers  forward  parameters   kept\n"
        "-          2     4 ms         0 B  2 KiB\n"
        "all        2     4 ms         0 B  2 KiB\n");
}
