// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/parts/check_links.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/model_rules.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/search/graph_paths.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

using stagecut::engine::layered_graph;
using stagecut::engine::stage_layout;

/// Converts a layered graph of cuts to a space of paths.
[[nodiscard]] STAGECUT_DECL path_graph as_path_graph(const layered_graph& graph, const stage_layout& layout,
                                                     std::size_t items);

// Names for compiler errors about calls with other arguments.
struct a_pipeline_model_comes_first_as_item_times_of_forward_and_backward;
struct after_the_pipeline_model_come_a_makespan_request_and_the_greatest_makespan;

}  // namespace detail

/// See `paths_below`.
struct paths_below_fn {
  /// See `paths_below`.
  template <pipeline_model Model>
  [[nodiscard]] outcome<graph_paths> operator()(const Model& model, const makespan_request& request,
                                                double most) const {
    using answer = outcome<graph_paths>;
    check_schedule(request.schedule);
    stagecut::detail::check_links("search::paths_below", "links", request.links);
    if (!is_finite(most) || is_negative(most)) {
      stagecut::detail::fail(
          argument_error("search::paths_below", "most", std::to_string(most), "must be finite and not negative"));
    }
    const std::size_t stages = request.schedule.stages();
    if (model.size() < stages)
      return answer::infeasible({reason::cause::more_stages_than_layers, stages, model.size()});
    const stagecut::engine::chain_ticks chain(model, request.schedule, request.links);
    const stagecut::detail::no_constraint allowed;
    const stagecut::engine::model_rules<Model, stagecut::detail::no_constraint> rules(
        model, request.schedule, request.memory_limit.for_all(), allowed, request.memory_limit.of_ranks());
    stagecut::engine::search_clock clock(request.search);
    const engine::stage_layout layout(request.schedule);
    stagecut::engine::cut_simulator simulator(chain, request.schedule, request.transfers);
    stagecut::detail::cut_space space(chain, request.schedule, request.transfers, layout, rules, simulator, clock);
    // Adds the possible error of a makespan, in ticks, in favour of the cut.
    if (!space.build((most + chain.error()) / chain.tick + 1)) return answer::unknown({reason::cause::limit_reached});
    if (space.graph().edges.empty()) return answer::infeasible({reason::cause::no_candidate});
    return answer::optimal(graph_paths(detail::as_path_graph(space.graph(), layout, chain.items)));
  }
  template <class Other>
  requires(!pipeline_model<Other>) detail::a_pipeline_model_comes_first_as_item_times_of_forward_and_backward  //
  operator()(const Other&, const makespan_request&, double = 0) const = delete;  // item_times(forward, backward)
  template <class Model, class Other, class... Rest>
  requires(sizeof...(Rest) == 0 || !std::convertible_to<const Other&, const makespan_request&>)
      detail::after_the_pipeline_model_come_a_makespan_request_and_the_greatest_makespan  //
      operator()(const Model&, const Other&, const Rest&...) const = delete;  // (model, makespan_request{…}, most)
};

/// The cuts that bounds do not exclude: every cut with a makespan of `most` or less, and some slower ones, as the paths
/// of the layered graph of `minimize_makespan`.
///
/// @param model    layer times
/// @param request  the schedule, links, memory and limits; its other fields are ignored
/// @param most     a makespan, in the unit of the model
/// @return         optimal: the space, which has at least one path. Infeasible, `no_candidate`: no cut takes `most` or
///                 less. Unknown: a limit was reached, or there are more than 2^24 edges
/// @throws         as `minimize_makespan`
///
/// With a memory limit every single stage keeps within it; with three or more stages per rank, those of a rank together
/// may exceed it. Source: docs/makespan.md, Cuts as paths.
inline constexpr paths_below_fn paths_below{};

}  // namespace stagecut::inline STAGECUT_ABI::search

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/search/detail/paths_below.ipp>
#endif
