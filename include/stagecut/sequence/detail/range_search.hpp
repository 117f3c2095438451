// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/sequence/detail/range_probe.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The search for the cut with the smallest range, over all possible costs of its costliest stage in ascending order,
/// many of them at a time. docs/chains.md, "Max − min", proves what a failed probe excludes.
template <arithmetic Cost, class Probe>
class range_search {
 public:
  /// @param start  the cut points of some cut
  /// @param cap    upper bound for a stage
  range_search(Probe& probe, view<const std::size_t> start, Cost cap, chain_clock& clock)
      : probe_(probe), clock_(clock), cap_(cap), ceiling_(probe.chain()(0, probe.chain().size())) {
    best_.points.assign(start.begin(), start.end());
    best_.measure(probe.chain());
  }

  /// The lexicographically smallest of the best cuts; the costliest stage of every cut costs at least `bottleneck`.
  [[nodiscard]] const measured_cut<Cost>& run(Cost bottleneck) {
    from_ = bottleneck;
    narrow();
    proved_ = sweep<false>(bottleneck);
    if (proved_) sweep<true>(bottleneck);
    return best_;
  }

  /// Whether no cut has a smaller range.
  [[nodiscard]] bool proved() const { return proved_; }

  /// A lower bound for all cuts: the costliest stage of a better cut costs at least the tested costs, and its cheapest at
  /// most its maximum in any cut.
  [[nodiscard]] Cost bound() {
    if (proved_) return best_.range();
    auto low = ordered_bits(Cost{});
    auto high = ordered_bits(ceiling_);
    while (low < high) {
      const auto middle = static_cast<decltype(low)>(high - (high - low) / 2);
      const bool can = probe_.at_least(from_ordered_bits<Cost>(middle));
      can ? low = middle : high = static_cast<decltype(low)>(middle - 1);
    }
    const Cost cheapest = from_ordered_bits<Cost>(low);
    if (!(cheapest < from_)) return Cost{};
    const auto least = static_cast<Cost>(as_computed(from_ - cheapest));
    return least < best_.range() ? least : best_.range();
  }

 private:
  /// Searches for a better cut: one with a smaller range, or the same if `Ties` and smaller cut points.
  ///
  /// Invariant: no better cut has a costliest stage below `from`. If its cost is between `from` and `top`, the cheapest
  /// stage of a better cut costs at least the minimum for a costliest stage of `from`: one probe determines whether a cut
  /// with stages between that and `top` exists. If not, all these costs are excluded. If so, but that cut is not better,
  /// another one may exist: fewer costs are tried at a time.
  ///
  /// @return  whether all of them were tried before the clock ended it
  template <bool Ties>
  bool sweep(Cost from) {
    Cost wall = from;  // a cost that ends larger steps: it is tried separately
    Cost step = static_cast<Cost>(best_.range() / 16);
    while (Ties || Cost{} < best_.range()) {
      const Cost least = least_beside<Ties>(from);
      clock_.work(best_.points.size());
      if (clock_.look(0)) return false;
      if (!probe_.at_least(least)) return true;
      const bool single = from == wall;
      Cost top = single ? from : (step < cap_ - from ? static_cast<Cost>(as_computed(from + step)) : cap_);
      if (from < wall && wall <= top) top = neighbour(wall, false);
      const bool any = probe_.find(least, top) && (!Ties || probe_.found.points < best_.points);
      if (clock_.was_over()) return false;
      const bool better = any && (Ties ? probe_.found.range() <= best_.range() : probe_.found.range() < best_.range());
      if (better) best_ = probe_.found;
      if (any && (!Ties || !better)) {
        if (better) {
          narrow();
        } else if (from < probe_.found.highest) {
          wall = probe_.found.highest;
          step = static_cast<Cost>((wall - from) / 2);
        } else {
          return true;  // only if numbers are invalid
        }
        continue;
      }
      if (!(top < cap_)) return true;
      from = neighbour(top, true);
      if (!Ties) from_ = from;
      if (single) continue;
      const Cost unit = static_cast<Cost>(from - top);
      step = step < (cap_ - from) / 4 ? static_cast<Cost>(step + step + unit) : cap_;
    }
    return true;
  }

  /// Bisects how much more the cheapest stage can cost with the costliest stage of the best cut. Optional, but better
  /// cuts reduce the search.
  void narrow() {
    Cost high = ceiling_;
    int finds = 0;
    for (int round = 0; round < 32 && finds < 8 && !clock_.look(0); ++round) {
      const Cost least = static_cast<Cost>(best_.lowest + (high - best_.lowest) / 2);
      clock_.work(best_.points.size());
      if (!(best_.lowest < least && least < high)) return;
      if (!probe_.at_least(least)) {
        high = ceiling_ = least;
        continue;
      }
      ++finds;
      if (probe_.find(least, best_.highest) && probe_.found.range() < best_.range()) {
        best_ = probe_.found;
      } else {
        high = least;
      }
    }
  }

  /// The smallest cost of the cheapest stage in a better cut whose costliest costs `highest`.
  template <bool Ties>
  [[nodiscard]] Cost least_beside(Cost highest) const {
    auto low = ordered_bits(Cost{});
    auto high = ordered_bits(highest);
    while (low < high) {
      const auto middle = static_cast<decltype(low)>(low + (high - low) / 2);
      const auto range = static_cast<Cost>(as_computed(highest - from_ordered_bits<Cost>(middle)));
      if (Ties ? range <= best_.range() : range < best_.range()) {
        high = middle;
      } else {
        low = static_cast<decltype(low)>(middle + 1);
      }
    }
    return from_ordered_bits<Cost>(low);
  }

  /// The number before or after `x`.
  [[nodiscard]] static Cost neighbour(Cost x, bool behind) {
    const auto bits = ordered_bits(x);
    return from_ordered_bits<Cost>(static_cast<std::remove_cv_t<decltype(bits)>>(behind ? bits + 1U : bits - 1U));
  }

  Probe& probe_;
  chain_clock& clock_;
  bool proved_ = false;
  Cost from_{};  // no better cut has a costliest stage below this
  Cost cap_;
  Cost ceiling_;  // no cut has a cheapest stage of this cost, unless all do
  measured_cut<Cost> best_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
