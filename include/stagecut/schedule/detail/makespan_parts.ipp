// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/makespan_parts.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL pass_times<double> levelled(const pass_times<double>& times, std::size_t stages) {
  const auto level = [stages](const std::vector<double>& from) {
    double sum = 0;
    for (const double each : from) sum += each;
    return from.empty() ? from : std::vector<double>(stages, sum / static_cast<double>(from.size()));
  };
  pass_times<double> result;
  result.forward = level(times.forward);
  result.backward = level(times.backward);
  result.backward_input = level(times.backward_input);
  result.backward_weight = level(times.backward_weight);
  result.overlapped = level(times.overlapped);
  return result;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
