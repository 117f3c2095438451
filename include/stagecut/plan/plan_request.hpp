// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/memory_limit.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The measure by which a chain of layers is cut: the sum whose maximum over stages is minimised.
enum class measure : std::uint8_t {
  time,             ///< seconds of a microbatch, both passes; in a model without times, its parameters
  parameters,       ///< bytes of parameters
  layers,           ///< number of layers, as even as possible, the first stages longer if it does not divide
  weights,          ///< `plan_request::weights`
  time_and_memory,  ///< RFC-0022's weighted cost: see `plan_request::time_weight`
};

/// The objective of a plan.
enum class plan_objective : std::uint8_t {
  automatic,   ///< the makespan if a request has one, else the bottleneck
  makespan,    ///< the end of an iteration, as `simulate` computes it
  bottleneck,  ///< the greatest cost of a stage, which a pipeline waits for
  leximax,     ///< the greatest, then the next, and so on
  range,       ///< the greatest less the least
  variance,    ///< the mean of the squared distances of the stages' costs from their mean
  /// For inference: the sum over stages, with the messages between them, for which every token waits.
  time_per_token,
  iteration,      ///< the end of an iteration, including the exchange of gradients after the last passes: `plan_hybrid`
  stage_time,     ///< the greatest cost of a stage that has replicas or shards: `plan_hybrid`
  communication,  ///< what is sent between devices: for `graph_method::communication`
  pipeline_latency,  ///< sum of the stages' costs, plus the greatest per microbatch but one: `plan_hybrid`
};

/// The words for objectives in files and on the command line; `automatic` has none of its own.
inline constexpr named<plan_objective> objective_names[] = {{"makespan", plan_objective::makespan},
                                                            {"bottleneck", plan_objective::bottleneck},
                                                            {"leximax", plan_objective::leximax},
                                                            {"range", plan_objective::range},
                                                            {"variance", plan_objective::variance},
                                                            {"time-per-token", plan_objective::time_per_token},
                                                            {"iteration", plan_objective::iteration},
                                                            {"stage-time", plan_objective::stage_time},
                                                            {"pipeline-latency", plan_objective::pipeline_latency},
                                                            {"communication", plan_objective::communication}};

/// The name of an objective; a plan is written with the one that was minimised.
[[nodiscard]] constexpr const char* to_string(plan_objective objective) noexcept {
  return objective == plan_objective::automatic ? "automatic" : stagecut::name_of(objective_names, objective);
}

