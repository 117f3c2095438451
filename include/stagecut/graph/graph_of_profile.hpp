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
  std::optional<link_speed> link{};  ///< between any two devices; unset: that of `profile::machine`, or no time at all
  memory_options memory{};           ///< what stays for parameters; `checkpoint` must be `never`
};

/// Makes an operator graph of a profile, which becomes the plain input of all algorithms on graphs: operator i is layer i.
///
/// @param model    a graph; one without edges is a chain, whose layers each feed the next
/// @param options  between which devices, and how memory is reckoned. An operator's `activations` are for one microbatch
/// @return         - sent: the bytes of the output by the link; sent_back the same where the model has backward times and
///                   no operators of the backward pass, else 0. The link's latency is that of the graph;
///                 - groups are numbered from 0 on by their first layers. Layers that share colocated parameters are of
///                   one group, with all layers of the groups that they are of; a group of one layer is none;
///                 - resident: what the profile says of a layer, or parameters times the multiplier. Parameters that are
///                   shared by layers of one group count once, in the first of them; others are `shared`
/// @throws         invalid_input as `check_figures`; with `layer I ("name")` for a module tree and for what is out of
///                 range, with `edge I` for a layer that there is not; argument_error for options that are negative or
///                 not finite, or that ask for checkpointing
///
/// Whether there are cycles is not asked. O(n + m + t) as a rule, for n layers, m edges and t tied parameters.
[[nodiscard]] STAGECUT_DECL operator_graph graph_of(const profile& model, const graph_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/graph_of_profile.ipp>
#endif
