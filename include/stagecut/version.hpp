// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The version of the library: the only place that holds it. CMake and the packages read these three lines.
#define STAGECUT_VERSION_MAJOR 0
#define STAGECUT_VERSION_MINOR 2
#define STAGECUT_VERSION_PATCH 0

/// The library: algorithms, cost models, schedules, plans. The inline namespace is its version and form: `core/config.hpp`.
namespace stagecut {}
