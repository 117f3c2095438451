// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/replica_labels.hpp>

#include <algorithm>
#include <cstddef>


namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void replica_labels::add(const replica_label& each, const label_rule& rule) {
  labels_.push_back(each);
  if (labels_.size() >= 2 * settled_ + 64) settle(rule);
}

STAGECUT_DECL void replica_labels::settle(const label_rule& rule) {
  if (settled_ == labels_.size()) return;
  std::stable_sort(labels_.begin(), labels_.end(), [&](const replica_label& a, const replica_label& b) { return before(a, b, rule); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (kept > 0 && alike(labels_[kept - 1], labels_[i], rule) && labels_[kept - 1].devices <= labels_[i].devices) {
      continue;
    }
    labels_[kept++] = labels_[i];
  }
  labels_.resize(kept);
  settled_ = kept;
}

STAGECUT_DECL void replica_labels::clear() noexcept {
  labels_.clear();
  settled_ = 0;
}

STAGECUT_DECL bool replica_labels::alike(const replica_label& a, const replica_label& b,
                                         const label_rule& rule) noexcept {
  return (rule.all_devices ? a.devices == b.devices : rule.position(a) == rule.position(b)) &&
         (!rule.counts_stages || a.stages == b.stages);
}

STAGECUT_DECL bool replica_labels::before(const replica_label& a, const replica_label& b,
                                          const label_rule& rule) noexcept {
  if (rule.position(a) != rule.position(b)) return rule.position(a) < rule.position(b);
  if (rule.all_devices && a.devices != b.devices) return a.devices < b.devices;
  if (rule.counts_stages && a.stages != b.stages) return a.stages < b.stages;
  return a.load != b.load ? a.load < b.load : a.devices < b.devices;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
