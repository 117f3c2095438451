// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <thrust/detail/config.h>

#include <stagecut/core/config.hpp>

// Thrust's code for one device system and for another has the same names: files that were compiled for different ones must not
// meet in one program. Each leaves this number in its object; linkers accept the same number many times, and no second one.
#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP
asm(".globl stagecut_search_has_one_thrust_device_system\n.set stagecut_search_has_one_thrust_device_system, 1");
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
asm(".globl stagecut_search_has_one_thrust_device_system\n.set stagecut_search_has_one_thrust_device_system, 2");
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
asm(".globl stagecut_search_has_one_thrust_device_system\n.set stagecut_search_has_one_thrust_device_system, 3");
#else
asm(".globl stagecut_search_has_one_thrust_device_system\n.set stagecut_search_has_one_thrust_device_system, 4");
#endif
#endif
