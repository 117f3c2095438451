// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/cost/parts/check_links.hpp>
#include <stagecut/plan/detail/check_inference.hpp>
#include <stagecut/plan/parts/request_problem.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

// Errors of a request for any objective: each check names the called function.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects a model that is no chain of layers.
inline void check_chain(std::string_view function, const profile& model) {
  if (model.layers.empty()) fail(argument_error(function, "model.layers", "{}", "must hold at least one layer"));
  if (!model.edges.empty()) {
    fail(
        argument_error(function, "model.edges", joined({model.edges.size(), " edges"}), "must be empty: see as_chain"));
  }
  const auto group = [&](std::size_t i) -> std::string_view { return model.layers[i].group; };
  const auto [again, left] = detail::find_parted_group(model.layers.size(), group);
  if (again != model.layers.size()) {
    fail(invalid_input(layer_text(model, again), joined({"group ", in_quotes(group(again)), " was left at layer ", left,
                                                         " and is entered again"})));
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& each = model.layers[i];
    if (each.stage || !each.accelerator || each.is_backward) {
      const char* const what = each.stage         ? "has to stand on a stage"
                               : each.is_backward ? "is of the backward pass alone"
                                                  : "does not run on accelerators";
      fail(argument_error(function, joined({"model.layers[", i, "]"}), in_quotes(each.name),
                          joined({what, ": that is planned as a graph, see plan_graph"})));
    }
    if (each.children.empty()) continue;
    fail(argument_error(function, joined({"model.layers[", i, "].children"}),
                        joined({model.layers[i].children.size(), " layers"}), "must be empty: see as_chain"));
  }
}

/// Rejects numbers in flight that no 1F1B can have.
inline void check_in_flight(std::string_view function, const plan_request& request) {
  const std::vector<std::size_t>& in_flight = request.in_flight;
  if (in_flight.empty() && !request.best_in_flight) return;
  if (request.stages_per_rank > 1) {
    fail(argument_error(function, "in_flight", "{…}", "is of one stage on each device: stages_per_rank must be 1"));
  }
  if (!may_limit_in_flight(entry_of(request.schedule))) {
    const auto may = [](const schedule_entry& entry) { return may_limit_in_flight(entry); };
    fail(argument_error(function, "schedule", to_string(request.schedule),
                        joined({"must be ", stagecut::list_names(schedules, " or ", may), " for numbers in flight"})));
  }
  if (request.best_in_flight && !in_flight.empty()) {
    fail(argument_error(function, "in_flight", "{…}", "must be empty where the best are to be found"));
  }
  if (request.best_in_flight) return;
  if (in_flight.size() != request.devices) {
    fail(argument_error(function, "in_flight.size()", std::to_string(in_flight.size()),
                        joined({"must be the number of stages, ", request.devices})));
  }
  for (std::size_t s = 0; s < in_flight.size(); ++s) {
    if (in_flight[s] != 0 && (s == 0 || in_flight[s] <= in_flight[s - 1])) continue;
    fail(argument_error(function, joined({"in_flight[", s, "]"}), std::to_string(in_flight[s]),
                        "must be at least 1, and not above the stage before"));
  }
}

/// Rejects a group that a schedule does not take, or that does not suit its microbatches.
inline void check_group_of(std::string_view function, const plan_request& request) {
  const auto refuse = [&](const std::string& requirement) {
    fail(argument_error(function, "group", std::to_string(request.group), requirement));
  };
  const schedule_entry& entry = entry_of(entry_of(request.schedule).with_stages_per_rank);
  if (entry.fits_group == nullptr) refuse(joined({"is of interleaved, not of ", entry.name}));
  if (request.stages_per_rank == 1) refuse("is of several stages on each device: stages_per_rank must be above 1");
  const std::size_t m = request.microbatches;
  if (m == 0 || entry.fits_group(request.devices, request.stages_per_rank, m, request.group)) return;
  refuse(joined({"must be from the devices, ", request.devices, ", on and leave of ", m,
                 " microbatches none or at least as many, or be all of them: ", smallest_group(request.devices, m),
                 " would do"}));
}

