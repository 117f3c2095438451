// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/sequence/detail/layered_total.hpp>
#include <stagecut/sequence/detail/monge_links.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a search by stages within windows is likely cheaper than one by additional costs over the whole chain.
[[nodiscard]] inline bool narrow(const cut_windows& where, std::size_t items) { return where.size() / 12 <= items; }

/// The cheapest cut into exactly k stages for a Monge cost. The smallest total is convex in the number of stages, so with
/// some additional cost per stage a cut into k stages is among the cheapest into any number of stages. Searches for that
/// cost: on the line through two known cuts, or by bisection. Proofs: docs/chains.md, "An extra cost of every stage".
///
/// Source: A. Aggarwal, B. Schieber and T. Tokuyama, Discrete Comput. Geom. 12:263-280, 1994.
template <class Price>
class lagrange_total {
 public:
  using total_type = typename Price::total_type;

  lagrange_total(const Price& price, std::size_t items, std::size_t stages)
      : price_(price), items_(items), stages_(stages), links_(price, items) {}

  /// The cut points; on ties the lexicographically smallest, unless rounding hides them.
  [[nodiscard]] std::vector<std::size_t> run() {
    few_ = priced({0, items_});
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i <= items_; ++i) all.push_back(i);
    many_ = priced(std::move(all));
    if (stages_ == 1) return few_.points;
    if (stages_ == items_) return many_.points;
    const total_type extra = search();
    known_cut best = found_.points.empty() ? priced(joined_cut()) : found_;
    known_cut smallest = priced(links_.smallest(extra, stages_));
    const bool better = !smallest.points.empty() && !(best.total < smallest.total);
    return better ? smallest.points : best.points;
  }

 private:
  using links = monge_links<Price>;
  struct known_cut {
    std::vector<std::size_t> points;
    total_type total;

    [[nodiscard]] std::size_t stages() const { return points.size() - 1; }
    [[nodiscard]] total_type at(total_type extra) const { return total + extra * static_cast<total_type>(stages()); }
  };

  [[nodiscard]] known_cut priced(std::vector<std::size_t> points) const {
    const total_type total = detail::total_of(price_, points);
    return {std::move(points), total};
  }

  /// Narrows the cuts `few_` and `many_`, with fewer and more than k stages, until they are the cheapest at an additional
  /// cost, which is returned, and at the next smaller one; or until the cut into k stages is `found_`.
  total_type search() {
    total_type low = below(single_merged() - many_.total);
    total_type high = above(few_.total - halved());
    // Bisection ends it: first by value, finally by the bits of floating-point numbers.
    constexpr int by_value = 60;
    for (int round = 0; round < by_value + 132 && low < high && below(high) != low; ++round) {
      const total_type chord = through_known();
      // Both cuts are cheapest at one end, and so are cuts with numbers of stages in between.
      if (!(few_.at(high) < many_.at(high)) || !(many_.at(low) < few_.at(low))) return chord;
      const bool line = round < by_value && round % 4 != 3 && low < chord && chord < high;
      total_type extra = line ? chord : middle(low, high, round < by_value);
      if constexpr (std::is_same_v<total_type, double>) {
        const double rounded = short_number(extra);
        if (low < rounded && rounded < high) extra = rounded;
      }
      if (!(low < extra && extra < high)) break;
      links_.run(extra, links::prefer::fewest);
      known_cut here = priced(links_.points());
      if (here.stages() == stages_) {
        found_ = std::move(here);
        return extra;
      }
      // Nothing is below the line, so the cuts between the two lie on it.
      const bool flat = line && !(links_.total() < few_.at(extra)) && !(links_.total() < many_.at(extra));
      if (here.stages() < stages_) {
        few_ = std::move(here);
        high = extra;
      } else {
        many_ = std::move(here);
        low = extra;
      }
      if (flat) return extra;
    }
    if constexpr (std::is_same_v<total_type, double>) return through_known();
    return high;
  }

  /// The additional cost at which both known cuts cost the same; rounded for integers.
  [[nodiscard]] total_type through_known() const {
    return (few_.total - many_.total) / static_cast<total_type>(many_.stages() - few_.stages());
  }

  /// About `x`, with few enough digits that totals of costs with few digits stay exact, so that ties are detected.
  [[nodiscard]] double short_number(double x) const {
    const double scale = (few_.total < 0 ? -few_.total : few_.total) + (many_.total < 0 ? -many_.total : many_.total);
    if (is_nan(x) || !(x < scale) || !(-x < scale) || !is_finite(scale)) return x;
    // The power of two below `scale`, and 2^-40 of it.
    const double unit = std::bit_cast<double>(std::bit_cast<std::uint64_t>(scale) & infinity_bits<double>) * 0x1p-40;
    return unit > 0 ? static_cast<double>(static_cast<std::int64_t>(x / unit)) * unit : x;
  }

  /// The smallest total of two stages.
  [[nodiscard]] total_type halved() const {
    total_type least = price_(0, 0, 1) + price_(0, 1, items_);
    for (std::size_t i = 2; i < items_; ++i) {
      const total_type here = price_(0, 0, i) + price_(0, i, items_);
      if (here < least) least = here;
    }
    return least;
  }

  /// The smallest total of n - 1 stages.
  [[nodiscard]] total_type single_merged() const {
    total_type least = merge_at(0);
    for (std::size_t i = 1; i + 1 < items_; ++i) {
      const total_type here = merge_at(i);
      if (here < least) least = here;
    }
    return many_.total + least;
  }
  [[nodiscard]] total_type merge_at(std::size_t i) const {
    return price_(0, i, i + 2) - (price_(0, i, i + 1) + price_(0, i + 1, i + 2));
  }

  static total_type below(total_type x) { return neighbour(x, false); }
  static total_type above(total_type x) { return neighbour(x, true); }
  static total_type neighbour(total_type x, bool up) {
    if constexpr (std::is_same_v<total_type, double>) {
      // Maps infinite and undefined values to finite ones, too.
      constexpr double most = std::numeric_limits<double>::max();
      if (!is_finite(x) || x == (up ? most : -most)) return up ? most : -most;
      const auto bits = ordered_bits(x == 0 ? (up ? 0.0 : -0.0) : x);
      return from_ordered_bits<double>(up ? bits + 1 : bits - 1);
    } else {
      return up ? x + 1 : x - 1;
    }
  }
  static total_type middle(total_type low, total_type high, [[maybe_unused]] bool by_value) {
    if constexpr (std::is_same_v<total_type, double>) {
      if (by_value) return low / 2 + high / 2;
      const auto from = ordered_bits(low);
      return from_ordered_bits<double>(from + (ordered_bits(high) - from) / 2);
    } else {
      return low + (high - low) / 2;
    }
  }

  /// A cut into k stages that begins as `few_` and ends as `many_`. Some stage of `few_` contains the stage of `many_`
  /// with the required number of stages after it; exchanging the ends of the two does not raise the cost (Monge).
  [[nodiscard]] std::vector<std::size_t> joined_cut() const {
    const std::vector<std::size_t>& wide = few_.points;
    const std::vector<std::size_t>& narrow = many_.points;
    const std::size_t skipped = many_.stages() - stages_;
    std::size_t i = 0;
    while (wide[i + 1] <= narrow[i + 1 + skipped]) ++i;  // terminates: narrow has not reached the end when wide has
    std::vector<std::size_t> result;
    for (std::size_t s = 0; s <= i; ++s) result.push_back(wide[s]);
    for (std::size_t s = i + 1 + skipped; s < narrow.size(); ++s) result.push_back(narrow[s]);
    return result;
  }

  const Price& price_;
  std::size_t items_;
  std::size_t stages_;
  links links_;
  known_cut few_;
  known_cut many_;
  known_cut found_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
