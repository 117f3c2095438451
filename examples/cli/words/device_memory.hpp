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

#include "text/computed_text.hpp"
#include "text/screen.hpp"
#include "words/quantity.hpp"

/// What is kept free of a device's memory unless another reserve is said: the context of CUDA, NCCL's buffers, what the
/// allocator cannot use. Bytes.
inline constexpr double usual_reserve = 4 * 1073741824.0;

/// What the device has that a profile was computed for, by its data sheet, in bytes; nothing if it was not computed.
inline std::optional<double> memory_of_device(const stagecut::profile& model) {
  const double has = computed_figure(computed_figures(model), "memory", 0.0);
  return has > 0 ? std::optional(has) : std::nullopt;
}

/// Limits a request, which says no memory of its own, to what that device has, less the reserve. A machine of the profile's
/// own says what may be used: it stays as it is. Where it is not known what stages keep, nothing is limited.
/// @return  what is to be said of it; empty where nothing was done
/// @throws std::invalid_argument if nothing is left
inline std::string limit_to_device(const stagecut::profile& model, double reserve, stagecut::plan_request& request) {
  const std::optional<double> has = memory_of_device(model);
  if (!has || model.machine.memory || request.memory_per_device || !request.memory_of_devices.empty()) return "";
  const bool rule = request.chunks == 1 && stagecut::entry_of(request.schedule).most_in_flight != nullptr;
  if (!model.inference && !rule && request.in_flight.empty() && !stagecut::prediction_obstacle(request).empty()) return "";
  const std::string name = shown(computed_figure<std::string>(computed_figures(model), "device", "the device"));
  if (!(reserve < *has)) {
    throw std::invalid_argument(
        fmt::format("reserve of {} leaves nothing of the {} of {}", bytes_text(reserve), bytes_text(*has), name));
  }
  request.memory_per_device = *has - reserve;
  return fmt::format("memory: within {}, the {} of {} less a reserve of {}", bytes_text(*request.memory_per_device),
                     bytes_text(*has), name, bytes_text(reserve));
}
