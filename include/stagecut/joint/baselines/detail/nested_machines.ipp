// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/nested_machines.hpp>

#include <cstddef>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::size_t nested_stage::devices() const noexcept {
  std::size_t product = 1;
  for (const std::size_t each : replicas) product *= each;
  return product;
}

STAGECUT_DECL std::size_t nested_cut::devices() const noexcept {
  std::size_t sum = 0;
  for (const nested_stage& stage : stages) sum += stage.devices();
  return sum;
}

}  // namespace stagecut::inline STAGECUT_ABI
