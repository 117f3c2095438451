// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "output/computed_text.hpp"
#include "output/screen.hpp"
#include "options/quantity.hpp"

/// The default reserve of a device's memory, in bytes: CUDA's context, NCCL's buffers, allocator losses.
inline constexpr double usual_reserve = 4 * 1073741824.0;

/// The data-sheet memory of the device in the profile, in bytes; nothing if the profile was not computed.
inline std::optional<double> memory_of_device(const stagecut::profile& model) {
  const double has = computed_figure(computed_figures(model), "memory", 0.0);
  return has > 0 ? std::optional(has) : std::nullopt;
}

/// Limits a request without a memory option to that device's memory, less the reserve. A machine in the profile gives
/// usable memory, and stays unchanged. Sets no limit if the memory of stages is unknown.
/// @return  the message to print; empty if nothing changed
/// @throws std::invalid_argument if nothing is left
inline std::string limit_to_device(const stagecut::profile& model, double reserve, stagecut::plan_request& request) {
  const std::optional<double> has = memory_of_device(model);
  if (!has || model.machine.memory || request.memory_limit) return "";
  const bool rule = request.stages_per_rank == 1 && stagecut::entry_of(request.schedule).most_in_flight != nullptr;
  if (!model.inference && !rule && request.in_flight.empty() && !stagecut::prediction_obstacle(request).empty()) return "";
  const std::string name = shown(computed_figure<std::string>(computed_figures(model), "device", "the device"));
  if (!(reserve < *has)) {
    throw std::invalid_argument(
        fmt::format("reserve of {} leaves nothing of the {} of {}", bytes_text(reserve), bytes_text(*has), name));
  }
  request.memory_limit = *has - reserve;
  return fmt::format("memory: within {}, the {} of {} less a reserve of {}", bytes_text(*request.memory_limit.for_all()),
                     bytes_text(*has), name, bytes_text(reserve));
}
