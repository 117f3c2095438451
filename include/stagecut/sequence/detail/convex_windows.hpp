// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/sequence/detail/layered_total.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A convex function of the differences of prefixes, as a price.
template <class Prefix, class Function>
struct convex_price {
  using total_type = double;

  const Prefix& prefix;
  const Function& function;

  [[nodiscard]] double sum(std::size_t first, std::size_t last) const {
    return static_cast<double>(as_computed(prefix(last) - prefix(first)));
  }
  [[nodiscard]] double operator()(std::size_t, std::size_t first, std::size_t last) const {
    return static_cast<double>(function(sum(first, last)));
  }
};

/// The possible cut points of a cheapest cut, if the cost of a stage is a convex function g of its sum.
///
/// docs/chains.md, "Sums of convex functions": p stages of sum P cost at least p g(P / p) (Jensen), and with an item x
/// above that mean, at least g(x) plus the same bound for the rest. A cut point is excluded if both sides together cost
/// more than a known cut. For fixed heavy items before and after it, the bound is convex in P.
///
/// The bound counts only if rounding cannot invalidate it: g's argument may be off by a factor of 1 ± 2^-46, and its
/// value by a relative 2^-40.
template <class Prefix, class Function>
class convex_windows {
 public:
  convex_windows(const Prefix& prefix, const Function& function, std::size_t items, std::size_t stages)
      : price_{prefix, function}, items_(items), stages_(stages), sides_(1) {
    find_heavy();
    points_ = levelled_cut();
  }

  /// The windows; they contain the cut that was found on the way.
  [[nodiscard]] cut_windows run() {
    set_limit();
    cut_windows where = windows();
    // Costlier cuts leave wider windows. Cheap local improvements come first.
    for (std::size_t radius = 4; radius <= 64 && radius * stages_ <= 2 * items_ && where.size() > 4 * radius * stages_;
         radius *= 2) {
      const cut_windows near = around(radius);
      points_ = layered_total<false, convex_price<Prefix, Function>>(price_, near).run();
      set_limit();
      where = windows();
    }
    return where;
  }

 private:
  static constexpr std::size_t most_heavy = 16;
  static constexpr double argument_slack = 0x1p-46;
  static constexpr double value_slack = 0x1p-40;

  /// Consecutive cut points with the same heavy items before and after them.
  struct side {
    std::size_t begin = 0;      // the first of the cut points
    std::size_t end = 0;        // the last
    std::vector<double> left;   // heavy items before, the heaviest first
    std::vector<double> right;  // heavy items after
    double left_sum = 0;
  };

  struct item {
    double size;
    std::size_t place;
  };

  /// Finds the heaviest of the items above the level that they leave to the other stages.
  void find_heavy() {
    std::vector<item> heavy;
    const double whole = price_.sum(0, items_);
    level_ = whole / static_cast<double>(stages_);
    for (std::size_t round = 0; round <= most_heavy; ++round) {
      const double before = level_;
      heavy.clear();
      for (std::size_t i = 0; i < items_; ++i) {
        const double size = price_.sum(i, i + 1);
        if (size > level_) keep_heaviest(heavy, {size, i});
      }
      double rest = whole;
      level_ = whole / static_cast<double>(stages_);
      std::size_t taken = 0;
      while (taken < heavy.size() && taken + 1 < stages_ && heavy[taken].size > level_) {
        rest -= heavy[taken].size;
        level_ = rest / static_cast<double>(stages_ - ++taken);
      }
      heavy.resize(taken);
      if (!(level_ < before)) break;
    }
    // Next to giant items, the rest is lost in their rounding.
    if (!(level_ * static_cast<double>(stages_ - heavy.size()) > 0x1p-16 * whole)) {
      heavy.clear();
      level_ = whole / static_cast<double>(stages_);
    }
    set_sides(heavy);
  }

  static void keep_heaviest(std::vector<item>& heavy, item next) {
    if (heavy.size() == most_heavy && !(next.size > heavy.back().size)) return;
    if (heavy.size() == most_heavy) heavy.pop_back();
    heavy.push_back(next);
    for (std::size_t i = heavy.size() - 1; i > 0 && heavy[i].size > heavy[i - 1].size; --i)
      std::swap(heavy[i], heavy[i - 1]);
  }

  void set_sides(const std::vector<item>& heavy) {
    sides_.assign(heavy.size() + 1, {});
    for (std::size_t t = 0, begin = 0; t <= heavy.size(); ++t) {
      side& here = sides_[t];
      std::size_t next = items_;
      for (const item& each : heavy) {
        const bool before = each.place < begin;
        (before ? here.left : here.right).push_back(each.size);
        if (before) here.left_sum += each.size;
        if (!before && each.place < next) next = each.place;
      }
      here.begin = begin;
      here.end = next;
      begin = next + 1;
    }
  }

