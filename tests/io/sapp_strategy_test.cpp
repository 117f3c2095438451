// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/frameworks/sapp_strategy.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"

using stagecut::io::read_sapp_strategy;
using stagecut::io::sapp_strategy;

namespace {

std::string refusal_of(const std::string& text, std::size_t ranks, std::size_t layers) {
  return refusal<stagecut::invalid_input>([&] { (void)read_sapp_strategy(text, "s.yaml", ranks, layers); });
}

}  // namespace

TEST_CASE("a strategy of two chunks") {
  // Of stage 0 one layer is recomputed whole, one more in both ways, one in its communication alone.
  const sapp_strategy found = read_sapp_strategy(
      "offset: [[1, 0], [0, -1]]\n"
      "recompute: [[1, 0], [0, 0]]\n"
      "select_recompute: [[2, 0], [1, 0]]\n"
      "select_comm_recompute: [[3, 0], [0, 1]]\n",
      "s.yaml", 2, 12);
  CHECK(found.stages_per_rank == 2);
  CHECK(found.layers == std::vector<std::size_t>{4, 3, 3, 2});
  CHECK(found.counts[0] == std::vector<std::size_t>{1, 0, 1, 1, 1});
  CHECK(found.counts[1] == std::vector<std::size_t>{3, 0, 0, 0, 0});
  CHECK(found.counts[2] == std::vector<std::size_t>{2, 1, 0, 0, 0});
  CHECK(found.counts[3] == std::vector<std::size_t>{1, 0, 1, 0, 0});
}

TEST_CASE("what is said of all stages at once") {
  const sapp_strategy all = read_sapp_strategy("offset: 0\nrecompute: true\n", "s.yaml", 2, 6);
  CHECK(all.layers == std::vector<std::size_t>{3, 3});
  CHECK(all.counts[1] == std::vector<std::size_t>{0, 0, 0, 0, 3});
  const sapp_strategy one = read_sapp_strategy("offset: [1, -1]\nselect_recompute: [2, 0]\n", "s.yaml", 2, 6);
  CHECK(one.counts[0] == std::vector<std::size_t>{2, 2, 0, 0, 0});
  const sapp_strategy chunks = read_sapp_strategy("offset: 0\nrecompute: [[1, 0], [0, 1]]\n", "s.yaml", 2, 4);
  CHECK(chunks.stages_per_rank == 2);
}

TEST_CASE("what is no strategy") {
  CHECK(refusal_of("recompute: false\n", 2, 6) == R"(s.yaml: "offset" is missing)");
  CHECK(refusal_of("offset: [1, 0]\n", 2, 6) == "s.yaml#/offset: makes 7 layers on 2 stages, and the model has 6");
  CHECK(refusal_of("offset: [1, 0, -1]\n", 2, 6) == "s.yaml#/offset: has 3 elements, and there are 2 ranks");
  CHECK(refusal_of("offset: [4, -4]\n", 2, 6) ==
        "s.yaml#/offset: takes more layers from a stage than the 3 that it has");
  CHECK(refusal_of("offset: [0.5, -0.5]\n", 2, 6) == "s.yaml#/offset/0: 0.5 is no whole number");
  CHECK(refusal_of("offset: [1e30, 0]\n", 2, 6) == "s.yaml#/offset/0: 1e+30 is more than all layers");
  CHECK(refusal_of("offset: 0\nrecompute: [4, 0]\n", 2, 6) ==
        "s.yaml: recomputes more layers of stage 0 than it holds");
  CHECK(refusal_of("offset: 0\nrecompute: [[1, 0], [0, 0]]\nselect_recompute: [1, 0]\n", 2, 8) ==
        "s.yaml#/select_recompute: has numbers of 2 stages, and there are 4");
}

TEST_CASE("several strategies in a file, of other numbers of chunks each, as SAPP's manual.yaml has them") {
  const auto found = stagecut::io::read_sapp_strategies(
      "manual1:\n"
      "  offset: [1, -1]\n"
      "  recompute: false\n"
      "  interleave_num: 1\n"
      "  show: true\n"
      "  file_name: one.svg\n"
      "manual2:\n"
      "  offset: 0\n"
      "  recompute: true\n"
      "  interleave_num: 3\n"
      "about: what a team tried\n",
      "m.yaml", 2, 12);
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "manual1");
  CHECK(found[0].layers == std::vector<std::size_t>{7, 5});
  CHECK(found[1].name == "manual2");
  CHECK(found[1].stages_per_rank == 3);
  CHECK(found[1].layers == std::vector<std::size_t>(6, 2));
  CHECK(found[1].counts[5] == std::vector<std::size_t>{0, 0, 0, 0, 2});
  CHECK(stagecut::io::read_sapp_strategies("offset: 0\n", "m.yaml", 2, 6).size() == 1);
  const auto refused = [](const std::string& text) {
    return refusal<stagecut::invalid_input>([&] { return stagecut::io::read_sapp_strategies(text, "m.yaml", 2, 6); });
  };
  CHECK(refused("manual1:\n  offset: [3]\n") == "m.yaml#/manual1/offset: has 1 elements, and there are 2 ranks");
  CHECK(refused("manual1:\n  offset: [[1, -1], [0, 0]]\n  interleave_num: 3\n") ==
        "m.yaml#/manual1/offset: has 2 lists, and \"interleave_num\" is 3");
  CHECK(refused("recompute: true\n").find("offset") != std::string::npos);
}
