// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/detail/graph_plan_request.hpp>
#include <stagecut/graph/detail/plan_communication.hpp>
#include <stagecut/graph/minimize_communication.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Devices for the layers of a model that are no pipeline: edges lead to any of them.
struct graph_placement {
  communication_partition placement{};   ///< the device of every layer, and what is proved
  std::vector<placed_device> devices{};  ///< what each holds and hands over
  std::string of{};                      ///< what is handed over: `sent time`, seconds, or `sent bytes`
};

/// See `place_graph`.
struct place_graph_fn {
  /// See `place_graph`.
  [[nodiscard]] outcome<graph_placement> operator()(const profile& model, const plan_request& request) const {
    detail::check_graph_request("place_graph", model, request);
    communication_request asked = detail::communication_request_of("place_graph", request);
    asked.contiguous = false;
    const operator_graph graph = detail::planned_graph(model, request);
    auto found = detail::placed_graph(graph, request, asked);
    if (found.state() == state::infeasible) return outcome<graph_placement>::infeasible(found.why());
    if (!found) return outcome<graph_placement>::unknown(found.why());
    const bool proved = found.state() == state::optimal;
    graph_placement result{*std::move(found), {}, detail::sent_unit(graph)};
    result.devices = detail::placed_devices(graph, result.placement.device_of, request.devices);
    return proved ? outcome<graph_placement>::optimal(std::move(result))
                  : outcome<graph_placement>::feasible(std::move(result));
  }
};

/// Places the layers of a model on devices as `minimize_communication` does where the placement is not contiguous. It
/// is no plan: devices may wait for each other in a circle, which a pipeline cannot run. `plan_graph` makes a plan of a
/// contiguous placement.
///
/// @param model    a graph; a chain is one, too
/// @param request  `devices`, `imbalance`, `at_most`, one link, `limits` and the method `communication`; what does not
///                 go with that is refused
/// @return         as `minimize_communication`
/// @throws         as `plan_graph`
inline constexpr place_graph_fn place_graph{};

}  // namespace stagecut::inline STAGECUT_ABI
