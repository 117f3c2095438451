// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/plan_model.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/graph/plan_graph.hpp>
#include <stagecut/joint/compare_hybrids.hpp>
#include <stagecut/joint/detail/best_in_flight_rows.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/detail/recomputed_choices.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/module_request.hpp>
#include <stagecut/plan/parts/as_one_chain.hpp>
#include <stagecut/plan/parts/request_problem.hpp>
#include <stagecut/plan/parts/with_machine.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_combinations.hpp>
#include <stagecut/plan/plan_modules.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/as_inference.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The open choices of a request: where any schedule may be planned, those of `usual_choices`.
[[nodiscard]] inline plan_choices choices_of(const profile& model, const plan_request& request) {
  plan_choices result = request.choices;
  if (!request.any_schedule) return result;
  if (request.schedule != schedule_kind::one_forward_one_backward) {
    fail(argument_error("plan_model", "schedule", to_string(request.schedule),
                        "must be left out where any schedule may be planned"));
  }
  plan_choices usual = usual_choices(model, request.stages_per_rank == 1 ? 0 : request.stages_per_rank);
  if (result.stages_per_rank.empty()) result.stages_per_rank = std::move(usual.stages_per_rank);
  if (result.schedules.empty()) result.schedules = std::move(usual.schedules);
  result.list_impossible = false;
  return result;
}

/// Rejects the best numbers in flight where no open choice may have them.
inline void check_open_in_flight(const profile& model, const plan_request& request, const plan_choices& choices) {
  const auto refuse = [](const char* why) { fail(argument_error("plan_model", "best_in_flight", "true", why)); };
  const bool is_graph = request.as_graph || !(model.edges.empty() || stagecut::is_chain(model));
  if (is_graph) refuse("is of chains: leave it out where the schedule of a graph is open, which chooses them");
  const auto has = [](const auto& list, auto one, auto own) {
    return list.empty() ? own == one : std::find(list.begin(), list.end(), one) != list.end();
  };
  if (has(choices.schedules, schedule_kind::one_forward_one_backward, request.schedule) &&
      has(choices.stages_per_rank, std::size_t{1}, request.stages_per_rank)) {
    return;
  }
  refuse("is of 1F1B with one stage on each device, which must be among the choices of schedules and stages_per_rank");
}

/// Plans the cut together with the schedule or its numbers.
inline void plan_choices_of(const profile& model, planned_model& result) {
  const plan_choices choices = choices_of(model, result.request);
  result.request.choices = {};
  result.request.any_schedule = false;
  const auto compare = [&](const plan_request& request) { return compare_plans(model, request, choices, plan_graph); };
  const bool in_flight = result.request.best_in_flight;
  if (in_flight) check_open_in_flight(model, result.request, choices);
  plan_comparison found = in_flight ? compare_with_best_in_flight(as_one_chain("plan_model", model, result.request),
                                                                  result.request, compare)
                                    : compare(result.request);
  result.best = std::move(found.best);
  result.compared = std::move(found.compared);
  if (!result.best) return;
  const auto is_better = [](const compared_plan& a, const compared_plan& b) {
    return a.per_microbatch > 0 && (!(b.per_microbatch > 0) || a.per_microbatch < b.per_microbatch);
  };
  const compared_plan& row = *std::min_element(result.compared.begin(), result.compared.end(), is_better);
  result.request.devices = row.devices;
  result.request.stages_per_rank = row.stages_per_rank;
  result.request.microbatches = row.microbatches;
  // A graph of parallel stages admits the microbatches that its plan says: 1F1B by `plan_graph`. So does a chain with
  // the best numbers in flight.
  const bool parallel = row.schedule == schedule_kind::in_flight;
  result.request.schedule = parallel ? schedule_kind::one_forward_one_backward : row.schedule;
  result.request.best_in_flight = in_flight && parallel;
  result.request.group = row.group;
}

/// The request for stages on several devices each.
[[nodiscard]] inline hybrid_plan_request hybrid_request_of(const plan_request& request) {
  hybrid_plan_request result;
  result.pipeline.devices = request.devices;
  result.pipeline.at_most = request.at_most;
  result.pipeline.microbatches = request.microbatches;
  if (const auto& bytes = request.memory_limit.for_all()) {
    result.pipeline.memory_limit = *bytes * (1 - request.buffer_fraction);
  }
  result.pipeline.search = request.search;
  device_choices& choices = result.choices;
  if (request.topology) {
    choices.machine = *request.topology;
  } else if (request.devices > 1) {
    const link_speed link = request.links.empty() ? link_speed{} : request.links[0];
    choices.machine = topology({request.devices}, {link});
  }
  if (!request.replicas.empty()) choices.replicas = request.replicas;
  if (!request.tensor_parallel.empty()) choices.tensor_parallel = request.tensor_parallel;
  choices.device_size = request.device_size;
  if (request.recomputations) choices.recomputations = *request.recomputations;
  choices.memory_accounting = request.memory_accounting;
  result.target = request.target;
  result.objective = is_of_several_devices(request.objective) ? request.objective : plan_objective::automatic;
  return result;
}

