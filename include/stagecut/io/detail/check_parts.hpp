// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/plan.hpp>

// The numbers of layers, stages and devices of a plan.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Refuses a plan whose numbers of layers, stages and devices do not agree.
/// @throws argument_error if the parts of the plan do not belong together
inline void check_parts(std::string_view function, const plan& p) {
  const auto require = [&](bool holds, std::string_view argument, std::size_t value, std::string_view requirement) {
    if (!holds) fail(argument_error(joined({"io::", function}), argument, std::to_string(value), requirement));
  };
  const bool by_cuts = p.assignment.empty();
  const std::size_t layers = p.profile.layers.size();
  const std::size_t stages = by_cuts ? p.cuts.stages() : p.stages.size();
  require(p.devices != 0, "plan.devices", p.devices, "must be at least 1");
  require(p.chunks != 0, "plan.chunks", p.chunks, "must be at least 1");
  const std::size_t items = by_cuts ? p.cuts.items() : p.assignment.size();
  require(items == layers, by_cuts ? "plan.cuts.items()" : "plan.assignment.size()", items,
          joined({"must be the number of layers, ", layers}));
  for (const std::size_t each : p.assignment) {
    require(each < stages, "plan.assignment", each, joined({"must be below the number of stages, ", stages}));
  }
  const bool full = stages % p.chunks == 0 && stages / p.chunks == p.devices;
  require(full || (are_graph_chunks(p) && (stages + p.chunks - 1) / p.chunks <= p.devices),
          by_cuts ? "plan.cuts.stages()" : "plan.stages.size()", stages,
          joined({"must be devices * chunks, ", p.devices, " * ", p.chunks}));
  require(p.stages.size() == stages, "plan.stages.size()", p.stages.size(),
          joined({"must be the number of stages, ", stages}));
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
