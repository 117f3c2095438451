// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/sequence/chain_limits.hpp>

namespace stagecut::inline v0 {

/// What a chain of layers is cut by: of which sum the heaviest stage is made as light as possible.
enum class measure : std::uint8_t {
  time,             ///< seconds of a microbatch, both passes; of a model without times, its parameters
  parameters,       ///< bytes of parameters
  layers,           ///< number of layers, the first stages one longer where it does not divide
  weights,          ///< `plan_request::weights`
  time_and_memory,  ///< RFC-0022's weighted cost: see `plan_request::time_weight`
};

/// What is minimised.
enum class plan_objective : std::uint8_t {
  automatic,   ///< the makespan where a request has one, else the bottleneck
  makespan,    ///< the end of an iteration, as `simulate` tells it
  bottleneck,  ///< the greatest cost of a stage, which a pipeline waits for
  leximax,     ///< the greatest, then the next, and so on
  range,       ///< the greatest less the least
  variance,    ///< the mean of the squared distances of the stages' costs from their mean
};

/// The words for objectives in files and on the command line; `automatic` has none of its own.
inline constexpr word<plan_objective> objective_words[] = {{"makespan", plan_objective::makespan},
                                                           {"bottleneck", plan_objective::bottleneck},
                                                           {"leximax", plan_objective::leximax},
                                                           {"range", plan_objective::range},
                                                           {"variance", plan_objective::variance}};

/// The name of an objective, as it is written to files.
[[nodiscard]] constexpr const char* to_string(plan_objective objective) noexcept {
  if (objective == plan_objective::automatic) objective = plan_objective::bottleneck;
  return stagecut::name_of(objective_words, objective);
}

namespace detail {

/// Whether it is what stages are cut by where no other objective was said.
[[nodiscard]] constexpr bool is_bottleneck(plan_objective objective) noexcept {
  return objective == plan_objective::automatic || objective == plan_objective::bottleneck;
}

}  // namespace detail

/// What to plan. What is not said stays at its default.
struct plan_request {
  std::size_t devices = 1;       ///< pipeline ranks p
  std::size_t chunks = 1;        ///< stages of every rank; p * chunks stages
  std::size_t microbatches = 0;  ///< of one iteration; 0: not known
  /// With `chunks` above 1 `one_forward_one_backward` means interleaved. `plan_chain` knows gpipe, 1F1B, eager 1F1B and
  /// interleaved; `make_plan` all but sliced and, for which `in_flight` is there, in_flight. One that cannot run
  /// the `microbatches` is refused: those of interleaved must be a multiple of the devices.
  schedule_kind schedule = schedule_kind::one_forward_one_backward;
  /// Of every stage, for 1F1B with one on each device; empty: the schedule's.
  std::vector<std::size_t> in_flight{};
  measure by = measure::time;            ///< what to cut by
  std::vector<double> weights{};         ///< of every layer, for `measure::weights`
  std::string weights_name = "weights";  ///< what the plan calls them
  /// W of W * time + (1 - W) * memory, each as a share of the whole model's; memory is what stays of a layer plus its
  /// activations of one microbatch.
  double time_weight = 0.6;
  plan_objective objective = plan_objective::automatic;  ///< what is minimised
  std::vector<std::size_t> forbidden_cuts{};                ///< c: not between the layers c - 1 and c
  std::vector<interval> kept_together{};                    ///< layers of which each is in the stage of the others
  std::optional<double> memory_per_device{};                ///< bytes that no stage may exceed; unset: no limit
  double buffer_fraction = 0;                               ///< of `memory_per_device`, kept free, below 1
  memory_options memory{};                                  ///< how memory is reckoned
  std::string optimizer = "adam";                           ///< what the plan calls `memory.parameter_multiplier`
  std::vector<double> speeds{};                             ///< of every device, above 0, 1: as profiled; empty: all 1
  std::vector<link_speed> links{};  ///< for messages between stages, of every boundary or one for all; empty: no time
  std::optional<stagecut::topology> topology{};   ///< of the devices, which tells the links, in place of `links`
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  search_limits limits{};                         ///< how long to look for better cuts; `plan_chain`: all but the bottleneck
};

namespace detail {

/// The limits of a request as those of a search that has no makespan to tell of.
[[nodiscard]] inline chain_limits limits_of(const plan_request& request) {
  return {request.limits.time_limit, request.limits.stop, {}};
}

/// Refuses a schedule that cannot run as asked.
inline void check_order(const char* function, const plan_request& request) {
  const bool one = request.schedule == schedule_kind::one_forward_one_backward;
  const auto refuse = [&](const char* argument, const std::string& value, const std::string& requirement) {
    detail::fail(argument_error(function, argument, value, requirement));
  };
  if (!request.in_flight.empty() && request.chunks > 1) {
    refuse("in_flight", "{…}", "is of one stage on each device: chunks must be 1");
  }
  if (!request.in_flight.empty() && !one) {
    refuse("schedule", to_string(request.schedule), "must be 1f1b for numbers in flight");
  }
  const bool interleaved =
      request.chunks > 1 && entry_of(request.schedule).with_chunks == schedule_kind::interleaved;
  if (!interleaved || request.microbatches % request.devices == 0) return;
  const std::size_t below = request.microbatches / request.devices * request.devices;
  const std::string would = joined(below == 0 ? std::string() : joined(std::to_string(below), " or "),
                                   std::to_string(below + request.devices), " would do");
  refuse("microbatches", std::to_string(request.microbatches),
         joined("must be a multiple of the devices, ", std::to_string(request.devices), ", for interleaved: ", would));
}

/// Refuses a request to `function` that makes no sense, or not for that model.
inline void check_request(const char* function, const profile& model, const plan_request& request) {
  const auto refuse = [&](const char* argument, const std::string& value, const char* requirement) {
    detail::fail(argument_error(function, argument, value, requirement));
  };
  if (request.devices == 0) refuse("devices", "0", "must be at least 1");
  if (request.chunks == 0) refuse("chunks", "0", "must be at least 1");
  if (model.layers.empty()) refuse("model.layers", "{}", "must hold at least one layer");
  if (!model.edges.empty()) {
    refuse("model.edges", detail::joined(std::to_string(model.edges.size()), " edges"), "must be empty: see as_chain");
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].children.empty()) continue;
    detail::fail(argument_error(function, detail::joined("model.layers[", std::to_string(i), "].children"),
                                detail::joined(std::to_string(model.layers[i].children.size()), " layers"),
                                "must be empty: see as_chain"));
  }
  // Beyond what any model has; keeps devices * chunks from overflowing.
  if (request.devices >> 40U != 0) refuse("devices", std::to_string(request.devices), "must be below 2^40");
  if (request.chunks >> 20U != 0) refuse("chunks", std::to_string(request.chunks), "must be below 2^20");
  check_order(function, request);
  if (!request.in_flight.empty() && request.in_flight.size() != request.devices * request.chunks) {
    const std::string stages = std::to_string(request.devices * request.chunks);
    detail::fail(argument_error(function, "in_flight.size()", std::to_string(request.in_flight.size()),
                                detail::joined("must be the number of stages, ", stages)));
  }
  for (std::size_t s = 0; s < request.in_flight.size(); ++s) {
    const std::size_t here = request.in_flight[s];
    if (here != 0 && (s == 0 || here <= request.in_flight[s - 1])) continue;
    detail::fail(argument_error(function, detail::joined("in_flight[", std::to_string(s), "]"), std::to_string(here),
                                "must be at least 1, and not above that of the stage before"));
  }
  if (request.by == measure::weights && request.weights.size() != model.layers.size()) {
    refuse("weights.size()", std::to_string(request.weights.size()), "must be the number of layers");
  }
  if (!is_finite(request.time_weight) || request.time_weight < 0 || request.time_weight > 1) {
    refuse("time_weight", std::to_string(request.time_weight), "must be from 0 to 1");
  }
  if (!is_finite(request.buffer_fraction) || request.buffer_fraction < 0 || request.buffer_fraction >= 1) {
    refuse("buffer_fraction", std::to_string(request.buffer_fraction), "must be from 0 to below 1");
  }
  if (request.memory_per_device && !(is_finite(*request.memory_per_device) && *request.memory_per_device > 0)) {
    refuse("memory_per_device", std::to_string(*request.memory_per_device), "must be above 0");
  }
  if (!request.speeds.empty() && request.speeds.size() != request.devices) {
    refuse("speeds.size()", std::to_string(request.speeds.size()), "must be the number of devices");
  }
  for (std::size_t d = 0; d < request.speeds.size(); ++d) {
    if (is_finite(request.speeds[d]) && request.speeds[d] > 0) continue;
    detail::fail(argument_error(function, detail::joined("speeds[", std::to_string(d), "]"),
                                std::to_string(request.speeds[d]), "must be finite and above 0"));
  }
  if (request.topology && !request.links.empty()) {
    refuse("links.size()", std::to_string(request.links.size()),
           "must be 0 where there is a topology, which tells them");
  }
  if (request.topology && request.topology->devices() < request.devices) {
    detail::fail(argument_error(function, "devices", std::to_string(request.devices),
                                detail::joined("must not be above the devices of the topology, ",
                                               std::to_string(request.topology->devices()))));
  }
  if (request.links.size() > 1 && request.links.size() + 1 != request.devices * request.chunks) {
    refuse("links.size()", std::to_string(request.links.size()), "must be 1 or the number of boundaries of stages");
  }
  for (const link_speed& each : request.links) {
    for (const auto& [name, value] : {std::pair("latency", each.latency), std::pair("bandwidth", each.bandwidth)}) {
      if (is_finite(value) && !is_negative(value)) continue;
      refuse(name, std::to_string(value), "must be finite and not negative");
    }
  }
}

