// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

inline constexpr std::string_view pipedream_separator = " -- ";

}  // namespace detail

/// Reads the graph of a profile from PipeDream's `graph.txt`.
///
/// @param text    the content: node lines `id -- description -- forward_compute_time=F, backward_compute_time=B,
///                activation_size=A, parameter_size=P`, and indented edge lines `id -- id`, in any order; times in
///                milliseconds, sizes in bytes, A a number or a list `[a; b]`, which is summed
/// @param source  its name in errors
/// @param limits  limits on the input
/// @return        the nodes as layers in topological order, otherwise in the order of the text, named by their ids; the
///                kind is the description up to a parenthesis. A is both the activations kept and the output. `edges` has
///                all edges, or none if the graph is a chain: each layer feeds only the next. See `as_chain` for other
///                graphs
/// @throws        invalid_input with `SOURCE:LINE`, also for a cycle; with `SOURCE` if there is no node, or several nodes
///                without an edge, and beyond the limit
[[nodiscard]] STAGECUT_DECL profile parse_pipedream(std::string_view text, std::string_view source,
                                                    const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/pipedream.ipp>
#endif
