// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is a sound profile of decoders and what stands around them, or `invalid_input` with a place.
#include <stagecut/io/json/sapp_layers.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [&](std::string_view text, std::string_view source) {
    const auto meaning = size % 3 == 0 ? stagecut::io::sapp_time::both : stagecut::io::sapp_time::forward;
    const auto made = stagecut::io::read_sapp_layers(text, source, meaning, limits_for(text));
    require(stagecut::is_finite(made.constant));
    const auto& layers = made.profile.layers;
    require(layers.size() <= 10'000);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto& kind = layers[i].kind;
      require(kind == "decoder" || kind == (i == 0 ? "embedding" : "head"));
      require(kind != "head" || i + 1 == layers.size());
      require(layers[i].resident == layers[i].parameters);
      if (kind != "decoder") continue;
      require(layers[i].activations > 0);
      for (const auto& variant : layers[i].recomputations) {
        require(variant.activations > 0 && variant.forward == layers[i].forward &&
                variant.resident == layers[i].resident);
      }
    }
    if (layers.size() < 100) require_sound(made.profile);
  });
}
