// SPDX-License-Identifier: BSL-1.0
// The systems of Thrust that this program has: every search says the same on each of them.
#pragma once

#include <thrust/execution_policy.h>
#ifdef STAGECUT_TEST_OMP
#include <omp.h>
#include <thrust/system/omp/execution_policy.h>
#endif
#ifdef STAGECUT_TEST_TBB
#include <thrust/system/tbb/execution_policy.h>
#endif
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <cuda_runtime.h>
#endif

/// Whether there is a device to run on.
inline bool has_device() {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices != 0;
#else
  return false;
#endif
}

/// Calls `run` with a policy of each system, with several numbers of threads where that can be said.
template <class Run>
void on_each_system(const Run& run) {
  run(thrust::seq);
#ifdef STAGECUT_TEST_OMP
  const int threads = omp_get_max_threads();
  for (const int each : {1, 2, 3}) {
    omp_set_num_threads(each);
    run(thrust::omp::par);
  }
  omp_set_num_threads(threads);
#endif
#ifdef STAGECUT_TEST_TBB
  run(thrust::tbb::par);
#endif
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  if (has_device()) run(thrust::device);
#endif
}
