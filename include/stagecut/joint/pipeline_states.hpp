// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The cut points of a model: *points*, each an order ideal (a set of layers that contains every predecessor of its
/// layers), from no layer, point 0, to all of them. A stage is the difference of two points. The figures of a point
/// cover all its layers.
struct pipeline_states {
  std::vector<double> seconds{0};      ///< both passes of a minibatch
  std::vector<double> parameters{0};   ///< bytes
  std::vector<double> activations{0};  ///< bytes kept per minibatch
  std::vector<double> output{0};       ///< bytes that cross a cut here, forward
  /// For every point, in order, its strict supersets, which have greater numbers; empty: all greater points are.
  std::vector<std::vector<std::size_t>> later{};

  /// The last point.
  [[nodiscard]] std::size_t size() const noexcept { return seconds.size() - 1; }
};

/// Rejects points with invalid figures.
///
/// @throws  invalid_input naming the point, for figures that are not finite, that fall from one point to a later one,
///          or not one per point; for points out of order; and for fewer than two
/// @note    does not check that `later` is transitive
STAGECUT_DECL void check_pipeline_states(const pipeline_states& states);

/// Returns the points of a chain: after every layer.
///
/// @param model  a chain, times and bytes of a minibatch
/// @return       one point per layer, and point 0
/// @throws       argument_error for edges; invalid_input as `check_figures`, and if a sum is not finite or there is no layer
[[nodiscard]] STAGECUT_DECL pipeline_states states_of_chain(const profile& model);

/// How the points of a graph are found.
struct state_options {
  std::size_t most_states = 5000;  ///< limit of points besides point 0; a graph with more has no answer
  /// Whether to use the points of PipeDream's planner. It ignores source layers whose kind begins with `Input`, and
  /// sink layers of the kind `__getitem__`. Its points are the order ideals that contain the first source and are
  /// connected by edges. And at a cut it counts layers twice that are not the last of a set, and feed several of these.
  bool as_published = false;
};

/// The points of a graph, and the layers of each.
struct graph_states {
  pipeline_states states{};           ///< the figures of the points
  std::vector<std::size_t> layers{};  ///< the layers that are not ignored, each after all that feed it
  std::vector<std::uint64_t> held{};  ///< the layers of every point, one bit per place in `layers`, in whole words
  std::size_t words = 0;              ///< per point

  /// Returns the layers of the point `last` that are not in `first`, in the order of `layers`.
  /// @pre both are points
  [[nodiscard]] std::vector<std::size_t> layers_between(std::size_t first, std::size_t last) const;
};

namespace detail {

/// The edges of a graph or a chain.
[[nodiscard]] STAGECUT_DECL layer_graph edges_between_points(const profile& model);

}  // namespace detail

/// Returns the points of a graph: all its order ideals.
///
/// @param model    a graph, or a chain, times and bytes of a minibatch
/// @return         points ordered by their number of layers, then by the first layer in which they differ; unknown,
///                 `limit_reached`, if there are more than `most_states`
/// @throws         invalid_input for a cycle, for edges that lead nowhere, as `check_figures`; with `as_published`, for
///                 layers that no edges connect with the first one
///
/// For N points, n layers and w = n/64 words: O(N n w + N^2 w). N may be exponential in n.
[[nodiscard]] STAGECUT_DECL outcome<graph_states> states_of_graph(const profile& model,
                                                                  const state_options& options = {});

/// Returns some of the points of a graph: the cuts of one linear order of its layers. Their figures are as in
/// `states_of_graph`; for graphs with too many points to enumerate.
///
/// @param model  a graph, or a chain, times and bytes of a minibatch
/// @param order  the numbers of all layers, each after all that feed it
/// @return       point 0 and one point per layer, each with one layer more than the one before
/// @throws       argument_error for an invalid order; invalid_input as `states_of_graph`
///
/// For n layers and m edges: O(n (n + m)).
[[nodiscard]] STAGECUT_DECL graph_states states_of_order(const profile& model, const std::vector<std::size_t>& order);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/pipeline_states.ipp>
#endif
