// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The memory that every stage keeps on its rank, in bytes or any other unit; vectors have one element per stage.
///
/// `activations` and `recomputed` may also have one per stage and microbatch, at [s * microbatches + k].
struct stage_bytes {
  std::vector<double> resident{};     ///< always present: parameters, optimizer; empty: nothing
  std::vector<double> activations{};  ///< per microbatch, from the start of F to the end of B or W; empty: 1
  std::vector<double> weight_part{};  ///< the part of `activations` kept from the end of I to the end of W; empty: all
  std::vector<double> recomputed{};   ///< extra from the start of B or I to the end of B or W; empty: nothing
  std::vector<double> recomputed_apart{};  ///< extra beyond that from the start of I to the end of W; empty: nothing
};

/// The memory of a rank from some time until its next point.
template <class T>
struct memory_point {
  T time{};              ///< the time of the change
  double activations{};  ///< bytes from then on, of microbatches in flight

  /// Equality of all members.
  friend bool operator==(const memory_point&, const memory_point&) = default;
};

/// The memory of a rank over an iteration.
template <class T>
struct rank_memory {
  double resident = 0;                   ///< bytes that are always present
  double peak_activations = 0;           ///< the most bytes of microbatches in flight at any time
  std::vector<memory_point<T>> curve{};  ///< those bytes, by time, from 0 on

  /// The peak in bytes.
  [[nodiscard]] double peak() const noexcept { return resident + peak_activations; }

  /// Equality of all members.
  friend bool operator==(const rank_memory&, const rank_memory&) = default;
};

namespace detail {

/// The element of a stage and microbatch.
[[nodiscard]] STAGECUT_DECL double bytes_at(const std::vector<double>& values, const schedule& order, const op& each,
                                            double otherwise);

/// Calls `visit(OP, AT_END, BYTES)` for each change of a rank's memory, op by op.
template <class Visit>
void each_memory_change(const schedule& order, std::size_t rank, const stage_bytes& bytes, const Visit& visit) {
  const auto parts = static_cast<double>(order.slices);
  std::size_t computed = 0;
  for (const auto& op : order.orders[rank]) {
    if (!is_compute(op.kind)) continue;
    const double all = bytes_at(bytes.activations, order, op, 1) / parts;
    const double late = bytes.weight_part.empty() ? all : bytes.weight_part[op.stage] / parts;
    const double again = bytes_at(bytes.recomputed, order, op, 0) / parts;
    const double apart = again + (bytes.recomputed_apart.empty() ? 0 : bytes.recomputed_apart[op.stage] / parts);
    switch (op.kind) {
      case op_kind::forward: visit(computed, false, all); break;
      case op_kind::backward:
        if (again != 0) visit(computed, false, again);
        visit(computed, true, -(all + again));
        break;
      case op_kind::backward_input:
        if (apart != 0) visit(computed, false, apart);
        visit(computed, true, late - all);
        break;
      default: visit(computed, true, -(late + apart)); break;
    }
    ++computed;
  }
}

STAGECUT_DECL void check_bytes(const schedule& order, const std::vector<double>& values, const char* name,
                               std::size_t each = 1);

/// Rejects an infinite sum.
STAGECUT_DECL void check_peak(std::size_t rank, double bytes);

/// Rejects a run of another schedule.
template <class T>
void check_run(const schedule& order, const simulation<T>& run) {
  for (std::size_t r = 0; r < order.ranks() && !run.ops.empty(); ++r) {
    std::size_t i = 0;
    bool same = run.ops.size() == order.ranks();
    for (const auto& op : order.orders[r]) {
      if (is_compute(op.kind)) same = same && i < run.ops[r].size() && run.ops[r][i++].what == op;
    }
    if (same && i == run.ops[r].size()) continue;
    fail(invalid_input("run", joined({"is of another schedule: rank ", r, " does not run these passes"})));
  }
}

}  // namespace detail

/// Computes the memory of every rank over an iteration.
///
/// @param order  the simulated schedule
/// @param run    its simulation; one without ops gives peaks only, which depend on the order alone
/// @param bytes  of the stages; by default, the activations of a microbatch of a stage count as 1
/// @return       one curve per rank
/// @throws       invalid_input for an invalid schedule, a run of another one, wrong lengths, and for values or sums on
///               a rank that are NaN, infinite or negative
///
/// Activations exist from the start of F. B frees them at its end; I frees all but the part for the weights, which W
/// frees. O(ops).
template <class T>
[[nodiscard]] std::vector<rank_memory<T>> memory_curve(const schedule& order, const simulation<T>& run,
                                                       const stage_bytes& bytes = {}) {
  detail::check_bytes(order, bytes.resident, "resident");
  detail::check_bytes(order, bytes.activations, "activations", order.microbatches);
  detail::check_bytes(order, bytes.weight_part, "weight_part");
  detail::check_bytes(order, bytes.recomputed, "recomputed", order.microbatches);
  detail::check_bytes(order, bytes.recomputed_apart, "recomputed_apart");
  check_schedule(order);
  detail::check_run(order, run);
  std::vector<rank_memory<T>> result(order.ranks());
  for (std::size_t s = 0; s < bytes.resident.size(); ++s) result[order.rank_of[s]].resident += bytes.resident[s];
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    rank_memory<T>& rank = result[r];
    double held = 0;
    if (!run.ops.empty()) rank.curve.push_back({T{}, held});
    detail::each_memory_change(order, r, bytes, [&](std::size_t i, bool at_end, double change) {
      held += change;
      if (rank.peak_activations < held) rank.peak_activations = held;
      if (run.ops.empty()) return;
      const timed_op<T>& each = run.ops[r][i];
      rank.curve.push_back({at_end ? each.end : each.start, held});
    });
    detail::check_peak(r, rank.peak());
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/memory_curve.ipp>
#endif
