// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Cuts of a chain in which all ranks take about the same, but its chunks, each of one stage of every rank, take more or
/// less: the first ones little, so that the pipeline fills soon, or much, so that nothing waits. Chunks may begin at any
/// rank; the first and the last part of a chunk are one then. Of layers that are alike such cuts are far from each other,
/// and good ones far from those that are good in other ways.
class chunk_cuts {
 public:
  /// @param load   of every item
  /// @param ranks  that have the same number of stages
  chunk_cuts(view<const double> load, std::size_t stages, std::size_t ranks)
      : ranks_(ranks), chunks_(stages / ranks), sums_(load.size() + 1) {
    for (std::size_t i = 0; i < load.size(); ++i) sums_[i + 1] = sums_[i] + load[i];
  }

  /// Visits about `most` of them at most: for each way to deal out among the chunks as many units as a rank has items, or
  /// fewer, and ranks that chunks begin at.
  template <class Visit>
  void each(std::size_t most, const Visit& visit) {
    std::size_t units = (sums_.size() - 1) / ranks_;
    while (units > chunks_ && ways(units) > static_cast<double>(most)) --units;
    if (units <= chunks_) return;  // they are all alike
    const double all = ways(units) * static_cast<double>(ranks_) / static_cast<double>(most);
    const std::size_t step = 1 + static_cast<std::size_t>(all);
    std::vector<std::size_t> of_chunk(chunks_, 1);
    of_chunk.back() = units - (chunks_ - 1);
    for (;;) {
      for (std::size_t begin = 0; begin < ranks_; begin += step) {
        if (fill(of_chunk, begin, units)) visit(view<const std::size_t>(points_));
      }
      // The next way: one more for the last chunk but one that may have it, the least for those behind.
      std::size_t c = chunks_ - 1;
      while (c > 0 && of_chunk[c] == 1) --c;
      if (c == 0) return;
      ++of_chunk[c - 1];
      const std::size_t left = of_chunk[c] - 1;
      of_chunk[c] = 1;
      of_chunk.back() = left;
    }
  }

 private:
  /// To deal out units among chunks, at least one to each.
  [[nodiscard]] double ways(std::size_t units) const {
    double result = 1;
    for (std::size_t c = 1; c < chunks_; ++c) result *= static_cast<double>(units - c) / static_cast<double>(c);
    return result;
  }

  /// Cuts where the sums of loads are nearest to what stages should take. False: the items do not suffice.
  [[nodiscard]] bool fill(const std::vector<std::size_t>& of_chunk, std::size_t begin, std::size_t units) {
    const std::size_t stages = ranks_ * chunks_;
    const std::size_t items = sums_.size() - 1;
    const double unit = sums_.back() / static_cast<double>(units * ranks_);
    if (items < stages) return false;
    points_.assign(stages + 1, 0);
    double share = 0;
    for (std::size_t s = 0; s + 1 < stages; ++s) {
      share += static_cast<double>(of_chunk[(s + begin) / ranks_ % chunks_]) * unit;
      std::size_t at = points_[s] + 1;
      while (at + (stages - 1 - s) < items && sums_[at] + sums_[at + 1] < 2 * share) ++at;
      points_[s + 1] = at;
    }
    points_.back() = items;
    return true;
  }

  std::size_t ranks_;
  std::size_t chunks_;
  std::vector<double> sums_;
  std::vector<std::size_t> points_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
