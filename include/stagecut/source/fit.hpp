// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/fit/detail/fit_efficiencies.ipp>
#include <stagecut/fit/detail/fit_link.ipp>
#include <stagecut/fit/detail/fit_memory.ipp>
#include <stagecut/fit/detail/layer_times.ipp>
#include <stagecut/fit/detail/memory_unknowns.ipp>
#include <stagecut/fit/detail/next_dry_run.ipp>
#include <stagecut/fit/detail/singular_values.ipp>