/// Rejects microbatches that a schedule with groups (of the given size, or as many as devices) cannot run.
inline void check_microbatches(std::string_view function, const plan_request& request) {
  if (request.group != 0) return check_group_of(function, request);
  const schedule_entry& entry = entry_of(entry_of(request.schedule).with_stages_per_rank);
  if (request.stages_per_rank == 1 || entry.takes != shape_figure::group) return;
  if (entry.fits == nullptr || entry.fits(request.devices, request.stages_per_rank, request.microbatches)) return;
  const std::size_t below = request.microbatches / request.devices * request.devices;
  const std::string would = joined({below == 0 ? std::string() : joined({below, " or "}), below + request.devices});
  const std::size_t rounds = below == 0 ? 1 : below / request.devices;
  const std::size_t group = smallest_group(request.devices, request.microbatches);
  const bool torch = request.microbatches % rounds == 0 && request.microbatches / rounds == group;
  fail(argument_error(function, "microbatches", std::to_string(request.microbatches),
                      joined({"must be a multiple of the devices, ", request.devices, ", for ", entry.name, ": ", would,
                              " would do, or a group of ", group, torch ? ", as in PyTorch" : ""})));
}

/// Rejects invalid enumerators in a request.
inline void check_names(std::string_view function, const plan_request& request) {
  const auto refuse = [&](const char* argument, unsigned value, const std::string& known) {
    fail(argument_error(function, argument, std::to_string(value), joined({"must be ", known})));
  };
  if (request.objective != plan_objective::automatic && to_string(request.objective) == std::string_view("?")) {
    refuse("objective", static_cast<unsigned>(request.objective),
           joined({"automatic, ", stagecut::list_names(objective_names, " or ")}));
  }
  for (const plan_objective objective :
       {plan_objective::iteration, plan_objective::stage_time, plan_objective::pipeline_latency}) {
    if (request.objective != objective) continue;
    fail(argument_error(function, "objective", to_string(objective),
                        "is of stages on several devices: see plan_hybrid"));
  }
  if (request.by > measure::time_and_memory) {
    refuse("by", static_cast<unsigned>(request.by), "a measure, time to time_and_memory");
  }
  if (to_string(request.transfers) == std::string_view("?")) {
    refuse("transfers", static_cast<unsigned>(request.transfers), stagecut::list_names(transfer_kind_names, " or "));
  }
}

