// SPDX-License-Identifier: BSL-1.0
// Shares a search among workers, here threads: workers only receive a range, however they are started, and `better`
// combines their answers. search_shards.cu does the same with GPUs and NCCL.
// prints
//   348: 0 2 4 6 7 10 12 14 16
#include "search_shards.hpp"

#include <thrust/execution_policy.h>

#include <barrier>
#include <thread>
#include <vector>

int main() {
  constexpr std::uint64_t workers = 3;
  const shared_problem problem;
  std::vector<search::scored<double>> best(workers);
  std::barrier all_done(workers);
  std::vector<std::jthread> threads;
  for (std::uint64_t worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] {
      best[worker] = problem.best_of(thrust::seq, worker, workers);
      all_done.arrive_and_wait();
      search::scored<double> whole;
      for (const auto& each : best) whole = search::better(whole, each);
      if (worker == 0) problem.print(whole);
    });
  }
}
