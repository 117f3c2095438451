// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/option_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The plan whose busiest rank has least to do, as the options of the ranks; none if the graph has no path.
[[nodiscard]] STAGECUT_DECL std::vector<std::uint32_t> start_options(const option_graph& graph);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/start_options.ipp>
#endif
