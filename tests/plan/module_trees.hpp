// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/profile.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Module trees for tests.

/// A module or a leaf: bytes of parameters, seconds of the forward pass.
inline stagecut::layer module_of(std::string name, double parameters, double forward,
                                 std::vector<std::size_t> children = {}) {
  stagecut::layer each{std::move(name), "", forward};
  each.parameters = parameters;
  if (!children.empty()) each.children = std::move(children);
  return each;
}

/// An encoder of 4 layers and a decoder of 6, between an embedding and a head. The model is layer 0, and its leaves
/// take 76 bytes and 60 seconds.
inline stagecut::profile encoder_decoder() {
  stagecut::profile model;
  model.name = "encoder-decoder";
  model.layers = {module_of("model", 0, 0, {1, 2, 3, 4}), module_of("embed", 12, 1),
                  module_of("encoder", 0, 0, {5, 6, 7, 8}), module_of("decoder", 0, 0, {9, 10, 11, 12, 13, 14}),
                  module_of("head", 12, 9)};
  for (std::size_t i = 0; i < 4; ++i) model.layers.push_back(module_of("e" + std::to_string(i), 4, 5));
  for (std::size_t i = 0; i < 6; ++i) model.layers.push_back(module_of("d" + std::to_string(i), 6, 5));
  return model;
}

/// A random number below `end`.
inline std::size_t below(std::mt19937& random, std::size_t end) { return random() % end; }

/// A small random tree in a random order of layers; some share parameters or belong to a group. All bytes, each shared
/// parameter once, are 64, and so are all seconds: shares are exact.
inline stagecut::profile random_modules(std::mt19937& random) {
  const std::size_t n = 2 + below(random, 13);
  std::vector<std::size_t> number(n);
  for (std::size_t i = 0; i < n; ++i) number[i] = i;
  for (std::size_t i = n; i-- > 1;) std::swap(number[i], number[below(random, i + 1)]);
  std::vector<std::vector<std::size_t>> children(n);
  const std::size_t width = 1 + below(random, n);  // deep trees, and wide ones
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t parent = i <= width ? 0 : i - 1 - below(random, std::min(i, width));
    children[parent].push_back(number[i]);
  }
  stagecut::profile model;
  model.layers.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = children[i].size(); c-- > 1;) std::swap(children[i][c], children[i][below(random, c + 1)]);
    const bool has = children[i].empty() || below(random, 5) == 0;
    const std::size_t limit = below(random, 3) == 0 ? 2 : 5;  // many ties
    const auto figure = [&] { return has ? static_cast<double>(below(random, limit)) : 0; };
    const double bytes = figure();
    model.layers[number[i]] = module_of("m" + std::to_string(number[i]), bytes, figure(), children[i]);
  }
  double bytes = 0;
  double seconds = 0;
  for (const stagecut::layer& layer : model.layers) bytes += layer.parameters, seconds += layer.forward;
  const std::size_t ties = below(random, 3);
  for (std::size_t t = 0; t < ties; ++t) {
    const double shared = static_cast<double>(below(random, 4));
    const auto where = below(random, 2) == 0 ? stagecut::tied_parameters::placement::replicated
                                             : stagecut::tied_parameters::placement::colocated;
    for (std::size_t count = 0; count < 2; ++count) {
      model.layers[below(random, n)].tied.push_back({"t" + std::to_string(t), shared, {}, where});
    }
    bytes += shared;
  }
  if (below(random, 4) == 0) {
    for (std::size_t count = 0; count < 2; ++count) model.layers[below(random, n)].group = std::string("g");
  }
  std::size_t last = below(random, n);
  while (!model.layers[last].children.empty()) last = below(random, n);
  model.layers[last].parameters += 64 - std::min(bytes, 64.0);
  if (bytes > 64) return random_modules(random);
  last = below(random, n);
  while (!model.layers[last].children.empty()) last = below(random, n);
  if (seconds > 64) return random_modules(random);
  model.layers[last].forward += 64 - seconds;
  return model;
}
