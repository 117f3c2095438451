// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
// Rooms whose packages are not there are left out.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/source/core.hpp>
#include <stagecut/source/cost.hpp>
#include <stagecut/source/profile.hpp>
#include <stagecut/source/sequence.hpp>
#include <stagecut/source/schedule.hpp>
#include <stagecut/source/engine.hpp>
#include <stagecut/source/orders.hpp>
#include <stagecut/source/makespan.hpp>
#include <stagecut/source/plan.hpp>
#include <stagecut/source/graph.hpp>
#include <stagecut/source/joint.hpp>
#include <stagecut/source/search.hpp>
#if __has_include(<Eigen/Core>)
#include <stagecut/source/fit.hpp>
#endif
#if __has_include(<nlohmann/json.hpp>)
#include <stagecut/source/io.hpp>
#endif
