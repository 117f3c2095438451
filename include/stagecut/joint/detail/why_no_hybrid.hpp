// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Why a model has too few points, or a machine too few devices, for the stages asked for; unset: it has not.
[[nodiscard]] STAGECUT_DECL std::optional<reason> too_few_points(std::size_t size, const hybrid_request& request);

/// Why no cut of a model keeps to a request: what is short of memory, with the least that would do, or the devices.
[[nodiscard]] STAGECUT_DECL reason why_no_hybrid(const any_stage_options& model, const hybrid_request& request);

/// Whether some cut of a model keeps to a request; false also where its limit was reached before one was found.
[[nodiscard]] STAGECUT_DECL bool has_hybrid(const any_stage_options& model, const hybrid_request& request);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/why_no_hybrid.ipp>
#endif
