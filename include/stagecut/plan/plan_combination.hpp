// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>

// The problems that requests pose, their parts, and what an answer proves.
namespace stagecut::inline STAGECUT_ABI {

/// A problem that a request poses. `plan_model` has one planner for each.
enum class plan_problem : std::uint8_t {
  chain,           ///< the cut of a chain of layers: `make_plan`
  graph,           ///< the partition of a graph: `plan_graph`, or `make_plan` if its stages are in a row
  communication,   ///< the partition of a graph for the least communication: `plan_graph`
  open_choices,    ///< the cut of a chain or a graph, and the schedule or its numbers: `compare_plans`
  recomputation,   ///< the cut, and the recomputation of each layer: `plan_recomputation`
  several_devices, ///< the cut, and the replicas and tensor-parallel degree of each stage: `plan_hybrid`
  modules,         ///< devices for the modules of a tree: `plan_modules`
};

/// Names of problems, for texts.
inline constexpr named<plan_problem> plan_problem_names[] = {{"chain", plan_problem::chain},
                                                             {"graph", plan_problem::graph},
                                                             {"communication", plan_problem::communication},
                                                             {"open choices", plan_problem::open_choices},
                                                             {"recomputation", plan_problem::recomputation},
                                                             {"several devices a stage", plan_problem::several_devices},
                                                             {"module tree", plan_problem::modules}};

/// A part of a request that a planner may not take.
enum class request_part : std::uint8_t {
  makespan,             ///< the makespan as the objective
  bottleneck,           ///< the heaviest stage as the objective
  balance,              ///< `leximax`, `range` or `variance` as the objective
  time_per_token,       ///< the time per token as the objective
  stage_time,           ///< `stage_time` or `pipeline_latency` as the objective
  another_measure,      ///< stages measured by something else than time
  weights,              ///< weights of layers, or of time, without the measure that they are for
  another_schedule,     ///< a named schedule other than 1F1B
  several_per_rank,     ///< several stages on each rank
  synthesized,          ///< a schedule that is synthesized together with the cut
  in_flight,            ///< numbers in flight, specified or chosen
  slices,               ///< slices of each sequence
  open_choices,         ///< the schedule, or its numbers, chosen from several
  recomputations,       ///< recomputation chosen for each layer
  empty_stages,         ///< stages without layers
  checkpoint,           ///< the activations of all layers recomputed
  replicas,             ///< replicas, or tensor parallelism, of stages
  device_size,          ///< several processors in each device
  inference,            ///< forward passes alone
  memory_limit,         ///< one memory for all devices
  memory_of_ranks,      ///< a memory for each rank
  speeds,               ///< devices of different speeds
  topology,             ///< devices in nodes
  target,               ///< the framework that runs the plan
  forbidden_cuts,       ///< cuts that are forbidden
  kept_together,        ///< layers that stay together
  start,                ///< an initial cut
  graph_method,         ///< a method for graphs
  imbalance,            ///< how far devices may be out of balance
  cpus,                 ///< CPUs that take stages
  at_most,              ///< fewer stages than devices
};

/// What an answer proves.
enum class plan_proof : std::uint8_t {
  exact,    ///< the optimum, unless a limit ends the search first: then a bound
  bounded,  ///< a search with a lower bound, which proves an optimum where both meet
  refused   ///< not planned
};

/// Names of proofs, for texts.
inline constexpr named<plan_proof> plan_proof_names[] = {
    {"exact", plan_proof::exact}, {"bound", plan_proof::bounded}, {"no", plan_proof::refused}};

/// Whether a problem may have a part, and what its answer proves then.
struct plan_combination {
  plan_problem problem{};  ///< the problem
  request_part part{};     ///< a part of its request
  plan_proof proof{};      ///< what the answer proves
  const char* why = "";    ///< why it is refused; for others a remark, or nothing
};

}  // namespace stagecut::inline STAGECUT_ABI
