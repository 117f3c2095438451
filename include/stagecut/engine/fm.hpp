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

/// The result of one step of a pass.
enum class fm_step {
  none,     ///< no move is left
  made,     ///< a move was made
  relieved  ///< a move was made that reduces a violated limit; it does not count as idle
};

/// One pass of Fiduccia and Mattheyses: makes moves, including moves of negative gain, then rolls back to the best
/// prefix. Ends after n / 30 moves without a better value, but after at least 60 and at most 1500.
///
/// Source: C. M. Fiduccia and R. M. Mattheyses, A linear-time heuristic for improving network partitions, DAC 1982.
///
/// @param elements  n; each element moves at most once
/// @param made      output: the moves of the best prefix
/// @param value     `value()`: the objective, to be minimised
/// @param step      `step()`: makes one move and appends it to `made`
/// @param undo      `undo(move)`: reverts it
/// @param stop      called once every 64 moves; true ends the pass
/// @return          whether the objective decreased
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

/// A heap of candidate moves, best first, and the locks of a pass. Gains in the heap may be stale: `take` recomputes the gain
/// of the top, and pushes the move again if it has become worse.
///
/// @tparam Move  has `element`, `to`, and a total order `<` in which the best move is greatest; `to` is `nowhere` for no move
template <class Move>
class gain_heap {
 public:
  using place = decltype(Move::to);
  static constexpr place nowhere = std::numeric_limits<place>::max();

  /// @param most_refused  0: an element without a move is dropped until it is offered again, and a new offer of an
  ///                      element replaces its older ones. Otherwise elements without a move stay in the heap, older
  ///                      offers stay valid, and `take` ends after `most_refused` elements without a move
  explicit gain_heap(std::size_t elements, std::size_t most_refused = 0)
      : most_refused_(most_refused), stamp_(elements), locked_(elements) {}

  /// Begins a pass.
  void begin() {
    heap_.clear();
    std::fill(locked_.begin(), locked_.end(), false);
  }
  /// Whether an element has moved.
  [[nodiscard]] bool is_locked(std::size_t e) const { return locked_[e]; }

  /// Pushes `best_move(e)`, unless the element is locked. O(log n)
  template <class BestMove>
  void offer(std::size_t e, const BestMove& best_move) {
    if (locked_[e]) return;
    if (most_refused_ == 0) ++stamp_[e];
    if (const Move now = best_move(e); now.to != nowhere) push(now);
  }

  /// Removes the best valid move and locks its element; nullopt if no move is valid.
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
    for (const Move& move : refused_) push(move);
    refused_.clear();
    return result;
  }

 private:
  struct offered {
    Move move;
    std::uint32_t stamp;  // its element's stamp when it was pushed
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
