// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

/// STAGECUT_HOST_DEVICE marks a function that device code may call, STAGECUT_DEVICE a function for device code only,
/// which no host calls. STAGECUT_CALLS_ANY precedes a template that is marked for both and calls its argument: if the
/// argument is host-only, so is the template, and the warning is suppressed. All are empty unless a CUDA compiler reads
/// the header, and no function body depends on them, so objects of both kinds of compiler link into one program.
#if defined(__CUDACC__)
#define STAGECUT_HOST_DEVICE __host__ __device__
#define STAGECUT_DEVICE __device__
#define STAGECUT_CALLS_ANY _Pragma("nv_exec_check_disable")
#else
#define STAGECUT_HOST_DEVICE
#define STAGECUT_DEVICE
#define STAGECUT_CALLS_ANY
#endif
