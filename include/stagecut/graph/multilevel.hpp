// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/graph/dag_partition.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The objective that `multilevel` minimises.
enum class dag_objective : std::uint8_t {
  cut,  ///< the weight of all edges between parts, which are balanced
  load  ///< the heaviest part, with the outputs that it pays for
};

/// The parts into which `multilevel` cuts a graph, and its limits. Unset fields keep their defaults.
struct multilevel_request {
  std::size_t parts = 2;                         ///< number of parts
  dag_objective objective = dag_objective::cut;  ///< what is minimised
  /// For `cut`: a part weighs at most 1 + `imbalance` times the average, rounded down, or the average rounded up if
  /// larger.
  double imbalance = 0.03;
  std::size_t trials = 1;   ///< each with other random numbers; the best is kept
  search_options search{};  ///< no method or trial starts after `time_limit` or `stop`; no default limit
};

/// See `multilevel`.
struct multilevel_fn {
  /// See `multilevel`.
  [[nodiscard]] outcome<dag_partition> operator()(const weighted_dag& graph, const multilevel_request& request) const;

 private:
  using answer = outcome<dag_partition>;

  /// Above this number of vertices recursive bisection is skipped, since it takes long.
  static constexpr std::size_t most_bisected = 200000;

  static void check(const multilevel_request& request);

  /// The maximum weight of a part.
  static std::int64_t most_weight(const weighted_dag& graph, const multilevel_request& request);

  /// A lower bound on the cut: each part has a vertex, so at least parts - components edges are cut; their number times
  /// the lightest edge. 0 where a part may be empty.
  static std::int64_t least_cut_of(const weighted_dag& graph, const multilevel_request& request, std::int64_t most);

  static answer least_cut(const weighted_dag& graph, const multilevel_request& request);

  static answer least_load(const weighted_dag& graph, const multilevel_request& request);

  static dag_partition described(const weighted_dag& graph, const std::vector<std::uint32_t>& part, std::size_t parts);
};

/// Cuts a large graph into parts so that every edge leads to the same or a later part: it merges vertices, cuts orders
/// of them, and moves single vertices on every level.
///
/// @param graph    a `weighted_dag`
/// @param request  number of parts, objective, and limits
/// @return         optimal if the objective equals the bound; feasible, with the bound; infeasible if a vertex is
///                 heavier than a part may be, or there are fewer vertices than parts; unknown if no balanced parts
///                 were found
/// @throws         argument_error for an invalid request
///
/// A cut is the better of two: recursive bisection, which takes the best of many orders each time and improves it by
/// moves within a hierarchy of merged vertices; or merging first, with dynamic programming over orders of the merged
/// graph. The first is skipped above 200,000 vertices. A load is found by cutting orders, including some that keep the
/// parts of a small cut contiguous. Orders along the directions in which the graph is long decide how good either is:
/// docs/graph_methods.md, "Large graphs". For `load`, no part is empty; for `cut`, parts may be empty where weights
/// allow it.
///
/// O((n + m) log k) for each order and level. The same request gives the same answer on every machine, except under
/// time limits.
///
/// Source: C. M. Fiduccia and R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982, for
/// the moves; J. Herrmann et al., Multilevel algorithms for acyclic partitioning of directed acyclic graphs, SISC 2019,
/// for the problem; docs/graph_methods.md describes the orders, and merging without a search.
inline constexpr multilevel_fn multilevel{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/multilevel.ipp>
#endif
