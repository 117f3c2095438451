// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "ranks/threads.hpp"

namespace executor {

/// The use of GPUs by ranks.
struct gpu_request {
  std::vector<std::size_t> multiprocessors{};  ///< per rank, on one GPU; empty: a GPU for each, or equal parts of one
  bool self_nccl = false;                      ///< whether NCCL transfers messages on one GPU
  std::string folder{};  ///< where ranks with a GPU each meet; empty: a new one, for the threads of a process
};

/// The machines of ranks and their transports, for consecutive runs until one fails, with a description.
struct gpu_machines {
  machine_maker make{};  ///< must outlive its runs
  std::string text{};
};

#if EXECUTOR_CUDA
/// The number of GPUs, 0 without a driver. Must be called first.
[[nodiscard]] std::size_t gpu_count() noexcept;
/// A GPU for every rank, with NCCL between them; if there are fewer, parts of one. @throws std::runtime_error
[[nodiscard]] gpu_machines make_gpu_machines(std::size_t ranks, const gpu_request& request = {});
#else
[[nodiscard]] inline std::size_t gpu_count() noexcept { return 0; }
[[nodiscard]] inline gpu_machines make_gpu_machines(std::size_t, const gpu_request& = {}) {
  throw std::runtime_error("built without CUDA");
}
#endif

}  // namespace executor