  /// Ends each stage as close as possible to the mean of the remaining stages.
  [[nodiscard]] std::vector<std::size_t> levelled_cut() const {
    std::vector<std::size_t> points{0};
    std::size_t t = 0;
    for (std::size_t left = stages_; left > 1; --left) {
      const std::size_t first = points.back();
      while (t + 1 < sides_.size() && sides_[t].end < first) ++t;
      double rest = price_.sum(first, items_);
      std::size_t others = left;
      for (const double size : sides_[t].right) {
        if (others > 1) rest -= size, --others;
      }
      const double level = rest / static_cast<double>(others);
      const std::size_t highest = items_ - (left - 1);
      std::size_t last = detail::gallop(first + 1, highest, first + items_ / stages_,
                                        [&](std::size_t i) { return price_.sum(first, i) >= level; });
      if (last > first + 1 && level - price_.sum(first, last - 1) < price_.sum(first, last) - level) --last;
      points.push_back(last);
    }
    points.push_back(items_);
    return points;
  }

  [[nodiscard]] cut_windows around(std::size_t radius) const {
    cut_windows where(items_, stages_);
    for (std::size_t s = 1; s < stages_; ++s) {
      if (points_[s] - where.lowest[s] > radius) where.lowest[s] = points_[s] - radius;
      if (where.highest[s] - points_[s] > radius) where.highest[s] = points_[s] + radius;
    }
    where.increase();
    return where;
  }

  /// Sets an upper bound on the cheapest cuts.
  void set_limit() {
    double sum = 0;
    double size = 0;
    for (std::size_t s = 0; s < stages_; ++s) {
      const double here = price_(s, points_[s], points_[s + 1]);
      sum += here;
      size += here < 0 ? -here : here;
    }
    limit_ = sum + value_slack * size;
  }

  /// The windows that the limit leaves, extending from the minimum of the bound.
  [[nodiscard]] cut_windows windows() const {
    cut_windows where(items_, stages_);
    std::size_t width = 1;  // of the previous window, on either side
    for (std::size_t p = 1; p < stages_; ++p) {
      std::size_t lowest = points_[p];
      std::size_t highest = points_[p];
      for (const side& here : sides_) {
        const std::size_t begin = here.begin > p ? here.begin : p;
        const std::size_t end = here.end < items_ - (stages_ - p) ? here.end : items_ - (stages_ - p);
        if (begin > end) continue;
        const auto may = [&](std::size_t i) { return bound(here, p, i); };
        const double best = here.left_sum + (static_cast<double>(p) - static_cast<double>(here.left.size())) * level_;
        std::size_t middle =
            detail::gallop(begin, end, points_[p], [&](std::size_t i) { return price_.sum(0, i) >= best; });
        if (!may(middle) && (middle == begin || !may(--middle))) continue;
        const std::size_t from = detail::gallop(begin, middle, middle > width ? middle - width : 0, may);
        const std::size_t beyond =
            detail::gallop(middle + 1, end + 1, middle + width, [&](std::size_t i) { return !may(i); });
        width = beyond - from;
        if (from < lowest) lowest = from;
        if (beyond - 1 > highest) highest = beyond - 1;
      }
      where.lowest[p] = lowest;
      where.highest[p] = highest;
    }
    where.increase();
    return where;
  }

  /// Whether a cut into p stages up to `i` and the others after it may be as cheap as the known cut.
  [[nodiscard]] bool bound(const side& here, std::size_t p, std::size_t i) const {
    return !(filled(price_.sum(0, i), here.left, p) + filled(price_.sum(i, items_), here.right, stages_ - p) > limit_);
  }

  /// A lower bound on the cost of stages with this sum, where some hold heavy items.
  [[nodiscard]] double filled(double sum, const std::vector<double>& heavy, std::size_t stages) const {
    double total = 0;
    for (const double size : heavy) {
      if (stages == 1 || !(size > sum / static_cast<double>(stages))) break;
      total += least(size);
      sum -= size;
      --stages;
    }
    return total + static_cast<double>(stages) * least(sum / static_cast<double>(stages));
  }

  /// A lower bound on the function at any number that equals `x` up to rounding.
  [[nodiscard]] double least(double x) const {
    const auto here = static_cast<double>(price_.function(x));
    const auto less = static_cast<double>(price_.function(x - argument_slack * x));
    const auto more = static_cast<double>(price_.function(x + argument_slack * x));
    return here - ((less < more ? more : less) - here) - value_slack * (here < 0 ? -here : here);
  }

  convex_price<Prefix, Function> price_;
  std::size_t items_;
  std::size_t stages_;
  double level_ = 0;  // mean of the stages without heavy items
  double limit_ = 0;
  std::vector<side> sides_;  // from the front of the chain to its end
  std::vector<std::size_t> points_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
