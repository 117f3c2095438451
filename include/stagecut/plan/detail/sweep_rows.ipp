// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/sweep_rows.hpp>

#include <stagecut/plan/parts/as_one_chain.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/plan/detail/choice_comparison.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/detail/plan_best_first.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/memory_shortage.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/with_machine.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_options.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

// Lower bounds on the memory of the fullest device, in any plan of a request.

/// Lower bound in bytes on the fullest device of any plan of a request. With one stage on each device the least need of
/// the fullest one, to a thousandth; else the mean of what all devices hold at least.
[[nodiscard]] inline double least_fullest_device(const profile& model, const cuts& blocks, const plan_request& asked,
                                                 const search_options& limits) {
  const training_memory memory(model, asked.memory_accounting);
  double all = memory(0, memory.size(), 1).resident;
  // A device holds all that a microbatch left there while its last stage works on it.
  if (asked.memory_accounting.checkpoint == checkpointing::never) all += memory.of_microbatch(0, memory.size());
  const double mean = all / static_cast<double>(asked.devices);
  if (asked.stages_per_rank > 1 || asked.devices > blocks.stages()) return mean;
  memory_fit fits(blocks, memory, limits);
  const std::vector<stage_moments> held = engine::moments_of(schedule_of_request(asked));
  const auto fits_all = [&](double bytes) { return fits(held, bytes); };
  const auto gap = [](double low) { return low > 0x1p10 ? 0x1p-10 * low : 1; };
  const auto whole = static_cast<double>(engine::floor_bytes(mean));
  const double least = engine::least_that_fits(fits_all, whole, 2 * whole + 2, gap).low;
  return least < mean ? mean : least;
}

/// Whether a found plan takes less time and no more memory than any plan of another row can. Rounding is no proof:
/// bounds count as slightly lower than they are.
[[nodiscard]] inline bool is_dominated(const sweep_row& row, const sweep_row& found) {
  constexpr double almost = 1 - 0x1p-40;
  const double time = row.bound / static_cast<double>(row.microbatches);
  return found.per_microbatch < time * almost && found.memory <= row.memory_bound * almost;
}

/// Rejects errors common to all configurations of a sweep; errors of some configurations are reported in their rows.
inline void check_sweep(const profile& model, const plan_request& request, const sweep_axes& axes) {
  plan_choices choices;
  choices.devices = axes.devices;
  choices.stages_per_rank = axes.stages_per_rank;
  choices.microbatches = axes.microbatches;
  choices.schedules = axes.schedules;
  plan_request asked = request;
  asked.search = {};
  if (!axes.checkpoints.empty()) asked.memory_accounting.checkpoint = axes.checkpoints[0];
  for (const checkpointing each : axes.checkpoints) {
    // One that the makespan is known for, if there is one.
    if (each != checkpointing::except_last) asked.memory_accounting.checkpoint = each;
  }
  check_choices("sweep_rows", "axes", model, asked, choices);
}

/// The rows of a sweep, in the order of the axes, the last one changing fastest; without results so far.
[[nodiscard]] inline std::vector<sweep_row> rows_of_axes(const plan_request& request, const sweep_axes& axes) {
  constexpr std::size_t most = std::size_t{1} << 24U;
  std::size_t all = 1;
  for (const std::size_t each : {axes.devices.size(), axes.microbatches.size(), axes.schedules.size(),
                                 axes.stages_per_rank.size(), axes.checkpoints.size()}) {
    if (each == 0) continue;
    if (each > most / all) {
      fail(argument_error("sweep_rows", "axes", "{…}", joined({"must have at most ", most, " configurations"})));
    }
    all *= each;
  }
  std::vector<sweep_row> rows(all);
  for (std::size_t i = 0; i < all; ++i) {
    std::size_t rest = i;
    const auto next = [&](const auto& list, auto otherwise) {
      if (list.empty()) return otherwise;
      const std::size_t at = rest % list.size();
      rest /= list.size();
      return list[at];
    };
    sweep_row& row = rows[i];
    row.checkpoint = next(axes.checkpoints, request.memory_accounting.checkpoint);
    row.stages_per_rank = next(axes.stages_per_rank, request.stages_per_rank);
    row.schedule = next(axes.schedules, request.schedule);
    row.microbatches = next(axes.microbatches, request.microbatches);
    row.devices = next(axes.devices, request.devices);
    // The request's schedule depends on chunks; a listed schedule is taken as it is.
    if (axes.schedules.empty() && row.stages_per_rank > 1) row.schedule = entry_of(row.schedule).with_stages_per_rank;
  }
  return rows;
}

/// Plans the configurations of a sweep: see `plan_best_first`.
class row_sweep {
 public:
  row_sweep(const profile& model, const plan_request& request, const sweep_axes& axes, const sweep_options& options)
      : model_(model), request_(request), options_(options), began_(seconds_now()) {
    check_sweep(model, request, axes);
    rows_ = rows_of_axes(request, axes);
    known_.resize(rows_.size());
    nodes_.resize(rows_.size());
    blocks_ = blocks_of("sweep_rows", model, request.forbidden_cuts, request.kept_together);
  }