/// Rejects numbers of a request out of their ranges.
inline void check_numbers(std::string_view function, const profile& model, const plan_request& request) {
  const auto refuse = [&](const char* argument, const std::string& value, const char* requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  if (request.by == measure::weights && request.weights.size() != model.layers.size()) {
    refuse("weights.size()", std::to_string(request.weights.size()), "must be the number of layers");
  }
  if (request.by != measure::weights && !request.weights.empty()) {
    refuse("weights", "{…}", "go with their measure alone");
  }
  if (request.method != graph_method::communication && request.imbalance != plan_request().imbalance) {
    refuse("imbalance", number_text(request.imbalance), "is of the method communication");
  }
  if (!is_finite(request.time_weight) || request.time_weight < 0 || request.time_weight > 1) {
    refuse("time_weight", std::to_string(request.time_weight), "must be from 0 to 1");
  }
  if (!is_finite(request.buffer_fraction) || request.buffer_fraction < 0 || request.buffer_fraction >= 1) {
    refuse("buffer_fraction", std::to_string(request.buffer_fraction), "must be from 0 to below 1");
  }
  const auto& limit = request.search.time_limit;
  if (limit && (is_nan(*limit) || is_negative(*limit))) {
    refuse("search.time_limit", std::to_string(*limit), "must not be negative");
  }
  if (request.memory_limit.for_all() &&
      !(is_finite(*request.memory_limit.for_all()) && *request.memory_limit.for_all() > 0)) {
    refuse("memory_limit", std::to_string(*request.memory_limit.for_all()), "must be above 0");
  }
}

/// Rejects speeds and links whose number does not match the devices.
inline void check_devices(std::string_view function, const plan_request& request) {
  const auto refuse = [&](const std::string& argument, const std::string& value, const std::string& requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  if (!request.speeds.empty() && request.speeds.size() != request.devices) {
    refuse("speeds.size()", std::to_string(request.speeds.size()), "must be the number of devices");
  }
  for (std::size_t d = 0; d < request.speeds.size(); ++d) {
    if (is_finite(request.speeds[d]) && request.speeds[d] > 0) continue;
    refuse(joined({"speeds[", d, "]"}), std::to_string(request.speeds[d]), "must be finite and above 0");
  }
  const std::vector<double>& memory = request.memory_limit.of_ranks();
  if (!memory.empty() && memory.size() != request.devices) {
    refuse("memory_limit.size()", std::to_string(memory.size()),
           joined({"must be the number of devices, ", request.devices}));
  }
  for (std::size_t d = 0; d < memory.size(); ++d) {
    if (is_finite(memory[d]) && memory[d] > 0) continue;
    refuse(joined({"memory_limit[", d, "]"}), std::to_string(memory[d]), "must be finite and above 0");
  }
  if (request.topology && !request.links.empty()) {
    refuse("links.size()", std::to_string(request.links.size()), "must be 0 if there is a topology, which gives them");
  }
  if (request.topology && request.topology->devices() < request.devices) {
    refuse("devices", std::to_string(request.devices),
           joined({"must not be above the devices of the topology, ", request.topology->devices()}));
  }
  if (request.links.size() > 1 && request.links.size() + 1 != request.devices * request.stages_per_rank) {
    refuse("links.size()", std::to_string(request.links.size()), "must be 1 or the number of boundaries of stages");
  }
  check_links(function, "links", request.links);
}

/// Rejects a request to `function` that is invalid, or invalid for that model.
inline void check_request(std::string_view function, const profile& model, const plan_request& request) {
  const auto refuse = [&](const char* argument, std::size_t value, const char* requirement) {
    fail(argument_error(function, argument, std::to_string(value), requirement));
  };
  check_plain(function, model, request);
  if (request.devices == 0) refuse("devices", 0, "must be at least 1");
  if (request.stages_per_rank == 0) refuse("stages_per_rank", 0, "must be at least 1");
  if (request.slices != 1) refuse("slices", request.slices, "must be 1: plan_recomputation cuts sequences");
  check_chain(function, model);
  // Beyond any model; keeps devices * chunks from overflowing.
  if (request.devices >> 40U != 0) refuse("devices", request.devices, "must be below 2^40");
  if (request.stages_per_rank >> 20U != 0) refuse("stages_per_rank", request.stages_per_rank, "must be below 2^20");
  const bool method = request.method != graph_method::automatic;
  if (request.cpus != 0 || request.at_most || method || request.as_graph) {
    fail(argument_error(function,
                        request.cpus != 0 ? "cpus"
                        : method          ? "method"
                        : request.at_most ? "at_most"
                                          : "as_graph",
                        "set", "is for graphs only: see plan_graph"));
  }
  if (request.objective == plan_objective::communication) {
    fail(argument_error(function, "objective", "communication", "is for graphs only: see plan_graph"));
  }
  check_names(function, request);
  check_inference(function, model, request);
  check_in_flight(function, request);
  check_microbatches(function, request);
  check_numbers(function, model, request);
  check_devices(function, request);
}

/// Rejects devices so slow that the time of the model, `seconds` for all layers, is not finite on them.
inline void check_speeds(std::string_view function, const plan_request& request, double seconds) {
  for (std::size_t d = 0; d < request.speeds.size(); ++d) {
    if (is_finite(seconds / request.speeds[d])) continue;
    fail(argument_error(function, joined({"speeds[", d, "]"}), number_text(request.speeds[d]),
                        "must run the model in a finite time"));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
