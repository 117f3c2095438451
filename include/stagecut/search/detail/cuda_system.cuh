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

/// Copies arrays to the device, and holds the copies.
class device_memory {
 public:
  template <class T>
  [[nodiscard]] view<const T> operator()(view<const T> array) {
    held_.emplace_back(array.size() * sizeof(T));
    void* const to = held_.back().data();
    if (!array.empty()) {
      check_cuda(cudaMemcpy(to, array.data(), array.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    return {static_cast<const T*>(to), array.size()};
  }

 private:
  std::vector<device_array<unsigned char>> held_{};
};

/// Each thread has a column of the fast memory of its block, or of `far`, for the numbers that it works on and the candidate: what is
/// next to it in a row belongs to its neighbour, so that a row is read at once.
template <class S, class E>
__global__ void evaluate_candidates(S space, E evaluator, std::uint64_t first, std::size_t count,
                                    candidate_cost_t<E>* costs, unsigned char* far, std::size_t bytes) {
  using number = number_t<E>;
  extern __shared__ __align__(16) unsigned char near[];
  const unsigned threads = blockDim.x;
  unsigned char* const block = far == nullptr ? near : far + blockIdx.x * bytes;
  const std::size_t room = detail::room_of(evaluator);
  const strided_view<number> numbers(reinterpret_cast<number*>(block) + threadIdx.x, room, threads);
  const candidate_room points(reinterpret_cast<std::uint32_t*>(block + room * threads * sizeof(number)) + threadIdx.x,
                              space.points(), threads);
  const std::size_t all = std::size_t{gridDim.x} * threads;
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count; i += all) {
    space.decode(first + i, points);
    costs[i] = detail::cost_of(evaluator, points, numbers);
  }
}

/// How the kernel is started.
struct kernel_shape {
  unsigned threads = 64;  // of a block
  unsigned blocks = 1;    // at most
  std::size_t bytes = 0;  // of a block
  bool shared = true;     // they are in the block's fast memory
};

/// A search on a device of CUDA's.
struct cuda_system {
  static constexpr std::size_t chunk = std::size_t{1} << 22U;

  template <class T>
  using array = device_array<T>;

  /// The first elements of an array.
  template <class T>
  static std::vector<T> read(const device_array<T>& from, std::size_t count) {
    std::vector<T> to(count);
    if (count != 0)
      check_cuda(cudaMemcpy(to.data(), from.data(), count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return to;
  }

  /// Evaluates chunks.
  template <class S, class E>
  class evaluation {
    using space_t = stagecut::detail::placed_t<S, device_memory>;
    using evaluator_t = stagecut::detail::placed_t<E, device_memory>;
    using cost_t = candidate_cost_t<E>;

   public:
    evaluation(const S& space, const E& evaluator)
        : space_(stagecut::detail::placed(space, memory_)), evaluator_(stagecut::detail::placed(evaluator, memory_)) {
      choose_shape();
    }

    template <class Policy>
    void operator()(const Policy& policy, std::uint64_t first, std::size_t count, cost_t* costs) {
      const std::size_t wanted = (count + shape_.threads - 1) / shape_.threads;
      const unsigned blocks = wanted < shape_.blocks ? static_cast<unsigned>(wanted) : shape_.blocks;
      if (!shape_.shared && far_.size() < blocks * shape_.bytes)
        far_ = device_array<unsigned char>(blocks * shape_.bytes);
      Policy own = policy;
      const cudaStream_t stream = thrust::cuda_cub::stream(own);
      evaluate_candidates<<<blocks, shape_.threads, shape_.shared ? shape_.bytes : 0, stream>>>(
          space_, evaluator_, first, count, costs, shape_.shared ? nullptr : far_.data(), shape_.bytes);
      check_cuda(cudaGetLastError(), "evaluate_candidates");
    }

   private:
    /// Blocks of 64 threads where that many fit, else of 32; memory of the device where these do not fit either.
    void choose_shape() {
      int device = 0;
      int most = 0;
      int processors = 0;
      check_cuda(cudaGetDevice(&device), "cudaGetDevice");
      check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                 "cudaDeviceGetAttribute");
      check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
      const std::size_t each = detail::room_of(evaluator_) * sizeof(number_t<evaluator_t>) + space_.points() * 4;
      if (each * shape_.threads > static_cast<std::size_t>(most)) shape_.threads = 32;
      shape_.bytes = (each * shape_.threads + 15) / 16 * 16;
      shape_.shared = shape_.bytes <= static_cast<std::size_t>(most);
      shape_.blocks = shape_.shared ? 1U << 30U : 32 * static_cast<unsigned>(processors);
      if (!shape_.shared) return;
      check_cuda(cudaFuncSetAttribute(evaluate_candidates<space_t, evaluator_t>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape_.bytes)),
                 "cudaFuncSetAttribute");
    }

    device_memory memory_{};
    space_t space_;
    evaluator_t evaluator_;
    kernel_shape shape_{};
    device_array<unsigned char> far_{};
  };
};

template <class Derived>
cuda_system system_of(const thrust::cuda_cub::execution_policy<Derived>*);

}  // namespace stagecut::inline v0::search::detail
