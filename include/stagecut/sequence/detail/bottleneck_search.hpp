// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/cost/interval_cost.hpp>
// Declares all chains: the search calls `detail::probe`, which must not resolve to a function of the user's.
#include <stagecut/sequence/detail/constrained_bottleneck.hpp>
#include <stagecut/sequence/detail/probe.hpp>
#include <stagecut/sequence/detail/reach_probe.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The search for the smallest bound at which a probe succeeds. Invariant: `upper` is feasible, and nothing costs less
/// than `lower`: docs/chains.md, "A bound, and whether it can be kept".
template <class Chain, class Where = separators>
class bottleneck_search {
 public:
  using cost_type = typename Chain::cost_type;

  bottleneck_search(const Chain& chain, Where& where)
      : chain_(chain), where_(where), upper_(chain.cost(chain.at(0), chain.at(where.items()))), lower_(least()) {}

  /// The same for a chain on which every cut costs at least `lower`, and any feasible one at most `upper`.
  bottleneck_search(const Chain& chain, Where& where, cost_type lower, cost_type upper)
      : chain_(chain), where_(where), upper_(std::move(upper)), lower_(std::move(lower)) {}

  /// Whether there is a cut at all; call before `run` if the upper end is far off, or after it.
  bool found() {
    const cost_type all = upper_;
    return placed_ || fits(all);
  }

  /// The smallest bottleneck; its cut points are then `where.lowest`.
  cost_type run() {
    if constexpr (arithmetic<cost_type>) {
      bisect();
    } else {
      search_by_stage();
    }
    return upper_;
  }

 private:
  /// Probes, and narrows the bracket. Success lowers the upper end to the costliest stage of the cut, failure raises the
  /// lower end to the smallest cost that makes a difference: both are costs of real stages.
  bool fits(const cost_type& bound) {
    auto found = detail::probe(chain_, bound, lower_, upper_, where_);
    if (found.feasible) {
      upper_ = std::move(found.value);
      placed_ = true;
    } else if (lower_ < found.value) {
      lower_ = std::move(found.value);
    }
    return found.feasible;
  }

  /// For numbers. Tries bounds from the lower end in doubling steps until one is feasible, then bisects. Ends with the
  /// exact optimum, usually after 2 to 15 probes; otherwise bisection of the bit patterns ends it after 64 more.
  void bisect() {
    constexpr int by_value = 40;
    const std::size_t parts = additive_cost<typename Chain::model_type> ? where_.items() : where_.stages();
    auto step = fraction(distance(lower_, upper_), parts);
    if constexpr (integer<cost_type>) ++step;
    for (int round = 0; lower_ < upper_ && round < by_value + 64; ++round) {
      const auto room = distance(lower_, upper_);
      const bool climbing = !placed_ && step < room;
      const cost_type bound = round < by_value ? ahead(lower_, climbing ? step : fraction(room, 2)) : middle_bits();
      if (fits(lower_ <= bound && bound < upper_ ? bound : lower_)) continue;
      const auto twice = static_cast<decltype(step)>(step + step);
      if (step < twice) step = twice;
    }
  }

  // Differences of costs; for integers in the unsigned type, which cannot overflow.
  using distance_t = typename std::conditional_t<integer<cost_type>, std::make_unsigned<cost_type>,
                                                 std::type_identity<cost_type>>::type;
  static distance_t distance(cost_type from, cost_type to) {
    if constexpr (integer<cost_type>) {
      return static_cast<distance_t>(ordered_bits(to) - ordered_bits(from));
    } else {
      return to - from;
    }
  }
  static distance_t fraction(distance_t whole, std::size_t parts) {
    if constexpr (integer<cost_type>) {
      return static_cast<distance_t>(whole / parts);
    } else {
      return whole / static_cast<cost_type>(parts);
    }
  }
  static cost_type ahead(cost_type from, distance_t by) {
    if constexpr (integer<cost_type>) {
      return from_ordered_bits<cost_type>(static_cast<distance_t>(ordered_bits(from) + by));
    } else {
      return from + by;
    }
  }
  cost_type middle_bits() const {
    const auto from = ordered_bits(lower_);
    const auto to = ordered_bits(upper_);
    return from_ordered_bits<cost_type>(static_cast<std::remove_cv_t<decltype(from)>>(from + (to - from) / 2));
  }

  /// For costs with comparison only (Nicol). From the last stage on: the cheapest possible interval of this stage that
  /// suffices as a bound for all is a candidate; if it is not the optimum, the stage is narrower than that, and making it
  /// one item narrower does no harm.
  void search_by_stage() {
    std::size_t last = where_.items();
    for (std::size_t s = where_.stages(); s-- > 0;) {
      // The largest start in [s, last) whose stage suffices; a stage that starts at s may or may not.
      std::size_t first = s;
      for (std::size_t beyond = last; s > 0 && first + 1 < beyond;) {
        const std::size_t middle = first + (beyond - first) / 2;
        (suffices(chain_.cost(middle, last)) ? first : beyond) = middle;
      }
      if (suffices(chain_.cost(first, last))) {
        if (first + 1 == last) return;  // a single item costs that much
        ++first;
      }
      last = first;
    }
  }

  /// Whether the chain can be cut within `bound`; probes only if this is not known yet.
  bool suffices(const cost_type& bound) {
    if (!(bound < upper_)) return true;
    return !(bound < lower_) && fits(bound);
  }

  /// No partition costs less (docs/chains.md, "Where the search begins"): the mean over the stages if costs are additive
  /// (rounding keeps the order), else the last item.
  cost_type least() const {
    if constexpr (!additive_cost<typename Chain::model_type>) {
      return chain_.cost(where_.items() - 1, where_.items());
    } else if constexpr (integer<cost_type>) {
      using wide_t = std::common_type_t<std::make_unsigned_t<cost_type>, std::size_t>;
      const auto total = static_cast<wide_t>(upper_);
      return static_cast<cost_type>(total / where_.stages() + (total % where_.stages() != 0 ? 1 : 0));
    } else {
      // The total is exact if the first prefix is 0; else both roundings may have been upward.
      const cost_type mean = upper_ / static_cast<cost_type>(where_.stages());
      const auto bits = ordered_bits(mean);
      return chain_.at(0).prefix == 0 || mean == 0 ? mean : from_ordered_bits<cost_type>(bits - 2);
    }
  }

  const Chain& chain_;
  Where& where_;
  cost_type upper_;
  cost_type lower_;
  bool placed_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
