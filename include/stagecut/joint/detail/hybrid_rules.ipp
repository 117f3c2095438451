// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_rules.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void check_hybrid_request(std::string_view function, std::size_t size, std::size_t period,
                                        const hybrid_request& request) {
  const auto refuse = [function](std::string_view argument, const std::string& value, std::string_view must) {
    fail(argument_error(function, argument, value, must));
  };
  constexpr std::size_t most = std::size_t{1} << 31U;
  if (size >= most) refuse("model.size()", joined({size}), "must be below 2^31");
  if (request.devices == 0) refuse("request.devices", "0", "must be at least 1");
  if (request.devices >= most) refuse("request.devices", joined({request.devices}), "must be below 2^31");
  if (request.microbatches == 0) refuse("request.microbatches", "0", "must be at least 1");
  if (request.stages && *request.stages == 0) refuse("request.stages", "0", "must be at least 1");
  if (period == 0) refuse("model.period()", "0", "must be at least 1");
  if (request.devices % period != 0) {
    refuse("request.devices", joined({request.devices}),
           joined({"must be a multiple of ", period, ", the model's period"}));
  }
  const double memory = request.memory_per_device.value_or(0);
  if (!is_finite(memory) || is_negative(memory)) {
    refuse("request.memory_per_device", std::to_string(memory), "must be finite and not negative");
  }
}

STAGECUT_DECL std::size_t hybrid_rules::in_flight(std::size_t replicas, std::uint32_t load) const noexcept {
  if (request_.in_flight == in_flight_rule::replicas) return (load + replicas - 1) / replicas + 1;
  return load >= request_.microbatches ? request_.microbatches : std::size_t{load} + 1;
}

STAGECUT_DECL stage_label hybrid_rules::before(const stage_label& label, const stage_option& option) const noexcept {
  stage_label next;
  next.devices = label.devices + static_cast<std::uint32_t>(option.devices());
  next.stages = label.stages + (request_.stages ? 1 : 0);
  if (!memory_) return next;
  if (request_.in_flight == in_flight_rule::replicas) {
    next.load = label.load + static_cast<std::uint32_t>(option.replicas);
  } else {
    next.load = label.load + 1 < request_.microbatches ? label.load + 1 : label.load;
  }
  return next;
}

STAGECUT_DECL bool hybrid_rules::may_begin(std::size_t point, const stage_label& label) const noexcept {
  if (point == 0) {
    return (request_.at_most || label.devices == devices_) && (!request_.stages || label.stages == *request_.stages);
  }
  if (label.devices >= devices_) return false;
  if (!request_.stages) return true;
  return label.stages < *request_.stages && *request_.stages - label.stages <= point;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
