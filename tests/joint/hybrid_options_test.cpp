// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <random>
#include <vector>

#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

using namespace stagecut;
using namespace stagecut::detail;

TEST_CASE("it simulates 1F1B with messages and the exchange of gradients, and its critical path is as long") {
  std::mt19937 dice(1);
  for (int k = 0; k < 300; ++k) {
    const std::size_t stages = 1 + dice() % 5;
    const std::size_t microbatches = 1 + dice() % 9;
    engine::times_simulator simulator = hybrid_simulator(stages, microbatches);
    std::vector<double> times(stages * hybrid_kinds);
    for (double& time : times) time = dice() % 3 == 0 ? 0 : static_cast<double>(dice() % 40);
    times[hybrid_message] = 0;
    pass_times<double> passes;
    transfer_times<double> messages;
    for (std::size_t s = 0; s < stages; ++s) {
      const double* const here = times.data() + s * hybrid_kinds;
      passes.forward.push_back(here[hybrid_forward]);
      passes.backward.push_back(here[hybrid_backward]);
      passes.all_reduce.push_back(here[hybrid_all_reduce]);
      if (s > 0) messages.forward.push_back(here[hybrid_message]);
    }
    messages.backward = messages.forward;
    const double makespan = simulator.run(times.data());
    CHECK(makespan == simulate(one_forward_one_backward(stages, microbatches), passes, messages).makespan);
    std::vector<double> counts;
    simulator.count_critical(counts);
    double length = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) length += counts[j] * times[j];
    CHECK(length == makespan);
    // It is a path whatever the times: none is shorter.
    for (double& time : times) time = static_cast<double>(dice() % 40);
    times[hybrid_message] = 0;
    length = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) length += counts[j] * times[j];
    CHECK(length <= simulator.run(times.data()));
  }
}
