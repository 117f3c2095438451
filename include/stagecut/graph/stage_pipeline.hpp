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

/// The stages of a graph, one a device, as a pipeline of microbatches runs them. Vectors have an element a stage, or an
/// edge.
struct stage_pipeline {
  std::vector<double> forward{};        ///< seconds of a forward pass
  std::vector<double> backward{};       ///< seconds of a backward pass
  std::vector<double> resident{};       ///< bytes that stay
  std::vector<double> activations{};    ///< bytes of each microbatch in flight
  std::vector<stage_edge> edges{};      ///< between stages, from lower to higher ones, ascending
  std::vector<double> send_forward{};   ///< seconds of a message along each edge
  std::vector<double> send_backward{};  ///< likewise against it, of the gradient

  /// How many stages there are.
  [[nodiscard]] std::size_t stages() const noexcept { return forward.size(); }

  /// Equal in every part.
  friend bool operator==(const stage_pipeline&, const stage_pipeline&) = default;
};

namespace detail {

/// Refuses what is not finite or is negative.
STAGECUT_DECL void check_operators(const operator_graph& graph);

/// Refuses an assignment that no pipeline can run.
STAGECUT_DECL void check_assignment(const operator_graph& graph, view<const std::size_t> stage_of, std::size_t stages);

}  // namespace detail

/// See `make_stage_pipeline`.
struct make_stage_pipeline_fn {
  /// See `make_stage_pipeline`.
  [[nodiscard]] stage_pipeline operator()(const operator_graph& graph, view<const std::size_t> stage_of,
                                          std::size_t stages) const;
};

/// What the stages of an assignment take, and what they send each other.
///
/// @param graph     operators, in seconds and bytes of a microbatch
/// @param stage_of  the stage of every operator, from 0. No edge leads to a lower stage; of the backward pass none to a
///                  higher one; from the forward to the backward pass any does
/// @param stages    number of stages k; they may be empty
/// @return          sums over the operators of every stage. Two stages are joined by an edge, from the lower to the
///                  higher one, where any edge of operators joins them, and it carries a message each way: forward
///                  latency + `sent` of what the higher stage takes from the lower one; back latency + `sent_back` of
///                  those outputs that its forward pass takes + `sent` of what the lower stage's backward pass takes
///                  from the higher one. What several operators of a stage take is sent once
/// @throws          argument_error for an assignment that is none, with the operator; invalid_input for numbers that
///                  are negative or not finite, and for edges that name no operator or lead from the backward to the
///                  forward pass
///
/// An operator of the backward pass adds all of its time to the backward pass. O(n + m + k^2).
inline constexpr make_stage_pipeline_fn make_stage_pipeline{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/stage_pipeline.ipp>
#endif
