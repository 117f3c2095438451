// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <thrust/detail/config.h>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/search/detail/expects_policy.hpp>
#include <stagecut/search/detail/host_stage_layers.hpp>
#include <stagecut/search/detail/stage_steps.hpp>
#include <stagecut/search/detail/system.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <stagecut/search/detail/cuda_stage_layers.cuh>
#endif

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The layers of a dynamic program, in the memory of a policy's algorithms.
template <class Policy, class Question>
using stage_layers_t =
    decltype(detail::stage_layers_of(std::declval<const system_t<Policy>&>(), std::declval<const Question&>()));

// Names for compiler errors about calls with other arguments.
struct after_the_policy_comes_a_cost_of_stages_as_prefix_sums_or_monotone_n_f;
struct after_the_cost_comes_the_number_of_stages;
struct after_the_number_of_stages_comes_an_isotone_objective_with_trivially_copyable_values;
struct a_stage_constraint_is_asked_of_stage_first_last;

}  // namespace detail

/// An isotone objective with values that can be copied bitwise to and from a device.
template <class Objective, class Cost>
concept device_objective = isotone_objective<Objective, Cost> &&
    std::is_trivially_copyable_v<value_t<Objective, Cost>> && std::default_initializable<value_t<Objective, Cost>>;

/// See `stage_dp`.
struct stage_dp_fn : detail::expects_policy {
  using detail::expects_policy::operator();

  /// See `stage_dp`.
  /// @{
  template <detail::thrust_policy Policy, stage_cost Model, class Objective = bottleneck>
  requires device_objective<Objective, cost_t<Model>>
  [[nodiscard]] outcome<chain_partition<value_t<Objective, cost_t<Model>>>> operator()(
      const Policy& policy, const Model& cost, std::size_t stages, const Objective& goal = {},
      const search_options& limits = {}) const {
    return (*this)(policy, cost, stages, goal, stagecut::detail::no_constraint(), limits);
  }

  template <detail::thrust_policy Policy, stage_cost Model, class Objective, stage_constraint Constraint>
  requires device_objective<Objective, cost_t<Model>>
  [[nodiscard]] outcome<chain_partition<value_t<Objective, cost_t<Model>>>> operator()(
      const Policy& policy, const Model& cost, std::size_t stages, const Objective& goal, const Constraint& allowed,
      const search_options& limits = {}) const {
    using question = detail::stage_question<Model, Objective, Constraint>;
    using answer = outcome<chain_partition<typename question::value>>;
    if (stages == 0) stagecut::detail::fail(argument_error("search::stage_dp", "stages", "0", "must be at least 1"));
    stagecut::detail::check_limits("search::stage_dp", limits);
    const std::size_t items = cost.size();
    if (stages > items) return answer::infeasible({reason::cause::more_stages_than_layers, stages, items});
    stagecut::detail::chain_clock clock(limits);
    detail::stage_layers_t<Policy, question> layers(question{cost, goal, allowed, stages, items - stages + 1});
    for (std::size_t s = stages; s-- > 0;) {
      const double done = static_cast<double>(stages - 1 - s);
      if (clock.look(done / static_cast<double>(stages))) return answer::unknown({reason::cause::limit_reached});
      layers.fill(policy, s);
      clock.work(items - stages + 1);
    }
    const auto least = layers.least();
    if (!least.allowed) return answer::infeasible(stagecut::detail::explain_infeasible(allowed, items, stages));
    return answer::optimal({{least.cost, least.cost}, cuts(layers.cut(policy))});
  }
  /// @}

  template <detail::thrust_policy Policy, class Other, class... Rest>
  requires(!stage_cost<Other>) detail::after_the_policy_comes_a_cost_of_stages_as_prefix_sums_or_monotone_n_f  //
  operator()(const Policy&, const Other&, const Rest&...) const = delete;  // prefix_sums(items), monotone(n, f)
  template <detail::thrust_policy Policy, stage_cost Model>
  detail::after_the_cost_comes_the_number_of_stages        //
  operator()(const Policy&, const Model&) const = delete;  // stage_dp(policy, cost, stages, goal, allowed, limits)
  template <detail::thrust_policy Policy, stage_cost Model, class Goal, class... Rest>
  requires(!device_objective<Goal, cost_t<Model>>)
      detail::after_the_number_of_stages_comes_an_isotone_objective_with_trivially_copyable_values       //
      operator()(const Policy&, const Model&, std::size_t, const Goal&, const Rest&...) const = delete;  // total_cost()
  template <detail::thrust_policy P, stage_cost M, device_objective<cost_t<M>> G, class Two, class... Rest>
  requires(!stage_constraint<Two> && !std::convertible_to<const Two&, const search_options&>)
      detail::a_stage_constraint_is_asked_of_stage_first_last                                            //
      operator()(const P&, const M&, std::size_t, const G&, const Two&, const Rest&...) const = delete;  // (s, i, j)
};

/// Cuts a chain into `stages` non-empty stages that minimize an objective, for arbitrary costs: a dynamic program with
/// one layer per stage, each computed on all processors of a host or on a device. `minimize_objective` in parallel; for
/// costs with known properties the functions of `sequence` are faster.
///
/// @param policy   of Thrust: where and how to fill the layers
/// @param cost     the cost of items as a stage, without required properties; may depend on the stage. For a device
///                 trivially copyable, or with a member `placed`: see `memory_for`
/// @param stages   number of stages k, at least 1
/// @param goal     `bottleneck{}` by default, `total{}`, or your own `isotone_objective` with trivially copyable
///                 values; those of `leximax` are not
/// @param allowed  optional: which items may form a stage, a `stage_constraint`; for a device as `cost`
/// @param limits   limits and callbacks, checked between layers
/// @return         optimal, with the value as cost and bound; infeasible, `more_stages_than_layers` if k > n,
///                 `constraint` if every cut has a stage that is not allowed; unknown, `limit_reached`, if a limit
///                 ended it
/// @throws         argument_error if `stages == 0` or the time limit is NaN; on hosts whatever `cost`, `goal` and
///                 `allowed` throw; on a device `device_error`
///
/// Bitwise the same answer as `minimize_objective`, including ties, on every system and for any number of threads. For
/// w = n - k + 1, 2 w + (k - 2) w (w + 1) / 2 calls of cost and constraint in the layers, fewer where ends cannot help
/// or a constraint is hereditary, and at most 2 n more for the cut. Memory for k w values, each the value of any number
/// of items: the ends of stages are recomputed, not stored; on a device up to 64 w values more.
///
/// Source: R. Bellman, Dynamic Programming, Princeton, 1957: the principle of optimality.
inline constexpr stage_dp_fn stage_dp{};

}  // namespace stagecut::inline STAGECUT_ABI::search
