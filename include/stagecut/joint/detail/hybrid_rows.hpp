// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The least weighted sum of durations over the plans of a graph. A weight of every stage and kind makes the length of a path
/// through an iteration, or of a mean of such paths, a sum over edges: no plan ends before its least.
class hybrid_rows {
 public:
  explicit hybrid_rows(const hybrid_options& options) : options_(options) {}

  /// The least sum; `beyond_time` if the graph has no plan.
  double least(const hybrid_graph& graph, const std::vector<double>& weights);

  /// The options of a plan of least sum, of those that `least` has looked at last. @pre there is one
  void least_plan(const hybrid_graph& graph, std::vector<std::uint32_t>& options) const;

  /// Raises the bounds of edges to the least sum over plans through them, of what `least` has looked at last.
  void raise(hybrid_graph& graph);

 private:
  void price(const hybrid_graph& graph, const std::vector<double>& weights);

  const hybrid_options& options_;
  std::vector<double> cost_{};    // of every edge
  std::vector<double> behind_{};  // of every node
  std::vector<double> before_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_rows.ipp>
#endif