  [[nodiscard]] std::vector<sweep_row> run() {
    constexpr std::size_t round = 64;
    detail::plan_best_first(*this, round, request_.search.threads);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (request_.search.nodes_spent != nullptr) *request_.search.nodes_spent += nodes_[i];
      if (known_[i] != 0) continue;
      rows_[i].bound = rows_[i].memory_bound = 0;
      rows_[i].why = "stopped before it was planned";
    }
    static_cast<void>(mark_pareto_front(rows_));
    return std::move(rows_);
  }

  // For `plan_best_first`.

  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] bool is_open(std::size_t i) const { return known_[i] == 0; }
  [[nodiscard]] double least(std::size_t i) const {
    return rows_[i].bound / static_cast<double>(rows_[i].microbatches);
  }
  [[nodiscard]] bool is_stopped() const { return request_.search.stop && request_.search.stop(); }
  void begin_round(std::size_t /*left*/) { front_ = mark_pareto_front(rows_); }

  /// Records why a row cannot be planned, or bounds it.
  void bound(std::size_t i) {
    sweep_row& row = rows_[i];
    plan_request asked = request_of(row);
    if (is_stopped()) return;
    row.why = shape_obstacle(model_, asked);
    // An unknown or unplanned row is not infeasible.
    const bool shaped = has_shape(row.schedule, row.devices, row.stages_per_rank, row.microbatches, asked.group);
    if (!row.why.empty() && !shaped) row.state = state::infeasible;
    if (row.why.empty()) row.why = makespan_obstacle(model_, asked);
    if (!row.why.empty()) {
      known_[i] = 1;
      return;
    }
    asked.backends = {};
    asked.search.time_limit.reset();
    asked.search.node_limit = 0;
    if (const outcome<plan> made = plan_makespan(model_, asked)) row.bound = made->objective.bound;
    asked.search.node_limit.reset();
    row.memory_bound = least_fullest_device(model_, blocks_, asked, limits_of(asked));
  }

  /// Skips a row if one of the front dominates it.
  [[nodiscard]] bool leave_out(std::size_t i) {
    bool any = false;
    for (const std::size_t row : front_) any = any || is_dominated(rows_[i], rows_[row]);
    if (!any || !options_.skip_dominated) return false;
    rows_[i].dominated = true;
    rows_[i].why = "another one takes less time and memory than any plan of it";
    known_[i] = 1;
    return true;
  }

  /// Plans a row. A row stopped meanwhile stays as if it had not been started.
  void solve(std::size_t i) {
    bool stopped = is_stopped();
    const auto stop = [&] { return stopped = stopped || is_stopped(); };
    sweep_row& row = rows_[i];
    plan_request asked = request_of(row);
    asked.search.stop = stop;
    asked.search.nodes_spent = &nodes_[i];
    if (stopped) return;
    const outcome<plan> made = plan_makespan(model_, asked);
    if (stopped) return;
    known_[i] = 1;
    row.state = made.state();
    if (!made) {
      row.why = made.why().text();
      if (made.why().lacks_fewer_bytes_than(reason())) row.needed = made.why().needed;
      return;
    }
    row.makespan = made->objective.value;
    row.bound = made->objective.bound;
    row.per_microbatch = row.makespan / static_cast<double>(row.microbatches);
    row.memory = fullest_device(*made);
  }

  /// Reports progress.
  void report() const {
    if (!options_.progress) return;
    sweep_progress now{0, 0, rows_.size(), seconds_now() - began_};
    for (const char each : known_) now.done += each != 0 ? 1 : 0;
    for (const sweep_row& row : rows_) now.dominated += row.dominated ? 1 : 0;
    options_.progress(now);
  }

 private:
  /// The `make_plan` request of a row, by its makespan.
  [[nodiscard]] plan_request request_of(const sweep_row& row) const {
    plan_request asked = with_machine(model_, request_of_row(request_, row));
    asked.search.nodes_spent = nullptr;
    asked.search.ended = nullptr;
    asked.search.progress = {};
    asked.search.threads = {};
    return asked;
  }

  const profile& model_;
  const plan_request& request_;
  const sweep_options& options_;
  double began_;
  std::vector<sweep_row> rows_{};
  std::vector<char> known_{};  // whether each row is known: no bits, which threads would share
  std::vector<std::size_t> nodes_{};  // of each row's search
  std::vector<std::size_t> front_{};  // when the round began
  cuts blocks_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<sweep_row> sweep_rows_fn::operator()(const profile& model, const plan_request& request,
                                                               const sweep_axes& axes, const sweep_options& options) const {
  const profile chain = detail::as_one_chain("sweep_rows", model, request);
  return detail::row_sweep(chain, request, axes, options).run();
}

}  // namespace stagecut::inline STAGECUT_ABI
