// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/detail/moments_kept.hpp>
#include <stagecut/plan/detail/unlike_shortage.hpp>
#include <stagecut/plan/memory_shortage.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// Why there is no plan, and what would do.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Why there are not so many stages of blocks.
[[nodiscard]] inline reason too_many_stages(const cuts& blocks, std::size_t stages) {
  return {reason::cause::more_stages_than_layers,
          stages,
          blocks.stages(),
          {},
          blocks.stages() < blocks.items() ? "layers that must share a stage count as one" : ""};
}

/// Why no cut fits into memory, with a stage on each device.
[[nodiscard]] inline reason stage_shortage(const profile& model, const plan_request& request, const cuts& blocks,
                                           const training_memory& memory, const std::vector<stage_moments>& held) {
  if (!request.memory_of_devices.empty()) {
    return unlike_shortage(model, blocks, memory, held, bytes_of_devices(request), limits_of(request));
  }
  const auto needs = [&](std::size_t devices) {
    if (model.inference) {  // as many groups of requests on every device, whatever their number
      bool alike = true;
      for (const stage_moments& each : held) alike = alike && each == held.front();
      return alike ? std::vector<stage_moments>(devices, held.front()) : std::vector<stage_moments>();
    }
    const bool known = entry_of(request.schedule).most_in_flight != nullptr && request.in_flight.empty();
    if (!known) return std::vector<stage_moments>();
    plan_request asked = request;
    asked.devices = devices;
    return moments_kept(model, asked, microbatches_in_flight(request.schedule, devices, request.microbatches));
  };
  return detail::shortage_of(model, blocks, memory, held, bytes_allowed(request, 0), needs, limits_of(request));
}

/// Why no cut fits into the memory of devices that have several stages each; `fits(bytes)` says of another memory whether
/// a cut does, or unset if that takes too long. Where devices differ, bytes count as on the one that has most.
template <class Fits>
[[nodiscard]] reason chunks_shortage(const plan_request& request, Fits&& fits) {
  const double bytes = most_bytes_allowed(request);
  const bool unlike = !request.memory_of_devices.empty();
  double low = bytes;  // too few
  double high = 2 * bytes;
  std::optional<bool> enough = fits(high);
  for (int doubled = 0; enough == false && doubled < 20; ++doubled) low = high, high *= 2, enough = fits(high);
  const bool any = enough == true;
  while (any && enough && high - low > 0.005 * low + 1) {
    const double middle = floor_bytes(low + (high - low) / 2);
    enough = fits(middle);
    if (enough) (*enough ? high : low) = middle;
  }
  return {
      reason::cause::memory, whole_bytes(low + 1), static_cast<std::size_t>(floor_bytes(bytes)),
      joined({"the fullest of ", devices_text(request.devices), " of ", request.chunks, " stages each",
              unlike ? ", counted as on the one with most memory," : ""}),
      any ? joined({unlike ? share_text(high, bytes) : bytes_text(whole_bytes(high)), " would do"}) : std::string()};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
