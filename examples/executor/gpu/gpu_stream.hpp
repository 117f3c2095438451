// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "work/clock.hpp"
#include "work/device.hpp"

namespace executor {

/// Throws if a call failed, with its name and its error.
inline void checked(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorName(result));
}

using stream_handle = std::shared_ptr<CUstream_st>;
using event_handle = std::shared_ptr<CUevent_st>;

inline stream_handle make_stream() {
  cudaStream_t made = nullptr;
  checked(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return {made, cudaStreamDestroy};
}
inline event_handle make_event() {
  cudaEvent_t made = nullptr;
  checked(cudaEventCreate(&made), "cudaEventCreate");
  return {made, cudaEventDestroy};
}
inline std::shared_ptr<float> make_memory(std::size_t count) {
  void* made = nullptr;
  checked(cudaMalloc(&made, count * sizeof(float)), "cudaMalloc");
  return {static_cast<float*>(made), cudaFree};
}
inline void record(const event_handle& event, const stream_handle& on) {
  checked(cudaEventRecord(event.get(), on.get()), "cudaEventRecord");
}
inline void copy(float* to, const float* from, std::size_t count, const stream_handle& on) {
  checked(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDefault, on.get()), "cudaMemcpyAsync");
}

/// The buffer of a message on a GPU, and the time when its content was copied.
struct staging {
  std::shared_ptr<float> data;
  std::size_t count;
  event_handle taken;
};

/// The compute stream of a rank, and everything of it that other ranks may need after its thread has ended. Its memory
/// is freed with it as well: freeing earlier would stop running ranks. Used by the rank's thread only.
struct gpu_stream {
  const int gpu;
  const int multiprocessors;  ///< reserved for it; 0: it shares all
  const stream_handle stream;
  double timeout = 30;                        ///< time limit in seconds for all calls
  std::vector<std::shared_ptr<void>> kept{};  ///< until the next run
  std::vector<event_handle> marks{};
  std::size_t used = 0;  ///< number of marks in use
  event_handle base = make_event();
  double base_seconds = 0;
  std::vector<std::shared_ptr<staging>> stagings{};

  /// Memory for a message that is no longer in use.
  std::shared_ptr<staging> stage(std::size_t count) {
    for (const auto& each : stagings) {
      if (each->count != count || each.use_count() != 1) continue;
      if (cudaEventQuery(each->taken.get()) == cudaSuccess) return each;
      static_cast<void>(cudaGetLastError());  // it is still to be copied
    }
    return stagings.emplace_back(new staging{make_memory(count), count, make_event()});
  }
  device::mark mark(const stream_handle& on) {
    if (used == marks.size()) marks.push_back(make_event());
    record(marks[used], on);
    return {0, marks[used++].get()};
  }
  [[nodiscard]] double seconds(const device::mark& at) const {
    float milliseconds = 0;
    const auto event = static_cast<cudaEvent_t>(at.event);
    checked(cudaEventElapsedTime(&milliseconds, base.get(), event), "cudaEventElapsedTime");
    return base_seconds + milliseconds * 1e-3;
  }
  /// Waits, and reuses the marks from the first on, which were read before the ranks met.
  void finish() {
    const double end = steady_seconds() + timeout;
    cudaError_t state = cudaStreamQuery(stream.get());
    for (; state == cudaErrorNotReady && steady_seconds() < end; state = cudaStreamQuery(stream.get())) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    static_cast<void>(cudaGetLastError());
    checked(state, "cudaStreamQuery");        // not ready: a kernel waits for a failed rank
    if (std::exchange(used, 0) != 0) return;  // the marks are read relative to the base before them
    record(base, stream);
    checked(cudaEventSynchronize(base.get()), "cudaEventSynchronize");
    base_seconds = steady_seconds();
  }
};

/// The device on a stream of a GPU, which becomes the thread's GPU: float32 throughout, and every sum in a fixed order.
std::unique_ptr<device> make_gpu_device(gpu_stream& on);

}  // namespace executor
