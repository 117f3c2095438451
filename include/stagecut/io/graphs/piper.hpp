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

/// Whether it is a graph of Piper's.
[[nodiscard]] STAGECUT_DECL bool is_piper(const json& parsed);

}  // namespace detail

/// Whether a text is such a graph, and no profile.
/// @return  false for what is no JSON, too
[[nodiscard]] STAGECUT_DECL bool is_piper(std::string_view text, const read_limits& limits = {});

/// Reads a graph of layers from the JSON of Piper.
///
/// @param text    an object with `nodes` (`id`; `name`; `TMPCs`: by the number of devices, the variants, each with `id`,
///                `timePerSample`, seconds, `parameterSize`, `memoryUsageA` and `memoryUsageB`, bytes, `syncTimeFw`, bytes
///                by the source of each edge into the node, and `syncTimeBw`, by the destination of each edge out of it),
///                `edges` (`sourceId`, `destId`, `communicationCost`, bytes), `maxMemoryPerDevice`, bytes, `maxDevices`,
///                `bandwidth`, bytes a second, and `mbsInBatch`, which may be called `maxBatchSize`; other members are left
///                out
/// @param source  what errors call it
/// @param limits  how much is read
/// @return        layers and edges in their order
/// @throws        invalid_input with `SOURCE:LINE` where the text is no JSON, else with `SOURCE#POINTER`, also for an id
///                that stands twice, an edge of none or that stands twice, one that `syncTimeFw` or `syncTimeBw` leaves out,
///                and a cycle
///
/// Source: J. M. Tarnawski, D. Narayanan and A. Phanishayee, Piper: Multidimensional Planner for DNN Parallelization,
/// NeurIPS 2021, and the files published with it: what is said there of `syncTimeFw` and `maxBatchSize` differs from them.
[[nodiscard]] STAGECUT_DECL variant_graph parse_piper(std::string_view text, std::string_view source,
                                                      const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/piper.ipp>
#endif
