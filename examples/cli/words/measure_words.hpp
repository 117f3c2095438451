// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/words.hpp>
#include <stagecut/plan/plan_request.hpp>

/// The measures of a chain's stages.
inline constexpr stagecut::word<stagecut::measure> measure_words[] = {{"time", stagecut::measure::time},
                                                                      {"parameters", stagecut::measure::parameters},
                                                                      {"uniform", stagecut::measure::layers}};
