// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include <thrust/system/cuda/execution_policy.h>

#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/cuda_memory.cuh>
#include <stagecut/search/strided_view.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The bytes of a thread's column.
template <class Task>
[[nodiscard]] __host__ __device__ std::size_t column_bytes(const Task& task) {
  return task.room() * sizeof(typename Task::number) + task.points() * sizeof(std::uint32_t);
}

/// Threads per block: a constant, so that the compiler knows the stride of a column's elements.
inline constexpr unsigned column_threads = 64;

/// Calls `task(i, numbers, points)` for a thread's share of the indices below `count`. Inlined, so that the compiler
/// also knows the memory space of `block`: the address of an element in shared memory is then a shift and a 32-bit
/// addition.
///
/// @param block  memory of the thread's block; adjacent elements belong to neighbouring threads, so a row is read at
///               once
template <class Task>
__device__ __forceinline__ void call_in_column(const Task& task, std::size_t count, unsigned char* block) {
  using number = typename Task::number;
  constexpr unsigned threads = column_threads;
  const std::size_t room = task.room();
  const strided_view<number> numbers(reinterpret_cast<number*>(block) + threadIdx.x, room, threads);
  const candidate_room points(reinterpret_cast<std::uint32_t*>(block + room * threads * sizeof(number)) + threadIdx.x,
                              task.points(), threads);
  const std::size_t all = std::size_t{gridDim.x} * threads;
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count; i += all) task(i, numbers, points);
}

/// With columns in the block's shared memory.
template <class Task>
__global__ void call_in_shared_columns(Task task, std::size_t count) {
  extern __shared__ __align__(16) unsigned char block[];
  detail::call_in_column(task, count, block);
}

/// With columns in device memory, those of each block contiguous.
template <class Task>
__global__ void call_in_far_columns(Task task, std::size_t count, unsigned char* columns) {
  detail::call_in_column(task, count, columns + blockIdx.x * column_threads * detail::column_bytes(task));
}

/// Calls tasks of one type, with a column of scratch memory per index: `task.room()` elements of `Task::number`, and
/// `task.points()` points.
template <class Task>
class column_kernel {
 public:
  /// Columns are in shared memory if those of a block fit, else in device memory. (Smaller blocks would leave a
  /// multiprocessor partly idle: no faster.)
  explicit column_kernel(const Task& task) : bytes_(column_threads * detail::column_bytes(task)) {
    int device = 0;
    int most = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
               "cudaDeviceGetAttribute");
    check_cuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    shared_ = bytes_ <= static_cast<std::size_t>(most);
    if (!shared_) return;
    // Applies to all kernels of this type, whatever each of them needs.
    const auto kernel = call_in_shared_columns<Task>;
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
    check_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
  }

  /// Calls a task, with as much scratch memory as the first one, in the policy's stream.
  template <class Policy>
  void operator()(const Policy& policy, const Task& task, std::size_t count) {
    Policy own = policy;
    const cudaStream_t stream = thrust::cuda_cub::stream(own);
    const std::size_t wanted = (count + column_threads - 1) / column_threads;
    const std::size_t most = shared_ ? std::size_t{1} << 30U : 32 * static_cast<std::size_t>(processors_);
    const auto blocks = static_cast<unsigned>(wanted < most ? wanted : most);
    if (shared_) {
      call_in_shared_columns<<<blocks, column_threads, bytes_, stream>>>(task, count);
      check_cuda(cudaGetLastError(), "call_in_shared_columns");
    } else {
      if (far_.size() < blocks * bytes_) far_ = device_array<unsigned char>(blocks * bytes_);
      call_in_far_columns<<<blocks, column_threads, 0, stream>>>(task, count, far_.data());
      check_cuda(cudaGetLastError(), "call_in_far_columns");
    }
  }

 private:
  std::size_t bytes_;  // per block
  int processors_ = 0;
  bool shared_ = true;  // columns are in the block's shared memory
  device_array<unsigned char> far_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
