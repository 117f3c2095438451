// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks/threads.hpp"

namespace executor {

/// How ranks are to use GPUs.
struct gpu_request {
  std::vector<std::size_t> multiprocessors{};  ///< of every rank, on one GPU; empty: a GPU for each, or equal shares of one
  bool self_nccl = false;                      ///< whether on one GPU NCCL carries the messages
  std::string folder{};                        ///< new, where ranks are processes: here they meet
};

/// What ranks compute on and how they reach each other, for `run_threads`, and in words.
struct gpu_machines {
  machine_maker make{};  ///< for one run after the other, until one fails; its copies outlive their runs
  std::string text{};
};

#if EXECUTOR_CUDA
/// GPUs that there are; 0 without a driver. To be asked before anything else is.
[[nodiscard]] std::size_t gpu_count() noexcept;
/// Gives every rank a GPU, with NCCL between them; where there are fewer, all share one, with copies between them.
/// @throws std::runtime_error if there is none
[[nodiscard]] gpu_machines make_gpu_machines(std::size_t ranks, const gpu_request& request = {});
#else
[[nodiscard]] inline std::size_t gpu_count() noexcept { return 0; }
[[nodiscard]] inline gpu_machines make_gpu_machines(std::size_t, const gpu_request& = {}) {
  throw std::runtime_error("it was built without CUDA");
}
#endif

}  // namespace executor
