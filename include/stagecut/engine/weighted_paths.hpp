// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/chain_times.hpp>
#include <stagecut/engine/coarse_ticks.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/whole_ticks.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Critical paths with weights. Their mean is a bound for every cut, as each of them is; good weights are learned from
/// cuts for which the mean is short. See docs/makespan.md, Bounds, Combinations.
class weighted_paths {
 public:
  explicit weighted_paths(std::size_t stages) : width_(stages * tick_kinds) {}

  [[nodiscard]] std::size_t size() const noexcept { return paths_.size(); }

  /// Adds a path, unless it is present: `counts[s * tick_kinds + kind]`. If there are many, it replaces the one with
  /// the smallest weight.
  void put(const std::vector<double>& counts) { paths_.add(counts, size() == 0 ? 1 : 0x1p-5); }

  /// The mean of the paths, rounded down to multiples of 1 / `coarse_ticks::parts`.
  void mean(std::vector<double>& result) const {
    std::vector<double> sums(width_);
    double all = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      const double weight = whole_ticks(paths_.use(k) * resolution);
      if (weight == 0) continue;
      all += weight;
      const double* __restrict counts = paths_.counts(k).data();
      double* __restrict to = sums.data();
      for (std::size_t i = 0; i < width_; ++i) to[i] += weight * counts[i];
    }
    result.assign(width_, 0);
    if (all == 0) return;
    const auto by = static_cast<std::uint64_t>(all);
    for (std::size_t i = 0; i < width_; ++i) {
      const auto in_parts = static_cast<std::uint64_t>(sums[i]) * static_cast<std::uint64_t>(coarse_ticks::parts);
      const std::uint64_t rounded_down = in_parts / by;
      result[i] = static_cast<double>(rounded_down) / coarse_ticks::parts;
    }
  }

  /// Learns from a cut: paths that are longer than the mean there get more weight.
  ///
  /// @param times  of the cut, in the layout of counts
  /// @param mean   the length of the mean there
  /// @param speed  how strongly weights change
  void learn(const std::vector<double>& times, double mean, double speed) {
    if (!(mean > 0)) return;
    double heaviest = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      double by = speed * ((paths_.length(k, times) - mean) / mean);
      by = by < -4 ? -4 : by > 4 ? 4 : by;
      // Nearly e^by. Multiplications and additions combine only with powers of two, so that all machines round in the
      // same way.
      double factor = 1 + by / 8;
      factor *= factor;
      factor *= factor;
      paths_.use(k) *= factor * factor;
      heaviest = std::max(heaviest, paths_.use(k));
    }
    for (std::size_t k = 0; k < size(); ++k) {
      double& weight = paths_.use(k);
      weight /= heaviest;
      if (weight < least_weight) weight = least_weight;
    }
  }

 private:
  static constexpr std::size_t most = 256;
  static constexpr double resolution = 0x1p20;     // of weights: so that sums of them, times counts, are exact
  static constexpr double least_weight = 0x1p-21;  // counts as 0, and may grow again

  std::size_t width_;
  critical_path_pool paths_{most};  // `use` holds their weights, at most 1
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
