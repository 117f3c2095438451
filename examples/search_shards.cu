// SPDX-License-Identifier: BSL-1.0
// Shares a search among the GPUs of a machine, one thread each. NCCL has no argmin: first finds the smallest cost, then
// the smallest index with that cost, as `better` does.
#include "search_shards.hpp"

#include <nccl.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

template <class T>
T least_of_all(T own, ncclDataType_t type, ncclComm_t communicator) {
  thrust::device_vector<T> value(1, own);
  T* const data = thrust::raw_pointer_cast(value.data());
  if (ncclAllReduce(data, data, 1, type, ncclMin, communicator, nullptr) != ncclSuccess) std::exit(1);
  cudaDeviceSynchronize();
  return value[0];
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::puts("skipped: no device"), 77;
  const shared_problem problem;
  std::vector<ncclComm_t> communicators(devices);
  if (ncclCommInitAll(communicators.data(), devices, nullptr) != ncclSuccess) return std::puts("NCCL failed"), 1;
  std::vector<std::jthread> threads;
  for (int device = 0; device < devices; ++device) {
    threads.emplace_back([&, device] {
      cudaSetDevice(device);
      search::scored<double> best = problem.best_of(thrust::device, device, devices);
      if (best.index == best.none) best.value = std::numeric_limits<double>::infinity();
      const double cost = least_of_all(best.value, ncclFloat64, communicators[device]);
      const std::uint64_t index = best.value == cost ? best.index : best.none;
      best = {cost, least_of_all(index, ncclUint64, communicators[device])};
      if (device == 0) problem.print(best);
      ncclCommDestroy(communicators[device]);
    });
  }
}