/// Rejects numbers that stages on several devices cannot have.
inline void check_hybrid_numbers(const plan_request& request) {
  const auto refuse = [](const char* argument, const std::string& value, const std::string& why) {
    fail(argument_error("plan_model", argument, value, why));
  };
  if (request.microbatches == 0) refuse("microbatches", "0", "must be known: those of all replicas together");
  if (request.links.size() > 1) refuse("links.size()", std::to_string(request.links.size()), "must be 1 for all devices");
  if (request.topology && request.topology->devices() != request.devices) {
    refuse("devices", std::to_string(request.devices),
           joined({"must be the ", request.topology->devices(), " devices of the topology"}));
  }
  for (const auto& [name, list] : {std::pair("replicas", &request.replicas),
                                   std::pair("tensor_parallel", &request.tensor_parallel)}) {
    for (const std::size_t each : *list) {
      if (each == 0) refuse(name, "0", "must be at least 1");
      if (each > request.devices) {
        refuse(name, std::to_string(each), joined({"must not be above the devices, ", request.devices}));
      }
    }
  }
}

/// Plans stages on several devices each.
/// @param compares  whether to show the plans of other planners, too
inline void plan_devices(const profile& model, const plan_request& request, bool compares, planned_model& result) {
  check_hybrid_numbers(request);
  if (request.recomputations) {
    check_recomputation_names("plan_model", "recomputations", offered_recomputations(model, true),
                              *request.recomputations);
  }
  hybrid_plan_request asked = hybrid_request_of(with_usual_limit(model, with_machine(model, request)));
  if (!request.recomputations) asked.choices.recomputations = own_recomputations(model);
  if (!compares || asked.objective != plan_objective::automatic) {
    result.best = plan_hybrid(model, asked);
    return;
  }
  result.hybrids = compare_hybrids(model, asked);
  result.best = result.hybrids.back().made;
}

/// Assigns the modules of a tree to devices.
inline void plan_tree(const profile& model, const plan_request& request, planned_model& result) {
  module_request asked;
  asked.devices = request.devices;
  if (request.by == measure::time_and_memory) asked.time_weight = request.time_weight;
  outcome<planned_modules> found = plan_modules(model, asked, request.memory_accounting, request.optimizer);
  if (!found) {
    result.best = found.state() == state::infeasible ? outcome<plan>::infeasible(found.why())
                                                     : outcome<plan>::unknown(found.why());
    return;
  }
  result.modules = std::move(found->partition);
  result.best = found.state() == state::optimal ? outcome<plan>::optimal(std::move(found->plan))
                                                : outcome<plan>::feasible(std::move(found->plan));
}

/// Plans a model, by the planner of its problem.
/// @param compares  whether to show the plans of other planners, too
[[nodiscard]] STAGECUT_DECL planned_model plan_by_problem(const profile& model, const plan_request& request,
                                                          const std::vector<recompute_strategy>& starts,
                                                          bool compares) {
  if (request.inference && !model.inference) return plan_by_problem(as_inference(model), request, starts, compares);
  check_combinations(model, request);
  planned_model result;
  result.problem = problem_of(model, request);
  result.request = request;
  result.request.inference = false;
  switch (result.problem) {
    case plan_problem::modules: plan_tree(model, result.request, result); break;
    case plan_problem::several_devices: plan_devices(model, result.request, compares, result); break;
    case plan_problem::open_choices: plan_choices_of(model, result); break;
    case plan_problem::recomputation: {
      recomputed_choices all(model, with_usual_limit(model, result.request), starts);
      result.best = all.best();
      result.request = all.used();
      if (all.compared().size() > 1) result.compared = all.compared();
      break;
    }
    case plan_problem::chain:
    case plan_problem::graph:
    case plan_problem::communication:
      result.best = make_plan(model, result.request, plan_graph);
      break;
  }
  return result;
}

/// Plans a model, and counts what its searches did.
[[nodiscard]] STAGECUT_DECL planned_model plan_and_count(const profile& model, const plan_request& request,
                                                         const std::vector<recompute_strategy>& starts, bool compares) {
  search_options limits = request.search;
  if (!limits.time_limit && !limits.node_limit) limits.node_limit = 0;  // planners set the usual one
  search_record record(limits);
  search_statistics statistics;
  plan_request asked = request;
  asked.search.nodes_spent = &statistics.nodes;
  asked.search.ended = record.ended();
  planned_model result = plan_by_problem(model, asked, starts, compares);
  result.request.inference = request.inference;
  result.request.search.nodes_spent = request.search.nodes_spent;
  result.request.search.ended = request.search.ended;
  statistics.seconds = record.seconds();
  statistics.ended = record.end_of(result.best.state());
  result.statistics = statistics;
  record_end(request.search.ended, statistics.ended);
  if (request.search.nodes_spent != nullptr) *request.search.nodes_spent += statistics.nodes;
  return result;
}

}  // namespace detail

STAGECUT_DECL outcome<plan> plan_model(const profile& model, const plan_request& request) {
  return std::move(detail::plan_and_count(model, request, {}, false).best);
}

STAGECUT_DECL planned_model compare_model(const profile& model, const plan_request& request,
                                          const std::vector<recompute_strategy>& starts) {
  return detail::plan_and_count(model, request, starts, true);
}

}  // namespace stagecut::inline STAGECUT_ABI
