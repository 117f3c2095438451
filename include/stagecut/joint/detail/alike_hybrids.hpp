// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/detail/told_stages.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline v0::detail {

/// Plans of which all stages have as many replicas and ways, and all layers the same recomputation: the best of all numbers.
/// @tparam Planner  a `hybrid_planner`
template <class Planner>
class alike_hybrids {
 public:
  /// @param told  which stages a framework can be told; null: all
  alike_hybrids(const profile& model, const Planner& planner, told_stages* told)
      : model_(model), planner_(planner), request_(planner.request()), told_(told) {}

  [[nodiscard]] outcome<plan> best() {
    const std::vector<choice> all = choices();
    std::optional<outcome<plan>> best;
    std::optional<double> bound;  // of all that may be plans
    bool open = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      outcome<plan> here = planned(all[k], 1 / static_cast<double>(all.size() - k));
      open = open || here.state() == state::unknown;
      if (here) {
        const double low = here->objective.bound / at_once(*here);
        bound = bound && *bound < low ? *bound : low;
      }
      if (!best || better(here, *best)) best = std::move(here);
    }
    if (!best) return outcome<plan>::infeasible(why_none());
    if (!*best) return open && best->state() == state::infeasible ? outcome<plan>::unknown({}) : std::move(*best);
    return with_bound(std::move(**best), open ? std::nullopt : bound);
  }

 private:
  /// Numbers of replicas and ways that all stages have, and how all layers are recomputed.
  struct choice {
    std::size_t replicas;
    std::size_t ways;
    std::string recomputation;
    std::optional<std::size_t> stages;  // unset: whatever is best
    std::optional<std::size_t> middle;  // as `told_stages::set_middle`
  };

  /// A plan with the bound of all choices; unset: one of them is open.
  [[nodiscard]] outcome<plan> with_bound(plan made, std::optional<double> bound) const {
    objective_value& of = made.objective;
    if (!bound) of.bound = planner_.least_work(request_.pipeline.microbatches);
    // It was divided, and rounded.
    if (bound && *bound * at_once(made) * (1 + 0x1p-50) < of.bound) of.bound = *bound * at_once(made) * (1 + 0x1p-50);
    if (of.value < of.bound) of.bound = of.value;
    of.state = of.bound < of.value ? state::feasible : state::optimal;
    return of.state == state::optimal ? outcome<plan>::optimal(std::move(made))
                                      : outcome<plan>::feasible(std::move(made));
  }

  [[nodiscard]] std::vector<choice> choices() const {
    const hybrid_request& asked = request_.pipeline;
    std::vector<choice> result;
    for (const std::size_t ways : request_.choices.ways) {
      for (const std::size_t replicas : request_.choices.replicas) {
        if (asked.microbatches % replicas != 0 || replicas > asked.devices || ways > asked.devices / replicas) continue;
        if (!asked.at_most && asked.devices % (replicas * ways) != 0) continue;
        for (std::string& name : common_recomputations(model_, {ways})) {
          bool found = request_.choices.recomputations.empty();
          for (const std::string& each : request_.choices.recomputations) found = found || each == name;
          if (found) add_stages({replicas, ways, std::move(name), asked.stages, {}}, result);
        }
      }
    }
    return result;
  }

  /// Adds a choice, for each number of stages where these have to be alike.
  void add_stages(const choice& of, std::vector<choice>& result) const {
    const hybrid_request& asked = request_.pipeline;
    const std::size_t most = asked.devices / (of.replicas * of.ways);
    if (told_ == nullptr || !told_->has_equal_middles()) return result.push_back(of);
    for (std::size_t stages = asked.at_most ? 1 : most; stages <= most; ++stages) {
      if (asked.stages && *asked.stages != stages) continue;
      for (const auto& middle : told_->middles(stages)) {
        result.push_back(of);
        result.back().stages = stages;
        result.back().middle = middle;
      }
    }
  }

  /// The best plan of such a choice.
  [[nodiscard]] outcome<plan> planned(const choice& of, double share) {
    if (!options_ || chosen_.ways[0] != of.ways || chosen_.replicas[0] != of.replicas ||
        chosen_.recomputations[0] != of.recomputation) {
      chosen_ = request_.choices;
      chosen_.ways = {of.ways};
      chosen_.replicas = {of.replicas};
      chosen_.recomputations = {of.recomputation};
      chosen_.own_microbatches = true;
      options_.emplace(planner_.make(chosen_));
    }
    if (told_ != nullptr) told_->set_middle(of.middle);
    hybrid_request one = request_.pipeline;
    one.microbatches = request_.pipeline.microbatches / of.replicas;
    one.stages = of.stages;
    return planner_.planned(*options_, chosen_, one, share);
  }

  [[nodiscard]] reason why_none() const {
    reason why{reason::cause::constraint};
    why.place = joined({"replicas, which must divide the microbatches, ", request_.pipeline.microbatches,
                        ", and with the devices that share a layer all devices, ", request_.pipeline.devices});
    return why;
  }

  /// Microbatches that all replicas run in the time of which the objective is.
  [[nodiscard]] static double at_once(const plan& made) {
    const bool one = made.objective.name == to_string(plan_objective::stage_time) && made.own_microbatches;
    return one ? static_cast<double>(made.stages[0].replicas) : 1;
  }

  [[nodiscard]] static bool better(const outcome<plan>& one, const outcome<plan>& other) {
    if (!one || !other)
      return one.has_value() ||
             (!other && one.state() == state::infeasible && one.why().lacks_fewer_bytes_than(other.why()));
    return one->objective.value / at_once(*one) < other->objective.value / at_once(*other);
  }

  const profile& model_;
  const Planner& planner_;
  const hybrid_plan_request& request_;
  told_stages* told_;
  device_choices chosen_{};
  std::optional<decltype(std::declval<const Planner&>().make(device_choices()))> options_{};  // of what was chosen last
};

}  // namespace stagecut::inline v0::detail
