// SPDX-License-Identifier: BSL-1.0
// Textbook dynamic programs over the beginnings of the last stage, with two layers of reused memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace bench {

/// Any cost and any ordered values: `join(value of the previous stages, stage, first, last)`, `start` for no stages.
/// O(k n²) joins.
template <class Value, class Join>
Value textbook(std::size_t items, std::size_t stages, const Value& start, const Join& join) {
  static std::vector<std::optional<Value>> before;
  static std::vector<std::optional<Value>> best;
  before.assign(items + 1, std::nullopt);
  before[0] = start;
  for (std::size_t s = 0; s < stages; ++s) {
    best.assign(items + 1, std::nullopt);
    for (std::size_t last = s + 1 == stages ? items : s + 1; last <= items - (stages - 1 - s); ++last) {
      for (std::size_t first = s; first < last; ++first) {
        if (!before[first]) continue;
        Value now = join(*before[first], s, first, last);
        if (!best[last] || now < *best[last]) best[last] = std::move(now);
      }
    }
    std::swap(before, best);
  }
  return *before[items];
}

/// The same for sums of numbers.
template <class Cost>
double textbook_total(std::size_t items, std::size_t stages, const Cost& cost) {
  return textbook(items, stages, 0.0, [&](double before, std::size_t, std::size_t first, std::size_t last) {
    return before + cost(first, last);
  });
}

/// The same for the bottleneck; stages may differ.
template <class Cost>
double textbook_bottleneck(std::size_t items, std::size_t stages, const Cost& cost) {
  return textbook(items, stages, 0.0, [&](double before, std::size_t stage, std::size_t first, std::size_t last) {
    if constexpr (requires { cost(stage, first, last); }) {
      return std::max(before, cost(stage, first, last));
    } else {
      return std::max(before, cost(first, last));
    }
  });
}

/// Sums of Monge costs: the optimal beginnings of the last stage never fall, so each half of the ends needs only part
/// of the beginnings. O(k n log n) costs.
template <class Cost>
class divided_textbook {
 public:
  explicit divided_textbook(const Cost& cost) : cost_(cost) {}

  double total(std::size_t items, std::size_t stages) {
    before_.resize(items + 1);
    best_.resize(items + 1);
    for (std::size_t last = 1; last <= items; ++last) before_[last] = cost_(0, last);
    for (std::size_t s = 1; s < stages; ++s) {
      layer(s + 1, items, s, items - 1);
      std::swap(before_, best_);
    }
    return before_[items];
  }

 private:
  /// The ends [from, to], which begin in [low, high].
  void layer(std::size_t from, std::size_t to, std::size_t low, std::size_t high) {
    const std::size_t last = from + (to - from) / 2;
    std::size_t choice = low;
    double least = before_[low] + cost_(low, last);
    for (std::size_t first = low + 1; first <= high && first < last; ++first) {
      const double now = before_[first] + cost_(first, last);
      if (now < least) least = now, choice = first;
    }
    best_[last] = least;
    if (from < last) layer(from, last - 1, low, choice);
    if (last < to) layer(last + 1, to, choice, high);
  }

  const Cost& cost_;
  static inline std::vector<double> before_;
  static inline std::vector<double> best_;
};

}  // namespace bench