/// Refuses what `plan_chain` cannot say of a schedule.
inline void check_bottleneck_request(const profile& model, const plan_request& request) {
  check_request("plan_chain", model, request);
  const auto refuse = [](const char* argument, const std::string& value, const std::string& requirement) {
    detail::fail(argument_error("plan_chain", argument, value, requirement));
  };
  if (request.memory_per_device && request.chunks > 1) {
    refuse("memory_per_device", std::to_string(*request.memory_per_device),
           "is not supported with chunks above 1, whose stages share a device: see make_plan");
  }
  const bool spread = request.objective == plan_objective::range || request.objective == plan_objective::variance;
  if (spread && !(request.speeds.empty() && request.links.empty() && !request.topology)) {
    refuse(
        "objective", to_string(request.objective),
        "is of equal devices without messages: times that do not add up to the same whatever the cut have no mean to "
        "be near");
  }
  if (request.objective == plan_objective::makespan) refuse("objective", "makespan", "is what make_plan minimises");
  const schedule_entry& entry = entry_of(request.schedule);
  if (!entry.by_stage_costs) {
    const auto is_known = [](const schedule_entry& each) { return each.by_stage_costs; };
    refuse("schedule", entry.name, joined("must be ", stagecut::list_names(schedules, " or ", is_known)));
  }
  if (entry.chunks == 0 && request.chunks == 1) refuse("schedule", entry.name, "needs chunks above 1");
  if (request.chunks > 1 && entry_of(entry.with_chunks).chunks == 1) {
    refuse("schedule", entry.name, "has one stage on each device: chunks must be 1");
  }
  if (request.memory.checkpoint != checkpointing::except_last) return;
  if (request.schedule != schedule_kind::gpipe) {
    refuse("memory.checkpoint", "except_last",
           "needs the schedule gpipe, where the last microbatch is the first to go back");
  }
}

}  // namespace detail
}  // namespace stagecut::inline v0
