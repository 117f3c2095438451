// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <thrust/system/cuda/execution_policy.h>

#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/device_error.hpp>

namespace stagecut::inline v0::search::detail {

/// Throws what a call of CUDA's runtime says, unless it went well.
inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // so that nobody else meets it
  throw device_error(call, cudaGetErrorName(status), cudaGetErrorString(status));
}

/// Elements in a device's memory.
template <class T>
class device_array {
 public:
  device_array() = default;
  explicit device_array(std::size_t size) : size_(size) {
    if (size != 0) check_cuda(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  device_array(device_array&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  device_array& operator=(device_array&& other) noexcept {
    T* const data = data_;
    const std::size_t size = size_;
    data_ = other.data_, size_ = other.size_;
    other.data_ = data, other.size_ = size;
    return *this;
  }
  ~device_array() { static_cast<void>(cudaFree(data_)); }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies bytes to the device; they are there when it returns, for any stream.
inline void copy_to_device(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

/// Copies arrays to the device, and holds the copies.
class device_memory {
 public:
  template <class T>
  [[nodiscard]] view<const T> operator()(view<const T> array) {
    held_.emplace_back(array.size() * sizeof(T));
    void* const to = held_.back().data();
    copy_to_device(to, array.data(), array.size() * sizeof(T));
    return {static_cast<const T*>(to), array.size()};
  }

 private:
  std::vector<device_array<unsigned char>> held_{};
};

/// Calls `task(i, numbers, points)` for every i below `count`. Each thread has a column of the fast memory of its block, or of
/// `far`: `task.room()` of `Task::number`, and `task.points()` points. What is next to it in a row belongs to its neighbour, so
/// that a row is read at once.
template <class Task>
__global__ void call_in_columns(Task task, std::size_t count, unsigned char* far, std::size_t bytes) {
  using number = typename Task::number;
  extern __shared__ __align__(16) unsigned char near[];
  const unsigned threads = blockDim.x;
  unsigned char* const block = far == nullptr ? near : far + blockIdx.x * bytes;
  const std::size_t room = task.room();
  const strided_view<number> numbers(reinterpret_cast<number*>(block) + threadIdx.x, room, threads);
  const candidate_room points(reinterpret_cast<std::uint32_t*>(block + room * threads * sizeof(number)) + threadIdx.x,
                              task.points(), threads);
  const std::size_t all = std::size_t{gridDim.x} * threads;
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count; i += all) task(i, numbers, points);
}

/// Calls tasks of one kind, for each index with a column of room.
template <class Task>
class column_kernel {
  using number = typename Task::number;

 public:
  /// Blocks of 64 threads where that many fit, else of 32; memory of the device where these do not fit either.
  explicit column_kernel(const Task& task) {
    int device = 0;
    int most = 0;
    int processors = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
               "cudaDeviceGetAttribute");
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    const std::size_t each = task.room() * sizeof(number) + task.points() * sizeof(std::uint32_t);
    if (each * threads_ > static_cast<std::size_t>(most)) threads_ = 32;
    bytes_ = (each * threads_ + 15) / 16 * 16;
    shared_ = bytes_ <= static_cast<std::size_t>(most);
    blocks_ = shared_ ? 1U << 30U : 32 * static_cast<unsigned>(processors);
    if (!shared_) return;
    // For all kernels of this kind, whatever each of them needs.
    check_cuda(cudaFuncSetAttribute(call_in_columns<Task>, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
               "cudaFuncSetAttribute");
  }

  /// Calls a task, which needs as much room as the first one, in the policy's stream.
  template <class Policy>
  void operator()(const Policy& policy, const Task& task, std::size_t count) {
    const std::size_t wanted = (count + threads_ - 1) / threads_;
    const unsigned blocks = wanted < blocks_ ? static_cast<unsigned>(wanted) : blocks_;
    if (!shared_ && far_.size() < blocks * bytes_) far_ = device_array<unsigned char>(blocks * bytes_);
    Policy own = policy;
    const cudaStream_t stream = thrust::cuda_cub::stream(own);
    call_in_columns<<<blocks, threads_, shared_ ? bytes_ : 0, stream>>>(task, count, shared_ ? nullptr : far_.data(),
                                                                        bytes_);
    check_cuda(cudaGetLastError(), "call_in_columns");
  }

 private:
  unsigned threads_ = 64;  // of a block
  unsigned blocks_ = 1;    // at most
  std::size_t bytes_ = 0;  // of a block
  bool shared_ = true;     // they are in the block's fast memory
  device_array<unsigned char> far_{};
};

/// Writes the cost of each candidate of a chunk.
template <class S, class E>
struct evaluate_candidate {
  using number = number_t<E>;

  S space;
  E evaluator;
  std::uint64_t first = 0;  // index of the chunk's first candidate
  candidate_cost_t<E>* costs = nullptr;

  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t room() const { return detail::room_of(evaluator); }
  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t points() const { return space.points(); }
  STAGECUT_HOST_DEVICE void operator()(std::size_t i, strided_view<number> numbers, candidate_room points) const {
    space.decode(first + i, points);
    costs[i] = detail::cost_of(evaluator, points, numbers);
  }
};

/// A search on a device of CUDA's.
struct cuda_system {
  static constexpr std::size_t chunk = std::size_t{1} << 22U;

  template <class T>
  using array = device_array<T>;
  using memory = device_memory;

  /// The first elements of an array.
  template <class T>
  static std::vector<T> read(const device_array<T>& from, std::size_t count) {
    std::vector<T> to(count);
    if (count != 0)
      check_cuda(cudaMemcpy(to.data(), from.data(), count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return to;
  }

  /// Overwrites an array.
  template <class T>
  static void write(device_array<T>& to, const std::vector<T>& from) {
    if (to.size() != from.size()) to = device_array<T>(from.size());
    copy_to_device(to.data(), from.data(), from.size() * sizeof(T));
  }

  /// Evaluates chunks.
  template <class S, class E>
  class evaluation {
    using task =
        evaluate_candidate<stagecut::detail::placed_t<S, device_memory>, stagecut::detail::placed_t<E, device_memory>>;

   public:
    evaluation(const S& space, const E& evaluator)
        : task_{stagecut::detail::placed(space, memory_), stagecut::detail::placed(evaluator, memory_)}, call_(task_) {}

    template <class Policy>
    void operator()(const Policy& policy, std::uint64_t first, std::size_t count, candidate_cost_t<E>* costs) {
      task_.first = first;
      task_.costs = costs;
      call_(policy, task_, count);
    }

   private:
    device_memory memory_{};
    task task_;
    column_kernel<task> call_;
  };
};

template <class Derived>
cuda_system system_of(const thrust::cuda_cub::execution_policy<Derived>*);

}  // namespace stagecut::inline v0::search::detail
