// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/plan/detail/chain_model.ipp>
#include <stagecut/plan/detail/compare_plans.ipp>
#include <stagecut/plan/detail/explain_plan.ipp>
#include <stagecut/plan/detail/inference_figures.ipp>
#include <stagecut/plan/detail/layer_blocks.ipp>
#include <stagecut/plan/detail/make_plan.ipp>
#include <stagecut/plan/detail/makespan_obstacle.ipp>
#include <stagecut/plan/detail/memory_shortage.ipp>
#include <stagecut/plan/detail/partition_modules.ipp>
#include <stagecut/plan/detail/plan.ipp>
#include <stagecut/plan/detail/plan_chain.ipp>
#include <stagecut/plan/detail/plan_choices.ipp>
#include <stagecut/plan/detail/plan_combinations.ipp>
#include <stagecut/plan/detail/plan_explanation.ipp>
#include <stagecut/plan/detail/plan_modules.ipp>
#include <stagecut/plan/detail/plan_verification.ipp>
#include <stagecut/plan/detail/recut_plan.ipp>
#include <stagecut/plan/detail/score_cut.ipp>
#include <stagecut/plan/detail/simulate_plan.ipp>
#include <stagecut/plan/detail/sweep_options.ipp>
#include <stagecut/plan/detail/sweep_row.ipp>
#include <stagecut/plan/detail/sweep_rows.ipp>
#include <stagecut/plan/detail/target_tables.ipp>
#include <stagecut/plan/detail/usual_search.ipp>
#include <stagecut/plan/detail/verify_plan.ipp>
