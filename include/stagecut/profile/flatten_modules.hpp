// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether a module takes anything beside its children.
[[nodiscard]] STAGECUT_DECL bool has_figures(const layer& each);

/// What holds what, of layers of which one, the root, holds all others; refuses anything else.
[[nodiscard]] STAGECUT_DECL layer_graph module_tree(const profile& model);

/// The layers of a tree, each in front of its children and those in their order.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> modules_in_order(const layer_graph& tree);

/// The layers of a tree that are left without the modules around them: those that hold nothing, have figures of their
/// own or an edge.
/// @param order  as `modules_in_order`
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> leaves_in_order(const profile& model,
                                                                     const std::vector<std::size_t>& order);

}  // namespace detail

/// Turns a module tree into its leaves: a chain of them, or a graph where there are edges.
///
/// A module that takes something beside its children (a figure above 0, tied parameters), or has an edge, becomes a
/// leaf of its own, in front of theirs and with its name. What has no group, or no fixed stage, has that of the
/// innermost module around it that has one: what holds for a module holds for all of it. Nothing else is changed.
///
/// @param model  a profile; one without children is returned as it is, and not copied where it is moved in
/// @return       its leaves in the order in which the tree lists them, with all edges
/// @throws       invalid_input with `layer I ("name")` if it is no tree: a child that there is not or that is one of
///               two modules, a cycle, two roots; with `edge I` for a layer that there is not
///
/// O(n + m) for n layers and m edges; does not recurse.
[[nodiscard]] STAGECUT_DECL profile flatten_modules(profile model);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/flatten_modules.ipp>
#endif
