// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, the readers give a sound profile or throw `invalid_input` with a place.
#include <stagecut/io/read_profile.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto profile = stagecut::io::parse_profile(text, "fuzz");
    if (profile.layers.empty()) std::abort();
    for (const auto& layer : profile.layers) {
      for (const double x : {layer.forward, layer.backward, layer.parameters, layer.activations, layer.output}) {
        if (!stagecut::is_finite(x) || stagecut::is_negative(x)) std::abort();
      }
    }
  } catch (const stagecut::invalid_input& error) {
    if (!error.place().starts_with("fuzz")) std::abort();
  }
  return 0;
}
