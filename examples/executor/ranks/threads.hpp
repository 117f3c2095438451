// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ranks/rank.hpp"
#include "ranks/setup.hpp"
#include "transports/inbox.hpp"
#include "transports/queues.hpp"
#include "transports/transport.hpp"
#include "work/device.hpp"
#include "work/host_device.hpp"

namespace executor {

/// The device of a rank and its transports; created and destroyed on the rank's thread.
struct rank_machine {
  std::unique_ptr<device> on{};
  std::unique_ptr<transport> data{};
};

/// Creates the machine of a rank; messages between threads use the boxes unless it has a better transport.
using machine_maker = std::function<rank_machine(const run_setup&, std::size_t rank, std::vector<inbox>& boxes)>;

/// Binds the thread to a core, in turn from those available to the process.
inline void pin_thread(std::size_t number) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  std::size_t skip = number % static_cast<std::size_t>(CPU_COUNT(&allowed));
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || skip-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
    return;
  }
}

/// The delays of a setup's links; the setup must outlive the result.
[[nodiscard]] inline link_delay delay_of(const run_setup& setup) {
  if (setup.delays.empty()) return nullptr;
  return [&setup](const stagecut::op& what) {
    return setup.delays[what.kind == stagecut::op_kind::send_forward ? what.stage : what.stage - 1];
  };
}

/// A core of the host for every rank; with delays, links are slowed accordingly.
[[nodiscard]] inline rank_machine host_machine(const run_setup& setup, std::size_t rank, std::vector<inbox>& boxes) {
  if (!setup.timed()) pin_thread(rank);
  return {make_host_device(setup.timed()),
          std::make_unique<queue_transport>(boxes, rank, setup.timeout, delay_of(setup))};
}

/// Runs a function for every rank, each on its own thread.
/// @throws the first exception, once all have ended; `failed` was called before
template <class Work, class Failed>
void on_threads(std::size_t ranks, const Work& work, const Failed& failed) {
  std::mutex first;
  std::exception_ptr error;
  {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < ranks; ++r) {
      threads.emplace_back([&, r] {
        try {
          work(r);
        } catch (...) {
          {
            const std::scoped_lock alone(first);
            if (!error) error = std::current_exception();
          }
          failed();
        }
      });
    }
  }
  if (error) std::rethrow_exception(error);
}

/// Runs every rank on its own thread.
///
/// @return  their results, by rank
/// @throws  rank_failed of the rank that failed first, once all have ended: the others are notified, and stop waiting
[[nodiscard]] inline std::vector<rank_result> run_threads(const run_setup& setup,
                                                          const machine_maker& make = host_machine) {
  const std::size_t ranks = setup.order.ranks();
  std::vector<inbox> boxes(ranks);
  std::vector<inbox> control(ranks);
  std::vector<rank_result> results(ranks);
  std::mutex mutex;
  std::optional<rank_failed> failure;
  const auto failed = [&](const rank_failed& error) {
    {
      const std::lock_guard lock(mutex);
      if (!failure || (error.is_cause && !failure->is_cause)) failure = error;
    }
    for (auto* const each : {&boxes, &control}) {
      for (inbox& box : *each) box.fail({}, error.what());
    }
  };
  const auto work = [&](std::size_t rank) {
    try {
      const rank_machine machine = make(setup, rank, boxes);
      queue_transport meeting(control, rank, setup.timeout);
      results[rank] = rank_runner(setup, rank, *machine.on, *machine.data, meeting).run();
    } catch (const rank_failed& error) {
      failed(error);
    } catch (const std::exception& error) {
      failed(rank_failed(rank, "", error.what(), true));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < ranks; ++r) threads.emplace_back(work, r);
  }
  if (failure) throw rank_failed(*failure);
  return results;
}

}  // namespace executor
