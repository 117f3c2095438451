// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/plan/detail/layer_costs.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects a request whose makespan cannot be minimised.
inline void check_makespan_request(const profile& model, const plan_request& request) {
  check_request("make_plan", model, request);
  const auto refuse = [](const char* argument, const std::string& value, const std::string& requirement) {
    fail(argument_error("make_plan", argument, value, requirement));
  };
  if (needs_more(entry_of(request.schedule)) && !finds_order(request)) {
    refuse("schedule", to_string(request.schedule), "is not one that a chain is planned for");
  }
  for (std::size_t i = 0; i < model.layers.size() && entry_of(request.schedule).splits_backward; ++i) {
    if (model.layers[i].backward_weight) continue;
    fail(invalid_input(layer_text(model, i),
                       "has no backward_weight: the schedule runs the gradients of input and weights apart"));
  }
  if (recomputes_apart(request)) {
    refuse("memory_accounting.checkpoint", "always",
           joined({"needs a schedule that runs B as one, not ", to_string(request.schedule)}));
  }
  double all = 0;
  for (const double seconds : layer_seconds(model, request)) all += seconds;
  check_speeds("make_plan", request, all);
  if (const std::string why = makespan_obstacle(model, request); !why.empty()) {
    refuse("objective", "makespan", joined({"is not known: ", why}));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
