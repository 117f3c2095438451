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

/// Where a model may be cut: *points*, each a set of layers that has all that its layers need, from no layer, point 0, to
/// all of them. A stage is what one point holds more than another. Of every point what all its layers take together.
struct pipeline_states {
  std::vector<double> seconds{0};      ///< both passes of a minibatch
  std::vector<double> parameters{0};   ///< bytes
  std::vector<double> activations{0};  ///< bytes kept of a minibatch
  std::vector<double> output{0};       ///< bytes that cross a cut here, forward
  /// Of every point, in order, those that hold all of it and more, which have greater numbers; empty: all of them do.
  std::vector<std::vector<std::size_t>> later{};

  /// The last point.
  [[nodiscard]] std::size_t size() const noexcept { return seconds.size() - 1; }
};

/// Refuses points whose figures make no sense.
///
/// @throws  invalid_input naming the point, for figures that are not finite, fall from one point to a later one, or are as
///          many as of other points; for points that are not in order; and for fewer than two
/// @note    that what holds a point holds all that this one holds is not checked
STAGECUT_DECL void check_pipeline_states(const pipeline_states& states);

/// The points of a chain: behind every layer.
///
/// @param model  a chain, times and bytes of a minibatch
/// @return       as many points as layers, and point 0
/// @throws       argument_error for edges; invalid_input as `check_figures`, and if a sum is not finite or there is no layer
[[nodiscard]] STAGECUT_DECL pipeline_states states_of_chain(const profile& model);

/// How a graph gets points.
struct state_options {
  std::size_t most_states = 5000;  ///< points without point 0; a graph with more has no answer
  /// Whether the points are those of PipeDream's planner. It leaves out layers of a kind that begins with `Input` and which
  /// nothing feeds, and layers of the kind `__getitem__` that feed nothing. It takes but those sets of layers that hold the
  /// first layer that nothing feeds, and in which edges join all. And at a cut it counts layers twice that are not the last
  /// of a set, and feed several of these.
  bool as_published = false;
};

/// The points of a graph, and which layers each of them holds.
struct graph_states {
  pipeline_states states{};           ///< what they take
  std::vector<std::size_t> layers{};  ///< the layers that are not left out, each behind all that feed it
  std::vector<std::uint64_t> held{};  ///< of every point, by places in `layers`, one bit each; whole words
  std::size_t words = 0;              ///< for each point

  /// The layers that a point holds and another one does not, in the order of `layers`.
  /// @pre both are points
  [[nodiscard]] std::vector<std::size_t> layers_between(std::size_t first, std::size_t last) const;
};

namespace detail {

/// What feeds what, of a graph or a chain.
[[nodiscard]] STAGECUT_DECL layer_graph edges_between_points(const profile& model);

}  // namespace detail

/// The points of a graph: all sets of layers that hold what feeds what they hold.
///
/// @param model    a graph, or a chain, times and bytes of a minibatch
/// @return         points in the order of the number of layers they hold, then of the first layer in which they differ;
///                 unknown, `limit_reached`, if there are more than `most_states`
/// @throws         invalid_input for a cycle, for edges that lead nowhere, as `check_figures`; if as published, for layers
///                 that edges do not join with the first one
///
/// For N points, n layers and w = n/64 words: O(N n w + N^2 w). N may be exponential in n.
[[nodiscard]] STAGECUT_DECL outcome<graph_states> states_of_graph(const profile& model,
                                                                  const state_options& options = {});

/// Some of the points of a graph: those at which one runs its layers in an order. Their figures are as `states_of_graph` has
/// them, where there may be too many points to find them all.
///
/// @param model  a graph, or a chain, times and bytes of a minibatch
/// @param order  the numbers of all layers, each behind all that feed it
/// @return       point 0 and as many as layers, each holding one more than the one before
/// @throws       argument_error for an order that is none; invalid_input as `states_of_graph`
///
/// For n layers and m edges: O(n (n + m)).
[[nodiscard]] STAGECUT_DECL graph_states states_of_order(const profile& model, const std::vector<std::size_t>& order);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/pipeline_states.ipp>
#endif
