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
    for (const auto& each : made.ranges) {
      require(made.find(each.name) == &each && !each.name.empty());
      require(each.instances > 0 && sound(each.total) && sound(each.mean()));
      for (const auto& figure : {each.median, each.least, each.most}) require(sound(figure.value_or(0)));
      if (each.samples.empty()) continue;
      require(each.samples.size() == each.instances);
      require(*each.least <= *each.median && *each.median <= *each.most);
      for (const double sample : each.samples) require(*each.least <= sample && sample <= *each.most);
    }
  });
}
