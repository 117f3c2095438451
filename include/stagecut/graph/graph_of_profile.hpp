// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How a profile becomes an operator graph.
struct graph_options {
  std::optional<link_speed> link{};    ///< between any two devices; unset: `profile::machine`, or no time at all
  memory_options memory_accounting{};  ///< what stays for parameters; `checkpoint` must be `never`
};

/// Makes an operator graph, the input of all graph algorithms, from a profile: operator i is layer i.
///
/// @param model    a graph; one without edges is a chain: each layer feeds the next
/// @param options  the link between devices, and how memory is computed. An operator's `activations` are for one
///                 microbatch
/// @return         - sent: the output's bytes over the link; sent_back is the same if the model has backward times but
///                   no backward operators, else 0. The link's latency becomes the graph's;
///                 - groups are numbered from 0 by their first layers. Layers that share colocated parameters form one
///                   group with all layers of their groups; a group of one layer is dropped;
///                 - resident: the profile's value for a layer, or parameters times the multiplier. Parameters that
///                   layers of one group share count once, in the first of them; others become `shared`
/// @throws         invalid_input as `check_figures`; with `layer I ("name")` for a module tree and for values out of
///                 range, with `edge I` for a layer that does not exist; argument_error for options that are negative
///                 or not finite, or that ask for checkpointing
///
/// Does not check for cycles. O(n + m + t) as a rule, for n layers, m edges and t tied parameters.
[[nodiscard]] STAGECUT_DECL operator_graph graph_of(const profile& model, const graph_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/graph_of_profile.ipp>
#endif
