// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

// Where the time of a simulated iteration goes.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The makespan of every device: its own work, and its idle time by cause. The imbalance is that of the mean device and what
/// its own work is below the mean.
[[nodiscard]] inline std::vector<makespan_parts> parts_of_devices(const makespan_parts& mean,
                                                                  const simulation<double>& run) {
  std::vector<makespan_parts> result;
  for (const rank_use<double>& each : run.ranks) {
    makespan_parts own = mean;
    own.work = each.busy;
    own.imbalance += mean.work - each.busy;
    result.push_back(own);
  }
  return result;
}

/// The critical path of a chain of stages, by what stands on it.
class path_sums {
 public:
  path_sums(const schedule& order, const pass_times<double>& times, const simulation<double>& run)
      : order_(order), times_(times), with_(order.stages() * order.microbatches, order.stages()) {
    for (const auto& rank : order.orders) {
      for (std::size_t i = 0; i + 1 < rank.size(); ++i) {
        if (rank[i].with_next) with_[pass_at(rank[i + 1])] = rank[i].stage;
      }
    }
    result_.stages.resize(order.stages());
    result_.messages.resize(order.stages() == 0 ? 0 : order.stages() - 1);
    for (const timed_op<double>& each : run.critical_path) add(each.what, each.end - each.start);
  }

  [[nodiscard]] const critical_path_shares& shares() const noexcept { return result_; }

 private:
  [[nodiscard]] std::size_t pass_at(const op& each) const noexcept {
    return each.stage * order_.microbatches + each.microbatch;
  }

  void add(const op& what, double seconds) {
    if (is_transfer(what.kind)) {
      const std::size_t other = other_end(what).stage;
      result_.messages[what.stage < other ? what.stage : other] += seconds;
      return;
    }
    path_share& share = result_.stages[what.stage];
    // An F that runs together with the pass behind it is told with that one.
    const bool back = what.kind == op_kind::backward || what.kind == op_kind::backward_input;
    const std::size_t together = back ? with_[pass_at(what)] : order_.stages();
    if (together != order_.stages()) {
      double forward = times_.forward[together];
      if (seconds < forward) forward = seconds;
      result_.stages[together].forward += forward;
      seconds -= forward;
    }
    switch (what.kind) {
      case op_kind::forward: share.forward += seconds; break;
      case op_kind::backward: share.backward += seconds; break;
      case op_kind::backward_input: share.backward_input += seconds; break;
      case op_kind::backward_weight: share.backward_weight += seconds; break;
      default: share.update += seconds; break;
    }
  }

  const schedule& order_;
  const pass_times<double>& times_;
  std::vector<std::size_t> with_;  // of a backward pass, the stage of the F that runs with it; none: `stages()`
  critical_path_shares result_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
