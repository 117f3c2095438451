// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/plan_recomputation.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/sequence_split.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/as_one_chain.hpp>
#include <stagecut/plan/parts/check_makespan_request.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/stage_devices.hpp>
#include <stagecut/plan/parts/with_machine.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL profile with_choices(profile model, const std::vector<layer_choice>& choices) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    layer& each = model.layers[i];
    const layer_variant* const way = find_variant(each.recomputations, choices[i].recomputation);
    if (choices[i].recomputation.empty() || way == nullptr) continue;
    each.backward = way->backward;
    each.backward_input = way->backward_input;
    each.backward_weight = way->backward_weight;
    each.activations = way->activations;
    each.workspace = way->workspace;
    each.recomputed = way->recomputed;
  }
  return model;
}

namespace detail {

/// Rejects what a plan with recomputation does not support.
inline void check_recompute_options(const plan_request& request) {
  const auto refuse = [](const char* argument, const std::string& value, const char* requirement) {
    fail(argument_error("plan_recomputation", argument, value, requirement));
  };
  if (request.objective != plan_objective::automatic && request.objective != plan_objective::makespan) {
    refuse("objective", to_string(request.objective), "must be the makespan");
  }
  if (request.target != framework::none)
    refuse("target", entry_of(request.target).name, "is not known to this planner");
  if (!request.forbidden_cuts.empty() || !request.kept_together.empty()) {
    refuse("forbidden_cuts", "{…}", "must be empty, as kept_together: layers are dealt out anywhere");
  }
  if (!request.speeds.empty()) refuse("speeds", "{…}", "are not told with recomputation, for devices that are alike");
  if (request.slices == 0) refuse("slices", "0", "must be at least 1");
  if (request.slices > 1 && request.stages_per_rank != 1) {
    refuse("slices", std::to_string(request.slices), "needs one stage a device: no order of slices is known for more");
  }
  if (request.slices > 1 && request.schedule != schedule_kind::one_forward_one_backward) {
    refuse("slices", std::to_string(request.slices), "goes with 1F1B alone");
  }
  if (!request.in_flight.empty()) refuse("in_flight", "{…}", "is not told with recomputation: the schedule says it");
}

/// The request for the chain.
[[nodiscard]] inline recompute_request recompute_request_of(const recomputed_chain& chain, std::size_t layers,
                                                            const plan_request& request,
                                                            const recompute_options& options) {
  recompute_request asked;
  asked.schedule = schedule_of_request(request);
  asked.links = links_of(request, asked.schedule.rank_of);
  asked.transfers = request.transfers;
  asked.memory_limit = request.memory_limit.scaled(1 - request.buffer_fraction);
  asked.constant = options.constant;
  asked.boundary_buffers = request.memory_accounting.boundary_buffers;
  asked.least_layers = options.empty_stages ? 0 : 1;
  asked.head_alone = chain.first > 0;
  asked.tail_alone = chain.first + chain.model.layers.size() < layers;
  asked.starts = options.starts;
  asked.search = request.search;
  return asked;
}

STAGECUT_DECL plan plan_of(const profile& model, const plan_request& request, const recompute_request& asked,
                           const recomputed_chain& chain, const recompute_plan& found) {
  plan result;
  std::vector<std::size_t> points(found.cuts.points().begin(), found.cuts.points().end());
  for (std::size_t c = 1; c + 1 < points.size(); ++c) points[c] += chain.first;
  points.back() = model.layers.size();
  result.cuts = cuts(points, empty_stages::allowed);
  result.choices.resize(model.layers.size());
  for (std::size_t i = 0; i < found.choices.size(); ++i) {
    const layer& each = model.layers[chain.first + i];
    const std::string& name = chain.model.types[chain.model.layers[i]].choices[found.choices[i]].name;
    if (find_variant(each.recomputations, name) != nullptr) result.choices[chain.first + i].recomputation = name;
  }
  profile as_run = with_choices(model, result.choices);
  // A slice computes its share again with the whole workspace of a layer.
  for (layer& one : as_run.layers) one.recomputed /= static_cast<double>(request.slices);
  const training_memory memory(as_run, request.memory_accounting);
  describe(result, as_run, request, memory, asked.schedule.rank_of, microbatches_in_flight(asked.schedule));
  result.profile = model;
  result.schedule = {asked.schedule.name, request.microbatches, {}, request.group, request.slices};
  for (planned_stage& stage : result.stages) {
    planned_memory& of = stage.memory;
    for (double* const bytes : {&of.activations, &of.buffers}) *bytes /= static_cast<double>(request.slices);
  }
  const bool split = has_kind(asked.schedule, op_kind::backward_input);
  for (planned_stage& stage : result.stages) stage.cost = stage.forward + stage.backward;
  predict(result, split);
  const double value = last_pass(result);
  if (request.slices > 1) result.timeline.clear();  // timelines hold passes of microbatches, not of slices
  const bool optimal = !(found.bound < found.value) && value <= found.value * (1 + 0x1p-30);
  result.objective = {"makespan", "time", value, found.bound < value ? found.bound : value,
                      optimal ? state::optimal : state::feasible};
  if (optimal) result.objective.bound = value;
  return result;
}

}  // namespace detail

