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

/// Whether a module has figures of its own, besides its children's.
[[nodiscard]] STAGECUT_DECL bool has_figures(const layer& each);

/// The containment tree. Rejects layers without exactly one root that contains all others.
[[nodiscard]] STAGECUT_DECL layer_graph module_tree(const profile& model);

/// The layers of a tree in preorder: each before its children, which keep their order.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> modules_in_order(const layer_graph& tree);

/// The layers that remain when enclosing modules are removed: those without children, with figures of their own or with
/// an edge.
/// @param order  as `modules_in_order`
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> leaves_in_order(const profile& model,
                                                                     const std::vector<std::size_t>& order);

}  // namespace detail

/// Turns a module tree into its leaves: a chain of them, or a graph where there are edges.
///
/// A module with figures of its own (one above 0, or tied parameters) or with an edge becomes a leaf of the same name, in
/// front of its children's leaves. A leaf without a group or a fixed stage inherits it from the innermost enclosing
/// module that has one. Nothing else changes.
///
/// @param model  a profile; one without children is returned as it is, without a copy if it is moved in
/// @return       its leaves in the order of the tree, with all edges
/// @throws       invalid_input with `layer I ("name")` if it is not a tree: a nonexistent child, a child of two modules,
///               a cycle, two roots; with `edge I` for an edge with a nonexistent layer
///
/// O(n + m) for n layers and m edges; does not recurse.
[[nodiscard]] STAGECUT_DECL profile flatten_modules(profile model);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/flatten_modules.ipp>
#endif
