// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/allows_cut.hpp>
#include <stagecut/sequence/detail/bottleneck_search.hpp>
#include <stagecut/sequence/detail/constrained_bottleneck.hpp>
#include <stagecut/sequence/detail/on_blocks.hpp>
#include <stagecut/sequence/detail/probe.hpp>
#include <stagecut/sequence/detail/reach_probe.hpp>
#include <stagecut/sequence/detail/stage_program.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Scratch memory and answer of `minimize_bottleneck`. Reuse it to avoid allocations.
template <class Cost>
class bottleneck_workspace {
  friend struct minimize_bottleneck_fn;

  detail::separators separators_;
  cuts spare_;  // memory of a previous answer, currently unused
  outcome<chain_partition<Cost>> answer_;
};

/// See `minimize_bottleneck`.
struct minimize_bottleneck_fn : detail::expects_cost_and_constraint {
  using detail::expects_cost_and_constraint::operator();

  /// See `minimize_bottleneck`.
  /// @{
  template <stage_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages) const {
    if constexpr (monotone_cost<Model>) {
      bottleneck_workspace<cost_t<Model>> workspace;
      (*this)(cost, stages, workspace);
      return std::move(workspace.answer_);
    } else {
      return (*this)(cost, stages, detail::no_constraint());
    }
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

  template <stage_cost Model, stage_constraint Constraint>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const Constraint& allowed) const {
    using answer_type = outcome<chain_partition<cost_t<Model>>>;
    if (stages == 0) detail::fail(argument_error("minimize_bottleneck", "stages", "0", "must be at least 1"));
    const std::size_t items = cost.size();
    if (stages > items) return answer_type::infeasible({reason::cause::more_stages_than_layers, stages, items});
    if constexpr (detail::cuts_only<Constraint>) {
      return detail::on_blocks(cost, stages, allowed, [&](const auto& merged) { return (*this)(merged, stages); });
    } else {
      auto best = filled(cost, stages, allowed);
      return best ? answer_type::optimal(*std::move(best))
                  : answer_type::infeasible(detail::explain_infeasible(allowed, items, stages));
    }
  }

  template <stage_cost Model, stage_constraint Constraint>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   const Constraint& allowed,
                                                                   empty_stages empty) const {
    using answer_type = outcome<chain_partition<cost_t<Model>>>;
    if (empty == empty_stages::forbidden) return (*this)(cost, stages, allowed);
    if (stages == 0) detail::fail(argument_error("minimize_bottleneck", "stages", "0", "must be at least 1"));
    auto best = reached(cost, stages, allowed, empty);
    return best ? answer_type::optimal(*std::move(best))
                : answer_type::infeasible(detail::explain_infeasible(allowed, cost.size(), stages, empty));
  }

  template <stage_cost Model>
  [[nodiscard]] outcome<chain_partition<cost_t<Model>>> operator()(const Model& cost, std::size_t stages,
                                                                   empty_stages empty) const {
    return (*this)(cost, stages, detail::no_constraint(), empty);
  }
  /// @}

 private:
  template <class Chain, class Cost>
  static void solve(const Chain& chain, bottleneck_workspace<Cost>& workspace) {
    detail::separators& where = workspace.separators_;
    const Cost least = detail::bottleneck_search(chain, where).run();
    if (workspace.answer_) workspace.spare_ = std::move(workspace.answer_->cuts);
    workspace.spare_.assign(where.lowest);
    workspace.answer_ = outcome<chain_partition<Cost>>::optimal({{least, least}, std::move(workspace.spare_)});
  }

  template <class Model>
  using best_of = std::optional<chain_partition<cost_t<Model>>>;

  /// Without empty stages.
  template <class Model, class Constraint>
  static best_of<Model> filled(const Model& cost, std::size_t stages, const Constraint& allowed) {
    if constexpr (!monotone_cost<Model>) {
      return reached(cost, stages, allowed, empty_stages::forbidden);
    } else {
      auto free = *minimize_bottleneck_fn()(cost, stages);
      if (detail::allows_cut(allowed, free.cuts, stages)) return free;
      if constexpr (!arithmetic<cost_t<Model>>) {
        return detail::stage_program(cost, stages, bottleneck(), allowed, empty_stages::forbidden,
                                     std::optional(free.value))
            .run();
      } else if constexpr (promises<Constraint, hereditary>) {
        return reached(cost, stages, allowed, empty_stages::forbidden);
      } else {
        const detail::constrained_chain<Model, Constraint> chain{cost, allowed};
        detail::stage_beginnings where(cost.size(), stages);
        detail::bottleneck_search search(chain, where, free.value, cost(0, cost.size()));
        const auto least = search.run();
        if (!search.found()) return std::nullopt;
        return chain_partition<cost_t<Model>>{{least, least}, cuts(where.cut)};
      }
    }
  }

  /// With probes that compute where each stage can begin, if this is faster than trying all stages.
  template <class Model, class Constraint>
  static best_of<Model> reached(const Model& cost, std::size_t stages, const Constraint& allowed, empty_stages empty) {
    using chain_type = detail::reach_chain<Model, Constraint>;
    constexpr bool grows = (chain_type::right || chain_type::left) && promises<Constraint, hereditary>;
    constexpr bool parted = separable_cost<Model> && std::same_as<Constraint, detail::no_constraint>;
    if constexpr (arithmetic<cost_t<Model>> && (grows || parted)) {
      if (cost.size() == 0) return nothing(cost, stages, allowed);
      const chain_type chain{cost, allowed, empty == empty_stages::allowed ? 0U : 1U};
      detail::reach_sets where(cost.size(), stages);
      const bool free = std::same_as<Constraint, detail::no_constraint>;
      const auto most = free ? chain.costliest(where.cut) : detail::greatest<cost_t<Model>>();
      detail::bottleneck_search search(chain, where, chain.least(stages), most);
      if (!free && !search.found()) return std::nullopt;
      const auto least = search.run();
      if (free) static_cast<void>(search.found());  // fails only if a cost breaks its promises
      return chain_partition<cost_t<Model>>{{least, least}, cuts(where.cut, empty)};
    } else {
      return detail::stage_program(cost, stages, bottleneck(), allowed, empty).run();
    }
  }

  /// The only cut of a chain without items, into empty stages.
  template <class Model, class Constraint>
  static best_of<Model> nothing(const Model& cost, std::size_t stages, const Constraint& allowed) {
    cost_t<Model> most = detail::price(cost, 0, 0, 0);
    for (std::size_t s = 0; s < stages; ++s) {
      if (!allowed(s, 0, 0)) return std::nullopt;
      cost_t<Model> here = detail::price(cost, s, 0, 0);
      if (most < here) most = std::move(here);
    }
    return chain_partition<cost_t<Model>>{{most, most},
                                          cuts(std::vector<std::size_t>(stages + 1), empty_stages::allowed)};
  }
};

