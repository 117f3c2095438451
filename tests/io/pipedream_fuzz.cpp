// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is read as a chain of PipeDream's, or refused with a place.
#include <stagecut/io/pipedream.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    require_sound(stagecut::io::parse_pipedream(text, source));
  });
}
