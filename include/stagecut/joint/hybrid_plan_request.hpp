// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_pipeline_length.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// For what a profile is cut into stages on several devices each.
struct hybrid_plan_request {
  /// Devices, microbatches, memory, limits. Its devices are those of the machine.
  hybrid_request pipeline{};
  device_choices choices{};  ///< how stages may be run, and on which machine
  /// What is minimised: `iteration`, which `automatic` means; `stage_time`; `pipeline_length`.
  plan_objective objective = plan_objective::automatic;
  length_options length{};  ///< of what `pipeline_length` is made
  /// Whether all stages have as many replicas and ways as the others, each replica with microbatches of its own, and all layers
  /// that have variants the same recomputation, as frameworks with one degree of each run them: then each replica runs its
  /// share of `pipeline.microbatches`, which the replicas have to divide. The stage time is then divided by the replicas.
  bool alike = false;
  /// Who runs the plan. What it cannot be told is a constraint: one number of replicas and ways for all stages, as `alike`;
  /// replicas alone; stages of one node; layers that stand on the first or the last stage; equally many decoders on all
  /// stages between these; no recomputation, or that of decoders.
  framework target = framework::none;
};

}  // namespace stagecut::inline STAGECUT_ABI
