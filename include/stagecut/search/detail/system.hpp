// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

#include <thrust/detail/config.h>
#include <thrust/detail/execution_policy.h>

#include <stagecut/search/detail/host_system.hpp>
#include <stagecut/search/detail/one_device_system.hpp>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#if !defined(__CUDACC__)
#error \
    "Thrust's device system is CUDA's, which nvcc alone can read: say -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"
#endif
#include <stagecut/search/detail/cuda_system.cuh>
#endif

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// An execution policy of Thrust.
template <class P>
concept thrust_policy = std::is_base_of_v<thrust::detail::execution_policy_marker, P>;

/// Where a policy's algorithms work: `host_system` or `cuda_system`.
template <thrust_policy Policy>
using system_t = decltype(detail::system_of(static_cast<const Policy*>(nullptr)));

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
