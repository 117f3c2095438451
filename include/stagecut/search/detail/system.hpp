// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

#include <thrust/detail/config.h>
#include <thrust/detail/execution_policy.h>

#include <stagecut/search/detail/host_system.hpp>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#if !defined(__CUDACC__)
#error \
    "Thrust's device system is CUDA's, which nvcc alone can read: set -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"
#endif
#include <stagecut/search/detail/cuda_system.cuh>
#endif

// Thrust's code has the same names for every device system, so files compiled for different ones must not be linked
// into one program. Each object file defines this symbol with its number; linkers accept equal definitions, and reject
// different ones.
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

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// A Thrust execution policy.
template <class P>
concept thrust_policy = std::is_base_of_v<thrust::detail::execution_policy_marker, P>;

/// The system of a policy's algorithms: `host_system` or `cuda_system`.
template <thrust_policy Policy>
using system_t = decltype(detail::system_of(static_cast<const Policy*>(nullptr)));

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
