// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/place_graph.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "output/exit_status.hpp"
#include "output/output.hpp"
#include "output/screen.hpp"
#include "output/stop_signals.hpp"
#include "output/table.hpp"
#include "options/quantity.hpp"

/// A placement that is not a pipeline: the layers of every device, and the proof.
inline std::string placement_text(const stagecut::profile& model, const stagecut::graph_placement& found,
                                  stagecut::state state) {
  const auto amount = [&](double value) { return found.of == "sent time" ? seconds_text(value) : bytes_text(value); };
  table lines(1);
  lines.add({"device", "count", "variables", found.of});
  std::vector<std::string> held;
  for (const auto& device : found.devices) {
    lines.add({std::to_string(held.size()), std::to_string(device.operators), bytes_text(device.variables),
               amount(device.communication)});
    held.push_back(fmt::format("device {}:", held.size()));
  }
  for (std::size_t v = 0; v < model.layers.size(); ++v) {
    const std::string& name = model.layers[v].name;
    held[found.placement.assignment[v]] += fmt::format(" {}", name.empty() ? std::to_string(v) : shown(name));
  }
  std::string text = lines.text([](std::size_t) { return std::string(); });
  for (const std::string& each : held) text += each + "\n";
  return text + fmt::format("communication: {}, {}: no placement is below {}\nno pipeline: edges lead to any device\n",
                            amount(found.placement.value), to_string(state), amount(found.placement.bound));
}

/// Places the layers of a model so that communication is smallest, in any order of devices, and writes the placement.
inline int place_anywhere(const stagecut::profile& model, stagecut::plan_request request, const std::string& source,
                          const std::string& format, const std::string& output) {
  using namespace stagecut;
  if (format != "text") throw CLI::ValidationError("--not-contiguous", "is text alone: it is no plan of a pipeline");
  if (request.microbatches != 0)
    throw CLI::ValidationError("--microbatches", "is of pipelines, not of --not-contiguous");
  static constexpr auto stop = stop_signals::asked;
  request.search.stop = stop;
  const auto found = place_graph(model, request);
  if (!found) {
    const bool known = found.state() == state::infeasible;
    say(fmt::format("{}: {}: {}", source, to_string(found.state()),
                    !known && stop_signals::asked() ? "stopped before a placement was found" : found.why().text()));
    return known ? infeasible : unknown;
  }
  write(placement_text(model, *found, found.state()), output);
  return planned;
}
