// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Both passes of a layer, in whole units, with its fastest or its slowest choice.
[[nodiscard]] STAGECUT_DECL double work_of(const layer_type& type, const whole_times& unit, bool fastest);

/// Both passes of all layers, head and tail.
[[nodiscard]] STAGECUT_DECL double work_of(const recompute_model& model, const whole_times& unit, bool fastest);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/layer_work.ipp>
#endif