/// Cuts a chain into `stages` contiguous stages with the smallest bottleneck: the costliest stage is as cheap as
/// possible.
///
/// @param cost       costs of intervals as stages: `prefix_sums`, `block_sums`, `monotone(n, f)`, `at_speeds`,
///                   `added_cuts`, `overlapped_cuts`, or your own model; may depend on the stage
/// @param stages     number of stages k, at least 1
/// @param workspace  optional, for a monotone cost that is the same for all stages; the answer is then a reference into
///                   it, valid until its next use, and no memory is allocated once it has served a chain with as many
///                   stages
/// @param allowed    optional: which intervals may be stages, a `stage_constraint`
/// @param empty      optional: whether stages may be empty; this also calls `cost(first, first)`
/// @return           optimal, with `cost == bound`; or infeasible: `more_stages_than_layers` if k > n without empty
///                   stages, `constraint` if no cut has only allowed stages, with the reason if known
/// @throws           argument_error if `stages == 0`; whatever `cost` and `allowed` throw
///
/// Exact for the costs as the model computes them, rounding included: bounds are costs of real intervals, without an
/// epsilon. On ties, the lexicographically smallest optimal cuts. Deterministic; thread-safe with one workspace per
/// thread. The promises of a cost select the method; numeric costs usually need 2 to 15 probes, at most 105. Calls of
/// cost and constraint for n items, where a cut point has w candidates on average:
///
/// | the cost promises | a probe |
/// |---|---|
/// | monotone, same for all stages | O(k log n); plus usually O(k w) if the best cut is not allowed |
/// | monotone, an `overlapped_cost` too; stages differ, or may be empty; no constraint, or a hereditary one | O(k log n + k w) |
/// | right-monotone, under the same conditions; separable, no constraint | O(k n) |
/// | left-monotone, under the same conditions | O(k n log n) |
/// | anything else | O(k n²) calls in total; for a right-monotone cost O(k n w) with w the items of the widest stage tried |
///
/// Costs with comparison only need O(k log n) probes if they are monotone and the same for all stages; otherwise the last
/// line applies. O(k) memory for the first line, O(k w) for the others.
///
/// Source: D. M. Nicol, J. Parallel Distrib. Comput. 23(2):119-134, 1994; A. Pinar and C. Aykanat, J. Parallel Distrib.
/// Comput. 64(8):974-996, 2004, exact bisection with separators. Here probes run from the end of the chain, which yields
/// the lexicographically smallest cuts; bounds by bit patterns, and probes with sets of first items, are additions.
inline constexpr minimize_bottleneck_fn minimize_bottleneck{};

}  // namespace stagecut::inline STAGECUT_ABI
