// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Whether it is one of Piper's graphs.
[[nodiscard]] STAGECUT_DECL bool is_piper(const json& parsed);

}  // namespace detail

/// Whether a text is such a graph, and not a profile.
/// @return  false also for invalid JSON
[[nodiscard]] STAGECUT_DECL bool is_piper(std::string_view text, const read_limits& limits = {});

/// Reads a graph of layers from the JSON of Piper.
///
/// @param text    an object with `nodes` (`id`; `name`; `TMPCs`: by the number of devices, the variants, each with `id`,
///                `timePerSample`, seconds, `parameterSize`, `memoryUsageA` and `memoryUsageB`, bytes, `syncTimeFw`,
///                bytes by the source of each edge into the node, and `syncTimeBw`, by the destination of each edge out
///                of it), `edges` (`sourceId`, `destId`, `communicationCost`, bytes), `maxMemoryPerDevice`, bytes,
///                `maxDevices`, `bandwidth`, bytes per second, and `mbsInBatch`, alias `maxBatchSize`; ignores other
///                members
/// @param source  its name in errors
/// @param limits  limits on the input
/// @return        layers and edges in their order
/// @throws        invalid_input with `SOURCE:LINE` for invalid JSON, else with `SOURCE#POINTER`, also for a duplicate id,
///                a duplicate edge, an edge with a nonexistent node, an edge missing in `syncTimeFw` or `syncTimeBw`, and
///                a cycle
///
/// Source: J. M. Tarnawski, D. Narayanan and A. Phanishayee, Piper: Multidimensional Planner for DNN Parallelization,
/// NeurIPS 2021, and the files published with it, whose description of `syncTimeFw` and `maxBatchSize`
/// differs from their data.
[[nodiscard]] STAGECUT_DECL variant_graph parse_piper(std::string_view text, std::string_view source,
                                                      const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/piper.ipp>
#endif
