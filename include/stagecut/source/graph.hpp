// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/graph/detail/dag_partition.ipp>
#include <stagecut/graph/detail/element_stages.ipp>
#include <stagecut/graph/detail/flat_dag.ipp>
#include <stagecut/graph/detail/graph_of_profile.ipp>
#include <stagecut/graph/detail/linear_orders.ipp>
#include <stagecut/graph/detail/load_options.ipp>
#include <stagecut/graph/detail/operator_graph.ipp>
#include <stagecut/graph/detail/precedence.ipp>
#include <stagecut/graph/detail/stage_figures.ipp>
#include <stagecut/graph/detail/stage_makespan.ipp>
#include <stagecut/graph/detail/stage_pipeline.ipp>
#include <stagecut/graph/detail/stage_simulator.ipp>
#include <stagecut/graph/detail/warm_up.ipp>
#include <stagecut/graph/detail/weighted_dag.ipp>
#include <stagecut/graph/detail/weighted_operators.ipp>
#if __has_include(<boost/graph/graph_traits.hpp>)
#include <stagecut/graph/detail/contraction.ipp>
#include <stagecut/graph/detail/make_operator_graph.ipp>
#include <stagecut/graph/detail/merge_layers.ipp>
#include <stagecut/graph/detail/minimize_communication.ipp>
#include <stagecut/graph/detail/minimize_graph_makespan.ipp>
#include <stagecut/graph/detail/minimize_load.ipp>
#include <stagecut/graph/detail/multilevel.ipp>
#include <stagecut/graph/detail/operator_costs.ipp>
#include <stagecut/graph/detail/operator_set.ipp>
#include <stagecut/graph/detail/place_graph.ipp>
#include <stagecut/graph/detail/plan_graph.ipp>
#include <stagecut/graph/detail/refine_partition.ipp>
#include <stagecut/graph/detail/virtual_stages.ipp>
#endif