/// What to plan. Unset fields keep their defaults. `plan_model` takes all of it; the planners behind it take a part, and
/// reject the rest: `plan_combinations` lists what goes together.
struct plan_request {
  std::size_t devices = 1;                ///< pipeline ranks p
  std::size_t microbatches = 0;           ///< per iteration; 0: not known
  stagecut::memory_limit memory_limit{};  ///< bytes of each rank: one value for all, one for each, or no limit
  /// With `stages_per_rank` above 1 `one_forward_one_backward` means interleaved. `synthesized` is planned by the makespan
  /// alone: the schedule is synthesized together with the cut, and with two stages per rank the placement is chosen too: in
  /// turn, or down and back up. All others are planned, by the makespan or by another objective, except sliced and
  /// in_flight (set `in_flight` instead). One that cannot run the `microbatches` is rejected: interleaved needs a
  /// multiple of the devices, or a `group` that it can be made for.
  schedule_kind schedule = schedule_kind::one_forward_one_backward;
  std::size_t stages_per_rank = 1;  ///< stages per rank; p * stages_per_rank in all
  /// Whether the schedule is chosen, too, and the stages per rank, if the choices leave them open: by `usual_choices`.
  bool any_schedule = false;
  plan_choices choices{};  ///< further open choices; the best combination is planned. None by default
  /// The recomputations that layers may have, `none` for a layer's own figures: planned together with the cut. An empty
  /// list: all that the layers offer. Unset: every layer runs as profiled.
  std::optional<std::vector<std::string>> recomputations{};
  /// Numbers of replicas that a stage may have; with this or `tensor_parallel`, `devices` are those of the machine, and
  /// the plan chooses the number of stages. Without links the exchange of gradients takes no time. Empty: one.
  std::vector<std::size_t> replicas{};
  std::vector<std::size_t> tensor_parallel{};     ///< tensor-parallel degrees that a stage may have; empty: 1
  graph_method method = graph_method::automatic;  ///< the method for graphs and module trees
  bool as_graph = false;                          ///< whether a chain, too, is planned as a graph
  std::size_t cpus = 0;  ///< the most CPUs that take a stage of a graph, in addition to the devices
  bool at_most = false;  ///< for a graph, whether fewer stages than devices are allowed
  /// For `graph_method::communication`: a device holds at most 1 + `imbalance` times an equal part of the variables, and
  /// of the operators: 0.3 is an excess of 30 %.
  double imbalance = 0.3;
  bool inference = false;           ///< whether the model serves: forward passes alone, as `as_inference` makes them
  std::vector<double> speeds{};     ///< of each device, above 0, 1: as profiled; empty: all 1
  std::vector<link_speed> links{};  ///< for messages between stages, one per boundary or one for all; empty: no time
  std::optional<stagecut::topology> topology{};   ///< of the devices; defines the links, instead of `links`
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  memory_options memory_accounting{};             ///< how memory is computed
  double buffer_fraction = 0;                     ///< of each device's memory, kept free, below 1
  /// The plan's name for `memory_accounting.parameter_multiplier`; empty: derived from how memory is computed, `as profiled` if
  /// the profile has a layer's resident bytes, else `adam`, or the number if it is not Adam's.
  std::string optimizer{};
  measure by = measure::time;            ///< the measure to cut by
  std::vector<double> weights{};         ///< of each layer, for `measure::weights`
  std::string weights_name = "weights";  ///< the plan's name for them
  /// W of W * time + (1 - W) * memory, each as a share of the whole model's; memory is a layer's resident bytes plus
  /// its activations of one microbatch.
  double time_weight = 0.6;
  plan_objective objective = plan_objective::automatic;  ///< what is minimised
  std::vector<std::size_t> forbidden_cuts{};             ///< c: no cut between the layers c - 1 and c
  std::vector<interval> kept_together{};                 ///< intervals of layers, each in one stage
  /// An initial cut of a chain's layers; `score_cut` returns the rules that it breaks. If it breaks none, the plan of
  /// `make_plan` is not worse. `compare_plans` uses it for the combinations with as many stages. Without stages: no
  /// initial cut.
  cuts start{};
  /// The framework that will run the plan of a chain: the best plan is found among those that it can express. 1F1B
  /// means its first schedule if it runs only others.
  stagecut::framework target = stagecut::framework::none;
  std::size_t group = 0;  ///< microbatch group for interleaved: `schedule_shape::group`; 0: as many as devices
  /// Slices of every microbatch's sequence: above 1 `one_forward_one_backward` means sliced 1F1B, which
  /// `plan_recomputation` plans.
  std::size_t slices = 1;
  /// For each stage, for 1F1B with one on each device; empty: the schedule's.
  std::vector<std::size_t> in_flight{};
  /// Whether `in_flight` is chosen together with the cut for the least makespan: 1F1B with one stage on each device,
  /// planned by the makespan. Where schedules are open, they are compared without, and 1F1B also with the best numbers.
  bool best_in_flight = false;
  bool empty_stages = false;  ///< with `recomputations` or `slices`, whether stages may have no layers
  /// With `replicas` or `tensor_parallel`, processors of each device: `device_choices::device_size`.
  std::size_t device_size = 1;
  /// Limits of the search for better cuts; the bottleneck needs none. Without a limit planners take `usual_node_limit`:
  /// ten seconds or less, and the same plan on every machine; an infinite `time_limit` is none.
  search_options search{};
  search_backends backends{};  ///< helpers that find the least makespan
};

}  // namespace stagecut::inline STAGECUT_ABI
