// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/detail/warm_up_climb.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::optional<std::size_t> warm_up_climb::most_of(double resident, double activations,
                                                                std::optional<double> memory,
                                                                std::size_t microbatches) {
  if (!memory) return microbatches - 1;
  if (resident + activations > *memory) return {};
  // By halves: a quotient rounds.
  std::size_t fits = 1;
  std::size_t too_many = microbatches + 1;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (resident + static_cast<double>(middle) * activations <= *memory ? fits : too_many) = middle;
  }
  return fits - 1;
}

STAGECUT_DECL void warm_up_climb::repair(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) const {
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = std::min(counts[s], most[s]);
  raise_before(counts);
}

STAGECUT_DECL void warm_up_climb::by_depth(std::vector<std::size_t>& counts) const {
  counts.assign(of_.forward.size(), 0);
  for_each_edge(false, [&](std::size_t s, std::size_t behind) { counts[s] = std::max(counts[s], counts[behind] + 1); });
}

STAGECUT_DECL void warm_up_climb::by_rank(std::vector<std::size_t>& counts) const {
  counts.resize(of_.forward.size());
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = counts.size() - 1 - s;
}

STAGECUT_DECL double warm_up_climb::improve(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) {
  double best = of_.run(counts.data());
  std::size_t total = sum(counts);
  ++runs;
  const std::size_t k = counts.size();
  const std::size_t changes = 4 * k + 2;
  for (std::size_t at = 0, idle = 0; idle < changes;) {
    trial_ = counts;
    const bool changed = change(trial_, most, at);
    const double found = changed ? of_.run(trial_.data()) : best;
    if (changed && ++runs > 0 && (found < best || (found == best && sum(trial_) < total))) {
      best = found;
      total = sum(trial_);
      counts.swap(trial_);
      idle = 0;
    } else {
      at = (at + 1) % changes;
      ++idle;
    }
  }
  return best;
}

STAGECUT_DECL bool warm_up_climb::exhaust(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most,
                                          std::size_t few) {
  std::size_t all = 1;
  for (const std::size_t each : most) {
    if (each >= few / all) return false;
    all *= each + 1;
  }
  double best = price(counts);
  std::size_t total = sum(counts);
  found_.assign(most.size(), 0);
  for (std::size_t s = 0; s < most.size();) {
    trial_ = found_;
    raise_before(trial_);
    if (trial_ == found_) {
      const double value = price(found_);
      if (value < best || (value == best && sum(found_) < total)) best = value, total = sum(found_), counts = found_;
    }
    for (s = 0; s < most.size() && ++found_[s] > most[s]; ++s) found_[s] = 0;
  }
  return true;
}

STAGECUT_DECL double warm_up_climb::price(const std::vector<std::size_t>& counts) {
  ++runs;
  return of_.run(counts.data());
}

STAGECUT_DECL std::size_t warm_up_climb::sum(const std::vector<std::size_t>& counts) noexcept {
  std::size_t result = 0;
  for (const std::size_t each : counts) result += each;
  return result;
}

STAGECUT_DECL bool warm_up_climb::change(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most,
                                         std::size_t which) {
  const std::size_t k = counts.size();
  const std::size_t s = which / 4;
  if (s == k) return change_all(counts, most, which % 4 == 0);
  if (which % 4 == 1 || which % 4 == 3) {  // down, with those that must follow, or with all behind it
    if (counts[s] == 0) return false;
    if (which % 4 == 3) return lower_behind(counts, s);
    --counts[s];
    for_each_edge(true, [&](std::size_t q, std::size_t before) { counts[q] = std::min(counts[q], counts[before]); });
    return true;
  }
  if (counts[s] == most[s]) return false;
  if (which % 4 == 0) {
    ++counts[s];
    raise_before(counts);
    return true;
  }
  marked_.assign(k, 0);
  marked_[s] = 1;
  for_each_edge(false, [&](std::size_t p, std::size_t behind) { marked_[p] |= marked_[behind]; });
  for (std::size_t p = 0; p < k; ++p) {
    if (marked_[p] != 0) counts[p] = std::min(counts[p] + 1, most[p]);
  }
  raise_before(counts);
  return true;
}

STAGECUT_DECL bool warm_up_climb::lower_behind(std::vector<std::size_t>& counts, std::size_t s) {
  marked_.assign(counts.size(), 0);
  marked_[s] = 1;
  for_each_edge(true, [&](std::size_t q, std::size_t before) { marked_[q] |= marked_[before]; });
  for (std::size_t q = 0; q < counts.size(); ++q) {
    if (marked_[q] != 0 && counts[q] > 0) --counts[q];
  }
  return true;
}

STAGECUT_DECL bool warm_up_climb::change_all(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most,
                                             bool up) const {
  for (std::size_t s = 0; s < counts.size(); ++s) {
    counts[s] = up ? std::min(counts[s] + 1, most[s]) : counts[s] - (counts[s] == 0 ? 0U : 1U);
  }
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
