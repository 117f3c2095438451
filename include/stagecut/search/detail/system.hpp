// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <thrust/detail/config.h>

#include <stagecut/search/detail/host_system.hpp>
#include <stagecut/search/detail/one_device_system.hpp>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <stagecut/search/detail/cuda_system.cuh>
#endif

namespace stagecut::inline v0::search::detail {

/// Where a policy's algorithms work: `host_system` or `cuda_system`.
template <class Policy>
using system_t = decltype(detail::system_of(static_cast<const Policy*>(nullptr)));

}  // namespace stagecut::inline v0::search::detail
