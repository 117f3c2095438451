// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is read as a plan and written back, or refused with a place.
#include <stagecut/io/json/json_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto made = stagecut::io::parse_json_plan(text, source, limits_for(text));
    require_sound(made.profile);
    require(made.stages.size() == made.devices * made.chunks && made.stages.size() == made.cuts.stages());
    require(made.cuts.items() == made.profile.layers.size());
    require(stagecut::io::parse_json_plan(stagecut::io::as_json(made), "again", {.depth = 1000}) == made);
  });
}
