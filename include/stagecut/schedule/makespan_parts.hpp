// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The parts of a makespan, in the unit of the durations. They add up to it.
///
/// Times the number of ranks, all parts except `work` are the total idle time of the ranks, by cause: each cause is the
/// difference of two simulations, with and without it, removed in the order update, transfers, imbalance, schedule.
struct makespan_parts {
  double work = 0;       ///< all passes, spread evenly over the ranks: no schedule takes less
  double schedule = 0;   ///< filling and draining the pipeline: with equal passes and no transfers, less `work`
  double imbalance = 0;  ///< extra time because stages and microbatches differ; below zero if their order helps
  double transfers = 0;  ///< extra time because messages take time
  double update = 0;     ///< extra time for all-reduces and the optimizer step

  /// The makespan.
  [[nodiscard]] double total() const noexcept { return work + schedule + imbalance + transfers + update; }
};

namespace detail {

/// Sets every pass to the mean of its kind.
[[nodiscard]] STAGECUT_DECL pass_times<double> levelled(const pass_times<double>& times, std::size_t stages);

template <class T>
[[nodiscard]] std::vector<double> in_doubles(const std::vector<T>& values) {
  return std::vector<double>(values.begin(), values.end());
}

}  // namespace detail

/// Splits the makespan of an iteration by cause.
///
/// @param order      as for `simulate`
/// @param times      as for `simulate`; integers are converted to doubles
/// @param transfers  as for `simulate`
/// @throws           as `simulate`
///
/// Four simulations.
template <arithmetic T = double>
[[nodiscard]] makespan_parts split_makespan(const schedule& order, const pass_times<T>& times,
                                            const transfer_times<T>& transfers = {}) {
  pass_times<double> passes;
  passes.forward = detail::in_doubles(times.forward);
  passes.backward = detail::in_doubles(times.backward);
  passes.backward_input = detail::in_doubles(times.backward_input);
  passes.backward_weight = detail::in_doubles(times.backward_weight);
  passes.overlapped = detail::in_doubles(times.overlapped);
  pass_times<double> with_update = passes;
  with_update.all_reduce = detail::in_doubles(times.all_reduce);
  with_update.optimizer_step = detail::in_doubles(times.optimizer_step);
  transfer_times<double> messages;
  messages.kind = transfers.kind;
  messages.forward = detail::in_doubles(transfers.forward);
  messages.backward = detail::in_doubles(transfers.backward);

  const auto makespan = [&](const pass_times<double>& of, const transfer_times<double>& over) {
    const task_graph graph(order, detail::options_of(order, of, over));
    simulation_workspace<double> workspace;
    const double result = graph.makespan(of, over, workspace);
    if (!is_finite(result)) detail::refuse_sum();
    return result;
  };
  const double whole = makespan(with_update, messages);
  const double without_update = makespan(passes, messages);
  const simulation<double> run = simulate(order, passes);
  const double level = makespan(detail::levelled(passes, order.stages()), {});
  double busy = 0;
  for (const rank_use<double>& rank : run.ranks) busy += rank.busy;

  makespan_parts result;
  result.work = busy / static_cast<double>(order.ranks());
  result.schedule = level - result.work;
  result.imbalance = run.makespan - level;
  result.transfers = without_update - run.makespan;
  result.update = whole - without_update;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/makespan_parts.ipp>
#endif
