// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The lanes that run the ops of ranks in order, and their progress.
///
/// The first p lanes are the computation of the ranks; with `blocking`, their sends and receives are in the same lanes;
/// with `streams`, in p more lanes. Lanes run in rounds: a woken lane is in the next one.
class schedule_lanes {
 public:
  schedule_lanes(const schedule& order, bool blocking, bool streams)
      : order_(order),
        blocking_(blocking),
        at_(streams ? 2 * order.ranks() : order.ranks()),
        woken_(at_.size(), 1),
        next_round_(at_.size()) {
    for (std::size_t lane = 0; lane < at_.size(); ++lane) next_round_[lane] = lane;
  }

  [[nodiscard]] std::size_t size() const noexcept { return at_.size(); }
  [[nodiscard]] std::size_t stream_of(std::size_t rank) const noexcept { return order_.ranks() + rank; }

  /// The current op of a lane, or null; skips ops of other lanes.
  [[nodiscard]] const op* head(std::size_t lane) {
    const auto& ops = order_.orders[lane % order_.ranks()];
    for (; at_[lane] < ops.size(); ++at_[lane]) {
      const op_kind kind = ops[at_[lane]].kind;
      const bool computes = lane < order_.ranks() && is_compute(kind);
      const bool transfers = (blocking_ || lane >= order_.ranks()) && is_transfer(kind);
      if (computes || transfers) return &ops[at_[lane]];
    }
    return nullptr;
  }

  void pass(std::size_t lane, std::size_t ops = 1) noexcept { at_[lane] += ops; }

  void wake(std::size_t lane) {
    if (std::exchange(woken_[lane], char{1}) == 0) next_round_.push_back(lane);
  }

  /// The woken lanes; none if all have ended or wait.
  [[nodiscard]] std::vector<std::size_t> next_round() {
    std::vector<std::size_t> round;
    round.swap(next_round_);
    for (const std::size_t lane : round) woken_[lane] = 0;
    return round;
  }

  [[nodiscard]] bool all_ended() {
    for (std::size_t lane = 0; lane < size(); ++lane) {
      if (head(lane) != nullptr) return false;
    }
    return true;
  }

  /// Per rank, the number of ops before the first current op of its lanes.
  [[nodiscard]] std::vector<std::size_t> ended() const {
    std::vector<std::size_t> result(at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(order_.ranks()));
    for (std::size_t lane = order_.ranks(); lane < size(); ++lane) {
      std::size_t& at = result[lane - order_.ranks()];
      if (at_[lane] < at) at = at_[lane];
    }
    return result;
  }

 private:
  const schedule& order_;
  bool blocking_;
  std::vector<std::size_t> at_;  // position of every lane in its rank's order
  std::vector<char> woken_;      // whether the lane is in the next round
  std::vector<std::size_t> next_round_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
