// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "ranks/threads.hpp"

namespace executor {

/// How ranks are to use GPUs.
struct gpu_request {
  std::vector<std::size_t>
      multiprocessors{};   ///< of every rank, on one GPU; none: a GPU for each, or equal parts of one
  bool self_nccl = false;  ///< whether NCCL carries messages on one GPU
  std::string folder{};    ///< where ranks meet that have a GPU each; none: a new one, for the threads of a process
};

/// What ranks compute on and how they reach each other, for one run after the other until one fails, and in words.
struct gpu_machines {
  machine_maker make{};  ///< outlives its runs
  std::string text{};
};

#if EXECUTOR_CUDA
/// GPUs that there are, 0 without a driver. To be asked before anything else is.
[[nodiscard]] std::size_t gpu_count() noexcept;
/// A GPU for every rank, with NCCL between them; where there are fewer, parts of one. @throws std::runtime_error
[[nodiscard]] gpu_machines make_gpu_machines(std::size_t ranks, const gpu_request& request = {});
#else
[[nodiscard]] inline std::size_t gpu_count() noexcept { return 0; }
[[nodiscard]] inline gpu_machines make_gpu_machines(std::size_t, const gpu_request& = {}) {
  throw std::runtime_error("built without CUDA");
}
#endif

}  // namespace executor
