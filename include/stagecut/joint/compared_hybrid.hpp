// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The plan of one planner in a comparison.
struct compared_hybrid {
  std::string name{};       ///< the planner
  std::string minimises{};  ///< its objective
  std::string chooses{};    ///< what it may choose
  outcome<plan> made{};     ///< its plan, simulated as all others are
};

}  // namespace stagecut::inline STAGECUT_ABI
