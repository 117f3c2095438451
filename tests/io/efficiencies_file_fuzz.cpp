// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is constants in their ranges, or `invalid_input` with a place.
#include <stagecut/io/json/efficiencies_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    stagecut::transformer::check(stagecut::io::read_efficiencies(text, source, limits_for(text)));
  });
}
