// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/engine/shared_effort.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/joint/baselines/detail/nested_hybrid.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/even_hybrid.hpp>
#include <stagecut/joint/detail/explain_infeasible_hybrid.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/detail/hybrid_remedy.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_hybrid.hpp>
#include <stagecut/joint/minimize_pipeline_latency.hpp>
#include <stagecut/joint/minimize_stage_time.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/recomputed_parts.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Describes a stage of the plan, and how its layers run.
template <class Options>
[[nodiscard]] planned_stage described_stage(const Options& options, const device_choices& choices,
                                            const hybrid_request& request, const hybrid_cut& found, std::size_t s,
                                            std::vector<layer_choice>& layers) {
  const hybrid_stage& from = found.stages[s];
  const std::size_t behind = found.stages.size() - s;
  const stage_option& option = from.option;
  planned_stage stage;
  stage.device = s;
  stage.replicas = option.replicas;
  stage.tensor_parallel = option.tensor_parallel;
  stage.forward = option.forward;
  stage.backward = option.backward;
  stage.cost = option.forward + option.backward;
  stage.all_reduce = option.all_reduce;
  stage.in_flight = behind < request.microbatches ? behind : request.microbatches;
  const auto share = static_cast<double>(choices.own_microbatches ? 1 : option.replicas);
  const std::vector<std::size_t> mixture = options.mixture(from.first, from.last, option);
  const std::vector<std::size_t> numbers = options.layers_of(from.first, from.last);
  recomputed_parts again;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const layer_way& way = options.alternative(numbers[i], option.tensor_parallel, mixture[i]);
    layers[numbers[i]] = {way.recomputation, way.sharding};
    stage.memory.resident += way.resident;
    stage.memory.activations += way.activations / share;
    again.add((way.workspace - way.recomputed) / share, way.recomputed / share);
  }
  again.write_to(stage.memory);
  stage.memory.resident += options.shared_bytes(from.first, from.last, option.tensor_parallel);
  stage.memory.buffers =
      choices.memory_accounting.boundary_buffers * (options.crossing(from.first) + options.crossing(from.last)) / share;
  return stage;
}

/// Turns a cut into a plan.
template <class Options>
[[nodiscard]] plan described_hybrid(const profile& model, const Options& options, const device_choices& choices,
                                    const hybrid_request& request, plan_objective objective, const hybrid_cut& found) {
  plan result;
  result.profile = model;
  result.devices = found.stages.size();
  result.own_microbatches = choices.own_microbatches;
  result.choices.resize(model.layers.size());
  std::vector<std::size_t> stage_of(model.layers.size());
  for (std::size_t s = 0; s < found.stages.size(); ++s) {
    for (const std::size_t i : options.layers_of(found.stages[s].first, found.stages[s].last)) stage_of[i] = s;
    result.stages.push_back(described_stage(options, choices, request, found, s, result.choices));
    if (s == 0) continue;
    if (!model.edges.empty()) result.edges.push_back({s - 1, s, options.crossing(found.stages[s].first)});
    link_speed link = options.links().before(found.stages[s].first_device);
    if (!choices.own_microbatches) link.bandwidth *= static_cast<double>(result.stages[s].replicas);
    result.messages.links.push_back(link);
  }
  assign_stages(result, std::move(stage_of));
  bool any = false;
  for (const link_speed& each : result.messages.links) any = any || each != link_speed();
  if (!any) result.messages.links.clear();
  result.messages.kind = any ? to_string(transfer_kind::link) : "";
  result.schedule = {"1f1b", request.microbatches, {}, 0};
  plan_request as_asked;
  as_asked.memory_accounting = choices.memory_accounting;
  result.memory = {optimizer_name(model, as_asked),
                   choices.memory_accounting.parameter_multiplier,
                   to_string(choices.memory_accounting.checkpoint),
                   choices.memory_accounting.boundary_buffers,
                   request.memory_limit.for_all(),
                   0};
  predict(result, false);
  // Sums in another order differ in the last digit; the proof remains valid.
  const double value = objective == plan_objective::iteration ? *result.makespan : found.value;
  const double bound = found.bound < found.value && found.bound < value ? found.bound : value;
  // During a stage time, as many microbatches run as there are replicas with microbatches of their own.
  const bool own = objective == plan_objective::stage_time && choices.own_microbatches;
  const double at_once = own ? static_cast<double>(choices.replicas[0]) : 1;
  result.objective = {to_string(objective), "time", value / at_once, bound / at_once, state::feasible};
  return result;
}

