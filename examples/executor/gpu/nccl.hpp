// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "gpu/gpu_stream.hpp"
#include "work/clock.hpp"

namespace executor {

using gpu_edge = std::pair<std::size_t, std::size_t>;  ///< from a rank to a rank

#if EXECUTOR_NCCL
}  // namespace executor
#include <nccl.h>
namespace executor {
constexpr bool has_nccl = true;

/// How the two ranks of an edge come by the same id: threads by a table, processes by files in a folder of the run.
class unique_ids {
 public:
  explicit unique_ids(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ncclUniqueId operator()(const gpu_edge& edge, bool sends, double timeout) {
    ncclUniqueId id;
    const auto create = [&] { if (ncclGetUniqueId(&id) != ncclSuccess) throw std::runtime_error("ncclGetUniqueId: failed"); };
    if (folder_.empty()) {
      const std::lock_guard lock(mutex_);
      const auto found = ids_.find(edge);
      if (found != ids_.end()) return ids_.extract(found).mapped();
      create();
      if (edge.first != edge.second) ids_[edge] = id;
      return id;
    }
    const auto path = folder_ / ("edge-" + std::to_string(edge.first) + "-" + std::to_string(edge.second));
    if (sends) {
      create();
      std::ofstream(path.string() + ".new", std::ios::binary).write(id.internal, sizeof(id.internal));
      std::filesystem::rename(path.string() + ".new", path);
      return id;
    }
    for (const double end = steady_seconds() + timeout; !std::filesystem::exists(path); std::this_thread::yield()) {
      if (steady_seconds() > end) throw std::runtime_error("no id came for " + path.string());
    }
    std::ifstream(path, std::ios::binary).read(id.internal, sizeof(id.internal));
    return id;
  }

 private:
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<gpu_edge, ncclUniqueId> ids_;
};

/// What an edge's floats travel through: two ranks, the sender 0; or one that sends to itself. Given up where they fail.
class communicator {
 public:
  communicator(unique_ids& ids, const gpu_edge& edge, bool sends, bool alone, double timeout)
      : peer_(alone ? 0 : 1), timeout_(timeout) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    config.maxCTAs = 2;
    const ncclUniqueId id = ids(edge, sends, timeout);
    try {
      settle(ncclCommInitRankConfig(&comm_, peer_ + 1, id, sends ? 0 : 1, &config), "ncclCommInitRankConfig");
    } catch (const std::exception&) {
      if (comm_ != nullptr) ncclCommAbort(comm_);
      throw;
    }
  }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator() {
    try {
      if (std::uncaught_exceptions() != 0) throw std::runtime_error("the run has failed");
      settle(ncclCommFinalize(comm_), "ncclCommFinalize");
      ncclCommDestroy(comm_);
    } catch (const std::exception&) {
      ncclCommAbort(comm_);
    }
  }
  /// Either end, or both, is here.
  void transfer(const float* from, float* to, std::size_t count, cudaStream_t on) {
    started(ncclGroupStart(), "ncclGroupStart");
    const auto sent = from == nullptr ? ncclSuccess : ncclSend(from, count, ncclFloat, peer_, comm_, on);
    const auto got = to == nullptr ? ncclSuccess : ncclRecv(to, count, ncclFloat, 0, comm_, on);
    const auto ended = ncclGroupEnd();
    started(sent, "ncclSend"), started(got, "ncclRecv"), settle(ended, "ncclGroupEnd");
  }

 private:
  void started(ncclResult_t result, const char* call) {
    if (result == ncclSuccess || result == ncclInProgress) return;
    throw std::runtime_error(std::string(call) + ": " + ncclGetErrorString(result) + ", " + ncclGetLastError(comm_));
  }
  void settle(ncclResult_t result, const char* call) {
    started(result, call);
    for (const double end = steady_seconds() + timeout_;; std::this_thread::yield()) {
      ncclResult_t state = ncclSuccess;
      started(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
      started(state, call);
      if (state == ncclSuccess) return;
      if (steady_seconds() > end) throw std::runtime_error(std::string(call) + ": nobody was there within the time limit");
    }
  }
  int peer_;  // whom the sender sends to
  double timeout_;
  ncclComm_t comm_ = nullptr;
};
#else
constexpr bool has_nccl = false;
struct unique_ids {
  explicit unique_ids(const std::string&) {}
};
struct communicator {
  communicator(unique_ids&, const gpu_edge&, bool, bool, double) { throw std::runtime_error("it was built without NCCL"); }
  void transfer(const float*, float*, std::size_t, cudaStream_t) {}
};
#endif

}  // namespace executor