STAGECUT_DECL asked_recomputation ask_recomputation(const profile& model, const plan_request& request,
                                                    const recompute_options& options) {
  const plan_request wanted = detail::with_machine(model, request);
  detail::check_recompute_options(wanted);
  plan_request whole = wanted;
  whole.slices = 1;
  detail::check_makespan_request(model, whole);
  if (wanted.slices > most_predicted / (wanted.devices * wanted.microbatches)) {
    detail::fail(argument_error("plan_recomputation", "slices", std::to_string(wanted.slices),
                                detail::joined({"makes more than ", most_predicted, " forward passes"})));
  }
  detail::check_recomputation_names("plan_recomputation", "names", detail::offered_recomputations(model, false),
                                    options.names);
  asked_recomputation result{as_recompute_model(model, options.names, wanted.memory_accounting), {}};
  result.chain.model = sequence_split(result.chain.model, wanted.slices);
  result.request = detail::recompute_request_of(result.chain, model.layers.size(), wanted, options);
  return result;
}

STAGECUT_DECL recompute_strategy strategy_of(const plan& made, const recomputed_chain& chain) {
  recompute_strategy result;
  std::vector<std::size_t> points(made.cuts.points().begin(), made.cuts.points().end());
  const std::size_t layers = chain.model.layers.size();
  for (std::size_t c = 1; c < points.size(); ++c) {
    const std::size_t before = points[c] < chain.first ? 0 : points[c] - chain.first;
    points[c] = before < layers ? before : layers;
  }
  result.cuts = cuts(points, empty_stages::allowed);
  for (std::size_t i = 0; i < layers; ++i) {
    const std::vector<recompute_choice>& choices = chain.model.types[chain.model.layers[i]].choices;
    std::size_t chosen = 0;  // as profiled, the first choice
    for (std::size_t r = 0; r < choices.size(); ++r) {
      if (choices[r].name == made.choices[chain.first + i].recomputation) chosen = r;
    }
    result.choices.push_back(chosen);
  }
  return result;
}

STAGECUT_DECL plan plan_of_strategy(const profile& model, const plan_request& request, const recompute_strategy& of,
                                    const recompute_options& options) {
  const auto [layers, asked] = ask_recomputation(model, request, options);
  recompute_plan found{{}, of.cuts, of.choices};
  found.value = simulate_recomputation(layers.model, asked, of.cuts, of.choices).makespan;
  plan made = detail::plan_of(model, detail::with_machine(model, request), asked, layers, found);
  made.objective.bound = 0;
  made.objective.state = state::feasible;
  return made;
}

STAGECUT_DECL outcome<plan> plan_recomputation(const profile& model, const plan_request& request,
                                               const recompute_options& options) {
  const profile chain = detail::as_one_chain("plan_recomputation", model, request);
  const plan_request wanted = detail::with_machine(chain, request);
  auto [layers, asked] = ask_recomputation(chain, request, options);
  plan_request by_layer = request;
  by_layer.recomputations.emplace();
  asked.search = with_usual_limit(chain, std::move(by_layer)).search;
  const outcome<recompute_plan> found = minimize_recomputation(layers.model, asked);
  if (found.state() == state::infeasible) return outcome<plan>::infeasible(found.why());
  if (!found) return outcome<plan>::unknown(found.why());
  plan made = detail::plan_of(chain, wanted, asked, layers, *found);
  return made.objective.state == state::optimal ? outcome<plan>::optimal(std::move(made))
                                                : outcome<plan>::feasible(std::move(made));
}

}  // namespace stagecut::inline STAGECUT_ABI
