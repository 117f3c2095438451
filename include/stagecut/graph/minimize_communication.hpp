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

/// Places operators on identical devices so that the total weight of edges between devices is least and each device's
/// share of the variables, and of the operations, is balanced. One device holds all operators of a group; fixed
/// operators are on their devices. If the placement is contiguous, edges lead to the same or a later device, so that
/// the devices can form a pipeline; otherwise edges lead anywhere.
///
/// @param problem  operators, their weights and edges; or
/// @param graph    its operators: each is one operation, its variables are `resident`, and it sends `sent_seconds +
///                 sent_back_seconds` and the latency to each consumer, or `output` bytes if no message takes time; an
///                 edge with a tensor of its own sends that instead. Shared parameters count for the first operator that
///                 has them. Fixed stages are devices. Backward operators follow as in `contraction`
/// @param request  number of devices, and their imbalance. A device holds at most 1 + imbalance times all weights
///                 divided by the number of devices, used or not
/// @return         every edge counts once, including each of several that carry the same data to one device. Optimal if
///                 proved; ties go to the least device for the first operator on which placements differ, if the search
///                 had time for that. Feasible with a bound from the connectivity of the graph, which is 0 if the graph
///                 falls apart into pieces that fit. Infeasible with what is too heavy, which cycle a group closes, or
///                 which fixed devices contradict each other; unknown if a limit was reached without a placement
/// @throws         argument_error for an invalid request, and lists of another length than the operators; invalid_input
///                 with `edge I` or `operator I` for weights that are negative or not finite, for an edge of an
///                 operator that does not exist and, if contiguous, for a cycle that no group explains
///
/// Orders are cut exactly into blocks and improved by moves of single elements: O((n + m) log n) a pass. Up to 128
/// elements, branch and bound searches all placements, starting from the best found and with a bound on what must be
/// cut: it proves optimality for some dozens of elements. The answer is the same for the same seed on every machine,
/// except under a time limit.
///
/// Source: SageMaker's model parallelism for TensorFlow poses this problem and solves it with METIS, which proves
/// nothing and has no order of devices. Moves: see `placement_moves`; bound: see `placement_bound`.
inline constexpr minimize_communication_fn minimize_communication{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/minimize_communication.ipp>
#endif
