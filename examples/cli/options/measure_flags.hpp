// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>
#include <stagecut/plan/plan_request.hpp>

/// The measures of a chain's stages.
inline constexpr stagecut::named<stagecut::measure> measure_flags[] = {{"time", stagecut::measure::time},
                                                                      {"parameters", stagecut::measure::parameters},
                                                                      {"uniform", stagecut::measure::layers}};
