// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is told to be of one format, and read as such or refused with a place.
#include <stagecut/io/read_profile.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    require_sound(stagecut::io::parse_profile(text, source, limits_for(text)));
  });
}
