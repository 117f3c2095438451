// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/explain_infeasible_partition.hpp>

#include <stagecut/graph/minimize_load.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using stagecut::load_request;
using stagecut::minimize_load;
using stagecut::operator_graph;
using stagecut::state;

namespace {

/// A shared table that feeds everything, followed by towers of four operators, which keep `kept` bytes per microbatch.
operator_graph towers(double kept) {
  operator_graph graph;
  for (int i = 0; i < 9; ++i) {
    graph.operators.push_back({.forward = 1, .backward = 2, .resident = 1, .activations = i == 0 ? 0 : kept});
  }
  for (std::size_t tower = 0; tower < 2; ++tower) {
    graph.edges.push_back({0, 1 + 4 * tower});
    for (std::size_t i = 1; i < 4; ++i) graph.edges.push_back({4 * tower + i, 4 * tower + i + 1});
  }
  return graph;
}

load_request limited(std::size_t devices, double memory) {
  load_request request;
  request.devices = devices;
  request.load.memory_limit = memory;
  request.load.in_flight = true;
  request.load.microbatches = 16;
  return request;
}

}  // namespace

TEST_CASE("an operator that fits on no stage is named, with the microbatches that it keeps there") {
  // Nine stages of one operator each. The first of a tower has three behind it, so five before it at most: on stage 5 four of its
  // microbatches are kept. Each of the towers' firsts would fit there, but not both.
  const auto none = minimize_load(towers(10), limited(9, 41));
  REQUIRE(none.state() == state::infeasible);
  CHECK(none.why().what == stagecut::reason::cause::constraint);
  const auto less = minimize_load(towers(10), limited(9, 40));
  REQUIRE(less.state() == state::infeasible);
  CHECK(less.why().needed == 41);
  CHECK(less.why().available == 40);
  const std::string text = less.why().text();
  CHECK_MESSAGE(text.find("operator 1 needs at least 41 bytes, and a device has 40 bytes; it stands on stage 5 of 9 at the latest, "
                          "which keeps 4 microbatches: use fewer stages") != std::string::npos,
                text);
}
