// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/load_options.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_load_options(std::string_view function, const load_options& options, std::size_t stages) {
  const auto refuse = [&](std::string_view argument, const std::string& value, std::string_view requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  if (options.constants.size() > 1 && options.constants.size() != stages) {
    refuse("constants.size()", std::to_string(options.constants.size()), "must be 0, 1 or the number of stages");
  }
  for (const double constant : options.constants) {
    if (!is_finite(constant) || is_negative(constant)) {
      refuse("constants", std::to_string(constant), "must be finite and not negative");
    }
  }
  if (!options.speeds.empty() && options.speeds.size() != stages) {
    refuse("speeds.size()", std::to_string(options.speeds.size()), "must be 0 or the number of stages");
  }
  for (const double speed : options.speeds) {
    if (!is_finite(speed) || !(speed > 0)) refuse("speeds", std::to_string(speed), "must be finite and above 0");
  }
  if (!is_finite(options.boundary_buffers) || is_negative(options.boundary_buffers)) {
    refuse("boundary_buffers", std::to_string(options.boundary_buffers), "must be finite and not negative");
  }
  if (options.memory_limit && (is_nan(*options.memory_limit) || is_negative(*options.memory_limit))) {
    refuse("memory_limit", std::to_string(*options.memory_limit), "must not be negative");
  }
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
