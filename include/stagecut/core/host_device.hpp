// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/detail/language.hpp>

/// Marks a function that device code may call. It is empty unless a CUDA compiler reads the header, and no function
/// body depends on it, so objects of both kinds of compiler link into one program.
#if defined(__CUDACC__)
#define STAGECUT_HOST_DEVICE __host__ __device__
#else
#define STAGECUT_HOST_DEVICE
#endif