/// A lower bound of an iteration: its work divided evenly among all devices; 0 for other objectives.
[[nodiscard]] inline double least_iteration(const profile& model, const hybrid_plan_request& request,
                                            std::size_t microbatches) {
  if (request.objective != plan_objective::iteration && request.objective != plan_objective::automatic) return 0;
  double sum = 0;
  for (const auto& layer : model.layers) {
    double least = layer.time();
    const auto look = [&](const layer_variant& way) {
      const double here = (way.forward + way.backward) * static_cast<double>(way.tensor_parallel);
      least = std::min(least, here);
    };
    for (const layer_variant& way : layer.recomputations.get()) look(way);
    for (const layer_variant& way : layer.shardings.get()) look(way);
    sum += least;
  }
  return static_cast<double>(microbatches) * sum / static_cast<double>(request.pipeline.devices) * (1 - 0x1p-40);
}

/// A lower bound of the bytes of all layers on all devices together: resident bytes, and one microbatch, each layer run
/// in its leanest way.
[[nodiscard]] inline double bytes_of_all(const profile& model, const device_choices& choices) {
  const layer_ways layers(model, choices.tensor_parallel, choices.recomputations, choices.memory_accounting, false);
  double sum = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::optional<double> least;
    for (std::size_t w = 0; w < choices.tensor_parallel.size(); ++w) {
      for (const layer_way& way : layers.of(w, i)) {
        const double here = (way.resident + way.activations) * static_cast<double>(choices.tensor_parallel[w]);
        least = !least || here < *least ? here : *least;
      }
    }
    sum += least.value_or(0);
  }
  return sum;
}

/// Plans a profile with replicas and tensor parallelism, by one search after the other within the limits of a request.
/// @tparam Make  `make(choices)` returns the options of the model's stages: `profile_options` for a chain,
///               `graph_stages` for a graph
template <class Make>
class hybrid_planner {
 public:
  /// @param known  the plan with the shortest iteration so far, returned if none is better; null: none
  hybrid_planner(const profile& model, hybrid_plan_request request, Make make, const plan* known = nullptr)
      : model_(model),
        request_(std::move(request)),
        make_(std::move(make)),
        known_(known),
        effort_(request_.pipeline.search) {
    const auto refuse = [](const char* name, const std::string& value, const char* must) {
      fail(argument_error("plan_hybrid", name, value, must));
    };
    const plan_objective of = request_.objective;
    if (of == plan_objective::automatic) request_.objective = plan_objective::iteration;
    if (of != plan_objective::automatic && of != plan_objective::iteration && of != plan_objective::stage_time &&
        of != plan_objective::pipeline_latency) {
      refuse("objective", to_string(of), "must be iteration, stage-time or pipeline-latency");
    }
    const hybrid_request& asked = request_.pipeline;
    if (asked.devices != request_.choices.machine.devices()) {
      refuse("pipeline.devices", std::to_string(asked.devices), "must be those of the machine");
    }
    const std::size_t stages = model.layers.size() < asked.devices ? model.layers.size() : asked.devices;
    if (asked.microbatches > most_passes / (stages == 0 ? 1 : stages)) {
      refuse("pipeline.microbatches", std::to_string(asked.microbatches),
             "must be fewer: more than 2^20 forward passes");
    }
    bool timed = false;
    for (const auto& layer : model.layers) timed = timed || layer.time() > 0;
    if (!timed) refuse("objective", to_string(request_.objective), "is not known: no layer has a time");
  }

  /// The request, with its objective resolved.
  [[nodiscard]] const hybrid_plan_request& request() const noexcept { return request_; }

  /// The fraction of the limits that is left; 0: nothing, or no limits.
  [[nodiscard]] double left() const { return effort_.left(); }

  /// The options of stages under given choices.
  [[nodiscard]] auto make(const device_choices& choices) const { return make_(choices); }

