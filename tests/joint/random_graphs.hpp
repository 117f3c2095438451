// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <stagecut/profile/profile.hpp>

namespace joint_tests {

/// A number of cases: from the environment, or the usual one.
inline std::size_t wanted_cases(std::size_t usual) {
  const char* const text = std::getenv("STAGECUT_CASES");
  return text ? std::strtoul(text, nullptr, 10) : usual;
}

/// A small graph without cycles, whose numbers are in no order. Its figures are small whole numbers.
inline stagecut::profile drawn_graph(std::mt19937& dice, std::size_t layers) {
  const auto upto = [&](unsigned n) { return static_cast<double>(dice() % (n + 1)); };
  stagecut::profile made;
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < layers; ++v) {
    stagecut::layer each;
    each.name = std::to_string(v);
    each.forward = upto(9);
    each.backward = upto(9);
    each.parameters = upto(20);
    each.activations = upto(9);
    each.output = upto(12);
    made.layers.push_back(each);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(dice() % (v + 1)), v);
  }
  const unsigned dense = 1 + dice() % 4;
  for (std::size_t j = 1; j < layers; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (i + 1 == j ? dice() % 5 != 0 : dice() % 5 < dense) made.edges.push_back({order[i], order[j]});
    }
  }
  return made;
}

}  // namespace joint_tests
