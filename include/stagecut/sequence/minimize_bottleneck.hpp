// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/chain_partition.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/constrained_bottleneck.hpp>
#include <stagecut/sequence/probe.hpp>

namespace stagecut::inline v0 {

/// Memory that `minimize_bottleneck` works in, and the answer. Handed to it again and again, it spares the allocations.
template <class Cost>
class bottleneck_workspace {
  friend struct minimize_bottleneck_fn;

  detail::separators separators_;
  cuts spare_;  // memory of an answer that the present one does not need
  outcome<chain_partition<Cost>> answer_;
};

namespace detail {

/// The search for the least bound at which a probe succeeds. All the time, `upper` is feasible and nothing costs less
/// than `lower`.
template <class Chain, class Where = separators>
class bottleneck_search {
 public:
  using cost_type = typename Chain::cost_type;

  bottleneck_search(const Chain& chain, Where& where)
      : chain_(chain), where_(where), upper_(chain.cost(chain.at(0), chain.at(where.items()))), lower_(least()) {}

  /// The same of a chain of which no cut costs less than `lower`.
  bottleneck_search(const Chain& chain, Where& where, cost_type lower)
      : chain_(chain),
        where_(where),
        upper_(chain.cost(chain.at(0), chain.at(where.items()))),
        lower_(std::move(lower)) {}

  /// After `run`: whether there is a cut at all.
  bool found() {
    const cost_type all = upper_;
    return placed_ || fits(all);
  }

  /// The least bottleneck; its cut points are then `where.lowest`.
  cost_type run() {
    if constexpr (arithmetic<cost_type>) {
      bisect();
    } else {
      search_by_stage();
    }
    return upper_;
  }

 private:
  /// Probes, and narrows the bracket by the answer. Success lowers the upper end to the costliest stage there was,
  /// failure lifts the lower end to the least cost that changes anything: both are costs of real stages.
  bool fits(const cost_type& bound) {
    auto found = probe(chain_, bound, lower_, upper_, where_);
    if (found.feasible) {
      upper_ = std::move(found.value);
      placed_ = true;
    } else if (lower_ < found.value) {
      lower_ = std::move(found.value);
    }
    return found.feasible;
  }

  /// For numbers. Bounds are tried from the lower end on, in doubling steps, until one is feasible, then half-way. It
  /// ends with the exact optimum, as a rule after 2 to 15 probes; if not, halving the bit patterns ends it after 64 more.
  void bisect() {
    constexpr int by_value = 40;
    const std::size_t parts = additive_cost<typename Chain::model_type> ? where_.items() : where_.stages();
    auto step = fraction(distance(lower_, upper_), parts);
    if constexpr (integer<cost_type>) ++step;
    for (int round = 0; lower_ < upper_ && round < by_value + 64; ++round) {
      const auto room = distance(lower_, upper_);
      const bool climbing = !placed_ && step < room;
      const cost_type bound = round < by_value ? ahead(lower_, climbing ? step : fraction(room, 2)) : middle_bits();
      if (!fits(lower_ <= bound && bound < upper_ ? bound : lower_)) step = static_cast<decltype(step)>(step + step);
    }
  }

  // Differences of costs; of integers in the unsigned type, which overflow in neither direction.
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

