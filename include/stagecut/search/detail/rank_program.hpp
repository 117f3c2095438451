// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/slot_program.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The indices of durations in a `rank_program`: six per stage of the rank, and the turn after all of them.
enum rank_duration : std::size_t {
  rank_forward = 1,   ///< F of a microbatch
  rank_backward,      ///< B without W, or I
  rank_whole,         ///< B with W
  rank_weight,        ///< W
  rank_down,          ///< from the previous rank's stage, or the first layer, to this one's F
  rank_up,            ///< from this one's B or I to the previous stage, or the end of the first layer's
  rank_durations = 6  ///< per stage
};

/// An iteration in which one rank runs its ops in order, and all others have unlimited capacity, as a slot program: the
/// computation of `rank_relaxation`, in lanes and on devices. See docs/makespan.md, Bounds, Every other schedule.
class rank_program {
 public:
  /// @pre the rank has a stage, and fewer than 32,768 ops
  rank_program(const schedule& order, std::size_t rank) {
    std::vector<std::size_t> part_of(order.stages(), order.stages());
    for (std::size_t s = 0; s < order.stages(); ++s) {
      if (order.rank_of[s] == rank) part_of[s] = parts_++;
    }
    const std::size_t passes = order.microbatches * order.slices;
    std::vector<std::uint16_t> forward(passes * parts_);  // per part and pass, its index among the ops, from 1 on
    std::vector<std::uint16_t> backward(passes * parts_);
    std::uint16_t leaves = 0;
    for (const auto& op : order.orders[rank]) {
      if (!is_compute(op.kind) || part_of[op.stage] == order.stages()) continue;
      const std::size_t part = part_of[op.stage];
      const std::size_t pass = part * passes + op.microbatch * order.slices + op.slice;
      if (op.kind == op_kind::forward) {
        add(part == 0 ? std::uint16_t{0} : forward[pass - passes], place(part, rank_down), place(part, rank_forward));
        forward[pass] = last_op();
      } else if (op.kind == op_kind::backward_weight) {
        add(0, 0, place(part, rank_weight));
      } else {
        const bool last = part + 1 == parts_;
        add(last ? forward[pass] : backward[pass + passes], last ? turn() : place(part + 1, rank_up),
            place(part, op.kind == op_kind::backward ? rank_whole : rank_backward));
        backward[pass] = last_op();
        if (part == 0) leaves = last_op();
      }
    }
    last_ = {last_op()};
    add(leaves, place(0, rank_up), 0);
    ops_.back().before = 0;
    last_.push_back(last_op());
    share_slots();
  }

  /// The steps; refers to this object.
  [[nodiscard]] slot_steps steps() const noexcept {
    return {ops_, delays_, last_, slots_, rank_durations * parts_ + 2};
  }

 private:
  [[nodiscard]] static std::uint16_t place(std::size_t part, std::size_t duration) {
    return static_cast<std::uint16_t>(rank_durations * part + duration);
  }
  [[nodiscard]] std::uint16_t turn() const { return place(parts_, 1); }
  [[nodiscard]] std::uint16_t last_op() const { return static_cast<std::uint16_t>(ops_.size()); }

  /// Adds an op after the previous one; slots are initially indices of ops.
  void add(std::uint16_t source, std::uint16_t delay, std::uint16_t time) {
    ops_.push_back({last_op(), source, time, static_cast<std::uint16_t>(ops_.size() + 1)});
    delays_.push_back(delay);
  }

  /// Reuses slots: keeps each result until the last op that needs it.
  void share_slots() {
    stagecut::detail::slot_holders holders{view<const slot_op>(ops_), view<const std::uint16_t>(last_)};
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const slot_op each = ops_[i];
      ops_[i] = {holders.of(each.before), holders.of(each.source), each.time, 0};
      holders.leave(each.before);
      holders.leave(each.source);
      static_cast<void>(holders.enter(i + 1));  // there are fewer ops than possible slots
      ops_[i].to = holders.of(static_cast<std::uint32_t>(i + 1));
    }
    for (std::uint16_t& each : last_) each = holders.of(each);
    slots_ = holders.slots();
  }

  std::size_t parts_ = 0;
  std::size_t slots_ = 1;
  std::vector<slot_op> ops_{};
  std::vector<std::uint16_t> delays_{};
  std::vector<std::uint16_t> last_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
