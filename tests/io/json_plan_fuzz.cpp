// SPDX-License-Identifier: BSL-1.0
// Whatever the text is, it is read as a plan and written back, or refused with a place.
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/check_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz.hpp"

namespace {

/// The bytes of a plan with few enough microbatches that a table of them fits.
stagecut::stage_bytes bytes_small(stagecut::plan made) {
  if (made.schedule.microbatches > 1000) made.schedule.microbatches = 1000;
  (void)times_of(made, false);
  return bytes_of(made);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto made = stagecut::io::parse_json_plan(text, source, limits_for(text));
    require_sound(made.profile);
    require(stagecut::has_virtual_stages(made) ? made.stages.size() <= made.devices * made.stages_per_rank
                                               : made.stages.size() == made.devices * made.stages_per_rank);
    const auto stages = stage_of_layers(made);
    require(stages.size() == made.profile.layers.size());
    for (const std::size_t stage : stages) require(stage < made.stages.size());
    if (made.assignment.empty()) require(made.stages.size() == made.cuts.stages());
    for (std::size_t s = 0; s < made.stages.size(); ++s) {
      require(!layers_of(made, s).empty() && !devices_of(made, s).empty());
      (void)made.stages[s].total_memory();
    }
    require(transfers_of(made).forward.empty() == (made.messages.links.empty() || made.stages.size() == 1));
    if (!made.schedule.orders.empty()) check_schedule(schedule_of(made));
    (void)bytes_small(made);
    require(stagecut::io::parse_json_plan(stagecut::io::as_json(made), "again", {.depth = 1000}) == made);
  });
}
