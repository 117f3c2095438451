// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Where cut points may stand: so many layers before and behind each of these.
[[nodiscard]] STAGECUT_DECL std::vector<option_builder::range> ranges_around(const std::vector<std::size_t>& points,
                                                                             std::size_t around, std::size_t layers);

/// Where cut points stand if all stages take equally long, with the fastest choices.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> even_points(const recompute_model& model, const whole_times& unit,
                                                                 std::size_t stages);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/cut_ranges.ipp>
#endif
