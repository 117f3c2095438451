// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/baselines/placed_layers.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Throws for invalid layers or machines.
inline void check_placed(std::string_view function, const placed_layers& layers, const equal_machines& machines) {
  const auto bad = [](const std::string& place, std::string_view problem) { fail(invalid_input(place, problem)); };
  const std::size_t points = layers.times.size();
  if (points < 2) bad("layers.times", "there is no layer");
  if (layers.parameters.size() != points || layers.messages.size() != points) {
    bad("layers", "times, parameters and messages must be of as many points");
  }
  if (!layers.begins.empty() && layers.begins.size() != points)
    bad("layers.begins", "must be of as many points, or empty");
  constexpr double most = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < points; ++i) {
    for (const double each : {layers.times[i], layers.parameters[i], layers.messages[i]}) {
      if (!(each >= 0 && each <= most)) bad(joined({"point ", i}), "has a figure that is negative or not finite");
    }
    if (layers.begins.empty()) continue;
    for (const std::size_t each : layers.begins[i]) {
      if (each >= i) bad(joined({"point ", i}), "a stage that ends there begins there or behind it");
      if (layers.times[each] > layers.times[i] || layers.parameters[each] > layers.parameters[i]) {
        bad(joined({"point ", i}), "has less before it than a point before");
      }
    }
  }
  for (std::size_t i = 1; i < points && layers.begins.empty(); ++i) {
    if (layers.times[i - 1] > layers.times[i] || layers.parameters[i - 1] > layers.parameters[i]) {
      bad(joined({"point ", i}), "has less before it than a point before");
    }
  }
  const auto refuse = [function](std::string_view argument, const std::string& value, std::string_view must) {
    fail(argument_error(function, argument, value, must));
  };
  if (machines.count == 0 || machines.count > 1024) {
    refuse("machines.count", joined({machines.count}), "must be from 1 to 1024");
  }
  if (machines.devices == 0 || machines.devices > 1024) {
    refuse("machines.devices", joined({machines.devices}), "must be from 1 to 1024");
  }
  const auto above_zero = [&](std::string_view link, double rate) {
    if (!(rate > 0)) refuse(link, std::to_string(rate), "must be above 0 bytes a second");
  };
  above_zero("machines.inside", machines.inside);
  above_zero("machines.across", machines.across);
  above_zero("machines.collective", machines.collective);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
