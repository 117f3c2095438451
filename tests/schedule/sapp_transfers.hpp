// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/sapp_interleaved.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// The transfers of SAPP's simulator, in the order in which its ranks run them.
namespace sapp {

using stagecut::op;
using stagecut::op_kind;
using ops = std::vector<op>;

[[nodiscard]] inline bool is_send(const op& each) {
  return each.kind == op_kind::send_forward || each.kind == op_kind::send_backward;
}

[[nodiscard]] inline std::size_t position(const ops& line, const op& each) {
  return static_cast<std::size_t>(std::find(line.begin(), line.end(), each) - line.begin());
}

/// Adds transfers to the F and B of a schedule.
class transfers {
 public:
  transfers(const stagecut::schedule& computing, stagecut::sapp_memory memory)
      : computing_(computing), memory_(memory), ranks_(computing.ranks()), chunks_(computing.stages() / ranks_) {}

  /// The schedule with them.
  [[nodiscard]] stagecut::schedule added() {
    for (std::size_t rank = 0; rank < ranks_; ++rank) lines_.push_back(placed(rank));
    for (std::size_t rank = 0; rank < ranks_; ++rank) take_turns(rank);
    stagecut::schedule result = computing_;
    result.orders = lines_;
    return result;
  }

 private:
  /// The send behind an op and the receive before it, where the other end is on another rank.
  /// @{
  [[nodiscard]] std::optional<op> send_of(const op& pass) const {
    const bool forward = pass.kind == op_kind::forward;
    if (ranks_ == 1 || pass.stage == (forward ? computing_.stages() - 1 : 0)) return std::nullopt;
    return op{forward ? op_kind::send_forward : op_kind::send_backward, pass.stage, pass.microbatch};
  }
  [[nodiscard]] std::optional<op> receive_of(const op& pass) const {
    const bool forward = pass.kind == op_kind::forward;
    if (ranks_ == 1 || pass.stage == (forward ? 0 : computing_.stages() - 1)) return std::nullopt;
    return op{forward ? op_kind::receive_forward : op_kind::receive_backward, pass.stage, pass.microbatch};
  }
  /// @}

  [[nodiscard]] std::size_t residue() const { return computing_.microbatches % ranks_; }

  /// Forward passes before a rank's ops alternate.
  [[nodiscard]] std::size_t warm_up(std::size_t rank) const {
    const std::size_t behind = ranks_ - 1 - rank;
    const std::size_t ahead = memory_ == stagecut::sapp_memory::big && chunks_ > 1 ? 2 * behind : behind;
    return std::min(ahead + (chunks_ - 1) * (ranks_ + residue()), chunks_ * computing_.microbatches);
  }

  /// Whether an op is one of those that alternate, but for the last of these.
  [[nodiscard]] bool steady(std::size_t rank, std::size_t i) const {
    const std::size_t first = warm_up(rank);
    return i >= first && i + 1 < 2 * chunks_ * computing_.microbatches - first;
  }

  /// How many ops a rank runs between the i-th of its line and the send of what that one made.
  [[nodiscard]] std::size_t delay(std::size_t rank, std::size_t i) const {
    if (chunks_ == 1) return 0;
    const op& pass = computing_.orders[rank][i];
    const bool forward = pass.kind == op_kind::forward;
    if (residue() != 0 && pass.microbatch < ranks_ + residue()) {  // of the first, larger group
      if (rank + 1 == ranks_ && forward) {
        return residue() + (pass.microbatch < ranks_ ? 0 : pass.microbatch - ranks_ + 1);
      }
      if (rank == 0 && !forward) return residue() + (computing_.microbatches / ranks_ == 1 ? 0 : ranks_);
    }
    return steady(rank, i) ? 1 : 0;
  }

  /// The line of a rank: receives immediately before what needs them, sends when their delay is over, of those which
  /// then wait the youngest first, but behind them the one of the op that has just ended.
  [[nodiscard]] ops placed(std::size_t rank) const {
    const ops& passes = computing_.orders[rank];
    std::vector<ops> behind(passes.size());
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const std::optional<op> send = send_of(passes[i]);
      if (!send) continue;
      const std::size_t late = delay(rank, i);
      ops& slot = behind.at(i + late);
      slot.insert(late == 0 ? slot.end() : slot.begin(), *send);
    }
    ops line;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (const auto receive = receive_of(passes[i])) line.push_back(*receive);
      line.push_back(passes[i]);
      line.insert(line.end(), behind[i].begin(), behind[i].end());
    }
    return line;
  }

  /// Where the other end of a transfer stands at present: its rank, and its place in the line of that one.
  [[nodiscard]] std::pair<std::size_t, std::size_t> partner(const op& each) const {
    const op other = other_end(each);
    const std::size_t rank = computing_.rank_of[other.stage];
    return {rank, position(lines_[rank], other)};
  }

  /// Orders what stands between two ops of a rank: an even rank sends first, an odd one receives first; but two
  /// transfers with the same rank as this one has them.
  void take_turns(std::size_t rank) {
    const ops& passes = computing_.orders[rank];
    ops& line = lines_[rank];
    for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
      const std::size_t first = position(line, passes[i]) + 1;
      const std::size_t count = position(line, passes[i + 1]) - first;
      if (count == 2) {
        op& a = line[first];
        op& b = line[first + 1];
        if (is_send(a) != is_send(b) && is_send(a) != (rank % 2 == 0)) std::swap(a, b);
        const auto [rank_a, place_a] = partner(a);
        const auto [rank_b, place_b] = partner(b);
        if (rank_a == rank_b && place_a > place_b) std::swap(a, b);
      } else if (count == 3) {
        const std::size_t to = partner(line[first]).first;
        if (to == partner(line[first + 1]).first && to == partner(line[first + 2]).first && is_send(line[first]) &&
            is_send(line[first + 1]) && !is_send(line[first + 2])) {
          std::swap(line[first], line[first + 1]);
        }
      }
    }
  }

  const stagecut::schedule& computing_;
  stagecut::sapp_memory memory_;
  std::size_t ranks_;
  std::size_t chunks_;
  std::vector<ops> lines_{};
};

/// A schedule of `sapp_interleaved` with its transfers.
[[nodiscard]] inline stagecut::schedule with_transfers(const stagecut::schedule& computing,
                                                       stagecut::sapp_memory memory) {
  return transfers(computing, memory).added();
}

}  // namespace sapp
