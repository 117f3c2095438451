// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "work/clock.hpp"
#include "work/device.hpp"

namespace executor {

/// Throws if a call has failed: its name, and that of its error.
inline void checked(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorName(result) + ", " + cudaGetErrorString(result));
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
inline void copy(float* to, const float* from, std::size_t count, cudaStream_t on) {
  checked(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDefault, on), "cudaMemcpyAsync");
}

/// Where a message waits on a GPU.
struct staging {
  std::shared_ptr<float> data;
  std::size_t count;
  event_handle taken;  ///< when what it held was copied from it
};

/// The stream that a rank computes on, and all of the rank's that others may look at when its thread has ended: marks and
/// messages. Memory is freed with it, too, as that would stop the ranks that still run. Used by the rank's thread alone.
class gpu_stream {
  struct base {
    event_handle event;
    double seconds;
  };
  struct timed {
    event_handle event;
    const base* since;
  };

 public:
  gpu_stream(int of, stream_handle computes_on, int of_multiprocessors)
      : gpu(of), multiprocessors(of_multiprocessors), stream(std::move(computes_on)) {}

  const int gpu;
  const int multiprocessors;  ///< that it has for itself; 0: it shares them all
  const stream_handle stream;
  double timeout = 30;                       ///< seconds that it may take to the next mark
  std::vector<std::shared_ptr<void>> kept{};  ///< until the next run

  /// Marks the end of what was called on a stream.
  device::mark mark(cudaStream_t on) {
    if (used_ == marks_.size()) marks_.push_back({make_event(), nullptr});
    timed& next = marks_[used_++];
    next.since = &bases_.back();
    checked(cudaEventRecord(next.event.get(), on), "cudaEventRecord");
    return {0, &next};
  }
  static void wait_for(const device::mark& at, cudaStream_t on) {
    checked(cudaStreamWaitEvent(on, static_cast<timed*>(at.event)->event.get(), 0), "cudaStreamWaitEvent");
  }
  /// Of any rank of the process.
  static double seconds(const device::mark& at) {
    const timed& it = *static_cast<timed*>(at.event);
    float milliseconds = 0;
    checked(cudaEventElapsedTime(&milliseconds, it.since->event.get(), it.event.get()), "cudaEventElapsedTime");
    return it.since->seconds + milliseconds * 1e-3;
  }

  /// Waits for the stream, as long as it goes on. A kernel that waits for a rank that has failed would never end.
  void wait() {
    double end = steady_seconds() + timeout;
    cudaError_t state = cudaStreamQuery(stream.get());
    for (; state == cudaErrorNotReady; state = cudaStreamQuery(stream.get())) {
      for (; reached_ < used_ && cudaEventQuery(marks_[reached_].event.get()) == cudaSuccess; ++reached_) {
        end = steady_seconds() + timeout;
      }
      if (steady_seconds() > end) throw std::runtime_error("the GPU did nothing for " + std::to_string(timeout) + " s");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    static_cast<void>(cudaGetLastError());  // that it was not ready
    checked(state, "cudaStreamQuery");
  }
  /// Waits, and begins to count anew. The next marks take the places of the last: who reads those has done so when the
  /// ranks have met again, and what others have a base for stays.
  void restart() {
    wait();
    used_ = reached_ = 0;
    const event_handle event = make_event();
    checked(cudaEventRecord(event.get(), stream.get()), "cudaEventRecord");
    checked(cudaEventSynchronize(event.get()), "cudaEventSynchronize");
    bases_.push_back({event, steady_seconds()});
  }

  /// Memory for a message, which nobody uses.
  std::shared_ptr<staging> stage(std::size_t count) {
    for (const auto& each : staged_) {
      if (each->count != count || each.use_count() != 1) continue;
      if (cudaEventQuery(each->taken.get()) == cudaSuccess) return each;
    }
    static_cast<void>(cudaGetLastError());
    return staged_.emplace_back(new staging{make_memory(count), count, make_event()});
  }

 private:
  std::deque<timed> marks_{};
  std::deque<base> bases_{};  // the last one counts
  std::size_t used_ = 0;
  std::size_t reached_ = 0;
  std::vector<std::shared_ptr<staging>> staged_{};
};

}  // namespace executor
