// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_hybrid.hpp>
#include <stagecut/joint/minimize_pipeline_length.hpp>
#include <stagecut/joint/minimize_stage_time.hpp>
#include <stagecut/joint/profile_options.hpp>
#include <stagecut/plan/detail/as_one_chain.hpp>
#include <stagecut/plan/detail/describe_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline v0 {

/// For what a profile is cut into stages on several devices each.
struct hybrid_plan_request {
  /// Devices, microbatches, memory, limits. Its devices are those of the machine.
  hybrid_request pipeline{};
  device_choices choices{};  ///< how stages may be run, and on which machine
  /// What is minimised: `iteration`, which `automatic` means; `stage_time`; `pipeline_length`.
  plan_objective objective = plan_objective::automatic;
  length_options length{};  ///< of what `pipeline_length` is made
  /// Whether all stages have as many replicas and ways as the others, each replica with microbatches of its own, and all layers
  /// that have a choice the same recomputation, as frameworks with one degree of each run them: then each replica runs its
  /// share of `pipeline.microbatches`.
  bool alike = false;
};

namespace detail {

/// Plans of a profile with replicas and ways.
class hybrid_planner {
 public:
  hybrid_planner(const profile& model, hybrid_plan_request request) : model_(model), request_(std::move(request)) {
    const auto refuse = [](const char* name, const std::string& value, const char* must) {
      fail(argument_error("plan_hybrid", name, value, must));
    };
    const plan_objective of = request_.objective;
    if (of == plan_objective::automatic) request_.objective = plan_objective::iteration;
    if (of != plan_objective::automatic && of != plan_objective::iteration && of != plan_objective::stage_time &&
        of != plan_objective::pipeline_length) {
      refuse("objective", to_string(of), "must be iteration, stage-time or pipeline-length");
    }
    if (request_.pipeline.devices != request_.choices.machine.devices()) {
      refuse("pipeline.devices", std::to_string(request_.pipeline.devices), "must be those of the machine");
    }
  }

  [[nodiscard]] outcome<plan> run() {
    if (!request_.alike) return planned(request_.choices, request_.pipeline);
    return best_alike();
  }

 private:
  /// With the same numbers of replicas and ways everywhere, the best of all numbers.
  [[nodiscard]] outcome<plan> best_alike() {
    const hybrid_request& all = request_.pipeline;
    std::optional<outcome<plan>> best;
    double bound = 0;
    bool any = false;
    bool open = false;
    for (const std::size_t ways : request_.choices.ways) {
      for (const std::size_t replicas : request_.choices.replicas) {
        if (all.microbatches % replicas != 0 || replicas * ways > all.devices) continue;
        if (!all.at_most && all.devices % (replicas * ways) != 0) continue;
        for (const std::string& name : names_alike(ways)) {
          outcome<plan> here = planned_alike(ways, replicas, name);
          open = open || here.state() == state::unknown;
          if (here) {
            bound = any && bound < here->objective.bound ? bound : here->objective.bound;
            any = true;
          }
          if (!best || better(here, *best)) best = std::move(here);
        }
      }
    }
    if (!best) return outcome<plan>::infeasible({reason::cause::no_candidate});
    if (!*best) return open && best->state() == state::infeasible ? outcome<plan>::unknown({}) : std::move(*best);
    plan made = std::move(**best);
    made.objective.bound = open ? 0 : bound < made.objective.value ? bound : made.objective.value;
    made.objective.state = made.objective.bound < made.objective.value ? state::feasible : state::optimal;
    return made.objective.state == state::optimal ? outcome<plan>::optimal(std::move(made))
                                                  : outcome<plan>::feasible(std::move(made));
  }

  /// The recomputations of which all layers can run one, of those that were asked for.
  [[nodiscard]] std::vector<std::string> names_alike(std::size_t ways) const {
    const std::vector<std::string>& asked = request_.choices.recomputations;
    std::vector<std::string> result;
    for (std::string& name : common_recomputations(model_, {ways})) {
      bool found = asked.empty();
      for (const std::string& each : asked) found = found || each == name;
      if (found) result.push_back(std::move(name));
    }
    return result;
  }

  /// The best plan with so many ways and replicas everywhere, and all layers recomputed alike.
  [[nodiscard]] outcome<plan> planned_alike(std::size_t ways, std::size_t replicas, const std::string& name) const {
    device_choices choices = request_.choices;
    choices.ways = {ways};
    choices.replicas = {replicas};
    choices.recomputations = {name};
    choices.own_microbatches = true;
    hybrid_request one = request_.pipeline;
    one.microbatches = request_.pipeline.microbatches / replicas;
    return planned(choices, one);
  }

  [[nodiscard]] static bool better(const outcome<plan>& one, const outcome<plan>& other) {
    if (!one || !other)
      return one.has_value() || (!other && one.state() == state::infeasible && lacks_less(one, other));
    return one->objective.value < other->objective.value;
  }
  [[nodiscard]] static bool lacks_less(const outcome<plan>& one, const outcome<plan>& other) {
    const auto of_bytes = [](const reason& each) {
      return each.what == reason::cause::memory || each.what == reason::cause::layer_too_large;
    };
    if (!of_bytes(one.why())) return false;
    return !of_bytes(other.why()) || one.why().needed < other.why().needed;
  }

  [[nodiscard]] outcome<plan> planned(const device_choices& choices, const hybrid_request& request) const {
    const profile_options options(model_, choices);
    const outcome<hybrid_cut> found = best_cut(options, request);
    if (found.state() == state::infeasible) return outcome<plan>::infeasible(found.why());
    if (!found) return outcome<plan>::unknown(found.why());
    plan made = told(options, choices, request, *found);
    objective_value& objective = made.objective;
    if (!options.is_whole()) objective.bound = hopeful_bound(choices, request, objective.value);
    const bool optimal = !(objective.bound < objective.value);
    objective.state = optimal ? state::optimal : state::feasible;
    return optimal ? outcome<plan>::optimal(std::move(made)) : outcome<plan>::feasible(std::move(made));
  }

