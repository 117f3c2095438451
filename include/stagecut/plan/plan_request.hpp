// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What a chain of layers is cut by: of which sum the heaviest stage is made as light as possible.
enum class measure : std::uint8_t {
  time,             ///< seconds of a microbatch, both passes; of a model without times, its parameters
  parameters,       ///< bytes of parameters
  layers,           ///< number of layers, as even as can be, the first stages longer where it does not divide
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
  /// Of inference: the sum over stages, with the messages between them, which every token of a request waits for.
  time_per_token,
  iteration,      ///< the end of an iteration, the exchange of gradients behind the last passes counted: `plan_hybrid`
  stage_time,     ///< the greatest cost of a stage that has replicas or shards: `plan_hybrid`
  communication,  ///< what is handed over between devices: of `graph_method::communication`
  pipeline_length,  ///< the sum of the stages' costs, and the greatest for each microbatch but one: `plan_hybrid`
};

/// The words for objectives in files and on the command line; `automatic` has none of its own.
inline constexpr word<plan_objective> objective_words[] = {{"makespan", plan_objective::makespan},
                                                           {"bottleneck", plan_objective::bottleneck},
                                                           {"leximax", plan_objective::leximax},
                                                           {"range", plan_objective::range},
                                                           {"variance", plan_objective::variance},
                                                           {"time-per-token", plan_objective::time_per_token},
                                                           {"iteration", plan_objective::iteration},
                                                           {"stage-time", plan_objective::stage_time},
                                                           {"pipeline-length", plan_objective::pipeline_length},
                                                           {"communication", plan_objective::communication}};

/// The name of an objective; plans are written with that of the one that was minimised.
[[nodiscard]] constexpr const char* to_string(plan_objective objective) noexcept {
  return objective == plan_objective::automatic ? "automatic" : stagecut::name_of(objective_words, objective);
}

/// What to plan. What is not said stays at its default.
struct plan_request {
  std::size_t devices = 1;       ///< pipeline ranks p
  std::size_t chunks = 1;        ///< stages of every rank; p * chunks stages
  std::size_t cpus = 0;          ///< CPUs at most that take a stage of a graph, beside the devices
  bool at_most = false;          ///< of a graph, whether fewer stages will do than there are devices
  graph_method method = graph_method::automatic;  ///< by which a graph is cut
  /// Of `graph_method::communication`: no device holds more of the variables, nor of the operators, than this times an equal
  /// part of them; at least 1.
  double imbalance = 1.3;
  std::size_t microbatches = 0;  ///< of one iteration; 0: not known
  /// With `chunks` above 1 `one_forward_one_backward` means interleaved. `synthesized` is planned by the makespan alone: the
  /// order of passes is made together with the cut, and with two chunks the devices of the stages are chosen, too: in turn, or
  /// down and back up. All others are planned for but sliced and, for
  /// which `in_flight` is there, in_flight, by the makespan or by another objective. One
  /// that cannot run the `microbatches` is refused: those of interleaved must be a multiple of the devices, or come in a
  /// `group` that it can be made for.
  schedule_kind schedule = schedule_kind::one_forward_one_backward;
  std::size_t group = 0;  ///< of microbatches, for interleaved: `schedule_shape::group`; 0: as many as devices
  /// Into which the sequence of every microbatch is cut: above 1 `one_forward_one_backward` means sliced 1F1B, of which
  /// `plan_recomputation` makes plans.
  std::size_t slices = 1;
  /// Of every stage, for 1F1B with one on each device; empty: the schedule's.
  std::vector<std::size_t> in_flight{};
  /// Whether these are chosen with the cut, those with which an iteration ends first: 1F1B with one stage on each device,
  /// planned by the makespan.
  bool best_in_flight = false;
  /// The framework that will run the plan of a chain: the best plan is found of those that it can be told. 1F1B means its
  /// first schedule where it runs others alone.
  stagecut::framework target = stagecut::framework::none;
  measure by = measure::time;            ///< what to cut by
  std::vector<double> weights{};         ///< of every layer, for `measure::weights`
  std::string weights_name = "weights";  ///< what the plan calls them
  /// W of W * time + (1 - W) * memory, each as a share of the whole model's; memory is what stays of a layer plus its
  /// activations of one microbatch.
  double time_weight = 0.6;
  plan_objective objective = plan_objective::automatic;  ///< what is minimised
  std::vector<std::size_t> forbidden_cuts{};                ///< c: not between the layers c - 1 and c
  std::vector<interval> kept_together{};                    ///< layers of which each is in the stage of the others
  /// A cut of the layers of a chain to begin with, of which `score_cut` tells what it breaks: if that is nothing, the plan
  /// that `make_plan` makes is not worse. `compare_plans` takes it for the combinations that have as many stages.
  /// Without a stage: there is none.
  cuts start{};
  std::optional<double> memory_per_device{};                ///< bytes that no device may exceed; unset: no limit
  std::vector<double> memory_of_devices{};  ///< bytes of every device, in place of the same for all; empty: as above
  double buffer_fraction = 0;               ///< of the memory of each device, kept free, below 1
  memory_options memory{};                                  ///< how memory is reckoned
  /// What the plan calls `memory.parameter_multiplier`; empty: by what memory is reckoned, `as profiled` if the profile
  /// says what stays of a layer, else `adam`, or the number if it is not Adam's.
  std::string optimizer{};
  std::vector<double> speeds{};                             ///< of every device, above 0, 1: as profiled; empty: all 1
  std::vector<link_speed> links{};  ///< for messages between stages, of every boundary or one for all; empty: no time
  std::optional<stagecut::topology> topology{};   ///< of the devices, which tells the links, in place of `links`
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  search_limits limits{};  ///< how long to look for better cuts, of which the bottleneck needs none
  makespan_helpers helpers{};  ///< who helps to find the least makespan
};

}  // namespace stagecut::inline STAGECUT_ABI
