// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/sequence/chain_limits.hpp>
#include <stagecut/sequence/detail/range_probe.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The search for the cut whose stages differ the least, through all costs that its costliest stage may have, in
/// ascending order and many of them at a time. docs/chains.md, "Max − min", proves what a failed probe excludes.
template <arithmetic Cost, class Probe>
class range_search {
 public:
  /// @param start  the cut points of some cut
  /// @param cap    no stage may cost more
  range_search(Probe& probe, view<const std::size_t> start, Cost cap, chain_clock& clock)
      : probe_(probe), clock_(clock), cap_(cap), ceiling_(probe.chain()(0, probe.chain().size())) {
    best_.points.assign(start.begin(), start.end());
    best_.measure(probe.chain());
  }

  /// The lexicographically smallest of the best cuts; the costliest stage of no cut costs less than `bottleneck`.
  [[nodiscard]] const measured_cut<Cost>& run(Cost bottleneck) {
    from_ = bottleneck;
    narrow();
    proved_ = sweep<false>(bottleneck);
    if (proved_) sweep<true>(bottleneck);
    return best_;
  }

  /// Whether no cut has less.
  [[nodiscard]] bool proved() const { return proved_; }

  /// No cut has less than that: the costliest stage of a better one costs as much as was looked at, and the cheapest no
  /// more than it can in any cut.
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
  /// Looks for a better cut: one whose range is less, or the same if `Ties` and the cut points are smaller.
  ///
  /// All the time, no better cut has a costliest stage that costs less than `from`. If it costs from that much up to
  /// `top`, then the cheapest stage of a better cut costs at least what it must beside a costliest one of `from`: one
  /// probe tells whether there are stages between there and `top`, and if not, all these costs are done with. If so,
  /// but the cut that it finds is not better, then there may be another one: fewer costs are tried at a time.
  ///
  /// Whether all of them were tried before the clock ended it.
  template <bool Ties>
  bool sweep(Cost from) {
    Cost wall = from;  // a cost that stops larger steps: it is tried by itself
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
          return true;  // only if numbers are not what they should be
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

  /// Tries how much more the cheapest stage can cost beside the costliest one of the best cut, by halves. Not needed,
  /// but better cuts leave less to look at.
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

  /// The least that the cheapest stage can cost in a better cut whose costliest costs `highest`.
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

  /// The number before or behind `x`.
  [[nodiscard]] static Cost neighbour(Cost x, bool behind) {
    const auto bits = ordered_bits(x);
    return from_ordered_bits<Cost>(static_cast<std::remove_cv_t<decltype(bits)>>(behind ? bits + 1U : bits - 1U));
  }

  Probe& probe_;
  chain_clock& clock_;
  bool proved_ = false;
  Cost from_{};  // no better cut has a costliest stage that costs less
  Cost cap_;
  Cost ceiling_;  // no cut has a cheapest stage that costs that much, unless all do
  measured_cut<Cost> best_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
