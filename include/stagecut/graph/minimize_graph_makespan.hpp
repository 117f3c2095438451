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

/// Cuts a graph into stages, one a device, so that an iteration of 1F1B ends as early as possible; how many
/// microbatches each stage lets in is part of the plan.
///
/// @param graph    operators with seconds of a microbatch, bytes, and edges
/// @param request  devices, microbatches, memory, limits
/// @param starts   assignments to begin with, such as plans of least load: the stage of every operator, from 0, as
///                 `make_stage_pipeline` takes them; none parts a group or what stands on a cycle, all keep to fixed
///                 stages
/// @return         optimal where the makespan meets the bound but for rounding (2^-35 of it); else feasible, with the
///                 bound; infeasible, `more_stages_than_layers`, `constraint` (operators that run on no accelerator,
///                 fixed stages that contradict edges), `layer_too_large` or `memory`; unknown if no plan within the
///                 memory was found
/// @throws         argument_error for a request or start that makes no sense; invalid_input as `make_stage_pipeline`
///                 and `contraction`
///
/// Beside the starts it prices runs of a few topological orders. Single elements, those with all that follow them or
/// that they follow in their stage, and pairs of two stages move between any stages whose graph stays acyclic, whatever
/// their numbers; warm-up counts follow, within the memory. Then the best plan is disturbed and improved again, `kicks`
/// times. A heuristic; the makespan is that of `stage_makespan`, for whatever schedule `warm_up_schedule` makes of it.
/// Stages are numbered by falling counts if none is fixed, and so a plan of schedule `in-flight`. No stage is empty but
/// with `at_most`. The same seed gives the same plan unless time or the caller ends the search.
///
/// Memory O(n k + m). The bound holds for all assignments to at most `devices` stages and all counts: averaging, one
/// element, and the paths of elements as chains of stages.
inline constexpr minimize_graph_makespan_fn minimize_graph_makespan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/minimize_graph_makespan.ipp>
#endif
