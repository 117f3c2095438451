// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is a config whose profile has finite figures, or `invalid_input` with a place.
#include <stagecut/io/json/transformer_config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <stagecut/profile/transformer.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// The layers are alike: a few show what all have.
constexpr std::size_t enough = 100;

void check(const stagecut::layer& layer) {
  for (const double x : {layer.forward, layer.backward, layer.backward_input.value(), layer.backward_weight.value(),
                         layer.parameters, layer.resident.value(), layer.activations, layer.workspace, layer.output}) {
    if (!stagecut::is_finite(x) || stagecut::is_negative(x)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  stagecut::io::transformer_config config;
  try {
    config =
        stagecut::io::read_transformer_config(text, "fuzz", {.bytes = size % 7 == 0 ? size / 2 : size, .depth = 1 + size % 200});
  } catch (const stagecut::invalid_input& error) {
    if (!error.place().starts_with("fuzz")) std::abort();
    return 0;
  }
  auto& [architecture, training] = config;
  if (architecture.layers > enough) architecture.layers = enough;
  const auto profile = stagecut::transformer::profile(architecture, training);  // does not throw: the device is no snail
  if (!stagecut::is_finite(stagecut::transformer::parameters(architecture))) std::abort();
  if (profile.layers.size() != architecture.layers + (architecture.encoder ? 2 : 3)) std::abort();
  for (const auto& layer : profile.layers) check(layer);
  return 0;
}
