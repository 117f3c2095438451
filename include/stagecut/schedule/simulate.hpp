// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/longest_path.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>
#include <stagecut/schedule/task_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The properties of durations that a task graph depends on.
template <class T>
[[nodiscard]] task_options options_of(const schedule& order, const pass_times<T>& times,
                                      const transfer_times<T>& transfers) {
  task_options result;
  const std::size_t stages = order.stages();
  for (const auto* each : {&times.forward, &times.backward, &times.backward_input, &times.backward_weight}) {
    if (each->size() == stages) continue;
    if (each->size() == stages * order.slices)
      result.by_slice = true;
    else if (each->size() == stages * order.slices * order.microbatches)
      result.by_microbatch = true;
  }
  result.transfers = transfers.kind;
  result.with_transfers = !transfers.forward.empty() || !transfers.backward.empty();
  result.all_reduce = !times.all_reduce.empty();
  result.optimizer_step = !times.optimizer_step.empty();
  return result;
}

/// Rejects integers whose sum over an iteration might overflow.
template <class T>
void check_sum(view<const timed_task> tasks, view<const std::uint32_t> delays, view<const T> table) {
  if constexpr (integer<T>) {
    T sum{};
    for (const timed_task& task : tasks) {
      if (!checked_add(sum, table[task.time])) refuse_sum();
    }
    for (const std::uint32_t delay : delays) {
      if (!checked_add(sum, table[delay])) refuse_sum();
    }
  }
}

/// Collects the events of an iteration.
template <class T>
class run_report {
 public:
  run_report(const schedule& order, const task_graph& graph, const simulation_workspace<T>& workspace)
      : order_(order), graph_(graph), table_(workspace.table.data()), ends_(workspace.ends.data()) {
    if (graph.delays().empty()) return;
    receivers_.resize(2 * (graph.tasks().size() + 1));
    for (std::size_t position = 1; position <= graph.tasks().size(); ++position) {
      if (delay(position) != 0) receivers_[2 * at(position).source + (forward(position) ? 0 : 1)] = position;
    }
  }

  [[nodiscard]] simulation<T> of(T makespan) const {
    simulation<T> result;
    result.makespan = makespan;
    result.ranks.resize(order_.ranks());
    result.ops.resize(order_.ranks());
    result.transfers.resize(order_.ranks());
    result.updates.resize(order_.ranks());
    for (std::size_t position = 1; position <= graph_.tasks().size(); ++position) look_at(position, result);
    for (rank_use<T>& rank : result.ranks) {
      const T used = rank.busy + rank.blocked;
      rank.idle = used < makespan ? makespan - used : T{};  // sums of doubles round, each in its own way
      if (result.span < rank.last - rank.first) result.span = rank.last - rank.first;
    }
    result.critical_path = critical_path(makespan);
    return result;
  }

 private:
  [[nodiscard]] const timed_task& at(std::size_t position) const noexcept { return graph_.tasks()[position - 1]; }
  [[nodiscard]] std::uint32_t delay(std::size_t position) const noexcept {
    return graph_.delays().empty() ? 0 : graph_.delays()[position - 1];
  }
  [[nodiscard]] const op& what(std::size_t position) const noexcept { return graph_.what(position - 1); }

  [[nodiscard]] bool forward(std::size_t position) const noexcept { return what(position).kind == op_kind::forward; }

  /// The rank of a task; optimizer steps come last, one per rank, since a rank may have no stage.
  [[nodiscard]] std::size_t rank_of(std::size_t position) const noexcept {
    if (what(position).kind == op_kind::optimizer_step) return position + order_.ranks() - graph_.tasks().size() - 1;
    return order_.rank_of[what(position).stage];
  }

  [[nodiscard]] timed_op<T> timed(std::size_t position) const {
    return {what(position), start_of(at(position), table_[delay(position)], ends_), ends_[position]};
  }

  /// The message that a pass waits for, if messages are not tasks.
  [[nodiscard]] timed_op<T> message_to(std::size_t position) const {
    const timed_task& each = at(position);
    op message = what(position);
    const bool down = forward(position);
    message.kind = down ? op_kind::send_forward : op_kind::send_backward;
    message.stage = down ? message.stage - 1 : message.stage + 1;
    message.with_next = false;
    return {message, ends_[each.source], static_cast<T>(ends_[each.source] + table_[delay(position)])};
  }

  void look_at(std::size_t position, simulation<T>& result) const {
    const op& does = what(position);
    timed_op<T> run = timed(position);
    const T time = table_[at(position).time];
    const std::size_t rank = rank_of(position);
    rank_use<T>& use = result.ranks[rank];
    if (is_compute(does.kind)) {
      for (std::size_t i = 2 * position; i < receivers_.size() && i < 2 * position + 2; ++i) {
        if (receivers_[i] != 0) result.transfers[rank].push_back(message_to(receivers_[i]));
      }
      if (does.with_next) {  // the next task is both
        const timed_op<T> both = timed(position + 1);
        run = {does, both.start, both.end};
      }
      if (result.ops[rank].empty()) use.first = run.start;
      result.ops[rank].push_back(run);
      use.busy = use.busy + time;
    } else if (!is_transfer(does.kind)) {
      result.updates[rank].push_back(run);
      if (does.kind == op_kind::optimizer_step) use.busy = use.busy + time;
    } else {
      if (!is_send(does.kind)) return;
      result.transfers[rank].push_back(run);
      if (graph_.options().transfers != transfer_kind::blocking) return;
      rank_use<T>& peer = result.ranks[order_.rank_of[other_end(does).stage]];
      use.blocked = use.blocked + time;
      peer.blocked = peer.blocked + time;
      return;
    }
    if (use.last < run.end) use.last = run.end;
  }

