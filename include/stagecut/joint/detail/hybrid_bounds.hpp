// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/in_flight_bound.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/hybrid_builder.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The bounds of the edges of a graph of pipelines with replicas under 1F1B: no plan of the graph that has an edge ends
/// before its bound. As those of stages without replicas, with the exchange of gradients: docs/hybrid.md, "Bounds".
class hybrid_bounds {
 public:
  hybrid_bounds(const hybrid_options& options, const hybrid_limits& rules) : options_(options), rules_(rules) {}

  /// Sets them, by what is left of the graph, and removes what no plan that ends by `most` uses, again and again. Returns
  /// whether a plan is left, true if the clock said stop before.
  bool refine(hybrid_graph& graph, double most, engine::search_clock& clock);

 private:
  using edge = hybrid_graph::edge;

  static void lower(double& value, double other) { value = std::min(value, other); }
  static double larger(double a, double b) { return a < b ? b : a; }

  void begin(std::size_t stages);

  void set(hybrid_graph& graph);

  /// What lies before a node at least, over the plans of the graph.
  void fill_before(const hybrid_graph& graph);

  /// What lies behind a node at least: `down_` a round trip, `fill_` from the end of the first F of the stage before to the
  /// begin of its first B, `drain_` likewise of the last.
  void fill_behind(const hybrid_graph& graph);

  /// Of one edge, as stage k; `trips` of its windows. Behind its last backward pass a path goes all the way up, or ends with
  /// an exchange of gradients, here or above: then it has not waited for backward passes above.
  [[nodiscard]] double bound(const hybrid_graph& graph, const std::vector<double>& trips, std::size_t k,
                             const edge& each) const;

  const hybrid_options& options_;
  const hybrid_limits& rules_;
  std::vector<std::size_t> in_flight_{};
  std::vector<std::vector<engine::steady_window>> windows_{};
  std::vector<double> up_{};  // [u * stages + r]: round trip through the stages r .. to here, messages included
  std::vector<double> enter_{};
  std::vector<double> leave_{};
  std::vector<double> forward_{};
  std::vector<double> backward_{};
  std::vector<double> down_{};
  std::vector<double> fill_{};
  std::vector<double> drain_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_bounds.ipp>
#endif
