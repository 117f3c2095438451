// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <stagecut/io/frameworks/sapp_strategy.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [&](std::string_view text, std::string_view source) {
    const std::size_t ranks = 1 + size % 3;
    const std::size_t layers = 12;
    const auto made = stagecut::io::read_sapp_strategy(text, source, ranks, layers, limits_for(text));
    require(made.layers.size() == made.stages_per_rank * ranks && made.counts.size() == made.layers.size());
    std::size_t all = 0;
    for (std::size_t s = 0; s < made.layers.size(); ++s) {
      std::size_t sum = 0;
      for (const std::size_t count : made.counts[s]) sum += count;
      require(sum == made.layers[s]);
      all += sum;
    }
    require(all == layers);
  });
}
