// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/lanes.hpp>

#include <stagecut/schedule/longest_path.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL lane_registers widest_lane_registers() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return lane_registers::bits_512;
  if (__builtin_cpu_supports("avx2") != 0) return lane_registers::bits_256;
#endif
  return lane_registers::plain;
}

STAGECUT_DECL lane_registers fastest_lane_registers() noexcept {
#if defined(__x86_64__)
  if (widest_lane_registers() == lane_registers::bits_512 && __builtin_cpu_is("amdfam19h") != 0) {
    return lane_registers::bits_256;
  }
#endif
  return widest_lane_registers();
}

}  // namespace stagecut::inline STAGECUT_ABI
