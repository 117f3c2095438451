// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/words.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/simulation.hpp>

// What the reader and the writer of a plan in JSON have in common.
namespace stagecut::inline v0::io::detail {

inline constexpr std::array<std::string_view, 14> plan_keys = {
    "schema", "cuts",   "objective", "devices",  "chunks",   "stages",       "schedule",
    "memory", "speeds", "messages",  "makespan", "timeline", "profile_hash", "profile"};

/// Whether a text is the name of a `transfer_kind`.
[[nodiscard]] inline bool is_transfer_kind(std::string_view name) {
  return stagecut::find_name(transfer_kind_words, name) != nullptr;
}

/// Refuses parts of a plan that do not belong together, by `refuse(POINTER, VALUE, PROBLEM)`.
template <class Refuse>
void check_plan(const plan& made, const Refuse& refuse) {
  const std::size_t stages = made.cuts.stages();
  const std::size_t layers = made.profile.layers.size();
  const auto text = [](std::size_t number) { return std::to_string(number); };
  if (!made.profile.edges.empty()) {
    refuse("/profile/edges", joined(text(made.profile.edges.size()), " edges"),
           "make a graph, and a plan is of a chain");
  }
  for (std::size_t i = 0; i < layers; ++i) {
    if (made.profile.layers[i].children.empty()) continue;
    refuse(joined("/profile/layers/", text(i), "/children"),
           joined(text(made.profile.layers[i].children.size()), " layers"),
           "make a module tree, and a plan is of a chain");
  }
  if (stages == 0) refuse("/cuts", "{}", "makes no stage");
  if (made.cuts.items() != layers) {
    refuse(joined("/cuts/", text(stages)), text(made.cuts.items()),
           joined("is not the number of layers, ", text(layers)));
  }
  for (std::size_t s = 0; s < stages; ++s) {
    if (made.cuts.stage(s).empty()) {
      refuse(joined("/cuts/", text(s + 1)), text(made.cuts[s + 1]), "is not above the point before it");
    }
  }
  if (made.stages.size() != stages) {
    refuse("/stages", joined(text(made.stages.size()), " stages"),
           joined("do not agree with the cuts, which make ", text(stages)));
  }
  if (made.chunks == 0 || stages % made.chunks != 0 || stages / made.chunks != made.devices) {
    refuse("/devices", text(made.devices),
           joined("times ", text(made.chunks), " chunks is not the number of stages, ", text(stages)));
  }
  for (std::size_t s = 0; s < stages; ++s) {
    if (made.stages[s].device < made.devices) continue;
    refuse(joined("/stages/", text(s), "/device"), text(made.stages[s].device),
           joined("is not below the number of devices, ", text(made.devices)));
  }
  const std::size_t speeds = made.speeds.size();
  if (speeds != 0 && speeds != made.devices) {
    refuse("/speeds", joined(text(speeds), " speeds"), joined("are not the number of devices, ", text(made.devices)));
  }
  for (std::size_t d = 0; d < speeds; ++d) {
    if (!(made.speeds[d] > 0)) refuse(joined("/speeds/", text(d)), "a speed", "is not above 0");
  }
  const std::size_t links = made.messages.links.size();
  if (links > 1 && links + 1 != stages) {
    refuse("/messages/links", joined(text(links), " links"),
           joined("are neither 1 nor the number of boundaries of stages, ", text(stages - 1)));
  }
  if (const std::string& kind = made.messages.kind; links == 0 ? !kind.empty() : !is_transfer_kind(kind)) {
    refuse("/messages/kind", in_quotes(kind), "is none of link, latency, stream, blocking, or there are no links");
  }
  for (std::size_t i = 0; i < made.timeline.size(); ++i) {
    const timed_pass& pass = made.timeline[i];
    const std::string pointer = joined("/timeline/", text(i));
    if (pass.stage >= stages) {
      refuse(joined(pointer, "/0"), text(pass.stage), joined("is not below the number of stages, ", text(stages)));
    }
    if (made.schedule.microbatches != 0 && pass.microbatch >= made.schedule.microbatches) {
      refuse(joined(pointer, "/1"), text(pass.microbatch),
             joined("is not below the number of microbatches, ", text(made.schedule.microbatches)));
    }
    if (!is_compute(pass.kind)) refuse(joined(pointer, "/2"), to_string(pass.kind), "is no pass");
    if (pass.end < pass.start) refuse(pointer, "the end", "is before the start");
  }
}

}  // namespace stagecut::inline v0::io::detail
