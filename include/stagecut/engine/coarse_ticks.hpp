// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The times of a chain for paths with fractional counts: no path is longer than in the ticks of the chain, and all
/// times are multiples of a unit so large that sums of fractions of them are exact. The unit is 1 where ticks permit.
/// See docs/makespan.md, Bounds, Combinations.
class coarse_ticks {
 public:
  /// Path counts are multiples of 1 / `parts`.
  static constexpr double parts = 1024;

  /// @param passes  of a stage: microbatches times slices
  coarse_ticks(const chain_ticks& chain, std::size_t passes) : items_(chain.items) {
    set_unit(chain, static_cast<double>(passes));
    for (std::size_t kind = 0; kind < 3; ++kind) {
      for (std::size_t s = 0; s < chain.stages; ++s) {
        own_.push_back(cut(chain.own(kind, s)));
        row_of_.push_back(rows_.size());
        if (s != 0 && chain.row(kind, s) == chain.row(kind, 0)) {
          row_of_.back() = row_of_[kind * chain.stages];
          continue;
        }
        std::vector<double> row(items_ + 1);
        for (std::size_t i = 0; i < items_; ++i) row[i + 1] = row[i] + cut(chain.item(kind, s, i));
        rows_.push_back(static_cast<std::vector<double>&&>(row));
      }
    }
    stages_ = chain.stages;
    messages_.resize(stages_ * (items_ + 1));
    for (std::size_t s = 0; s + 1 < stages_; ++s) {
      for (std::size_t y = 0; y <= items_; ++y) messages_[s * (items_ + 1) + y] = cut(chain.message(s, y));
    }
  }

  /// The unit of lengths with fractional counts; at most 1.
  [[nodiscard]] double least_excess() const noexcept { return unit_ < parts ? unit_ / parts : 1; }
  /// Prefix sums of the times of items in passes of stage s.
  [[nodiscard]] const std::vector<double>& row(std::size_t kind, std::size_t s) const noexcept {
    return rows_[row_of_[kind * stages_ + s]];
  }
  /// The own time of stage s in a pass, besides its items.
  [[nodiscard]] double own(std::size_t kind, std::size_t s) const noexcept { return own_[kind * stages_ + s]; }
  /// A pass of `[first, last)` as stage s.
  [[nodiscard]] double pass(std::size_t kind, std::size_t s, std::size_t first, std::size_t last) const noexcept {
    const std::vector<double>& sums = row(kind, s);
    return sums[last] - sums[first] + own(kind, s);
  }
  /// A message over the boundary after stage s, cut at y.
  [[nodiscard]] double message(std::size_t s, std::size_t y) const noexcept { return messages_[s * (items_ + 1) + y]; }

 private:
  void set_unit(const chain_ticks& chain, double passes) {
    double sum = 0;
    double longest = 0;
    for (std::size_t i = 0; i < items_; ++i) {
      double most = 0;
      for (std::size_t s = 0; s < chain.stages; ++s) {
        const double here = chain.item_load(s, i);
        most = std::max(most, here);
      }
      sum += most;
    }
    for (std::size_t s = 0; s < chain.stages; ++s) {
      sum += chain.own_load(s);
      for (std::size_t y = 0; y <= items_; ++y) longest = longest < chain.message(s, y) ? chain.message(s, y) : longest;
    }
    const double all = (sum + 2 * static_cast<double>(chain.stages) * longest) * passes;
    while (8 * parts * all > 0x1p53 * unit_) unit_ *= 2;
  }
  [[nodiscard]] double cut(double ticks) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(ticks / unit_)) * unit_;
  }

  std::size_t items_;
  std::size_t stages_ = 0;
  double unit_ = 1;
  std::vector<double> own_{};
  std::vector<std::size_t> row_of_{};  // of every kind and stage
  std::vector<std::vector<double>> rows_{};
  std::vector<double> messages_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