  /// For costs that only compare (Nicol). From the last stage on: the cheapest interval that this stage could be, among
  /// those that suffice as a bound for all, is a candidate; if it is not the optimum, the stage is narrower than that,
  /// and one item narrower does not harm.
  void search_by_stage() {
    std::size_t last = where_.items();
    for (std::size_t s = where_.stages(); s-- > 0;) {
      // The largest beginning in [s, last) whose stage suffices; one that begins at s may or may not.
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

  /// Whether the chain can be cut within `bound`; asked of a probe only where it is not known yet.
  bool suffices(const cost_type& bound) {
    if (!(bound < upper_)) return true;
    return !(bound < lower_) && fits(bound);
  }

  /// No partition costs less: the mean over the stages where costs add up (rounding keeps the order), else the last item.
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

}  // namespace detail

/// See `minimize_bottleneck`.
struct minimize_bottleneck_fn {
  /// See `minimize_bottleneck`.
  /// @{
  template <monotone_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages) const {
    bottleneck_workspace<cost_t<Model>> workspace;
    (*this)(cost, stages, workspace);
    return std::move(workspace.answer_);
  }

  template <monotone_cost Model>
  const outcome<chain_partition<cost_t<Model>>>& operator()(const Model& cost, std::size_t stages,
                                                            bottleneck_workspace<cost_t<Model>>& workspace) const {
    using answer_type = outcome<chain_partition<cost_t<Model>>>;
    if (stages == 0) detail::fail(argument_error("minimize_bottleneck", "stages", "0", "must be at least 1"));
    const std::size_t items = cost.size();
    if (stages > items) {
      if (workspace.answer_) workspace.spare_ = std::move(workspace.answer_->cuts);
      workspace.answer_ = answer_type::infeasible({reason::cause::more_stages_than_layers, stages, items});
      return workspace.answer_;
    }
    workspace.separators_.reset(items, stages);
    if constexpr (additive_cost<Model>) {
      solve(detail::additive_chain<Model>{cost}, workspace);
    } else {
      solve(detail::opaque_chain<Model>{cost}, workspace);
    }
    return workspace.answer_;
  }

  template <monotone_cost Model, stage_constraint Constraint>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const Constraint& allowed) const {
    auto free = (*this)(cost, stages);
    if (!free) return free;
    bool all = true;
    for (std::size_t s = 0; s < stages && all; ++s) all = allowed(s, free->cuts[s], free->cuts[s + 1]);
    if (all) return free;
    using answer_type = outcome<chain_partition<cost_t<Model>>>;
    const auto infeasible = [] { return answer_type::infeasible({reason::cause::constraint, 0, 0}); };
    if constexpr (arithmetic<cost_t<Model>>) {
      const detail::constrained_chain<Model, Constraint> chain{cost, allowed};
      detail::stage_beginnings where(cost.size(), stages);
      detail::bottleneck_search search(chain, where, free->cost);
      const auto least = search.run();
      if (!search.found()) return infeasible();
      return answer_type::optimal({cuts(where.cut), least, least});
    } else {
      auto best = detail::constrained_bottleneck<Model, Constraint>(cost, stages, allowed, free->cost).run();
      return best ? answer_type::optimal(*std::move(best)) : infeasible();
    }
  }
  /// @}

 private:
  template <class Chain, class Cost>
  static void solve(const Chain& chain, bottleneck_workspace<Cost>& workspace) {
    detail::separators& where = workspace.separators_;
    const Cost least = detail::bottleneck_search(chain, where).run();
    if (workspace.answer_) workspace.spare_ = std::move(workspace.answer_->cuts);
    workspace.spare_.assign(where.lowest);
    workspace.answer_ = outcome<chain_partition<Cost>>::optimal({std::move(workspace.spare_), least, least});
  }
};

/// Cuts a chain into `stages` contiguous, non-empty stages so that the costliest stage is as cheap as possible.
///
/// @param cost       what every interval of the chain costs, monotone: `prefix_sums`, `block_sums`, `monotone(n, f)`, or
///                   a model of your own
/// @param stages     number of stages k, at least 1
/// @param workspace  optional; the answer is then a reference into it, valid until its next use, and nothing is
///                   allocated once the workspace has served a chain with as many stages
/// @param allowed    optional: which items may be a stage, a `stage_constraint`
/// @return           optimal, with `cost == bound`; or infeasible, `more_stages_than_layers` if k > n, `constraint` if
///                   no cut has allowed stages only
/// @throws           argument_error if `stages == 0`; whatever `cost` and `allowed` throw
///
/// Exact for the costs as the model computes them, rounding included: bounds are costs of real intervals, no epsilon.
/// Among the optimal cuts it returns the lexicographically smallest. Deterministic; thread-safe with a workspace each.
/// O(k log n) calls of `cost` per probe; at most 105 probes for costs that are numbers, as a rule 2 to 15, and O(k log
/// n) for costs that only compare. O(k) memory. Where the best cuts are not allowed, probes that know the
/// constraint follow, each O(k) calls of both for every item of a window where a cut point can lie, as a rule, and O(n) a
/// stage of memory; for costs that only compare a dynamic program, O(k n w) calls and O(k n) memory, w the number of items
/// of the widest stage that has to be tried.
///
/// Source: D. M. Nicol, J. Parallel Distrib. Comput. 23(2):119-134, 1994; A. Pinar and C. Aykanat, J. Parallel Distrib.
/// Comput. 64(8):974-996, 2004, exact bisection with separators. Probes run from the end of the chain, which yields the
/// smallest cuts; bounds by bit patterns are added.
inline constexpr minimize_bottleneck_fn minimize_bottleneck{};

}  // namespace stagecut::inline v0
