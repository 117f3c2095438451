// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it tells times of some cells, or `invalid_input` with a place.
#include <stagecut/io/frameworks/mindspore_trace.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [&](std::string_view text, std::string_view source) {
    const auto made =
        stagecut::io::read_mindspore_trace(text, source, {"", 1 + size % 3, {"E"}, {"D"}, {"N"}}, limits_for(text));
    require(made.steps > 0 && (made.head || made.body || made.tail));
    require(made.body.has_value() == (made.layers > 0));
    for (const auto& each : {made.head, made.body, made.tail}) {
      require(stagecut::is_finite(each.value_or(0)) && !stagecut::is_negative(each.value_or(0)));
    }
  });
}
