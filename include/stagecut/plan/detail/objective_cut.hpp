// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/cut_times.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/parts/any_stage_cost.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/stage_devices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_variance.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>

// The objectives of `plan_chain`, and the stage costs that they see.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether this is the default objective of stages, or the bottleneck.
[[nodiscard]] constexpr bool is_bottleneck(plan_objective objective) noexcept {
  return objective == plan_objective::automatic || objective == plan_objective::bottleneck;
}

/// A cut of blocks, the objective's value, and the cost of each stage.
struct objective_cut {
  stagecut::cuts cuts{};        ///< between blocks
  double value = 0;             ///< of the objective; for `leximax` the costliest stage
  double bound = 0;             ///< no cut has less
  std::vector<double> costs{};  ///< of the stages
};

/// A function that returns the cost of a stage of a cut.
using price_ref = function_ref<double(std::size_t, std::size_t, std::size_t)>;

/// A cut and the costs of its stages.
[[nodiscard, gnu::noinline]] inline outcome<objective_cut> objective_cut_of(const cuts& found, double value,
                                                                            double bound, state how, price_ref price) {
  objective_cut result{found, value, bound, {}};
  for (std::size_t s = 0; s < found.stages(); ++s) result.costs.push_back(price(s, found[s], found[s + 1]));
  return how == state::optimal ? outcome<objective_cut>::optimal(std::move(result))
                               : outcome<objective_cut>::feasible(std::move(result));
}
[[nodiscard, gnu::noinline]] inline outcome<objective_cut> objective_cut_of(
    const outcome<chain_partition<double>>& found, price_ref price) {
  if (!found) return outcome<objective_cut>::infeasible(found.why());
  return detail::objective_cut_of(found->cuts, found->value, found->bound, found.state(), price);
}
[[nodiscard, gnu::noinline]] inline outcome<objective_cut> objective_cut_of(
    const outcome<chain_partition<std::vector<double>>>& found, price_ref price) {
  if (!found) return outcome<objective_cut>::infeasible(found.why());
  return detail::objective_cut_of(found->cuts, found->value.front(), found->bound.front(), found.state(), price);
}

/// The best cut by the objective of a request. `range` and `variance` are only used with sums.
template <stage_cost Cost, stage_constraint Constraint>
[[nodiscard]] outcome<objective_cut> best_by_objective(const Cost& cost, std::size_t stages,
                                                       const plan_request& request, const Constraint& allowed) {
  const auto price = [&](std::size_t s, std::size_t first, std::size_t last) -> double {
    return detail::price(cost, s, first, last);
  };
  const search_options limits = detail::limits_of(request);
  if (request.objective == plan_objective::leximax) {
    return detail::objective_cut_of(minimize_leximax(cost, stages, allowed, limits), price);
  }
  if constexpr (additive_cost<Cost>) {
    if (request.objective == plan_objective::range) {
      return detail::objective_cut_of(minimize_range(cost, stages, allowed, limits), price);
    }
    if (request.objective == plan_objective::variance) {
      return detail::objective_cut_of(minimize_variance(cost, stages, allowed, limits), price);
    }
  }
  return detail::objective_cut_of(minimize_bottleneck(cost, stages, allowed), price);
}

/// The same for the times of a request's stages: on devices of different speeds, with the messages at their ends.
///
/// A message takes its link once per microbatch in each direction, in inference in one. Blocking messages occupy a
/// device in both directions at both ends, in addition to computing; a link carries each direction while both devices
/// compute; with `latency` messages occupy nothing.
///
/// @param blocks  the layers of each item of the chain
template <stage_constraint Constraint>
[[nodiscard]] outcome<objective_cut> best_by_time(const known_prefixes<double>& cost, const profile& model,
                                                  const cuts& blocks, const plan_request& request,
                                                  const Constraint& allowed) {
  const std::size_t stages = request.devices * request.stages_per_rank;
  const std::vector<std::size_t> rank_of = placement_of(request);
  std::vector<link_speed> links = links_of(request, rank_of);
  if (request.devices == 1 || request.transfers == transfer_kind::latency) links.clear();
  const bool turns = entry_of(requested_kind(request)).v_shaped && !links.empty();
  if (turns && links.size() == 1) links.resize(stages - 1, links[0]);
  for (std::size_t b = 0; turns && b + 1 < stages; ++b) {
    if (rank_of[b] == rank_of[b + 1]) links[b] = {};  // a message within a device is free
  }
  std::vector<double> speeds = speeds_of_stages(request, rank_of);
  const auto best = [&]<class Cost>(const Cost& priced) {
    if constexpr (std::same_as<Constraint, no_constraint> || additive_cost<Cost>) {
      return detail::best_by_objective(priced, stages, request, allowed);
    } else {
      // Under memory limits only monotonicity is used.
      using promised = axiom<enable_axioms<Cost>.bits & monotone.bits>;
      const any_stage_cost<promised, double> any(priced, priced.size());
      return detail::best_by_objective(any, stages, request, allowed);
    }
  };
  using costs = const known_prefixes<double>&;
  if (links.empty()) return speeds.empty() ? best(cost) : best(at_speeds<costs>(cost, std::move(speeds)));

  if (speeds.empty()) speeds.assign(stages, 1);
  const double ways = request.transfers == transfer_kind::blocking && !model.inference ? 2 : 1;
  std::vector<double> bytes(cost.size());
  for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] = ways * model.layers[blocks[b + 1] - 1].output;
  for (link_speed& link : links) link.latency *= ways;
  cut_times times(std::move(bytes), std::move(links));
  if (request.transfers == transfer_kind::blocking) {
    return best(added_cuts<costs>(cost, std::move(times), std::move(speeds)));
  }
  return best(overlapped_cuts<costs>(cost, std::move(times), std::move(speeds)));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
