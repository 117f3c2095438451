// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The chain to plan: the model itself, or the chain of a graph.
///
/// @throws argument_error if the request numbers layers of a graph, whose order differs from the chain's; invalid_input
///         as `as_chain`
[[nodiscard]] inline profile as_one_chain(std::string_view function, const profile& model,
                                          const plan_request& request) {
  bool tree = false;
  for (const auto& layer : model.layers) tree = tree || !layer.children.empty();
  if (model.edges.empty() && !tree) return model;
  const bool wanted = !request.forbidden_cuts.empty() || !request.kept_together.empty() || request.start.stages() != 0;
  if (wanted || !request.weights.empty()) {
    fail(argument_error(
        function, "model.edges", joined({model.edges.size(), " edges"}),
        "must be empty where a request numbers layers: call as_chain first, which puts them into order"));
  }
  return as_chain(model);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
