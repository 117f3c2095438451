// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it tells a peak and its line, or `invalid_input` with a place.
#include <stagecut/io/frameworks/mindspore_log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto made = stagecut::io::read_mindspore_log(text, source, limits_for(text));
    require(made.peak > 0 && stagecut::is_finite(made.peak));
    require(made.line > 0 && made.line <= 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    for (const auto& each : {made.with_fragments, made.usable, made.device}) {
      require(stagecut::is_finite(each.value_or(0)) && !stagecut::is_negative(each.value_or(0)));
    }
  });
}
