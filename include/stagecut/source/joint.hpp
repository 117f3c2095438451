// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/joint/baselines/detail/dapple_plan.ipp>
#include <stagecut/joint/baselines/detail/minimize_nested_time.ipp>
#include <stagecut/joint/baselines/detail/minimize_placed_latency.ipp>
#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.ipp>
#include <stagecut/joint/baselines/detail/nested_machines.ipp>
#include <stagecut/joint/baselines/detail/plan_nested_graph.ipp>
#include <stagecut/joint/baselines/detail/sapp_surrogate.ipp>
#include <stagecut/joint/baselines/detail/variant_points.ipp>
#include <stagecut/joint/baselines/detail/variant_stage_solver.ipp>
#include <stagecut/joint/baselines/detail/variant_stage_table.ipp>
#include <stagecut/joint/baselines/detail/variant_stages.ipp>
#include <stagecut/joint/baselines/detail/variant_tables.ipp>
#include <stagecut/joint/baselines/detail/variant_ways.ipp>
#include <stagecut/joint/detail/as_recompute_model.ipp>
#include <stagecut/joint/detail/compare_hybrids.ipp>
#include <stagecut/joint/detail/compare_recomputation.ipp>
#include <stagecut/joint/detail/even_recomputation.ipp>
#include <stagecut/joint/detail/graph_points.ipp>
#include <stagecut/joint/detail/graph_stages.ipp>
#include <stagecut/joint/detail/layer_bonds.ipp>
#include <stagecut/joint/detail/layer_stages.ipp>
#include <stagecut/joint/detail/layer_ways.ipp>
#include <stagecut/joint/detail/minimize_hybrid.ipp>
#include <stagecut/joint/detail/minimize_pipeline_latency.ipp>
#include <stagecut/joint/detail/minimize_recomputation.ipp>
#include <stagecut/joint/detail/minimize_stage_time.ipp>
#include <stagecut/joint/detail/pipeline_states.ipp>
#include <stagecut/joint/detail/placed_links.ipp>
#include <stagecut/joint/detail/placed_stages.ipp>
#include <stagecut/joint/detail/plan_hybrid.ipp>
#include <stagecut/joint/detail/plan_recomputation.ipp>
#include <stagecut/joint/detail/profile_options.ipp>
#include <stagecut/joint/detail/recompute_model.ipp>
#include <stagecut/joint/detail/sequence_split.ipp>
#include <stagecut/joint/detail/sharded_layer.ipp>
#include <stagecut/joint/detail/sharded_times.ipp>
#include <stagecut/joint/detail/sharding_paths.ipp>
#include <stagecut/joint/detail/simulate_recomputation.ipp>
#include <stagecut/joint/detail/stage_mixtures.ipp>
#include <stagecut/joint/detail/sweep_recomputation.ipp>
#if __has_include(<boost/graph/graph_traits.hpp>)
#include <stagecut/joint/detail/plan_model.ipp>
#endif
