// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is measurements of times above 0, or `invalid_input` with a place.
#include <stagecut/io/json/measured_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto made = stagecut::io::read_measured(text, source, limits_for(text));
    require(!made.layers.empty() || !made.iterations.empty());
    stagecut::profile model;
    for (const auto& layer : made.layers) {
      require(layer.forward || layer.backward);
      require(layer.forward.value_or(1) > 0 && layer.backward.value_or(1) > 0);
      stagecut::layer& next = model.layers.emplace_back();
      next.name = layer.name;
      next.forward = next.backward = 1;
    }
    for (const auto& iteration : made.iterations) {
      require(iteration.devices > 0 && iteration.stages_per_rank > 0 && iteration.microbatches > 0 &&
              iteration.seconds > 0);
    }
    stagecut::take_measured(model, made.layers);
    for (std::size_t i = 0; i < made.layers.size(); ++i) {
      if (made.layers[i].forward) require(model.layers[i].forward == *made.layers[i].forward);
    }
  });
}
