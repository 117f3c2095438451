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

/// What a rank computes on, and how what it makes travels; made on the rank's thread, ended there.
struct rank_machine {
  std::unique_ptr<device> on{};
  std::unique_ptr<transport> data{};
};

/// Makes the machine of a rank; messages between threads travel through the boxes where it has no better way.
using machine_maker = std::function<rank_machine(const run_setup&, std::size_t rank, std::vector<inbox>& boxes)>;

/// Binds the thread to a core, one after the other of those that the process may use.
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

/// How slow the links of a setup are, which outlives the answer.
[[nodiscard]] inline link_delay delay_of(const run_setup& setup) {
  if (setup.delays.empty()) return nullptr;
  return [&setup](const stagecut::op& what) {
    return setup.delays[what.kind == stagecut::op_kind::send_forward ? what.stage : what.stage - 1];
  };
}

/// A core of the host for every rank; with delays, the links are as slow as these say.
[[nodiscard]] inline rank_machine host_machine(const run_setup& setup, std::size_t rank, std::vector<inbox>& boxes) {
  if (!setup.timed()) pin_thread(rank);
  return {make_host_device(setup.timed()),
          std::make_unique<queue_transport>(boxes, rank, setup.timeout, delay_of(setup))};
}

/// Does something for every rank, each on a thread of its own.
/// @throws what the first of them threw, once all have ended; it has called `failed` before
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

/// Runs every rank on a thread of its own.
///
/// @return  what they bring back, rank by rank
/// @throws  rank_failed of the rank that failed first, once all have ended: the others are told, and wait no longer
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
