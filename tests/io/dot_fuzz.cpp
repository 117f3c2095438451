// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is read as a graph in DOT and turned into a chain, or refused with a place.
#include <stagecut/io/graphs/dot.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto model = stagecut::io::parse_dot(text, source, limits_for(text));
    require_sound(model);
    require_chain_or_refusal(model);
  });
}
