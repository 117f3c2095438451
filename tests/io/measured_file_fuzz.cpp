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
    for (const auto& each : made.layers) {
      require(each.forward || each.backward);
      require(each.forward.value_or(1) > 0 && each.backward.value_or(1) > 0);
      stagecut::layer& next = model.layers.emplace_back();
      next.name = each.name;
      next.forward = next.backward = 1;
    }
    for (const auto& each : made.iterations) {
      require(each.devices > 0 && each.stages_per_rank > 0 && each.microbatches > 0 && each.seconds > 0);
    }
    stagecut::take_measured(model, made.layers);
    for (std::size_t i = 0; i < made.layers.size(); ++i) {
      if (made.layers[i].forward) require(model.layers[i].forward == *made.layers[i].forward);
    }
  });
}
