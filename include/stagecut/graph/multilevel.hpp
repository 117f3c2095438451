// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/dag_partition.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What `multilevel` makes small.
enum class dag_objective : std::uint8_t {
  cut,  ///< the weight of all edges between parts, which are balanced
  load  ///< the heaviest part, with the outputs that it pays for
};

/// Into what `multilevel` cuts a graph, and how long it looks. What is not said stays at its default.
struct multilevel_request {
  std::size_t parts = 2;                         ///< how many
  dag_objective objective = dag_objective::cut;  ///< what is made small
  /// Of `cut`: no part weighs more than 1 + `imbalance` times the average, rounded down, but as much as that rounded up.
  double imbalance = 0.03;
  std::size_t trials = 1;              ///< with other numbers of chance each; the best stays
  std::uint64_t seed = 1;              ///< of these
  std::optional<double> time_limit{};  ///< seconds after which no other method or trial begins; unset: none
  function_ref<bool()> stop{};         ///< asked there as well; true: none begins
};

/// See `multilevel`.
struct multilevel_fn {
  /// See `multilevel`.
  [[nodiscard]] outcome<dag_partition> operator()(const weighted_dag& graph, const multilevel_request& request) const;

 private:
  using answer = outcome<dag_partition>;

  /// More vertices are not cut in two again and again, which takes long.
  static constexpr std::size_t most_bisected = 200000;

  static void check(const multilevel_request& request);

  /// What a part may weigh.
  static std::int64_t most_weight(const weighted_dag& graph, const multilevel_request& request);

  /// No partition cuts less: each part has a vertex, so that all parts but one of each component are joined to it or to
  /// each other by an edge that is cut; their number times the lightest edge. 0 where a part may be empty.
  static std::int64_t least_cut_of(const weighted_dag& graph, const multilevel_request& request, std::int64_t most);

  static answer least_cut(const weighted_dag& graph, const multilevel_request& request);

  static answer least_load(const weighted_dag& graph, const multilevel_request& request);

  /// Whether nothing may begin, but for the first.

  static dag_partition described(const weighted_dag& graph, const std::vector<std::uint32_t>& part, std::size_t parts);
};

/// Cuts a large graph into parts so that every edge leads to the same or a later part, by merging vertices, cutting orders
/// of them, and moving single vertices on every level of merging.
///
/// @param graph    a `weighted_dag`
/// @param request  how many parts, what is to be small, and how long to look
/// @return         optimal where it equals the bound; feasible, with the bound; infeasible where a vertex is heavier than a
///                 part may be, or there are fewer vertices than parts; unknown if no parts were found that are balanced
/// @throws         argument_error for a request that makes no sense
///
/// A cut is found in two ways, and the better one is kept: the graph is cut in two again and again, each time by the best
/// of many orders of it, which is made better by moves within a hierarchy of merged vertices; or it is merged first, and
/// orders of what is left are cut by dynamic programming. The first is left out for more than 200,000 vertices. A load is
/// found by cutting orders, among them such as keep to the parts of a small cut. Orders along the directions in which the
/// graph is long decide how good either is: docs/graph_methods.md, "Large graphs". Of `load`, no part is empty; of `cut`,
/// parts may be where weights allow it.
///
/// O((n + m) log k) for each order and level. Same request, same answer on every machine, but for limits of time.
///
/// Source: C. M. Fiduccia and R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982, for
/// the moves; J. Herrmann et al., Multilevel algorithms for acyclic partitioning of directed acyclic graphs, SISC 2019, for
/// the problem; the orders, and merging without a search, are described in docs/graph_methods.md.
inline constexpr multilevel_fn multilevel{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/multilevel.ipp>
#endif
