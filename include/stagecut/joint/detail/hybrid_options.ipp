// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double hybrid_options::longest_iteration(std::size_t stages, std::size_t microbatches) const noexcept {
  double longest = 0;
  for (const stage_option& each : options_) {
    const double passes = each.forward + each.backward + 2 * each.message;
    const double here = static_cast<double>(microbatches) * passes + each.all_reduce;
    longest = std::max(longest, here);
  }
  return longest * static_cast<double>(stages) * (1 + 0x1p-30);
}

STAGECUT_DECL bool hybrid_options::covers(const stage_option& a, const stage_option& b) noexcept {
  return a.forward <= b.forward && a.backward <= b.backward && a.message <= b.message && a.all_reduce <= b.all_reduce &&
         a.activations <= b.activations && a.resident <= b.resident;
}

STAGECUT_DECL void hybrid_options::keep(std::uint32_t first, std::uint32_t last, std::uint32_t position) {
  if (found_.empty()) return;
  std::stable_sort(found_.begin(), found_.end(), [](const stage_option& a, const stage_option& b) { return a.devices() < b.devices(); });
  const auto begin = static_cast<std::uint32_t>(options_.size());
  for (std::size_t i = 0; i < found_.size(); ++i) {
    bool covered = false;
    for (std::size_t j = 0; j < found_.size() && !covered; ++j) {
      if (j == i || found_[j].devices() != found_[i].devices() || !covers(found_[j], found_[i])) continue;
      covered = j < i || !covers(found_[i], found_[j]);
    }
    if (!covered) options_.push_back(found_[i]);
  }
  stages_.push_back({first, last, position, begin, static_cast<std::uint32_t>(options_.size())});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
