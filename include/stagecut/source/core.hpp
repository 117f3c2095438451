// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/core/detail/arithmetic.ipp>
#include <stagecut/core/detail/cuts.ipp>
#include <stagecut/core/detail/error.ipp>
#include <stagecut/core/detail/outcome.ipp>
#include <stagecut/core/detail/seconds_now.ipp>
#include <stagecut/core/detail/visible.ipp>
