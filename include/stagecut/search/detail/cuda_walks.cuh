// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_lanes.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/search/detail/chain_walk.hpp>
#include <stagecut/search/detail/cuda_system.cuh>
#include <stagecut/search/detail/makespan_steps.hpp>
#include <stagecut/search/detail/walk_in_column.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// Chains on a device, one thread each.
class cuda_walks {
 public:
  static constexpr std::size_t usual_chains = 16384;

  cuda_walks(const stagecut::engine::chain_ticks& ticks, const slot_program& program,
             const stagecut::engine::stage_durations& durations, std::size_t chains)
      : chains_(chains), task_(task_of(ticks, program, durations)), call_(task_) {}

  /// Runs some rounds of all chains; waits for them.
  template <class Policy>
  void operator()(const Policy& policy, chain_turn turn) {
    const thrust::counting_iterator<std::size_t> begin(0);
    const std::size_t pairs = chains_ / turn.exchange.rungs * turn.exchange.pairs();
    task_.walk = turn.walk;
    for (std::size_t i = 0; i < turn.rounds; ++i, turn.advance()) {
      task_.round = turn.round;
      call_(policy, task_, chains_);
      thrust::for_each(policy, begin, begin + static_cast<std::ptrdiff_t>(pairs), turn.exchange);
    }
    cuda_system::wait(policy);
  }

 private:
  [[nodiscard]] walk_in_column task_of(const stagecut::engine::chain_ticks& ticks, const slot_program& program,
                                       const stagecut::engine::stage_durations& durations) {
    walk_in_column result;
    result.simulate = makespan_steps{ticks.rows(), durations.row(), program.steps(), 1}.placed(memory_);
    result.walk.chains.width = ticks.stages + 1;
    return result;
  }

  std::size_t chains_;
  device_memory memory_{};
  walk_in_column task_;
  column_kernel<walk_in_column> call_;
};

cuda_walks walks_of(const cuda_system*);

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
