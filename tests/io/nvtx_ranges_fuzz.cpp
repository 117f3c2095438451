// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is times of ranges that ran, each name once, or `invalid_input` with a place.
#include <stagecut/io/tables/nvtx_ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto made = stagecut::io::read_nvtx_ranges(text, source, limits_for(text));
    require(!made.ranges.empty());
    const auto sound = [](double x) { return stagecut::is_finite(x) && !stagecut::is_negative(x); };
    for (const auto& range : made.ranges) {
      require(made.find(range.name) == &range && !range.name.empty());
      require(range.instances > 0 && sound(range.total) && sound(range.mean()));
      for (const auto& figure : {range.median, range.least, range.most}) require(sound(figure.value_or(0)));
      if (range.samples.empty()) continue;
      require(range.samples.size() == range.instances);
      require(*range.least <= *range.median && *range.median <= *range.most);
      for (const double sample : range.samples) require(*range.least <= sample && sample <= *range.most);
    }
  });
}
