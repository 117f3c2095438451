// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <thrust/system/cuda/execution_policy.h>

#include <stagecut/core/placed.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/cuda_columns.cuh>
#include <stagecut/search/detail/cuda_memory.cuh>

namespace stagecut::inline STAGECUT_ABI::search::detail {

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
  // Device-only, so that unmarked code is rejected.
  STAGECUT_DEVICE void operator()(std::size_t i, strided_view<number> numbers, candidate_room points) const {
    if (false) detail::call_on_device(evaluator);
    space.decode(first + i, points);
    costs[i] = detail::cost_of(evaluator, points, numbers);
  }
};

/// A search on a CUDA device.
struct cuda_system {
  static constexpr std::size_t chunk = std::size_t{1} << 22U;

  template <class T>
  using array = device_array<T>;
  using memory = device_memory;

  /// Waits for the work in the policy's stream.
  template <class Policy>
  static void wait(const Policy& policy) {
    Policy own = policy;
    check_cuda(cudaStreamSynchronize(thrust::cuda_cub::stream(own)), "cudaStreamSynchronize");
  }

  /// The first elements of an array that is no longer written: see `wait`.
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

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
