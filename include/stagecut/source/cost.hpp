// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/cost/detail/at_least_one.ipp>
#include <stagecut/cost/detail/at_speeds.ipp>
#include <stagecut/cost/detail/cut_times.ipp>
#include <stagecut/cost/detail/forbidden_cuts.ipp>
#include <stagecut/cost/detail/kept_together.ipp>
#include <stagecut/cost/detail/merged_items.ipp>
#include <stagecut/cost/detail/pipeline_model.ipp>
#include <stagecut/cost/detail/topology.ipp>
