// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What a stage with replicas adds to a path through an iteration.
enum hybrid_kind : std::uint8_t { hybrid_forward, hybrid_backward, hybrid_message, hybrid_all_reduce, hybrid_kinds };

/// The durations of an option, by `hybrid_kind`.
STAGECUT_DECL void times_of(const stage_option& option, double* to) noexcept;

/// Simulates 1F1B of so many stages again and again, with other times, and counts what is on critical paths.
///
/// Everything waits in the same way whatever the times: each path is a sum over stages, and a bound for all times.
class hybrid_simulator {
 public:
  hybrid_simulator(std::size_t stages, std::size_t microbatches);

  /// When an iteration ends.
  ///
  /// @param times  of every stage and kind, `[s * hybrid_kinds + kind]`; a message is that before the stage
  double operator()(const double* times);

  /// How often each kind of each stage is on a critical path of the last run, `[s * hybrid_kinds + kind]`.
  void count_critical(std::vector<double>& counts) const;

 private:
  static void count(const op& does, std::vector<double>& counts);

  std::size_t stages_;
  task_graph graph_;
  pass_times<double> times_{};
  transfer_times<double> messages_{};
  simulation_workspace<double> workspace_{};
  double makespan_ = 0;
};

/// When the iteration of a cut ends.
[[nodiscard]] STAGECUT_DECL double iteration_of(const std::vector<hybrid_stage>& stages, std::size_t microbatches);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_simulator.ipp>
#endif
