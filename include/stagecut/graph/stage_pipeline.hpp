// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The stages of a graph, one a device, as a pipeline of microbatches runs them. Each vector has one element per stage,
/// or per edge.
struct stage_pipeline {
  std::vector<double> forward{};        ///< seconds of a forward pass
  std::vector<double> backward{};       ///< seconds of a backward pass
  std::vector<double> resident{};       ///< bytes that stay
  std::vector<double> activations{};    ///< bytes of each microbatch in flight
  std::vector<stage_edge> edges{};      ///< between stages, from lower to higher ones, ascending
  std::vector<double> send_forward{};   ///< seconds of a message along each edge
  std::vector<double> send_backward{};  ///< seconds of the gradient's message against each edge

  /// Number of stages.
  [[nodiscard]] std::size_t stages() const noexcept { return forward.size(); }

  /// Member-wise equality.
  friend bool operator==(const stage_pipeline&, const stage_pipeline&) = default;
};

namespace detail {

/// Rejects figures that are negative or not finite.
STAGECUT_DECL void check_operators(const operator_graph& graph);

/// Rejects an assignment that no pipeline can run.
STAGECUT_DECL void check_assignment(const operator_graph& graph, view<const std::size_t> stage_of, std::size_t stages);

}  // namespace detail

/// See `make_stage_pipeline`.
struct make_stage_pipeline_fn {
  /// See `make_stage_pipeline`.
  [[nodiscard]] stage_pipeline operator()(const operator_graph& graph, view<const std::size_t> stage_of,
                                          std::size_t stages) const;
};

/// The figures of an assignment's stages and the messages between them.
///
/// @param graph     operators, in seconds and bytes of a microbatch
/// @param stage_of  stage of each operator, from 0. No edge leads to a lower stage; a backward edge never to a higher
///                  one; an edge from the forward to the backward pass may lead anywhere
/// @param stages    number of stages k; they may be empty
/// @return          sums over the operators of every stage. An edge joins two stages, from the lower to the higher one,
///                  if any edge of operators joins them, and it carries a message each way: forward latency +
///                  `sent_seconds` of what the higher stage consumes from the lower one; back latency +
///                  `sent_back_seconds` of what its forward pass consumes + `sent_seconds` of what the lower stage's
///                  backward pass consumes from the higher one. An output that several operators of a stage consume is
///                  sent once, the tensor of an edge for each edge
/// @throws          argument_error for an invalid assignment, with the operator; invalid_input for numbers that are
///                  negative or not finite, and for edges that name no operator or lead from the backward to the
///                  forward pass
///
/// An operator of the backward pass adds all of its time to the backward pass. O(n + m + k^2).
inline constexpr make_stage_pipeline_fn make_stage_pipeline{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/stage_pipeline.ipp>
#endif