  /// The best plan under given choices, with a share of what is left of the limits.
  /// @param options  for these choices
  template <class Options>
  [[nodiscard]] outcome<plan> planned(const Options& options, const device_choices& choices,
                                      const hybrid_request& request, double share) const {
    if (const auto why = too_many_bytes(choices, request)) {
      const reason known = explain_infeasible_hybrid(stage_options_of(options), limited(request, share));
      return outcome<plan>::infeasible(known.remedy.empty() ? *why : known);
    }
    const bool whole = options.is_whole();
    const started begin = start(options, request);
    hybrid_request asked = request;
    asked.start = begin.cut ? __builtin_addressof(*begin.cut) : nullptr;
    const outcome<hybrid_cut> found = published_or_best(options, choices, limited(asked, whole ? share : share / 2));
    if (found.state() == state::infeasible && (whole || !is_hopeful(choices, request))) {
      return outcome<plan>::infeasible(found.why());
    }
    if (!found) return outcome<plan>::unknown(found.why());
    const bool again = begin.is_known && found->stages == begin.cut->stages;
    plan made = again ? *known_ : described_hybrid(model_, options, choices, request, request_.objective, *found);
    objective_value& objective = made.objective;
    if (again) objective.bound = found->bound < objective.value ? found->bound : objective.value;
    if (!whole) objective.bound = relaxed_bound(choices, limited(request, share / (2 - share)), objective.value);
    const double work = least_work(request.microbatches * (choices.own_microbatches ? choices.replicas[0] : 1));
    if (objective.bound < work) objective.bound = work < objective.value ? work : objective.value;
    const bool optimal = !(objective.bound < objective.value);
    objective.state = optimal ? state::optimal : state::feasible;
    return optimal ? outcome<plan>::optimal(std::move(made)) : outcome<plan>::feasible(std::move(made));
  }

  /// Adds to the answer of a search, where memory is short, what else would suffice.
  [[nodiscard]] outcome<plan> with_remedy(outcome<plan> answer) const {
    if (answer.state() != state::infeasible || answer.has_value()) return answer;
    reason why = answer.why();
    const std::optional<double> limit = request_.pipeline.memory_limit.for_all();
    if (why.remedy.empty() || !limit || !why.lacks_fewer_bytes_than(reason())) return answer;
    device_choices choices = request_.choices;
    choices.allowed = {};
    const double least = bytes_of_all(model_, choices) / *limit * (1 - 0x1p-40);
    const auto fits = [&](const device_choices& other) {
      hybrid_request asked = limited(request_.pipeline, 0.5);
      asked.devices = other.machine.devices();
      return has_hybrid(stage_options_of(make_(other)), asked);
    };
    why.remedy +=
        hybrid_remedy(model_, choices, engine::whole_bytes(least), request_.uniform ? "may do" : "would do", fits);
    return outcome<plan>::infeasible(std::move(why));
  }

  /// As `least_iteration`, for `microbatches` microbatches.
  [[nodiscard]] double least_work(std::size_t microbatches) const {
    return least_iteration(model_, request_, microbatches);
  }

 private:
  static constexpr std::size_t most_passes = std::size_t{1} << 20U;

  /// The initial plan of a search, if any, and whether it is the known plan.
  struct started {
    std::optional<hybrid_cut> cut{};
    bool is_known = false;
  };

  template <class Options>
  [[nodiscard]] started start(const Options& options, const hybrid_request& request) const {
    started made;
    if (request_.objective != plan_objective::iteration) return made;
    std::vector<double> before{0};
    for (std::size_t point = 1; point <= options.size(); ++point) {
      before.push_back(before.back() + (detail::is_chain<Options> ? model_.layers[point - 1].time() : 1));
    }
    made.cut = even_hybrid(stage_options_of(options), request, before);
    if (known_ == nullptr || (made.cut && made.cut->value <= known_->objective.value)) return made;
    made.cut = as_cut(*known_);
    made.is_known = true;
    return made;
  }

  /// Converts a known plan into a cut that is distinguishable from those of the search.
  [[nodiscard]] static hybrid_cut as_cut(const plan& known) {
    hybrid_cut made;
    for (const planned_stage& each : known.stages) {
      hybrid_stage stage;
      stage.option.replicas = each.replicas;
      stage.option.tensor_parallel = each.tensor_parallel;
      stage.option.choice = ~std::size_t{0};  // no option
      made.stages.push_back(stage);
    }
    made.value = known.objective.value;
    return made;
  }

