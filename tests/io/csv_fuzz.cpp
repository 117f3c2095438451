// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is read as a CSV and written back, or refused with a place.
#include <stagecut/io/tables/csv.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    std::vector<std::string> notes;
    auto model = stagecut::io::parse_csv(text, source, limits_for(text), {.bytes_per_parameter = 4, .notes = &notes});
    require_sound(model);
    for (const std::string& note : notes) require(note.starts_with("fuzz:") && note == stagecut::visible(note));
    // What is written has no column for these.
    for (stagecut::layer& layer : model.layers) {
      layer.workspace = 0;
      layer.resident = layer.backward_input = layer.backward_weight = std::nullopt;
    }
    notes.clear();
    require(stagecut::io::parse_csv(stagecut::io::as_csv(model), "again", {}, {.notes = &notes}) == model);
    require(notes.empty());
  });
}
