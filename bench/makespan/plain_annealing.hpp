// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "layer_shifting.hpp"

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// A naive baseline: simulated annealing over cut points, one cut at a time.
namespace baseline {

/// splitmix64: the same numbers everywhere.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  /// In [0, 1).
  double draw() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }

  /// In [0, bound).
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(draw() * static_cast<double>(bound)); }

  /// Standard normal, by Box and Muller's method, using one of its two numbers.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - draw()));
    return radius * std::cos(6.283185307179586477 * draw());
  }

 private:
  std::uint64_t state_;
};

/// Whether a schedule splits the backward pass.
[[nodiscard]] inline bool splits_backward(const stagecut::schedule& order) {
  for (const auto& rank : order.orders) {
    for (const stagecut::op& each : rank) {
      if (each.kind == stagecut::op_kind::backward_weight) return true;
    }
  }
  return false;
}

/// Computes the makespans of cuts one by one.
class cut_makespans {
 public:
  /// @pre as `simulate_cut`
  cut_makespans(const layer_times& times, const stagecut::schedule& order)
      : forward_(times.forward),
        backward_(times.backward),
        weight_(times.weight),
        message_(times.message),
        splits_(splits_backward(order)),
        graph_(order, {.transfers = times.transfers, .with_transfers = !times.message.empty()}) {
    const std::size_t stages = order.stages();
    passes_.forward.resize(stages);
    if (!splits_) passes_.backward.resize(stages);
    if (splits_) passes_.backward_input.resize(stages);
    if (splits_) passes_.backward_weight.resize(stages);
    transfers_.kind = times.transfers;
    if (!message_.empty()) transfers_.forward.resize(stages - 1);
  }

  /// @param points  of a cut, one more than the stages of the schedule
  [[nodiscard]] double operator()(const std::vector<std::size_t>& points) {
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      const std::size_t first = points[s];
      const std::size_t last = points[s + 1];
      passes_.forward[s] = forward_(first, last);
      if (splits_) {
        passes_.backward_weight[s] = weight_(first, last);
        passes_.backward_input[s] = backward_(first, last) - passes_.backward_weight[s];
      } else {
        passes_.backward[s] = backward_(first, last);
      }
      if (!message_.empty() && s + 2 < points.size()) transfers_.forward[s] = message_[last - 1];
    }
    transfers_.backward = transfers_.forward;
    return graph_.makespan(passes_, transfers_, workspace_);
  }

 private:
  stagecut::prefix_sums<double> forward_;
  stagecut::prefix_sums<double> backward_;
  stagecut::prefix_sums<double> weight_;
  std::vector<double> message_;
  bool splits_;
  stagecut::task_graph graph_;
  stagecut::pass_times<double> passes_{};
  stagecut::transfer_times<double> transfers_{};
  stagecut::simulation_workspace<double> workspace_{};
};

/// The best cut of an annealing run.
struct annealed_cut {
  stagecut::cuts cuts{};  ///< the stages
  double makespan = std::numeric_limits<double>::infinity();  ///< of the cut; infinite: none seen was allowed
  std::size_t simulations = 0;                  ///< cuts evaluated
};

/// Anneals from one cut: moves up to four neighbouring points together by one or two items, up or down.
///
/// @param points   starting cut
/// @param seconds  time at which it ends
/// @param excess   the excess of a cut over its limits, as a share; at most 0: allowed
/// @param best     receives shorter allowed cuts
///
/// The temperature falls linearly from 2 % of the first makespan to 0. A cut that is not allowed counts as longer, by
/// four times its excess.
template <class Excess>
void anneal(std::vector<std::size_t> points, double seconds, const Excess& excess, random_numbers& random,
            cut_makespans& makespan, annealed_cut& best) {
  const std::size_t stages = points.size() - 1;
  const auto look_at = [&](const std::vector<std::size_t>& cut) {
    const double takes = makespan(cut);
    const double above = excess(cut);
    ++best.simulations;
    if (above <= 0 && takes < best.makespan) best.makespan = takes, best.cuts = stagecut::cuts(cut);
    return above <= 0 ? takes : takes * (1 + 4 * above);
  };
  const auto begin = std::chrono::steady_clock::now();
  double now = look_at(points);
  const double hot = 0.02 * now;
  double temperature = hot;
  std::vector<std::size_t> other;
  for (std::size_t round = 0; stages > 1; ++round) {
    if (round % 64 == 0) {
      const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / seconds;
      if (passed >= 1) return;
      temperature = hot * (1 - passed);
    }
    const std::size_t first = 1 + random.below(stages - 1);
    const std::size_t last = std::min(first + 1 + random.below(4), stages);  // after the moved points
    const std::size_t by = 1 + random.below(2);
    const bool up = random.draw() < 0.5;
    if (up ? points[last - 1] + by >= points[last] : points[first] <= points[first - 1] + by) continue;
    other = points;
    for (std::size_t i = first; i < last; ++i) other[i] = up ? other[i] + by : other[i] - by;
    const double next = look_at(other);
    if (next > now && random.draw() >= std::exp((now - next) / temperature)) continue;
    now = next;
    std::swap(points, other);
  }
}

/// The starting cuts: with the smallest bottleneck by both passes, by the forward passes and by the backward passes,
/// and with equal numbers of items.
/// @pre as many items as stages, or more
[[nodiscard]] inline std::vector<std::vector<std::size_t>> annealing_starts(const layer_times& times,
                                                                            std::size_t stages) {
  std::vector<double> both(times.forward);
  for (std::size_t i = 0; i < both.size(); ++i) both[i] += times.backward[i];
  const auto points_of = [](const stagecut::cuts& of) {
    std::vector<std::size_t> points{0};
    for (const stagecut::interval each : of) points.push_back(each.last);
    return points;
  };
  std::vector<std::vector<std::size_t>> starts;
  for (const auto* load : {static_cast<const std::vector<double>*>(&both), &times.forward, &times.backward}) {
    starts.push_back(points_of(stagecut::minimize_bottleneck(stagecut::prefix_sums(*load), stages)->cuts));
  }
  starts.push_back(points_of(stagecut::uniform_cuts(both.size(), stages)->cuts));
  return starts;
}

/// Anneals from the four starts, a quarter of the time from each.
///
/// @param times    of the chain
/// @param order    the schedule
/// @param seconds  in total
/// @param excess   as `anneal`
/// @return         the best cut seen; without proof
/// @pre            as many items as stages, or more; as `simulate_cut`
template <class Excess>
[[nodiscard]] annealed_cut plain_annealing(const layer_times& times, const stagecut::schedule& order, double seconds,
                                           const Excess& excess) {
  cut_makespans makespan(times, order);
  random_numbers random(1);
  annealed_cut best;
  for (auto& start : annealing_starts(times, order.stages())) {
    anneal(std::move(start), seconds / 4, excess, random, makespan, best);
  }
  return best;
}

}  // namespace baseline
