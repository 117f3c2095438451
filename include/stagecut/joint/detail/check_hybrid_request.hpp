// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline v0::detail {

/// Refuses a model without stages, and a request that makes no sense for it.
template <stage_option_model Model>
void check_hybrid_request(std::string_view function, const Model& model, const hybrid_request& request) {
  const auto refuse = [&](std::string_view argument, std::string value, std::string_view must) {
    fail(argument_error(function, argument, value, must));
  };
  if (model.size() == 0) refuse("model.size()", "0", "must be at least 1");
  if (request.devices == 0) refuse("request.devices", "0", "must be at least 1");
  if (request.microbatches == 0) refuse("request.microbatches", "0", "must be at least 1");
  if (request.stages && *request.stages == 0) refuse("request.stages", "0", "must be at least 1");
  const std::size_t period = period_of(model);
  if (period == 0 || request.devices % period != 0) {
    refuse("model.period()", std::to_string(period), joined({"must divide the number of devices, ", request.devices}));
  }
  if (request.memory_per_device &&
      (!is_finite(*request.memory_per_device) || is_negative(*request.memory_per_device))) {
    refuse("request.memory_per_device", number_text(*request.memory_per_device), "must be finite and not negative");
  }
}

/// Refuses an option whose figures make no sense.
inline void check_stage_option(const stage_option& option, std::size_t first, std::size_t last) {
  const double figures[] = {option.forward,    option.backward,    option.time,    option.message,
                            option.all_reduce, option.activations, option.resident};
  bool sound = option.replicas != 0 && option.ways != 0;
  for (const double each : figures) sound = sound && is_finite(each) && !is_negative(each);
  if (sound) return;
  fail(invalid_input(joined({"option of the stage [", first, ", ", last, ")"}),
                     "replicas and ways must be at least 1, times and bytes finite and not negative"));
}

}  // namespace stagecut::inline v0::detail
