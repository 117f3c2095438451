// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {
class graph_makespan_search;
struct stage_ranges;
}  // namespace detail

/// See `minimize_graph_makespan`.
struct minimize_graph_makespan_fn {
  /// See `minimize_graph_makespan`.
  [[nodiscard]] outcome<graph_makespan> operator()(const operator_graph& graph, const graph_makespan_request& request,
                                                   const std::vector<std::vector<std::size_t>>& starts = {}) const;

 private:
  static void refuse(const std::string& argument, const std::string& value, const std::string& requirement);

  static void check(const graph_makespan_request& request);

  static void check_start(const operator_graph& graph, const contraction& elements,
                          const graph_makespan_request& request, const std::vector<std::size_t>& stage_of,
                          std::size_t which);

  static void offer_linear(const operator_graph& graph, const contraction& elements,
                           const graph_makespan_request& request, const detail::stage_ranges& ranges,
                           detail::graph_makespan_search& search);

  static outcome<graph_makespan> answer(const operator_graph& graph, const graph_makespan_request& request,
                                        const detail::stage_ranges& ranges, const detail::graph_makespan_search& search,
                                        double bound);
};

/// Cuts a graph into stages, one a device, so that an iteration of 1F1B finishes as early as possible. The plan
/// includes how many microbatches each stage admits.
///
/// @param graph    operators with seconds and bytes of a microbatch, and edges
/// @param request  devices, microbatches, memory, limits
/// @param starts   initial assignments, such as plans of least load: the stage of each operator, from 0, as
///                 `make_stage_pipeline` takes them; each keeps groups and cycles on one stage, and fixed operators on
///                 their stages
/// @return         optimal if the makespan meets the bound up to rounding (2^-35 of it); else feasible, with the bound;
///                 infeasible, `more_stages_than_layers`, `constraint` (operators that run on no accelerator, fixed
///                 stages that contradict edges), `layer_too_large` or `memory`; unknown if no plan within the memory
///                 was found
/// @throws         argument_error for an invalid request or start; invalid_input as `make_stage_pipeline` and
///                 `contraction`
///
/// In addition to the starts, it prices cuts of a few topological orders. Moves are: a single element, an element with
/// its successors or predecessors in its stage, and a swap of two elements; a move may go between any stages whose
/// graph stays acyclic, whatever their numbers. Warm-up counts follow, within the memory. Then the best plan is
/// perturbed and improved again, `kicks` times. A heuristic; the makespan is the one `stage_makespan` computes, which
/// holds for the schedule of `warm_up_schedule`. If no stage is fixed, stages are numbered by falling counts, which
/// makes a plan of schedule `in-flight`. No stage is empty unless `at_most`. The same seed gives the same plan unless
/// time or the caller ends the search.
///
/// Memory O(n k + m). The bound holds for all assignments to at most `devices` stages and all counts: it is the largest
/// of averaging, single elements, and paths of elements as chains of stages.
inline constexpr minimize_graph_makespan_fn minimize_graph_makespan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/minimize_graph_makespan.ipp>
#endif