  [[nodiscard]] outcome<hybrid_cut> best_cut(const profile_options& options, const hybrid_request& request) const {
    if (request_.objective == plan_objective::stage_time) return minimize_stage_time(options, request);
    if (request_.objective == plan_objective::pipeline_length) return minimize_pipeline_length(options, request, request_.length);
    return minimize_hybrid(options, request);
  }

  /// Where not all mixtures were looked at: what no plan is below, by such as are as good as any of several.
  [[nodiscard]] double hopeful_bound(device_choices choices, const hybrid_request& request, double value) const {
    choices.hopeful = true;
    const outcome<hybrid_cut> found = best_cut(profile_options(model_, std::move(choices)), request);
    if (!found) return 0;
    return found->bound < value ? found->bound : value;
  }

  /// The plan of what was found.
  [[nodiscard]] plan told(const profile_options& options, const device_choices& choices, const hybrid_request& request,
                          const hybrid_cut& found) const {
    plan result;
    result.profile = model_;
    result.devices = found.stages.size();
    result.own_microbatches = choices.own_microbatches;
    result.choices.resize(model_.layers.size());
    std::vector<std::size_t> points{0};
    for (std::size_t s = 0; s < found.stages.size(); ++s) {
      points.push_back(found.stages[s].last);
      result.stages.push_back(stage_of(options, choices, request, found, s, result.choices));
      if (s == 0) continue;
      link_speed link = options.links().before(found.stages[s].first_device);
      if (!choices.own_microbatches) link.bandwidth *= static_cast<double>(result.stages[s].replicas);
      result.messages.links.push_back(link);
    }
    result.cuts = cuts(points);
    result.messages.kind = result.messages.links.empty() ? "" : to_string(transfer_kind::link);
    result.schedule = {"1f1b", request.microbatches, {}, 0};
    plan_request as_asked;
    as_asked.memory = choices.memory;
    result.memory = {optimizer_name(model_, as_asked),
                     choices.memory.parameter_multiplier,
                     to_string(choices.memory.checkpoint),
                     choices.memory.boundary_buffers,
                     request.memory_per_device,
                     0,
                     {}};
    predict(result, false);
    const double value = request_.objective == plan_objective::iteration ? *result.makespan : found.cost;
    result.objective = {to_string(request_.objective), "time", value, found.bound < value ? found.bound : value,
                        state::feasible};
    return result;
  }

  [[nodiscard]] planned_stage stage_of(const profile_options& options, const device_choices& choices,
                                       const hybrid_request& request, const hybrid_cut& found, std::size_t s,
                                       std::vector<layer_choice>& layers) const {
    const hybrid_stage& from = found.stages[s];
    const std::size_t behind = found.stages.size() - s;
    const stage_option& option = from.option;
    planned_stage stage;
    stage.device = s;
    stage.replicas = option.replicas;
    stage.shards = option.ways;
    stage.forward = option.forward;
    stage.backward = option.backward;
    stage.cost = option.time;
    stage.all_reduce = option.all_reduce;
    stage.in_flight = behind < request.microbatches ? behind : request.microbatches;
    const auto share = static_cast<double>(choices.own_microbatches ? 1 : option.replicas);
    const std::vector<std::size_t> mixture = options.mixture(from.first, from.last, option);
    for (std::size_t i = from.first; i < from.last; ++i) {
      const layer_way& way = options.alternative(i, option.ways, mixture[i - from.first]);
      layers[i] = {way.recomputation, way.sharding};
      stage.memory.resident += way.resident;
      stage.memory.activations += way.activations / share;
      const double workspace = way.workspace / share;
      stage.memory.workspace = stage.memory.workspace < workspace ? workspace : stage.memory.workspace;
    }
    const double input = from.first == 0 ? 0 : model_.layers[from.first - 1].output;
    const double output = from.last == model_.layers.size() ? 0 : model_.layers[from.last - 1].output;
    stage.memory.buffers = choices.memory.boundary_buffers * (input + output) / share;
    return stage;
  }

  const profile& model_;
  hybrid_plan_request request_;
};

}  // namespace detail

/// Plans a chain of layers on the devices of a machine: which layers every stage has, on how many replicas of how many devices
/// it runs, and how its layers are recomputed and sharded, so that no device exceeds its memory and an iteration ends as
/// early as possible, gradients exchanged.
///
/// @param model    a chain, or a graph, which is planned as the chain that `as_chain` makes of it; its layers may have
///                 `recomputations` and `shardings`
/// @param request  the machine, the numbers of replicas and ways there may be, microbatches, memory
/// @return         as `minimize_hybrid`, `minimize_stage_time` or `minimize_pipeline_length`, of which `objective` tells; the
///                 plan's `devices` are its stages, each on `replicas * shards` devices of the machine
/// @throws         argument_error for a request that makes no sense; invalid_input as `profile_options`
///
/// Schedules are 1F1B. Without a limit it is exact where `profile_options::is_whole`; else the bound is that of ways to run a
/// stage which are as good as each of several, and the search is made twice.
[[nodiscard]] inline outcome<plan> plan_hybrid(const profile& model, const hybrid_plan_request& request) {
  return detail::as_one_chain("plan_hybrid", model, plan_request(), [&](const profile& chain) {
    return detail::hybrid_planner(chain, request).run();
  });
}

}  // namespace stagecut::inline v0
