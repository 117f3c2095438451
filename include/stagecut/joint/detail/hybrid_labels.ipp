// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_labels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>


namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void hybrid_labels::add(const hybrid_label& label, std::uint32_t period) {
  labels_.push_back(label);
  if (labels_.size() >= 2 * settled_ + 512) settle(period);
}

STAGECUT_DECL void hybrid_labels::settle(std::uint32_t period) {
  const auto key = [period](const hybrid_label& x) { return period == 0 ? x.devices : x.devices % period; };
  std::stable_sort(labels_.begin(), labels_.end(), [&key](const hybrid_label& a, const hybrid_label& b) {
    if (key(a) != key(b)) return key(a) < key(b);
    if (a.stages != b.stages) return a.stages < b.stages;
    if (a.sum != b.sum) return a.sum < b.sum;
    if (a.devices != b.devices) return a.devices < b.devices;
    if (a.load != b.load) return a.load < b.load;
    if (a.exposed != b.exposed) return a.exposed < b.exposed;
    return a.is_below < b.is_below;
  });
  std::size_t kept = 0;
  std::size_t begin = 0;  // of those that may beat the next one
  for (const hybrid_label& each : labels_) {
    if (kept > 0 && (key(labels_[kept - 1]) != key(each) || labels_[kept - 1].stages != each.stages)) begin = kept;
    bool is_beaten = false;
    for (std::size_t i = kept; i-- > begin && !is_beaten;) {
      const hybrid_label& other = labels_[i];
      is_beaten = other.load <= each.load && other.devices <= each.devices && other.exposed <= each.exposed &&
                  other.is_below <= each.is_below;
    }
    if (!is_beaten) labels_[kept++] = each;
  }
  labels_.resize(kept);
  settled_ = kept;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
