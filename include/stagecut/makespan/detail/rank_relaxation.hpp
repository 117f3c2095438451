// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// One of a rank's stages, in the order of the model, and the travel time of its results through other stages.
struct rank_part {
  double forward = 0;   ///< of a microbatch
  double backward = 0;  ///< B or I
  double weight = 0;    ///< W
  double down = 0;      ///< from the previous part, or the first layer, to this one's F
  double up = 0;        ///< from this one's B or I to the previous part, or the end of the first layer's
};

/// The ends of an iteration.
struct rank_ends {
  double any = 0;      ///< a lower bound from the rank's own ops
  double leaving = 0;  ///< the same for the latest B or I of the first part, without `rank_part::up`
};

/// An op of a rank.
struct rank_step {
  op_kind kind;
  std::size_t part;
  std::size_t index;  ///< index of its part, microbatch and slice among the results: for F; B or I has the next one
};

/// An iteration in which one rank runs its ops in order, and all others have unlimited capacity: a bound for every cut
/// with these stages on the rank: docs/makespan.md, Bounds, Every other schedule. `search::detail::rank_program` is the
/// version for lanes and devices.
class rank_relaxation {
 public:
  using part = rank_part;
  using ends = rank_ends;

  /// The ops of a rank, of all its stages or of one.
  rank_relaxation(const schedule& order, std::size_t rank, std::size_t only) { read(order, rank, only, true); }
  rank_relaxation(const schedule& order, std::size_t rank) { read(order, rank, 0, false); }

  /// @param parts  of the rank
  /// @param turn   from the end of F of the last part to the start of its B, through all later stages
  [[nodiscard]] ends operator()(const std::vector<part>& parts, double turn) {
    double now = 0;
    ends result;
    for (const rank_step& step : steps_) {
      const part& here = parts[step.part];
      double* const own = done_.data() + step.index;
      if (step.kind == op_kind::forward) {
        const double ready = step.part == 0 ? here.down : *(own - 2 * passes_) + here.down;
        now = (now < ready ? ready : now) + here.forward;
        *own = now;
      } else if (step.kind == op_kind::backward_weight) {
        now += here.weight;
      } else {
        const bool last = step.part + 1 == parts.size();
        const double ready = last ? *own + turn : own[2 * passes_ + 1] + parts[step.part + 1].up;
        now = (now < ready ? ready : now) + here.backward;
        if (step.kind == op_kind::backward) now += here.weight;
        own[1] = now;
        if (step.part == 0 && result.leaving < now) result.leaving = now;
      }
    }
    result.any = now;
    return result;
  }

  /// A longest path of the last evaluation, either to the end or, if that is longer, to the latest B or I of the first
  /// part and along `up` from there: its passes through F, B, W, down and up of every part, in this order, and then the
  /// turn.
  ///
  /// @param parts   as in that evaluation
  /// @param turn    as in that evaluation
  /// @param counts  5 per part, and one more
  void count_longest(const std::vector<part>& parts, double turn, double* counts) {
    const ends last = (*this)(parts, turn);
    trace(parts, turn);
    for (std::size_t i = 0; i <= 5 * parts.size(); ++i) counts[i] = 0;
    std::size_t at = steps_.size();
    if (last.any < last.leaving + parts[0].up) {
      while (at > 1 && !(steps_[at - 1].part == 0 && is_gradient(steps_[at - 1].kind) && ends_[at] == last.leaving))
        --at;
      counts[4] = 1;
    }
    while (at != 0) at = step_back(at, parts.size(), counts);
  }

 private:
  void read(const schedule& order, std::size_t rank, std::size_t only, bool one) {
    std::vector<std::size_t> part_of(order.stages(), order.stages());
    std::size_t parts = 0;
    for (std::size_t s = 0; s < order.stages(); ++s) {
      if (one ? s == only : order.rank_of[s] == rank) part_of[s] = parts++;
    }
    passes_ = order.microbatches * order.slices;
    done_.resize(2 * passes_ * parts);
    for (const auto& op : order.orders[rank]) {
      if (!is_compute(op.kind) || part_of[op.stage] == order.stages()) continue;
      const std::size_t place = part_of[op.stage];
      steps_.push_back({op.kind, place, 2 * (place * passes_ + op.microbatch * order.slices + op.slice)});
    }
  }
  [[nodiscard]] static bool is_gradient(op_kind kind) {
    return kind != op_kind::forward && kind != op_kind::backward_weight;
  }

  /// Records the end of every step, and the step it waited for.
  void trace(const std::vector<part>& parts, double turn) {
    ends_.assign(steps_.size() + 1, 0);
    waits_.assign(steps_.size() + 1, 0);
    std::vector<std::size_t> ended(done_.size());  // the step, counted from 1, that writes each result
    for (std::size_t i = 1; i <= steps_.size(); ++i) {
      const rank_step& each = steps_[i - 1];
      const part& here = parts[each.part];
      const bool last = each.part + 1 == parts.size();
      std::size_t source = 0;
      double ready = 0;
      double takes = here.weight;
      if (each.kind == op_kind::forward) {
        if (each.part != 0) source = ended[each.index - 2 * passes_];
        ready = ends_[source] + here.down;
        takes = here.forward;
        ended[each.index] = i;
      } else if (is_gradient(each.kind)) {
        source = ended[last ? each.index : each.index + 2 * passes_ + 1];
        ready = ends_[source] + (last ? turn : parts[each.part + 1].up);
        takes = here.backward + (each.kind == op_kind::backward ? here.weight : 0);
        ended[each.index + 1] = i;
      }
      waits_[i] = ends_[i - 1] < ready ? source + 1 : 0;
      ends_[i] = (ends_[i - 1] < ready ? ready : ends_[i - 1]) + takes;
    }
  }

  /// Counts a step of the longest path; returns the previous step on the path.
  std::size_t step_back(std::size_t at, std::size_t parts, double* counts) const {
    const rank_step& each = steps_[at - 1];
    double* const here = counts + 5 * each.part;
    if (each.kind == op_kind::forward) here[0] += 1;
    if (is_gradient(each.kind)) here[1] += 1;
    if (each.kind == op_kind::backward || each.kind == op_kind::backward_weight) here[2] += 1;
    if (waits_[at] == 0) return at - 1;
    if (each.kind == op_kind::forward) {
      here[3] += 1;
    } else if (each.part + 1 == parts) {
      counts[5 * parts] += 1;
    } else {
      here[5 + 4] += 1;
    }
    return waits_[at] - 1;
  }

  std::size_t passes_ = 0;
  std::vector<rank_step> steps_{};
  std::vector<double> done_{};
  std::vector<double> ends_{};        // per step, counted from 1, when traced
  std::vector<std::size_t> waits_{};  // 0: the previous step; else 1 + the step whose result it waits for
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
