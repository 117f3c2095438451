// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is read as an assignment of a graph's vertices, or refused with a place.
#include <stagecut/io/graphs/assignment_json.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"
#include "graph_plans.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stagecut::profile model = diamond_plan().profile;
  if (size % 2 == 0) {
    const char* const ids[] = {"10", "9", "\"x y\"", "7"};
    for (std::size_t i = 0; i < 4; ++i) model.layers[i].unknown_fields = std::string("{\"id\":") + ids[i] + "}";
  }
  return fuzz(data, size, [&](std::string_view text, std::string_view source) {
    const auto stages = stagecut::io::parse_assignment_json(text, source, model, limits_for(text));
    require(stages.size() == 4);
    for (const std::size_t stage : stages) require(stage < 4);
  });
}
