// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/stage_mixtures.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/joint/detail/layer_ways.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void stage_mixtures::add(const std::vector<layer_way>& alternatives) {
  const std::vector<way_figures> before = from_.empty() ? std::vector<way_figures>(1) : std::move(sums_);
  std::vector<way_figures> all;
  std::vector<origin> from;
  for (std::uint32_t p = 0; p < before.size(); ++p) {
    for (std::uint32_t a = 0; a < alternatives.size(); ++a) {
      all.push_back(plus(before[p], alternatives[a]));
      from.push_back({p, a});
    }
  }
  keep_best(all, from);
  thin();
}

STAGECUT_DECL way_figures stage_mixtures::plus(const way_figures& sum, const way_figures& one) {
  way_figures result;
  result.forward = sum.forward + one.forward;
  result.backward = sum.backward + one.backward;
  result.update = sum.update + one.update;
  result.parameters = sum.parameters + one.parameters;
  result.resident = sum.resident + one.resident;
  result.activations = sum.activations + one.activations;
  result.workspace = sum.workspace < one.workspace ? one.workspace : sum.workspace;
  return result;
}

STAGECUT_DECL void stage_mixtures::keep_best(const std::vector<way_figures>& all, const std::vector<origin>& from) {
  std::vector<std::size_t> places(all.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    const double one = all[a].forward + all[a].backward;
    const double other = all[b].forward + all[b].backward;
    return one != other ? one < other : all[a].activations < all[b].activations;
  });
  sums_.clear();
  from_.clear();
  double leanest = 0;
  for (const std::size_t i : places) {
    // A sum with fewer bytes than all before is not covered.
    bool covered = false;
    for (std::size_t k = sums_.size(); k-- > 0 && !covered && !(all[i].activations < leanest);) {
      covered = sums_[k].covers(all[i]);
    }
    if (covered) continue;
    leanest = sums_.empty() || all[i].activations < leanest ? all[i].activations : leanest;
    sums_.push_back(all[i]);
    from_.push_back(from[i]);
  }
}

STAGECUT_DECL void stage_mixtures::thin() {
  if (sums_.size() <= most) return;
  whole_ = false;
  std::vector<way_figures> sums;
  std::vector<origin> from;
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t i = relaxed_ ? k * sums_.size() / most : k * (sums_.size() - 1) / (most - 1);
    sums.push_back(sums_[i]);
    from.push_back(from_[i]);
    for (std::size_t j = i + 1; relaxed_ && j < (k + 1) * sums_.size() / most; ++j) sums.back().lower(sums_[j]);
  }
  if (!relaxed_) {  // includes whatever fits, if anything does
    for (const auto part : {&way_figures::activations, &way_figures::resident}) {
      std::size_t least = 0;
      for (std::size_t i = 1; i < sums_.size(); ++i) least = sums_[i].*part < sums_[least].*part ? i : least;
      sums.push_back(sums_[least]);
      from.push_back(from_[least]);
    }
  }
  sums_ = std::move(sums);
  from_ = std::move(from);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
