// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What `plan_it(chain)` says of a model, of a graph as a chain.
///
/// @throws argument_error if the request numbers layers of a graph, whose order is not that of the chain; invalid_input as
///         `as_chain`
template <class Plan>
[[nodiscard]] auto as_one_chain(std::string_view function, const profile& model, const plan_request& request,
                                const Plan& plan_it) {
  bool tree = false;
  for (const layer& each : model.layers) tree = tree || !each.children.empty();
  if (model.edges.empty() && !tree) return plan_it(model);
  const bool wanted = !request.forbidden_cuts.empty() || !request.kept_together.empty() || request.start.stages() != 0;
  if (wanted || !request.weights.empty()) {
    fail(argument_error(
        function, "model.edges", joined({model.edges.size(), " edges"}),
        "must be empty where a request numbers layers: call as_chain first, which puts them into order"));
  }
  return plan_it(as_chain(model));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
