// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stagecut/fit/fit_link.hpp>

#include "commands/measure.hpp"
#include "gpu/gpu_machine.hpp"
#include "ranks/processes.hpp"
#include "ranks/threads.hpp"
#include "output/stop_signals.hpp"

namespace executor {

/// The requested machines of ranks.
struct machine_request {
  std::string device = "auto";                 ///< host, gpu; auto: GPUs if there are any
  std::string transport = "queues";            ///< queues, sockets; on one GPU copies, or nccl
  std::vector<std::string> launcher{};         ///< starts processes
  std::vector<std::size_t> multiprocessors{};  ///< per rank on one GPU; empty: equal parts
};

/// The machines of ranks and the transports between them.
class machines {
 public:
  /// @param timed  whether passes only take time, which needs no GPU
  machines(const machine_request& wanted, std::size_t ranks, bool timed)
      : by_processes_(wanted.transport == "sockets"), launcher_(wanted.launcher) {
    if (!launcher_.empty() && !by_processes_) throw std::invalid_argument("a launcher needs `--transport sockets`");
    text_ = fmt::format("{} cores of the host, {}", std::thread::hardware_concurrency(),
                        by_processes_ ? "processes over sockets" : "threads over queues");
    const bool there = wanted.device == "gpu" || (wanted.device == "auto" && gpu_count() != 0);
    if (timed || by_processes_ || !there) return;
    gpu_machines found = make_gpu_machines(ranks, {wanted.multiprocessors, wanted.transport == "nccl", {}});
    on_gpu_ = true;
    make_ = std::move(found.make);
    text_ = std::move(found.text);
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const machine_maker& maker() const { return make_; }

  [[nodiscard]] std::vector<rank_result> run(const run_setup& setup) const {
    if (!by_processes_) return run_threads(setup, make_);
    stop_signals::begin_search(false);  // ensures that no process or folder remains
    return run_processes(setup, std::filesystem::read_symlink("/proc/self/exe"), launcher_);
  }

  /// The time of messages between two ranks.
  [[nodiscard]] stagecut::link_fit link() const {
    constexpr std::size_t repeats = 50;
    constexpr std::size_t on_hosts = std::size_t{1} << 20U;  // floats: 4 MiB
    constexpr std::size_t on_gpus = std::size_t{1} << 24U;   // 64 MiB: shorter ones cost a GPU little beyond latency
    if (!by_processes_) return measure_link(repeats, on_gpu_ ? on_gpus : on_hosts, make_);
    run_setup any;
    any.order = stagecut::gpipe(1, 1);
    const process_run folder(any);
    return measure_link(repeats, on_hosts, [&](const run_setup& setup, std::size_t rank, std::vector<inbox>&) {
      return rank_machine{std::make_unique<host_device>(),
                          std::make_unique<socket_transport>(folder.path, rank, 2, on_hosts, setup.timeout)};
    });
  }

 private:
  bool by_processes_;
  bool on_gpu_ = false;
  std::vector<std::string> launcher_;
  machine_maker make_ = host_machine;
  std::string text_;
};

}  // namespace executor
