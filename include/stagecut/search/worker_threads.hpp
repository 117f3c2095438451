// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// Calls a function for several indices on several threads: a `parallel_for`, for `search_options::threads`. Each call starts
/// the threads and joins them.
class worker_threads {
 public:
  /// @param threads  at most; 0: the machine's hardware threads
  explicit worker_threads(std::size_t threads)
      : threads_(threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency())) {}

  /// @throws the exception of the smallest index, once all calls have returned; std::system_error if no thread can be
  ///         created
  void operator()(std::size_t count, const function_ref<void(std::size_t)>& each) const {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr error;
    std::size_t failed = count;
    const auto work = [&] {
      for (std::size_t i = next++; i < count; i = next++) {
        try {
          each(i);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex);
          if (i < failed) failed = i, error = std::current_exception();
        }
      }
    };
    {
      std::vector<std::jthread> others;  // the calling thread works as well
      for (std::size_t t = 1; t < std::min(threads_, count); ++t) others.emplace_back(work);
      work();
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  std::size_t threads_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
