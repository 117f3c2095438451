// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/place_graph.hpp>

#include <utility>

#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/detail/graph_plan_request.hpp>
#include <stagecut/graph/detail/plan_communication.hpp>
#include <stagecut/graph/minimize_communication.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<graph_placement> place_graph_fn::operator()(const profile& model,
                                                                  const plan_request& request) const {
  detail::check_graph_request("place_graph", model, request);
  communication_request asked = detail::communication_request_of("place_graph", request);
  asked.contiguous = false;
  const operator_graph graph = detail::planned_graph(model, request);
  auto found = detail::placed_graph(graph, request, asked);
  if (found.state() == state::infeasible) return outcome<graph_placement>::infeasible(found.why());
  if (!found) return outcome<graph_placement>::unknown(found.why());
  const bool proved = found.state() == state::optimal;
  graph_placement result{*std::move(found), {}, detail::sent_unit(graph)};
  result.devices = detail::placed_devices(graph, result.placement.assignment, request.devices);
  return proved ? outcome<graph_placement>::optimal(std::move(result))
                : outcome<graph_placement>::feasible(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI
