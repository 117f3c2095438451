// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <set>
#include <utility>
#include <vector>

// A published baseline for shortening the makespan of a cut: the local search proposed for PyTorch,
// pytorch/pytorch#179212.
namespace baseline {

/// The times of a chain's items.
struct layer_times {
  std::vector<double> forward{};   ///< per item
  std::vector<double> backward{};  ///< per item, the whole pass
  std::vector<double> weight{};    ///< the part of it that some schedules split off; empty: unknown
  std::vector<double> message{};   ///< of every item's output, and of its gradient; empty: no messages
  stagecut::transfer_kind transfers = stagecut::transfer_kind::link;  ///< the resource that they occupy
};

/// Simulates the iteration of a cut.
/// @pre as many stages and items as in `order` and `times`, `weight` not empty if the schedule needs it
[[nodiscard]] inline stagecut::simulation<double> simulate_cut(const layer_times& times,
                                                               const stagecut::schedule& order,
                                                               const stagecut::cuts& cuts) {
  bool splits = false;
  for (const auto& rank : order.orders) {
    for (const stagecut::op& each : rank) splits = splits || each.kind == stagecut::op_kind::backward_weight;
  }
  const auto sum = [](const std::vector<double>& of, stagecut::interval part) {
    double result = 0;
    for (std::size_t i = part.first; i < part.last; ++i) result += of[i];
    return result;
  };
  stagecut::pass_times<double> passes;
  stagecut::transfer_times<double> transfers;
  transfers.kind = times.transfers;
  for (std::size_t s = 0; s < cuts.stages(); ++s) {
    const stagecut::interval part = cuts.stage(s);
    const double backward = sum(times.backward, part);
    passes.forward.push_back(sum(times.forward, part));
    if (splits) {
      passes.backward_weight.push_back(sum(times.weight, part));
      passes.backward_input.push_back(backward - passes.backward_weight.back());
    } else {
      passes.backward.push_back(backward);
    }
    if (!times.message.empty() && s + 1 < cuts.stages()) transfers.forward.push_back(times.message[part.last - 1]);
  }
  transfers.backward = transfers.forward;
  return stagecut::simulate(order, passes, transfers);
}

/// The result of a search by shifting layers.
struct shifted_layers {
  stagecut::cuts cuts{};        ///< the best cut that was simulated
  double makespan = 0;          ///< makespan of that cut
  double start = 0;             ///< makespan of the starting cut, which has the smallest bottleneck
  std::size_t simulations = 0;  ///< cuts evaluated
  bool finished = false;        ///< whether it ended by itself
};

/// Smallest-bottleneck cuts of all prefixes of a chain.
class lightest_cuts {
 public:
  /// @param load    per item
  /// @param stages  the most stages
  lightest_cuts(const std::vector<double>& load, std::size_t stages)
      : sums_(load.size() + 1), begin_(stages + 1, std::vector<std::size_t>(load.size() + 1)) {
    for (std::size_t i = 0; i < load.size(); ++i) sums_[i + 1] = sums_[i] + load[i];
    std::vector<double> before(sums_.size(), std::numeric_limits<double>::infinity());
    before[0] = 0;
    for (std::size_t k = 1; k <= stages; ++k) {
      std::vector<double> least(sums_.size(), std::numeric_limits<double>::infinity());
      for (std::size_t last = k; last < sums_.size(); ++last) {
        for (std::size_t first = last; first-- + 1 > k && sums_[last] - sums_[first] < least[last];) {
          const double heaviest = std::max(before[first], sums_[last] - sums_[first]);
          if (heaviest < least[last]) least[last] = heaviest, begin_[k][last] = first;
        }
      }
      before = std::move(least);
    }
  }

  /// Cuts the items `[0, last)` into `stages`: writes the points from 0 to `last`. Ties: the shortest last stage.
  /// @pre `stages <= last`
  void write(std::size_t stages, std::size_t last, std::vector<std::size_t>& points) const {
    for (std::size_t k = stages; k > 0; --k) {
      points[k] = last;
      last = begin_[k][last];
    }
    points[0] = 0;
  }

 private:
  std::vector<double> sums_;
  std::vector<std::vector<std::size_t>> begin_;  // per number of stages k, the begin of the last stage, for every end
};

namespace detail {

/// The stage with the most time on the critical path, between the first backward and the last forward pass on it; if
/// there is nothing between them, on the whole path.
[[nodiscard]] inline std::size_t critical_stage(const stagecut::simulation<double>& run, std::size_t stages) {
  using stagecut::op_kind;
  const auto& path = run.critical_path;
  std::size_t first = path.size();
  std::size_t last = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const op_kind kind = path[i].what.kind;
    if ((kind == op_kind::backward || kind == op_kind::backward_input) && first == path.size()) first = i;
    if (kind == op_kind::forward) last = i + 1;
  }
  if (first >= last) first = 0, last = path.size();
  std::vector<double> time(stages);
  for (std::size_t i = first; i < last; ++i) {
    if (is_compute(path[i].what.kind)) time[path[i].what.stage] += path[i].end - path[i].start;
  }
  return static_cast<std::size_t>(std::max_element(time.begin(), time.end()) - time.begin());
}

}  // namespace detail

/// Shifts layers away from the stage that the critical path runs through, starting with the smallest-bottleneck cut.
///
/// @param times             of the chain
/// @param order             the schedule
/// @param most_simulations  limit
/// @return                  the best cut seen; without proof
/// @pre                     as many items as stages, or more
///
/// Takes a cut from a FIFO queue, and its critical stage: the one with the most time on the critical path between the
/// first backward and the last forward pass. Two cuts follow: the stage's first layer moves to the left, or its last
/// one to the right, and the part to the left of the moved point is cut again with the smallest bottleneck. They join
/// the queue unless their critical stage is further to the right. The search ends when the critical stage is the first,
/// or the queue is empty.
[[nodiscard]] inline shifted_layers layer_shifting(const layer_times& times, const stagecut::schedule& order,
                                                   std::size_t most_simulations = 1000) {
  const std::size_t stages = order.stages();
  std::vector<double> load(times.forward);
  for (std::size_t i = 0; i < load.size(); ++i) load[i] += times.backward[i];
  const lightest_cuts lightest(load, stages);

  struct candidate {
    std::vector<std::size_t> points;
    std::size_t critical;
  };
  shifted_layers result;
  const auto look_at = [&](std::vector<std::size_t> points) -> candidate {
    const auto run = simulate_cut(times, order, stagecut::cuts(points));
    if (++result.simulations == 1) result.start = run.makespan;
    if (result.simulations == 1 || run.makespan < result.makespan) {
      result.cuts = stagecut::cuts(points);
      result.makespan = run.makespan;
    }
    return {std::move(points), detail::critical_stage(run, stages)};
  };

  std::vector<std::size_t> points(stages + 1);
  lightest.write(stages, load.size(), points);
  std::set<std::vector<std::size_t>> seen{points};
  std::deque<candidate> queue{look_at(points)};
  while (!queue.empty() && queue.front().critical != 0) {
    const candidate from = std::move(queue.front());
    queue.pop_front();
    const std::size_t s = from.critical;
    for (const bool left : {true, false}) {
      const std::size_t moved = left ? s : s + 1;  // index of the moved point
      if (moved == stages) continue;
      const std::size_t to = left ? from.points[moved] + 1 : from.points[moved] - 1;
      if (to < moved || to >= from.points[moved + 1]) continue;  // a stage would be empty
      points = from.points;
      lightest.write(moved, to, points);
      if (!seen.insert(points).second) continue;
      if (result.simulations >= most_simulations) return result;
      candidate next = look_at(points);
      if (next.critical <= s) queue.push_back(std::move(next));
    }
  }
  result.finished = true;
  return result;
}

}  // namespace baseline
