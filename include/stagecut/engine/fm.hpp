// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// What came of asking for the next move of a pass.
enum class fm_step {
  none,  ///< no move is left
  made,
  relieved  ///< made, and it mends what no solution may have: patience does not run out by it
};

/// One pass of Fiduccia and Mattheyses: moves one after the other, those that lose too, then all behind the best value are
/// taken back. It ends after n / 30 moves without a better value, 60 at least and 1500 at most.
///
/// Source: C. M. Fiduccia and R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982.
///
/// @param elements  n, each of which moves once at most
/// @param made      the moves that are kept
/// @param value     `value()`, what is to be less
/// @param step      `step()`, makes a move and puts it into `made`
/// @param undo      `undo(move)`, takes it back
/// @param stop      asked for every 64 moves
/// @return          whether the value is less than before
template <class Move, class Value, class Step, class Undo>
bool fm_pass(std::size_t elements, std::vector<Move>& made, const Value& value, const Step& step, const Undo& undo,
             const function_ref<bool()>& stop = {}) {
  made.clear();
  auto best = value();
  std::size_t kept = 0;
  const std::size_t patience = std::clamp<std::size_t>(elements / 30, 60, 1500);
  for (std::size_t idle = 0; idle < patience && !(stop && made.size() % 64 == 0 && stop());) {
    const fm_step result = step();
    if (result == fm_step::none) break;
    if (result == fm_step::made) ++idle;
    if (value() < best) best = value(), kept = made.size(), idle = 0;
  }
  for (; made.size() > kept; made.pop_back()) undo(made.back());
  return kept > 0;
}

/// The moves of a pass in a heap, the best first, and which elements have moved. Gains may be out of date: that of a move
/// is reckoned anew when its turn comes, and it waits on if it is worse now.
///
/// @tparam Move  has `element`, `to`, and `<`, total and with the best greatest; it goes to `nowhere` if there is none
template <class Move>
class gain_heap {
 public:
  using place = decltype(Move::to);
  static constexpr place nowhere = std::numeric_limits<place>::max();

  /// @param most_refused  0: an element without a move now is dropped until it is offered again, and a new offer of an
  ///                      element makes older ones void; else it waits on, older offers stay, and a turn ends after so many
  ///                      that have none
  explicit gain_heap(std::size_t elements, std::size_t most_refused = 0)
      : most_refused_(most_refused), stamp_(elements), locked_(elements) {}

  /// Begins a pass.
  void begin() {
    heap_.clear();
    std::fill(locked_.begin(), locked_.end(), false);
  }
  /// Whether an element has moved.
  [[nodiscard]] bool is_locked(std::size_t e) const { return locked_[e]; }

  /// Puts in `best_move(e)` of an element that has not moved. O(log n)
  template <class BestMove>
  void offer(std::size_t e, const BestMove& best_move) {
    if (locked_[e]) return;
    if (most_refused_ == 0) ++stamp_[e];
    if (const Move now = best_move(e); now.to != nowhere) push(now);
  }

  /// Takes the best move that may be made now, and locks its element; none if there is none.
  template <class BestMove>
  [[nodiscard]] std::optional<Move> take(const BestMove& best_move) {
    std::optional<Move> result;
    while (!result && !heap_.empty() && (most_refused_ == 0 || refused_.size() < most_refused_)) {
      const offered top = popped();
      if (locked_[top.move.element] || top.stamp != stamp_[top.move.element]) continue;
      const Move now = best_move(top.move.element);
      if (now.to == nowhere) {
        if (most_refused_ != 0) refused_.push_back(top.move);
      } else if (now < top.move || now.to != top.move.to) {
        push(now);
      } else {
        result = now;
        locked_[now.element] = true;
      }
    }
    for (const Move& each : refused_) push(each);
    refused_.clear();
    return result;
  }

 private:
  struct offered {
    Move move;
    std::uint32_t stamp;  // that of its element then
    friend bool operator<(const offered& a, const offered& b) { return a.move < b.move; }
  };

  void push(const Move& each) {
    heap_.push_back({each, stamp_[each.element]});
    std::push_heap(heap_.begin(), heap_.end());
  }
  [[nodiscard]] offered popped() {
    std::pop_heap(heap_.begin(), heap_.end());
    const offered result = heap_.back();
    heap_.pop_back();
    return result;
  }

  std::size_t most_refused_;
  std::vector<std::uint32_t> stamp_;
  std::vector<bool> locked_;
  std::vector<offered> heap_{};
  std::vector<Move> refused_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
