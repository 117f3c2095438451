// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <stagecut/core/host_device.hpp>
#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/makespan/detail/cut_lanes.hpp>
#include <stagecut/makespan/detail/point_moves.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/detail/chain_walk.hpp>
#include <stagecut/search/detail/cuda_system.cuh>

namespace stagecut::inline v0::search::detail {

/// A round of the chain of an index, whose points lie in the column meanwhile.
struct walk_in_column {
  using number = double;

  chain_walk walk{};
  makespan_steps simulate{};
  chain_round round{};

  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t room() const { return simulate.room(); }
  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t points() const { return walk.chains.width; }
  STAGECUT_HOST_DEVICE void operator()(std::size_t chain, strided_view<double> numbers, candidate_room points) const {
    std::uint32_t* const own = walk.chains.points + chain * points.size();
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = own[i];
    if (walk.begin(chain, round)) walk.start(chain, points, simulate(points, numbers));
    for (std::size_t i = 0; i < round.steps; ++i) {
      stagecut::detail::point_move move;
      double warmth = 0;
      if (!walk.draw(chain, round, i, points, move, warmth)) continue;
      if (!walk.take(chain, points, simulate(points, numbers), warmth)) move.unshift(points);
    }
    for (std::size_t i = 0; i < points.size(); ++i) own[i] = points[i];
  }
};

/// Chains on a device: each in a thread.
class cuda_walks {
 public:
  static constexpr std::size_t usual_chains = 16384;

  cuda_walks(const stagecut::detail::chain_ticks& ticks, const slot_program& program,
             const stagecut::detail::stage_durations& durations, std::size_t chains)
      : chains_(chains), task_(task_of(ticks, program, durations)), call_(task_) {}

  /// A round of all chains.
  template <class Policy>
  void operator()(const Policy& policy, const chain_walk& walk, const chain_round& round) {
    task_.walk = walk;
    task_.round = round;
    call_(policy, task_, chains_);
  }

  /// All pairs, when the round is over; waits for both.
  template <class Policy>
  static void exchange(const Policy& policy, const heat_exchange& task, std::size_t pairs) {
    const thrust::counting_iterator<std::size_t> begin(0);
    thrust::for_each(policy, begin, begin + static_cast<std::ptrdiff_t>(pairs), task);
    Policy own = policy;
    check_cuda(cudaStreamSynchronize(thrust::cuda_cub::stream(own)), "cudaStreamSynchronize");
  }

 private:
  [[nodiscard]] walk_in_column task_of(const stagecut::detail::chain_ticks& ticks, const slot_program& program,
                                       const stagecut::detail::stage_durations& durations) {
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

}  // namespace stagecut::inline v0::search::detail
