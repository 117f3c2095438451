// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// The algorithms that need no other library. `<stagecut/sequence/as_chain.hpp>` makes a chain of a graph,
/// `<stagecut/testing/…>` checks models, `<stagecut/io/…>` reads profiles; every header also stands alone.

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/chain_partition.hpp>
#include <stagecut/core/check_figures.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/op.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/plan.hpp>
#include <stagecut/core/profile.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/optimizer.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/cost/training_memory.hpp>
#include <stagecut/makespan/chain_model.hpp>
#include <stagecut/makespan/chain_request.hpp>
#include <stagecut/makespan/layer_blocks.hpp>
#include <stagecut/makespan/memory_shortage.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/makespan/plan_chain.hpp>
#include <stagecut/makespan/simulate_plan.hpp>
#include <stagecut/schedule/backward_first.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/sapp_bubbles.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>
#include <stagecut/version.hpp>
