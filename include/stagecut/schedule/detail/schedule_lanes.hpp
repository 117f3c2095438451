// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What holds ops in the order of their rank, and how far it has come.
///
/// The first p lanes are what the ranks compute; with `blocking`, what they send and receive is in the same lanes; with
/// `streams`, in p lanes more. Lanes go in rounds: who is woken is in the next one.
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

  /// The op at which a lane stands, or null; ops of other lanes are passed by.
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

  /// The lanes that were woken; none if all have ended or wait.
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

  /// For every rank, how many ops there are before the first at which a lane stands.
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
  std::vector<std::size_t> at_;  // position of every lane in the order of its rank
  std::vector<char> woken_;      // whether it is in the next round
  std::vector<std::size_t> next_round_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
