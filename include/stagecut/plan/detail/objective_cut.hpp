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
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/detail/stage_devices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/sequence/chain_limits.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_variance.hpp>

// The objectives of `plan_chain`, and what they see of a stage.
namespace stagecut::inline v0::detail {

/// Whether it is what stages are cut by where no other objective was said.
[[nodiscard]] constexpr bool is_bottleneck(plan_objective objective) noexcept {
  return objective == plan_objective::automatic || objective == plan_objective::bottleneck;
}

/// A cut of blocks, what the objective says of it, and of every stage.
struct objective_cut {
  stagecut::cuts cuts{};        ///< between blocks
  double value = 0;             ///< of the objective; of `leximax` the costliest stage
  double bound = 0;             ///< no cut has less
  std::vector<double> costs{};  ///< of the stages
};

/// A cost of stages that is somebody else's and promises `Promises`, behind a pointer: one search is compiled for all such.
template <class Promises>
class any_stage_cost {
 public:
  using axioms = Promises;

  /// @param cost  must outlive this object
  template <class Price>
  any_stage_cost(const Price& cost, std::size_t size) : price_(cost), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return price_(stage, first, last);
  }

 private:
  function_ref<double(std::size_t, std::size_t, std::size_t)> price_;
  std::size_t size_;
};

/// By the objective of a request. `range` and `variance` are only asked for of sums.
template <stage_cost Cost, stage_constraint Constraint>
[[nodiscard]] outcome<objective_cut> best_by_objective(const Cost& cost, std::size_t stages,
                                                       const plan_request& request, const Constraint& allowed) {
  const plan_objective objective = request.objective;
  const chain_limits limits = detail::limits_of(request);
  const auto told = [&](const auto& found, const auto& number) {
    if (!found) return outcome<objective_cut>::infeasible(found.why());
    objective_cut result{found->cuts, number(found->cost), number(found->bound), {}};
    for (std::size_t s = 0; s < stages; ++s) {
      result.costs.push_back(detail::price(cost, s, result.cuts[s], result.cuts[s + 1]));
    }
    return found.state() == state::optimal ? outcome<objective_cut>::optimal(std::move(result))
                                           : outcome<objective_cut>::feasible(std::move(result));
  };
  const auto itself = [](double value) { return value; };
  if (objective == plan_objective::leximax) {
    return told(minimize_leximax(cost, stages, allowed, limits), [](const auto& costs) { return costs.front(); });
  }
  if constexpr (additive_cost<Cost>) {
    if (objective == plan_objective::range) return told(minimize_range(cost, stages, allowed, limits), itself);
    if (objective == plan_objective::variance) return told(minimize_variance(cost, stages, allowed, limits), itself);
  }
  return told(minimize_bottleneck(cost, stages, allowed), itself);
}

/// The same of the times of a request's stages: on devices of different speeds, with the messages at their ends.
///
/// A message takes its link in each direction once for every microbatch. What blocks, a device does both ways at both
/// ends, beside computing; a link carries each way while both compute; what occupies nothing holds up nobody.
template <additive_cost Sums, stage_constraint Constraint>
[[nodiscard]] outcome<objective_cut> best_by_time(const merged_items<Sums>& cost, const profile& model,
                                                  const plan_request& request, const Constraint& allowed) {
  const std::size_t stages = request.devices * request.chunks;
  const std::vector<std::size_t> rank_of = loop_placement(request.devices, request.chunks);
  std::vector<link_speed> links = links_of(request, rank_of);
  if (request.devices == 1 || request.transfers == transfer_kind::latency) links.clear();
  std::vector<double> speeds = speeds_of_stages(request, rank_of);
  const auto best = [&]<class Cost>(const Cost& priced) {
    if constexpr (std::same_as<Constraint, no_constraint> || additive_cost<Cost>) {
      return detail::best_by_objective(priced, stages, request, allowed);
    } else {
      // Within memory no more than its growth is made use of.
      using promised = axiom<enable_axioms<Cost>.bits & monotone.bits>;
      return detail::best_by_objective(any_stage_cost<promised>(priced, priced.size()), stages, request, allowed);
    }
  };
  if (links.empty()) return speeds.empty() ? best(cost) : best(at_speeds(cost, std::move(speeds)));

  if (speeds.empty()) speeds.assign(stages, 1);
  const double ways = request.transfers == transfer_kind::blocking ? 2 : 1;
  std::vector<double> bytes(cost.size());
  for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] = ways * model.layers[cost.blocks()[b + 1] - 1].output;
  for (link_speed& each : links) each.latency *= ways;
  cut_times times(std::move(bytes), std::move(links));
  if (request.transfers == transfer_kind::blocking) {
    return best(added_cuts(cost, std::move(times), std::move(speeds)));
  }
  return best(overlapped_cuts(cost, std::move(times), std::move(speeds)));
}

}  // namespace stagecut::inline v0::detail
