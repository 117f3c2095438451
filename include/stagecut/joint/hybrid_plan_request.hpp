// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_pipeline_latency.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The problem of cutting a profile into stages on several devices each.
struct hybrid_plan_request {
  /// Devices, microbatches, memory, limits. Its devices are those of the machine.
  hybrid_request pipeline{};
  device_choices choices{};  ///< how stages may be run, and on which machine
  /// The objective: `iteration`, which `automatic` means; `stage_time`; `pipeline_latency`.
  plan_objective objective = plan_objective::automatic;
  latency_options length{};  ///< what adds to `pipeline_latency`
  /// Whether all stages have the same replicas and tensor-parallel degree, each replica with microbatches of its own,
  /// and all layers with variants the same recomputation, as frameworks with one degree of each kind require. Then each
  /// replica runs its share of `pipeline.microbatches`, which the replicas must divide, and the stage time is divided
  /// by the replicas.
  bool uniform = false;
  /// The framework that runs the plan. What it cannot express is a constraint: the same replicas and tensor-parallel
  /// degree for all stages, as `uniform`; replicas alone; stages of one node; layers that belong on the first or the last
  /// stage; equally many decoders on all stages between these; no recomputation, or only in decoders.
  framework target = framework::none;
};

}  // namespace stagecut::inline STAGECUT_ABI
