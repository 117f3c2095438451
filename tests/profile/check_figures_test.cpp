// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/check_figures.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace {

template <class Change>
std::string refusal(const Change& change) {
  stagecut::profile model;
  model.layers.resize(2);
  model.layers[1].name = "head";
  model.layers[1].tied = {{"w", 1, 1, {}}};
  change(model.layers[1]);
  try {
    check_figures(model);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "none";
}

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("each figure that is no amount is named with its layer") {
  using stagecut::layer;
  const std::string start = "layer 1 (\"head\"): ";
  const std::string end = ", must be finite and not negative";
  CHECK(refusal([](layer&) {}) == "none");
  CHECK(refusal([](layer& l) { l.forward = no_number; }) == start + "forward = NaN" + end);
  CHECK(refusal([](layer& l) { l.backward = -1; }) == start + "backward = -1.000000" + end);
  CHECK(refusal([](layer& l) { l.backward_input = infinity; }) == start + "backward_input = infinity" + end);
  CHECK(refusal([](layer& l) { l.backward_weight = no_number; }) == start + "backward_weight = NaN" + end);
  CHECK(refusal([](layer& l) { l.parameters = no_number; }) == start + "parameters = NaN" + end);
  CHECK(refusal([](layer& l) { l.resident = no_number; }) == start + "resident = NaN" + end);
  CHECK(refusal([](layer& l) { l.activations = no_number; }) == start + "activations = NaN" + end);
  CHECK(refusal([](layer& l) { l.workspace = no_number; }) == start + "workspace = NaN" + end);
  CHECK(refusal([](layer& l) { l.output = -2; }) == start + "output = -2.000000" + end);
  CHECK(refusal([](layer& l) { l.backward_weight = 1; }) == start + "backward_weight stands without backward_input");
  CHECK(refusal([](layer& l) { l.backward_input = 1; }) == start + "backward_input stands without backward_weight");
  CHECK(refusal([](layer& l) { l.backward_input = l.backward_weight = 1; }) == "none");
  CHECK(refusal([](layer& l) { l.cpu = infinity; }) == start + "cpu = infinity" + end);
  CHECK(refusal([](layer& l) { l.is_backward = true, l.forward = 1; }) ==
        start + "is of the backward pass, and has a forward time");
  CHECK(refusal([](layer& l) { l.is_backward = true, l.backward = 1; }) == "none");
  CHECK(refusal([](layer& l) { l.tied[0].bytes = no_number; }) == start + "tied bytes = NaN" + end);
  CHECK(refusal([](layer& l) { l.tied[0].resident = no_number; }) == start + "tied resident = NaN" + end);
}
