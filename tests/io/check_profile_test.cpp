// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/check_profile.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

/// The first mistake among some layers.
std::string mistake(const std::vector<stagecut::layer>& layers) {
  std::string found;
  stagecut::profile model;
  model.layers = layers;
  stagecut::io::detail::check_profile(model,
                                      [&](std::string_view pointer, std::string_view what, std::string_view problem) {
                                        if (found.empty())
                                          found = stagecut::detail::joined({pointer, " ", what, " ", problem});
                                      });
  return found;
}

}  // namespace

TEST_CASE("layers that contradict each other are told") {
  std::vector<stagecut::layer> layers(3);
  CHECK(mistake(layers).empty());
  layers[0].tied = {{"w", 1, {}, {}}};
  layers[2].tied = {{"w", 2, {}, {}}};
  CHECK(mistake(layers).starts_with("/layers/2/tied/0"));
  layers[2].tied = layers[0].tied;
  CHECK(mistake(layers).empty());
  layers[1].is_backward = true;
  layers[1].forward = 1;
  CHECK(mistake(layers) == "/layers/1 an operator of the backward pass has a forward time");
  layers[1].forward = 0;
  CHECK(mistake(layers).empty());
  layers[0].group = layers[2].group = "g";
  CHECK(mistake(layers).starts_with("/layers/2/group"));
}
