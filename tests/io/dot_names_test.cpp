// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/dot_names.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../refusal.hpp"

namespace detail = stagecut::io::detail;

TEST_CASE("every figure of a layer and every word of a node is known, and nothing else") {
  for (const char* key :
       {"forward", "backward", "backward_input", "backward_weight", "parameters", "resident", "activations", "output",
        "workspace", "weight", "cpu", "stage", "kind", "group", "accelerator", "pass"}) {
    CHECK(detail::is_dot_word(key));
  }
  for (const char* key : {"label", "color", "", "Forward", "tied", "devices"}) CHECK_FALSE(detail::is_dot_word(key));
}

TEST_CASE("words are put into a node, and into a machine") {
  const detail::dot_names words("g");
  detail::dot_node node;
  words.put(node, {"workspace", "8", 1});
  words.put(node, {"output", "4", 1});
  words.put(node, {"weight", "2", 1});
  words.put(node, {"label", "x", 1});
  CHECK(node.each == stagecut::layer{"", "", 0, 0, 0, 0, 4, 8});
  CHECK(node.says_output);
  CHECK_FALSE(node.says_backward);
  CHECK(node.weight == 2);
  stagecut::stated_machine machine;
  words.put(machine, {"cpus", "2", 1});
  words.put(machine, {"bandwidth", "8", 1});
  words.put(machine, {"color", "red", 1});
  CHECK(machine == stagecut::stated_machine{0, 2, {}, stagecut::link_speed{0, 8}});
  CHECK(refusal<stagecut::invalid_input>([&] {
          return words.put(machine, {"devices", "-1", 3}), 0;
        }) == "g:3: devices: \"-1\" is negative");
  CHECK(refusal<stagecut::invalid_input>([&] {
          return words.put(machine, {"devices", "1e300", 3}), 0;
        }) == "g:3: devices: \"1e300\" is no whole number");
}
