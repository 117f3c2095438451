// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is a device that computes something, or `invalid_input` with a place.
#include <stagecut/io/json/accelerator_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto made = stagecut::io::read_accelerator(text, source, limits_for(text));
    stagecut::transformer::check(made.figures);
    require(made.figures.name.empty());
  });
}
