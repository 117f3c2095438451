// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/joint/detail/hybrid_planner.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/detail/told_stages.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best plan whose stages all have the same replicas and tensor-parallel degree, and whose layers all have the same
/// recomputation, over all such choices.
/// @tparam Planner  a `hybrid_planner`
template <class Planner>
class uniform_hybrids {
 public:
  /// @param told  the stages that a framework can express; null: all
  uniform_hybrids(const profile& model, const Planner& planner, told_stages* told)
      : model_(model), planner_(planner), request_(planner.request()), told_(told) {}

  [[nodiscard]] outcome<plan> best() {
    const std::vector<choice> all = choices();
    if (all.empty()) static_cast<void>(planner_.make(request_.choices));  // rejects invalid figures
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < all.size(); ++k) open.push_back(k);
    answers_.resize(all.size());
    // In the end, what is left of the limits goes to choices that had too little.
    const double all_left = planner_.left();
    for (double left = all_left; !open.empty();) {
      std::vector<std::size_t> still;
      for (std::size_t i = 0; i < open.size(); ++i) {
        look(all[open[i]], 1 / static_cast<double>(open.size() - i), answers_[open[i]]);
        if (is_open(answers_[open[i]])) still.push_back(open[i]);
      }
      open = std::move(still);
      const double now = planner_.left();
      if (!(now > 0.05 * all_left) || !(now < left)) break;
      left = now;
    }
    return told();
  }

 private:
  /// The replicas and tensor-parallel degree of all stages, and the recomputation of all layers.
  struct choice {
    std::size_t replicas;
    std::size_t ways;
    std::string recomputation;
    std::optional<std::size_t> stages;  // unset: the best number
    std::optional<std::size_t> middle;  // as `told_stages::set_middle`
  };

  /// Whether a choice may have a better plan than any found.
  [[nodiscard]] bool is_open(const outcome<plan>& answer) const {
    if (answer.state() == state::unknown) return true;
    return answer.state() == state::feasible && (!value_ || answer->objective.bound < *value_);
  }

  /// Searches a choice, and keeps the better of two answers, with the better of their bounds.
  void look(const choice& of, double share, outcome<plan>& answer) {
    outcome<plan> here = planned(of, share);
    if (here && answer) {
      const double bound =
          here->objective.bound < answer->objective.bound ? answer->objective.bound : here->objective.bound;
      plan better = here->objective.value < answer->objective.value ? *std::move(here) : *std::move(answer);
      better.objective.bound = bound < better.objective.value ? bound : better.objective.value;
      const bool optimal = !(better.objective.bound < better.objective.value);
      better.objective.state = optimal ? state::optimal : state::feasible;
      answer = optimal ? outcome<plan>::optimal(std::move(better)) : outcome<plan>::feasible(std::move(better));
    } else if (here || !answer) {
      answer = std::move(here);
    }
    if (answer && (!value_ || answer->objective.value < *value_)) value_ = answer->objective.value;
  }

  /// Returns the best answer, with the bound of all.
  [[nodiscard]] outcome<plan> told() {
    outcome<plan>* best = nullptr;
    std::optional<double> bound;  // of all choices that may have a plan
    const outcome<plan>* open = nullptr;
    for (outcome<plan>& answer : answers_) {
      if (answer.state() == state::unknown && open == nullptr) open = __builtin_addressof(answer);
      if (answer) bound = bound && *bound < answer->objective.bound ? bound : answer->objective.bound;
      if (best == nullptr || better(answer, *best)) best = __builtin_addressof(answer);
    }
    if (best == nullptr) return outcome<plan>::infeasible(why_none());
    if (!*best) return open != nullptr ? outcome<plan>::unknown(open->why()) : std::move(*best);
    plan made = std::move(**best);
    objective_value& of = made.objective;
    of.bound = open != nullptr ? planner_.least_work(request_.pipeline.microbatches) : *bound;
    if (of.value < of.bound) of.bound = of.value;
    of.state = of.bound < of.value ? state::feasible : state::optimal;
    return of.state == state::optimal ? outcome<plan>::optimal(std::move(made))
                                      : outcome<plan>::feasible(std::move(made));
  }

  [[nodiscard]] std::vector<choice> choices() const {
    const hybrid_request& asked = request_.pipeline;
    std::vector<choice> result;
    for (const std::size_t ways : request_.choices.tensor_parallel) {
      for (const std::size_t replicas : request_.choices.replicas) {
        if (asked.microbatches % replicas != 0 || replicas > asked.devices || ways > asked.devices / replicas) continue;
        if (!asked.at_most && asked.devices % (replicas * ways) != 0) continue;
        for (std::string& name : common_recomputations(model_, {ways})) {
          bool found = request_.choices.recomputations.empty();
          for (const std::string& each : request_.choices.recomputations) found = found || each == name;
          if (found && are_run(name, ways)) add_stages({replicas, ways, std::move(name), asked.stages, {}}, result);
        }
      }
    }
    return result;
  }

  /// Whether all layers that need the same recomputation support it at this tensor-parallel degree.
  [[nodiscard]] bool are_run(const std::string& name, std::size_t ways) const {
    if (told_ == nullptr) return true;
    for (const std::size_t i : told_->alike()) {
      const layer& each = model_.layers[i];
      bool shared = false;
      bool any = false;
      for (const layer_variant& variant : each.shardings.get()) {
        if (ways == 1 || variant.tensor_parallel != ways) continue;
        shared = true;
        any = any || (variant.recomputation.empty() ? "none" : variant.recomputation) == name;
      }
      if (!shared) {
        any = own_recomputation(each) == name || find_variant_of(each.recomputations, name);
      }
      if (!any) return false;
    }
    return true;
  }

  /// Adds a choice, for each number of stages where stages must be equal.
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

  /// The best plan of a choice.
  [[nodiscard]] outcome<plan> planned(const choice& of, double share) {
    if (!options_ || chosen_.tensor_parallel[0] != of.ways || chosen_.replicas[0] != of.replicas ||
        chosen_.recomputations[0] != of.recomputation) {
      chosen_ = request_.choices;
      chosen_.tensor_parallel = {of.ways};
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

  [[nodiscard]] static bool better(const outcome<plan>& one, const outcome<plan>& other) {
    if (!one || !other)
      return one.has_value() ||
             (!other && one.state() == state::infeasible && one.why().lacks_fewer_bytes_than(other.why()));
    return one->objective.value < other->objective.value;
  }

  const profile& model_;
  const Planner& planner_;
  const hybrid_plan_request& request_;
  told_stages* told_;
  std::vector<outcome<plan>> answers_{};  // for every choice
  std::optional<double> value_{};         // of the best
  device_choices chosen_{};
  std::optional<decltype(std::declval<const Planner&>().make(device_choices()))> options_{};  // of the last choice
};

/// Returns the best plan of a model.
/// @param make   as for `hybrid_planner`
/// @param known  as for `hybrid_planner`
/// @param told   as for `uniform_hybrids`
template <class Make>
[[nodiscard]] outcome<plan> best_hybrid(const profile& model, const hybrid_plan_request& request, const Make& make,
                                        const plan* known = nullptr, told_stages* told = nullptr) {
  const hybrid_planner planner(model, request, make, known);
  return planner.with_remedy(
      request.uniform ? uniform_hybrids(model, planner, told).best()
                      : planner.planned(planner.make(request.choices), request.choices, request.pipeline, 1));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
