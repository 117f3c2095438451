// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {
struct communication_weights;
}

/// See `minimize_communication`.
struct minimize_communication_fn {
  /// See `minimize_communication`.
  /// @{
  [[nodiscard]] outcome<communication_partition> operator()(const communication_problem& problem,
                                                            const communication_request& request) const;

  [[nodiscard]] outcome<communication_partition> operator()(const operator_graph& graph,
                                                            const communication_request& request) const;
  /// @}

 private:
  static outcome<communication_partition> solve(const operator_graph& graph,
                                                const detail::communication_weights& weights,
                                                const communication_request& request);
};

/// Places operators on devices that are alike, so that the weights of edges between devices sum to the least, while no
/// device holds much more of the variables, nor of the operations, than an equal part of them. What one of a group
/// holds, all of it do; operators that have to stand on a device stand there. Where the placement is contiguous, edges
/// lead to the same or a later device, so that the devices can run as a pipeline; else they lead anywhere.
///
/// @param problem  operators, what they weigh and what they hand on; or
/// @param graph    its operators, of which each is one operation, whose variables are `resident` and which hand
///                 `sent + sent_back` seconds and the latency to each consumer, or `output` bytes where no operator
///                 sends for a time. Shared parameters count for the first operator that has them. Fixed stages are
///                 devices. Backward operators follow as `contraction` says
/// @param request  how many devices, and how unlike they may be. A device holds at most the imbalance times all weights
///                 over the devices, whether these are used or not
/// @return         an edge counts once, and so does each of several that hand the same to one device. Optimal if
///                 proved: of several the one with the least device for the first operator on which they differ, if the
///                 search had time for that. Feasible with a bound by the connectivity of the graph; it is 0 where the
///                 graph falls apart into pieces that fit. Infeasible with what is too heavy, which cycle a group
///                 closes, or which fixed devices contradict each other; unknown if a limit was reached without a
///                 placement
/// @throws         argument_error for a request that makes no sense, and lists of another length than the operators;
///                 invalid_input with `edge I` or `operator I` for weights that are negative or not finite, for an edge
///                 of an operator that there is not and, where contiguous, for a cycle that no group explains
///
/// Orders are cut exactly in blocks, and made better by moves of single elements: O((n + m) log n) a pass. Up to 128
/// elements all placements are searched, with the best found before and a bound by what must be cut: a proof for some
/// dozens of elements. The same answer for the same seed on every machine, but for the time limit.
///
/// Source: SageMaker's model parallelism for TensorFlow poses this problem, and hands it to METIS, which proves nothing
/// and knows no order of devices. Moves: see `placement_moves`; bound: see `placement_bound`.
inline constexpr minimize_communication_fn minimize_communication{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/minimize_communication.ipp>
#endif
