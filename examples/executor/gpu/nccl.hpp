// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <filesystem>
#include <fstream>

#include "gpu/gpu_stream.hpp"

#if EXECUTOR_NCCL
#include <nccl.h>

namespace executor {
constexpr bool has_nccl = true;

/// Transfers floats from rank 0 to 1, or from a single rank to itself; aborted on failure.
class communicator {
 public:
  /// @param file  shares the id between ranks, also of different processes: 0 writes it, 1 removes it
  communicator(bool alone, int rank, const std::string& file, double timeout) : communicator(alone, timeout) {
    ncclUniqueId id{};
    if (rank == 0) settle(ncclGetUniqueId(&id), "ncclGetUniqueId");
    if (rank == 0 && !alone) {
      std::ofstream(file + ".new", std::ios::binary).write(id.internal, sizeof(id.internal));
      std::filesystem::rename(file + ".new", file);
    }
    for (const double end = steady_seconds() + timeout; rank == 1; std::this_thread::yield()) {
      if (std::ifstream(file, std::ios::binary).read(id.internal, sizeof(id.internal))) break;
      if (steady_seconds() > end) throw std::runtime_error("nobody wrote " + file);
    }
    if (rank == 1) std::filesystem::remove(file);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    config.maxCTAs = 2;
    settle(ncclCommInitRankConfig(&comm_, peer_ + 1, id, rank, &config), "ncclCommInitRankConfig");
  }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator() {
    if (comm_ == nullptr) return;
    const bool well = std::uncaught_exceptions() == 0 && settled(ncclCommFinalize(comm_)) == ncclSuccess;
    static_cast<void>(well ? ncclCommDestroy(comm_) : ncclCommAbort(comm_));
  }
  /// One end, or both if alone; null: the other rank's.
  void transfer(const float* from, float* to, std::size_t count, const stream_handle& on) {
    settle(ncclGroupStart(), "ncclGroupStart");
    const auto sent = from == nullptr ? ncclSuccess : ncclSend(from, count, ncclFloat, peer_, comm_, on.get());
    const auto got = to == nullptr ? ncclSuccess : ncclRecv(to, count, ncclFloat, 0, comm_, on.get());
    const auto ended = ncclGroupEnd();
    settle(sent, "ncclSend"), settle(got, "ncclRecv"), settle(ended, "ncclGroupEnd");
  }

 private:
  communicator(bool alone, double timeout) : peer_(alone ? 0 : 1), timeout_(timeout) {}
  /// The result of a call, which may be asynchronous.
  ncclResult_t settled(ncclResult_t result) {
    if (comm_ == nullptr || (result != ncclSuccess && result != ncclInProgress)) return result;
    const double end = steady_seconds() + timeout_;
    do {
      if (ncclCommGetAsyncError(comm_, &result) != ncclSuccess) return ncclInternalError;
    } while (result == ncclInProgress && steady_seconds() < end);
    return result;
  }
  void settle(ncclResult_t result, const char* call) {
    result = settled(result);
    if (result != ncclSuccess)
      throw std::runtime_error(std::string(call) + ": " + ncclGetErrorString(result) + ", code " +
                               std::to_string(result));
  }
  int peer_;  // the sender's receiver
  double timeout_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace executor
#else
namespace executor {
constexpr bool has_nccl = false;
struct communicator {
  communicator(bool, int, const std::string&, double) { throw std::runtime_error("built without NCCL"); }
  void transfer(const float*, float*, std::size_t, const stream_handle&) {}
};
}  // namespace executor
#endif
