// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/search/detail/cuts_within.ipp>
#include <stagecut/search/detail/graph_paths.ipp>
#include <stagecut/search/detail/paths_below.ipp>
