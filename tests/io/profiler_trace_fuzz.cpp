// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, the times of layers and of kernels without a layer add up to the busy time, or it is
// `invalid_input` with a place.
#include <stagecut/io/json/profiler_trace.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    stagecut::io::layer_ranges layers;
    layers.add("L*");
    layers.add("E", "embedding");
    const auto made = stagecut::io::read_profiler_trace(text, source, layers, limits_for(text));
    const auto sound = [](double x) { return stagecut::is_finite(x) && !stagecut::is_negative(x); };
    require(sound(made.busy) && sound(made.span) && made.kernels > 0 && made.attributed <= made.kernels);
    double sum = made.unattributed_seconds();
    std::size_t others = 0;
    for (const auto& kernels : made.unattributed) others += kernels.count;
    require(made.attributed + others == made.kernels);
    for (const auto& layer : made.layers) {
      require(!layer.name.empty() && (!layer.forward.empty() || !layer.backward.empty()));
      for (const auto* const times : {&layer.forward, &layer.backward}) {
        for (const double seconds : *times) {
          require(sound(seconds));
          sum += seconds;
        }
      }
    }
    require(std::abs(sum - made.busy) <= 1e-9 * made.span);
  });
}
