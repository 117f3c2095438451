// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/recent_paths.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL recent_paths::recent_paths(std::size_t slots) : counts_(slots) {
  for (auto& each : counts_) each.fill(0);
  now.fill(0);
}

STAGECUT_DECL void recent_paths::add(const std::vector<double>& counts, const std::vector<double>& times) {
  double length = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) length += counts[j] * times[j];
  for (std::size_t j = 0; j < counts.size(); ++j) counts_[j][next_] = counts[j];
  now[next_] = length;
  next_ = (next_ + 1) % places;
}

STAGECUT_DECL void recent_paths::change(std::size_t slot, double by, lengths& of) const {
  const lengths& here = counts_[slot];
  for (std::size_t k = 0; k < places; ++k) of[k] += by * here[k];
}

STAGECUT_DECL void recent_paths::measure(const std::vector<double>& times) {
  now.fill(0);
  for (std::size_t j = 0; j < times.size(); ++j) {
    if (times[j] != 0) change(j, times[j], now);
  }
}

STAGECUT_DECL double recent_paths::longest(const lengths& of) {
  double most = 0;
  for (const double each : of) most = std::max(most, each);
  return most;
}

STAGECUT_DECL double recent_paths::mean(const lengths& of) {
  double sum = 0;
  for (const double each : of) sum += each;
  return sum / static_cast<double>(places);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
