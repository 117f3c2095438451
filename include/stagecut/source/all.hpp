// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
// Rooms whose packages are not there are left out.
#if !defined(STAGECUT_COMPILED)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program"
#endif

#include <stagecut/source/schedule.hpp>
#include <stagecut/source/makespan.hpp>
#include <stagecut/source/plan.hpp>
#if __has_include(<nlohmann/json.hpp>)
#include <stagecut/source/io.hpp>
#endif
