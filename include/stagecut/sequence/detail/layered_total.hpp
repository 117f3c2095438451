// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The type in which costs are added.
template <arithmetic Cost>
using total_t = std::conditional_t<integer<Cost>, wide_integer, double>;

/// The costs of a model, in that type.
template <class Model>
struct stage_price {
  using total_type = total_t<cost_t<Model>>;

  const Model& model;

  [[nodiscard]] total_type operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return static_cast<total_type>(as_computed(detail::price(model, stage, first, last)));
  }
};

/// The total cost of the stages between cut points, added from the first on.
template <class Price>
[[nodiscard]] typename Price::total_type total_of(const Price& price, const std::vector<std::size_t>& points) {
  typename Price::total_type sum{};
  for (std::size_t s = 0; s + 1 < points.size(); ++s) sum = as_computed(sum + price(s, points[s], points[s + 1]));
  return sum;
}

/// The windows of the cut points of a chain cut into k stages: cut point s lies in `[lowest[s], highest[s]]`, both of
/// length k + 1 and increasing, so that the next window can be reached from each point.
struct cut_windows {
  std::vector<std::size_t> lowest;
  std::vector<std::size_t> highest;

  /// The windows for non-empty stages.
  cut_windows(std::size_t items, std::size_t stages);

  [[nodiscard]] std::size_t stages() const { return lowest.size() - 1; }

  /// Removes what the windows of the neighbours exclude.
  void increase();

  /// Number of possible cut points.
  [[nodiscard]] std::size_t size() const;
};

/// The cheapest cut within windows, stage by stage from the last on, by dynamic programming with monotone best ends.
///
/// Monge: for a start further right, the best end is not further left; so the end of the middle start halves the ends of
/// the others. Inverse Monge: it is not further right, among the ends after all starts; halving the starts leaves such
/// rectangles. Proof: docs/chains.md, "A nearer and a farther end".
/// With w for the widest window, O(k w log w) calls of the price, or O(k w log² w) for inverse Monge; memory for one
/// index for each point of the windows.
template <bool Inverse, class Price>
class layered_total {
 public:
  using total_type = typename Price::total_type;

  layered_total(const Price& price, const cut_windows& where) : price_(price), where_(where) {}

  /// The cut points, lexicographically smallest on ties.
  [[nodiscard]] std::vector<std::size_t> run() {
    const std::size_t stages = where_.stages();
    std::vector<std::vector<std::size_t>> chosen(stages);
    behind_.assign(1, total_type{});
    for (std::size_t s = stages; s-- > 0;) {
      stage_ = s;
      row_ = where_.lowest[s];
      column_ = where_.lowest[s + 1];
      const std::size_t last = where_.highest[s];
      const std::size_t right = where_.highest[s + 1];
      best_.resize(last - row_ + 1);
      end_.assign(last - row_ + 1, 0);
      if constexpr (Inverse) {
        rectangle(row_, last, column_ > last ? column_ : last + 1, right);
        triangle(row_, last);
      } else {
        rising(row_, last, column_, right);
      }
      behind_.swap(best_);
      chosen[s].swap(end_);
    }
    std::vector<std::size_t> points{0};
    for (std::size_t s = 0; s < stages; ++s) points.push_back(chosen[s][points.back() - where_.lowest[s]]);
    return points;
  }

 private:
  /// The smallest of the best ends in `[left, right]` of a stage that begins at `first`; records it if it is cheaper than
  /// the known one, or as cheap and smaller.
  /// @pre `first < left && left <= right`
  std::size_t best_end(std::size_t first, std::size_t left, std::size_t right) {
    std::size_t end = left;
    total_type least = through(first, left);
    for (std::size_t last = left + 1; last <= right; ++last) {
      const total_type here = through(first, last);
      if (here < least) least = here, end = last;
    }
    total_type& known = best_[first - row_];
    std::size_t& known_end = end_[first - row_];
    if (known_end == 0 || least < known || (least == known && end < known_end)) known = least, known_end = end;
    return end;
  }

  [[nodiscard]] total_type through(std::size_t first, std::size_t last) const {
    return as_computed(price_(stage_, first, last) + behind_[last - column_]);
  }

  /// Stages that begin in `[first, last]` and end in `[left, right]`, with best ends that move right.
  void rising(std::size_t first, std::size_t last, std::size_t left, std::size_t right) {
    const std::size_t middle = first + (last - first) / 2;
    const std::size_t end = best_end(middle, left > middle ? left : middle + 1, right);
    if (first < middle) rising(first, middle - 1, left, end);
    if (middle < last) rising(middle + 1, last, end, right);
  }

  /// The same with best ends that move left; all of them are after `last`.
  void rectangle(std::size_t first, std::size_t last, std::size_t left, std::size_t right) {
    if (left > right) return;
    const std::size_t middle = first + (last - first) / 2;
    const std::size_t end = best_end(middle, left, right);
    if (first < middle) rectangle(first, middle - 1, end, right);
    if (middle < last) rectangle(middle + 1, last, left, end);
  }

  /// Stages that begin and end in `[first, last]`.
  void triangle(std::size_t first, std::size_t last) {
    if (first >= last || last < column_) return;
    const std::size_t middle = first + (last - first) / 2;
    rectangle(first, middle, column_ > middle ? column_ : middle + 1, last);
    triangle(first, middle);
    triangle(middle + 1, last);
  }

  const Price& price_;
  const cut_windows& where_;
  std::size_t stage_ = 0;
  std::size_t row_ = 0;     // the first start, of `best_` and `end_`
  std::size_t column_ = 0;  // the first end, of `behind_`
  std::vector<total_type> behind_;
  std::vector<total_type> best_;
  std::vector<std::size_t> end_;  // 0: none yet
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/layered_total.ipp>
#endif
