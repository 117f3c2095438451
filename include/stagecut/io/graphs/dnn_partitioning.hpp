// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The keys that are read from a graph and from a node, besides `id`; all others are kept.
/// @{
inline constexpr std::array<std::string_view, 5> dnn_graph_keys = {"nodes", "edges", "maxFPGAs", "maxCPUs",
                                                                   "maxSizePerFPGA"};
inline constexpr std::array<std::string_view, 6> dnn_node_keys = {"supportedOnFpga", "cpuLatency", "fpgaLatency",
                                                                  "isBackwardNode",  "colorClass", "size"};
/// @}

/// Whether a JSON value is such a graph.
[[nodiscard]] STAGECUT_DECL bool is_dnn_partitioning(const json& parsed);

/// Reads a graph from a parsed JSON value.
STAGECUT_DECL profile read_dnn_partitioning(const json_value& value);

}  // namespace detail

/// Reads a graph of operators from the JSON of dnn-partitioning, for inference or for training.
///
/// @param text    an object with `nodes` (`id`; `fpgaLatency` and `cpuLatency`, milliseconds; `size`, bytes;
///                `isBackwardNode`, `supportedOnFpga`, `colorClass`, `name`), `edges` (`sourceId`, `destId`; `cost`,
///                milliseconds, the same along all edges of a source), `maxFPGAs`, `maxCPUs` and `maxSizePerFPGA`,
///                bytes
/// @param source  its name in errors
/// @param limits  limits on the input
/// @return        a layer for each node, in order. A node of the backward pass belongs to that pass only; a class is a
///                group, a size resident bytes. A layer has the node's name if it is unique, else its id; the name is
///                also its kind. `output` is chosen so that the link of `machine` takes exactly the cost for it, to the
///                bit. The limits are those of `machine`. Other members of the graph and of nodes, and `id`, are kept in
///                `unknown_fields`, unless a profile uses the word for something else; other members of edges are dropped
/// @throws        invalid_input with `SOURCE:LINE` for invalid JSON, else with `SOURCE#POINTER`, also for a duplicate id,
///                an edge with a nonexistent node, costs that differ by more than 1e-6, and a cycle
///
/// Source: J. M. Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020, and
/// the files published with it.
[[nodiscard]] STAGECUT_DECL profile parse_dnn_partitioning(std::string_view text, std::string_view source,
                                                           const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/dnn_partitioning.ipp>
#endif
