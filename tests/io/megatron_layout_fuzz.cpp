// SPDX-License-Identifier: BSL-1.0
// Any text is a cut of all layers into non-empty stages, or `invalid_input`.
#include <stagecut/io/frameworks/megatron_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"
#include "worked_plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    stagecut::profile model;
    model.layers = transformer(6);
    const stagecut::cuts made = stagecut::io::read_megatron_layout(text, source, model);
    require(made.items() == model.layers.size());
    for (std::size_t s = 0; s < made.stages(); ++s) require(made[s] < made[s + 1]);
  });
}