  /// The request with a share of what is left of the limits.
  [[nodiscard]] hybrid_request limited(hybrid_request request, double share) const {
    request.search = effort_.share(share);
    return request;
  }

  /// PipeDream's own plan, if its measure is requested and the plan can run; otherwise the best cut.
  template <class Options>
  [[nodiscard]] outcome<hybrid_cut> published_or_best(const Options& options, const device_choices& choices,
                                                      const hybrid_request& request) const {
    if (choices.measure == stage_measure::pipedream && request_.objective == plan_objective::stage_time) {
      if (auto made = nested_hybrid(model_, stage_options_of(options), choices, request)) {
        return outcome<hybrid_cut>::optimal(*std::move(made));
      }
    }
    return best_cut(options, request);
  }

  template <class Options>
  [[nodiscard]] outcome<hybrid_cut> best_cut(const Options& options, const hybrid_request& request) const {
    if (request_.objective == plan_objective::stage_time) return minimize_stage_time(options, request);
    if (request_.objective == plan_objective::pipeline_latency)
      return minimize_pipeline_latency(options, request, request_.length);
    return quick_or_best(options, request);
  }

  /// The shortest iteration. If the limits are too low to prove it, a third of them goes to plans with the smallest
  /// stage time and length, which are found sooner.
  template <class Options>
  [[nodiscard]] outcome<hybrid_cut> quick_or_best(const Options& options, hybrid_request request) const {
    const engine::shared_effort effort(request.search);
    request.search = effort.share(2.0 / 3);
    outcome<hybrid_cut> best = minimize_hybrid(options, request);
    if (!effort.is_limited() || best.state() == state::optimal || best.state() == state::infeasible) return best;
    request.search = effort.share(0.6);
    request.search.progress = {};
    take(minimize_stage_time(options, request), request, best);
    request.search = effort.share(0.9);
    request.search.progress = {};
    take(minimize_pipeline_latency(options, request, {true, true}), request, best);
    return best;
  }

  /// Takes a plan if its iteration finishes earlier.
  static void take(outcome<hybrid_cut> quick, const hybrid_request& request, outcome<hybrid_cut>& best) {
    if (!quick) return;
    quick->value = iteration_of(quick->stages, request.microbatches);
    if (best && !(quick->value < best->value)) return;
    quick->bound = best ? best->bound : 0;
    best = outcome<hybrid_cut>::feasible(*std::move(quick));
  }

  /// Why no plan fits, if resident bytes and one microbatch exceed the memory of all devices, however layers run.
  [[nodiscard]] std::optional<reason> too_many_bytes(const device_choices& choices,
                                                     const hybrid_request& request) const {
    if (!request.memory_limit.for_all()) return std::nullopt;
    const double devices = static_cast<double>(request.devices);
    const double needed = bytes_of_all(model_, choices) / devices * (1 - 0x1p-40);
    if (!(needed > *request.memory_limit.for_all())) return std::nullopt;
    reason why{reason::cause::memory};
    why.needed = engine::whole_bytes(needed);
    why.available = engine::floor_bytes(*request.memory_limit.for_all());
    why.place = joined({"a device, if the bytes of all layers were spread out evenly,"});
    return why;
  }

  /// Whether a plan may exist although the searched mixtures have none: unless optimistic mixtures have none either.
  [[nodiscard]] bool is_hopeful(device_choices choices, const hybrid_request& request) const {
    choices.relaxed = true;
    return best_cut(make_(choices), limited(request, 1)).state() != state::infeasible;
  }

  /// If not all mixtures were searched: a lower bound of all plans, by optimistic mixtures, each as good as several.
  [[nodiscard]] double relaxed_bound(device_choices choices, const hybrid_request& request, double value) const {
    choices.relaxed = true;
    const outcome<hybrid_cut> found = best_cut(make_(choices), request);
    if (!found) return 0;
    return found->bound < value ? found->bound : value;
  }

  const profile& model_;
  hybrid_plan_request request_;
  Make make_;
  const plan* known_;
  engine::shared_effort effort_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
