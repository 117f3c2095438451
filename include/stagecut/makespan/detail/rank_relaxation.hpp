// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline v0::detail {

/// An iteration in which one rank runs its ops in order, and all others have room for any number at once: a bound for
/// every cut with these stages on the rank: docs/makespan.md, Bounds, Every other schedule.
class rank_relaxation {
 public:
  /// One of the rank's stages, in the order of the model, and how long its results are under way through others.
  struct part {
    double forward = 0;   ///< of a microbatch
    double backward = 0;  ///< B or I
    double weight = 0;    ///< W
    double down = 0;      ///< from the part before, or the first layer, to this one's F
    double up = 0;        ///< from this one's B or I to the part before, or the end of the first layer's
  };

  /// When the iteration ends.
  struct ends {
    double any = 0;      ///< at least, by the rank's own ops
    double leaving = 0;  ///< the same of the latest B or I of the first part, `part::up` not yet added
  };

  /// The ops of a rank, of all its stages or of one.
  rank_relaxation(const schedule& order, std::size_t rank, std::size_t only) { read(order, rank, only, true); }
  rank_relaxation(const schedule& order, std::size_t rank) { read(order, rank, 0, false); }

  /// @param parts  of the rank
  /// @param turn   from the end of F of the last part to the begin of its B, through all stages behind
  [[nodiscard]] ends operator()(const std::vector<part>& parts, double turn) {
    double now = 0;
    ends result;
    for (const step& each : steps_) {
      const part& here = parts[each.part];
      double* const done = done_.data() + each.index;
      if (each.kind == op_kind::forward) {
        const double ready = each.part == 0 ? here.down : forward_of(each, each.part - 1) + here.down;
        now = (now < ready ? ready : now) + here.forward;
        done[0] = now;
        continue;
      }
      if (each.kind != op_kind::backward_weight) {
        const bool last = each.part + 1 == parts.size();
        const double ready = last ? done[0] + turn : backward_of(each, each.part + 1) + parts[each.part + 1].up;
        now = (now < ready ? ready : now) + here.backward;
        if (each.kind == op_kind::backward) now += here.weight;
        done[1] = now;
        if (each.part == 0 && result.leaving < now) result.leaving = now;
        continue;
      }
      now += here.weight;
    }
    result.any = now;
    return result;
  }

 private:
  struct step {
    op_kind kind;
    std::size_t part;
    std::size_t index;  // of its microbatch and slice, in `done_`
  };

  void read(const schedule& order, std::size_t rank, std::size_t only, bool one) {
    std::vector<std::size_t> part_of(order.stages(), order.stages());
    std::size_t parts = 0;
    for (std::size_t s = 0; s < order.stages(); ++s) {
      if (one ? s == only : order.rank_of[s] == rank) part_of[s] = parts++;
    }
    passes_ = order.microbatches * order.slices;
    done_.resize(2 * passes_ * parts);
    for (const op& each : order.orders[rank]) {
      if (!is_compute(each.kind) || part_of[each.stage] == order.stages()) continue;
      const std::size_t place = part_of[each.stage];
      steps_.push_back({each.kind, place, 2 * (place * passes_ + each.microbatch * order.slices + each.slice)});
    }
  }
  [[nodiscard]] double forward_of(const step& each, std::size_t of) const {
    return done_[each.index + 2 * passes_ * of - 2 * passes_ * each.part];
  }
  [[nodiscard]] double backward_of(const step& each, std::size_t of) const {
    return done_[each.index + 2 * passes_ * of - 2 * passes_ * each.part + 1];
  }

  std::size_t passes_ = 0;
  std::vector<step> steps_{};
  std::vector<double> done_{};
};

}  // namespace stagecut::inline v0::detail