  /// From the first op on. If a task waited until the same moment for two things, follows its own resource.
  [[nodiscard]] std::vector<timed_op<T>> critical_path(T makespan) const {
    std::size_t position = 0;
    for (const std::uint32_t task : graph_.last_tasks()) {
      if (position == 0 && ends_[task] == makespan) position = task;
    }
    std::vector<timed_op<T>> path;
    while (position != 0) {
      const timed_task& each = at(position);
      const bool receives = is_transfer(what(position).kind) && !is_send(what(position).kind);
      if (!receives && !what(position).with_next) path.push_back(timed(position));
      if (!(ends_[each.before] < ends_[each.source] + table_[delay(position)])) {
        position = each.before;
      } else {
        if (delay(position) != 0) path.push_back(message_to(position));
        position = each.source;
      }
    }
    for (std::size_t i = 0; i + i + 1 < path.size(); ++i) std::swap(path[i], path[path.size() - 1 - i]);
    return path;
  }

  const schedule& order_;
  const task_graph& graph_;
  const T* table_;
  const T* ends_;
  std::vector<std::size_t> receivers_{};  // for `latency`: receivers of the F, and of the gradient, of a task
};

/// Only declared: callable with what derives from `pass_times`.
template <class T>
void is_pass_times(const pass_times<T>&);
template <class Times>
concept derived_from_pass_times = requires(const Times& times) {
  detail::is_pass_times(times);
};

// Names for compiler errors about calls with other arguments.
struct a_schedule_comes_first_as_make_schedule_returns_it;
struct after_the_schedule_come_pass_times_with_a_vector_for_each_kind_of_pass;
struct pass_times_and_transfer_times_have_to_be_of_one_type;

}  // namespace detail

/// See `simulate`.
struct simulate_fn {
  /// See `simulate`.
  template <arithmetic T = double>
  [[nodiscard]] simulation<T> operator()(const schedule& order, const pass_times<T>& times,
                                         const transfer_times<T>& transfers = {}) const {
    const task_graph graph(order, detail::options_of(order, times, transfers));
    simulation_workspace<T> workspace;
    graph.fill(times, transfers, workspace.table);
    detail::check_sum<T>(graph.tasks(), graph.delays(), workspace.table);
    const T makespan = graph.makespan(times, transfers, workspace);
    if (!is_finite(makespan)) detail::refuse_sum();
    return detail::run_report<T>(order, graph, workspace).of(makespan);
  }
  template <class Other, class... Rest>
  requires(!std::convertible_to<const Other&, const schedule&>)
      detail::a_schedule_comes_first_as_make_schedule_returns_it  //
      operator()(const Other&, const Rest&...) const = delete;    // (schedule, pass_times, transfer_times)
  template <class Other, class... Rest>
  requires(!detail::derived_from_pass_times<Other>)
      detail::after_the_schedule_come_pass_times_with_a_vector_for_each_kind_of_pass  //
      operator()(const schedule&, const Other&, const Rest&...) const = delete;  // pass_times<double>{.forward = …}
  template <class T, class Other>
  requires(!std::same_as<T, Other>) detail::pass_times_and_transfer_times_have_to_be_of_one_type   //
  operator()(const schedule&, const pass_times<T>&, const transfer_times<Other>&) const = delete;  // both of double
};

/// Simulates an iteration: the start and end of every pass and transfer if each begins as soon as it can.
///
/// @param order      the ops of every rank, in order
/// @param times      of the passes: `double`, in seconds for example, or integers, in ticks; in braces, doubles
/// @param transfers  times of the messages between ranks, and the resource that they occupy; default: they take no time
/// @return           the makespan, which is the longest path through the passes and their dependencies; how every rank
///                   spends it; all passes and transfers; the critical path
/// @throws           invalid_input for a schedule that is invalid or has a cyclic wait (with the ops in the cycle), for
///                   vectors of the wrong length, for times that are NaN, infinite or negative, and for a sum that is
///                   not representable
///
/// Ops of other kinds in the order take no time: `times` gives the reduction of gradients and the update of parameters.
/// Integers are exact. Doubles are added and compared in one order, never multiplied: the same bits everywhere. O(ops);
/// if transfers have to be lowered, as `lower_transfers`. For many durations of one schedule build a `task_graph`.
inline constexpr simulate_fn simulate{};

}  // namespace stagecut::inline STAGECUT_ABI
