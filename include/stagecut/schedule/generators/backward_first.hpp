// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/detail/duration_table.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Simulates ranks that choose their next pass at run time.
template <class T>
class backward_first_policy {
 public:
  backward_first_policy(const std::vector<T>& table, const duration_table& durations, view<const std::size_t> active,
                        transfer_kind kind, schedule& into)
      : table_(table), durations_(durations), active_(active), kind_(kind), into_(into), ranks_(active.size()) {
    for (progress& rank : ranks_) rank.arrived[0].reserve(into.microbatches);
    ranks_[0].arrived[0].assign(into.microbatches, T{});
  }

  void run() {
    for (choice next = choose(); next.rank < ranks_.size(); next = choose()) take(next);
  }

 private:
  struct progress {
    std::size_t done[2] = {};     // forward and backward passes
    T free{};                     // the time when the rank is free
    std::vector<T> arrived[2]{};  // the times when their inputs are there, microbatches in order
    T link[2]{};                  // the times when the links to the next and previous rank are free
  };
  struct choice {
    std::size_t rank;
    bool back;
    T start;
  };

  /// The pass that begins first; ties go to the lowest rank.
  [[nodiscard]] choice choose() const {
    choice best{ranks_.size(), false, T{}};
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const progress& here = ranks_[r];
      const bool back = here.done[1] < here.arrived[1].size();
      const bool forth = here.done[0] < here.arrived[0].size() && here.done[0] - here.done[1] < active_[r];
      if (!back && !forth) continue;
      const T back_ready = back ? here.arrived[1][here.done[1]] : T{};
      const T forth_ready = forth ? here.arrived[0][here.done[0]] : T{};
      const T ready = !back || (forth && forth_ready < back_ready) ? forth_ready : back_ready;
      const T start = here.free < ready ? ready : here.free;
      if (best.rank < ranks_.size() && !(start < best.start)) continue;
      best = {r, back && !(start < back_ready), start};
    }
    return best;
  }

  void take(const choice& next) {
    const std::size_t r = next.rank;
    progress& here = ranks_[r];
    const op pass{next.back ? op_kind::backward : op_kind::forward, r, here.done[next.back]++};
    here.free = next.start + table_[durations_.pass(pass)];
    into_.orders[r].push_back(pass);
    if (!next.back && r + 1 == ranks_.size()) here.arrived[1].push_back(here.free);  // the loss is there
    if (next.back ? r == 0 : r + 1 == ranks_.size()) return;
    T& link = here.link[next.back];
    const T leaves = kind_ == transfer_kind::link && here.free < link ? link : here.free;
    link = leaves + table_[durations_.transfer(!next.back, r)];
    ranks_[next.back ? r - 1 : r + 1].arrived[next.back].push_back(link);
  }

  const std::vector<T>& table_;
  const duration_table& durations_;
  view<const std::size_t> active_;
  transfer_kind kind_;
  schedule& into_;
  std::vector<progress> ranks_;
};

/// Rejects edges between stages that are not a chain.
STAGECUT_DECL void check_chain_of_ranks(view<const stage_edge> edges, std::size_t ranks);

}  // namespace detail

/// The schedule of ranks that choose at run time: a backward pass if one is ready, else a forward pass if fewer than
/// `active` microbatches are in flight. SageMaker's dynamic pipeline.
///
/// @param times         as for `simulate`; each stage is on its own rank
/// @param transfers     of the messages; `latency` or `link`
/// @param active        per rank, the most microbatches in flight, at least 1; SageMaker: p + 2
/// @param microbatches  m, at least 1
/// @param edges         optional: between the stages, as `schedule::edges`; those of a chain
/// @return              the schedule, "backward-first"; simulated with the same times it runs as the ranks chose
/// @throws              argument_error; invalid_input as `simulate`, except for doubles whose sum is not representable
///
/// At equal times, ends are processed before starts, and lower ranks choose first. O(p² m).
///
/// Source: Karakus et al., arXiv 2111.05972; Amazon SageMaker model parallel documentation, `active_microbatches`.
template <arithmetic T = double>
[[nodiscard]] schedule backward_first(const pass_times<T>& times, const transfer_times<T>& transfers,
                                      view<const std::size_t> active, std::size_t microbatches,
                                      view<const stage_edge> edges = {}) {
  const std::size_t ranks = active.size();
  detail::check_shape("backward_first", ranks, 1, microbatches);
  detail::check_chain_of_ranks(edges, ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (active[r] != 0) continue;
    detail::refuse_shape("backward_first", detail::joined({"active[", r, "]"}), 0, "must be at least 1");
  }
  const bool messages = !transfers.forward.empty() || !transfers.backward.empty();
  if (messages && transfers.kind != transfer_kind::latency && transfers.kind != transfer_kind::link) {
    detail::fail(argument_error("backward_first", "transfers.kind", "stream or blocking",
                                "must be latency or link: who decides as it goes holds nobody"));
  }
  schedule result = detail::empty_schedule("backward-first", loop_placement(ranks, 1), ranks, microbatches);
  result.orders[0] = {{op_kind::forward, 0, 0}, {op_kind::backward, 0, 0}};  // declares to the table what will run
  task_options options = detail::options_of(result, times, transfers);
  options.with_transfers = true;
  const detail::duration_table durations(result, options);
  result.orders[0].clear();
  std::vector<T> table(durations.size());
  durations.fill(times, transfers, view<T>(table));
  if constexpr (integer<T>) {
    T sum{};
    const auto add = [&](T each) {
      if (!checked_add(sum, each)) detail::refuse_sum();
    };
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t k = 0; k < microbatches; ++k) {
        add(table[durations.pass({op_kind::forward, r, k})]);
        add(table[durations.pass({op_kind::backward, r, k})]);
        if (r + 1 != ranks) add(table[durations.transfer(true, r)]);
        if (r != 0) add(table[durations.transfer(false, r)]);
      }
    }
  }
  detail::backward_first_policy<T>(table, durations, active, transfers.kind, result).run();
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/backward_first.ipp>
#endif
