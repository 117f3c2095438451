// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/why_no_hybrid.hpp>

#include <cstddef>
#include <optional>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/hybrid_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::optional<reason> too_few_points(std::size_t size, const hybrid_request& request) {
  const std::size_t stages = request.stages.value_or(1);
  if (stages > size) return reason{reason::cause::more_stages_than_layers, stages, size};
  if (stages <= request.devices) return std::nullopt;
  reason why{reason::cause::constraint};
  why.place = joined({stages, " stages need at least ", stages, " devices, and there are ", request.devices});
  return why;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
