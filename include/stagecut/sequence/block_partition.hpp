// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/rightmost_end.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Cuts a chain with least bottleneck `most` so that its stages cost between `least` and `most`; `least` is above 0 and
/// equals the bottleneck less the costliest item.
///
/// docs/chains.md, "At most the largest item apart". Stages from the front take as much as they may, stages from the end
/// only what they must, and one takes the items between them. The stages from the front reach the end of the chain, and
/// those from the end need no more than there is. So at some stage the front filling would end after the point where the
/// end filling must begin: it ends there.
///
/// @param points  output: the cut points; false if the model breaks its promises
template <additive_cost Model>
[[nodiscard]] bool fill_from_both_ends(const Model& cost, cost_t<Model> least, cost_t<Model> most,
                                       std::vector<std::size_t>& points) {
  const additive_chain<Model> chain{cost};
  const std::size_t stages = points.size() - 1;
  const std::size_t items = points[stages];
  for (std::size_t s = stages; --s > 0;) {
    const auto last = chain.at(points[s + 1]);
    points[s] = detail::gallop(s + 1, last.item, points[s],
                               [&](std::size_t first) { return chain.cost(chain.at(first), last) < least; }) -
                1;
  }
  std::size_t first = 0;
  for (std::size_t s = 1; s < stages; ++s) {
    const auto begin = chain.at(first);
    first = detail::rightmost_end(first + 1, items - (stages - s), points[s] - 1,
                                  [&](std::size_t last) { return !(most < chain.cost(begin, chain.at(last))); });
    if (first >= points[s]) break;
    points[s] = first;
  }
  for (std::size_t s = 0; s < stages; ++s) {
    if (points[s] >= points[s + 1]) return false;
  }
  return true;
}

}  // namespace detail

/// See `block_partition`.
struct block_partition_fn : detail::expects_additive_cost {
  using detail::expects_additive_cost::operator();

  /// See `block_partition`.
  template <additive_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages) const {
    using answer = outcome<chain_partition<cost_t<Model>>>;
    using number = cost_t<Model>;
    if (stages == 0) detail::fail(argument_error("block_partition", "stages", "0", "must be at least 1"));
    auto best = minimize_bottleneck(cost, stages);
    if (!best) return best;
    const detail::additive_chain<Model> chain{cost};
    const number bottleneck = best->value;

    number item{};
    auto last = chain.at(0);
    for (std::size_t i = 0; i < cost.size(); ++i) {
      const auto first = std::exchange(last, chain.at(i + 1));
      const number here = chain.cost(first, last);
      if (item < here) item = here;
    }
    // a bound on the accumulated rounding, times 1.5
    number slack{};
    if constexpr (std::floating_point<number>) slack = 4 * std::numeric_limits<number>::epsilon() * bottleneck;
    if (item < bottleneck && slack < bottleneck - item) {
      const auto points = best->cuts.points();
      std::vector<std::size_t> filled(points.begin(), points.end());
      const auto least = static_cast<number>(detail::as_computed(bottleneck - item) - slack);
      if (detail::fill_from_both_ends(cost, least, bottleneck, filled)) best->cuts = cuts(std::move(filled));
    }

    number lowest = bottleneck;
    number highest{};
    for (std::size_t s = 0; s < stages; ++s) {
      const number here = chain.cost(chain.at(best->cuts[s]), chain.at(best->cuts[s + 1]));
      if (here < lowest) lowest = here;
      if (highest < here) highest = here;
    }
    best->value = static_cast<number>(detail::difference(highest, lowest));
    best->bound = least_range(chain.cost(chain.at(0), chain.at(cost.size())), bottleneck, stages);
    return best->bound < best->value ? answer::feasible(*std::move(best)) : answer::optimal(*std::move(best));
  }

 private:
  /// No cut has a smaller difference: its cheapest stage is at most the mean, its costliest at least the bottleneck
  /// (docs/chains.md, "At most the largest item apart").
  template <class Cost>
  static Cost least_range(Cost total, Cost bottleneck, std::size_t stages) {
    if constexpr (integer<Cost>) {
      using wide_t = std::common_type_t<std::make_unsigned_t<Cost>, std::size_t>;
      return static_cast<Cost>(detail::difference(bottleneck, static_cast<Cost>(static_cast<wide_t>(total) / stages)));
    } else {
      const Cost mean = total / static_cast<Cost>(stages);
      const Cost above = from_ordered_bits<Cost>(ordered_bits(mean) + 2);  // both roundings may have been downward
      return above < bottleneck ? static_cast<Cost>(detail::as_computed(bottleneck - above)) : Cost{};
    }
  }
};

/// Cuts a chain into `stages` contiguous non-empty stages with the smallest bottleneck, so that no two stages differ by
/// more than the costliest item: I. Bárány and V. S. Grinberg proved that a cut with such differences exists; this one
/// also minimizes the bottleneck.
///
/// @param cost    a sum over the items: `prefix_sums`, `block_sums`, or your own `additive_cost`
/// @param stages  number of stages k, at least 1
/// @return        a cut whose cost is the difference between its costliest and its cheapest stage; feasible, with a lower
///                bound for all cuts, or optimal if the bound proves it; infeasible, `more_stages_than_layers`, if k > n
/// @throws        argument_error if `stages == 0`; whatever `cost` throws
///
/// The costliest stage costs exactly as much as with `minimize_bottleneck`. Integers differ by at most the costliest
/// item; for doubles the difference may exceed it by the roundings of a few sums, a relative 2^-50 of the bottleneck.
/// `minimize_range` finds the smallest possible difference, possibly with a costlier bottleneck.
///
/// n + 1 calls of `cost.prefix`, and O(k log n) for each probe of `minimize_bottleneck`; O(k) memory. Deterministic;
/// thread-safe.
///
/// Source: I. Bárány and V. S. Grinberg, Block partitions of sequences, Israel J. Math. 206(1):155-164, 2015. Instead of
/// their local moves, one pass from each end finds the cut, since the bottleneck is known.
inline constexpr block_partition_fn block_partition{};

}  // namespace stagecut::inline STAGECUT_ABI
