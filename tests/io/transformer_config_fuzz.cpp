// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is a config with finite counts that is read back equal from what is written, or
// `invalid_input` with a place.
#include <stagecut/io/json/transformer_config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/parameters.hpp>
#include <stagecut/profile/transformer.hpp>
#include <stagecut/profile/transformer_inference.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void check_figure(double x) {
  if (!stagecut::is_finite(x) || stagecut::is_negative(x)) std::abort();
}

// Whatever was read has a profile with finite figures, of training and of inference: the device is no snail.
void profile(stagecut::io::transformer_config config) {
  constexpr std::size_t enough = 30;  // layers that are alike show what all have
  auto& [a, training, quantized, weights] = config;
  if (a.layers > enough) a.layers = enough;
  if (a.forms.size() > enough) a.forms.resize(enough);
  if (a.mtp_layers > enough) a.mtp_layers = enough;
  if (a.vision && a.vision->layers > enough) {
    a.vision->layers = enough;
    std::erase_if(a.vision->full_layers, [](std::size_t layer) { return layer >= enough; });
  }
  const auto& on = stagecut::transformer::devices[4];  // all rates are known
  const auto made = stagecut::transformer::profile(a, training, on);
  const std::size_t seen = a.vision ? a.vision->layers + 2 : 0;
  if (made.layers.size() != a.layers + a.mtp_layers + seen + (a.encoder ? 2 : 3)) std::abort();
  for (const auto& layer : made.layers) {
    for (const double x :
         {layer.forward, layer.backward, layer.backward_input.value(), layer.backward_weight.value(), layer.parameters,
          layer.resident.value(), layer.activations, layer.workspace, layer.output, layer.update}) {
      check_figure(x);
    }
  }
  stagecut::transformer::serving how{training.sequence, training.microbatch, training.precision, 1, 1, weights};
  using stagecut::transformer::serving_phase;
  for (const auto phase : {serving_phase::decode, serving_phase::prefill}) {
    if (a.encoder && phase == serving_phase::decode) continue;  // it guesses no next token: refused
    if (training.precision > stagecut::transformer::number::fp8) continue;  // of training alone: refused
    for (const auto& layer : stagecut::transformer::inference_profile(a, how, phase, on).layers) {
      for (const double x : {layer.forward, layer.parameters, layer.activations, layer.workspace}) check_figure(x);
    }
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
  const auto& [architecture, training, quantized, weights] = config;
  stagecut::transformer::check(architecture, training);
  const auto counted = stagecut::transformer::count_parameters(architecture);
  for (const double x : {counted.total, counted.active, counted.further, counted.vision}) {
    if (!stagecut::is_finite(x) || stagecut::is_negative(x)) std::abort();
  }
  if (stagecut::io::read_transformer_config(stagecut::io::as_json(config), "back") != config) std::abort();
  profile(config);
  return 0;
}
