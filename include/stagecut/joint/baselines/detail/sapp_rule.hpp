// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What SAPP minimises in place of the makespan, as two parts: x + max(x, y) of the largest x and the largest y of all
/// ranks, both m times a time.
class sapp_rule {
 public:
  struct parts {
    double first = 0;  ///< x: of all stages of a rank but the last
    double last = 0;   ///< y
  };

  /// @throws argument_error for an order that SAPP has none like, and for a level that is not known
  sapp_rule(const char* function, const schedule& order, std::size_t level)
      : ranks_(order.ranks()), chunks_(order.stages() / order.ranks()) {
    const auto refuse = [&](const char* name, const std::string& value, const char* requirement) {
      fail(argument_error(function, name, value, requirement));
    };
    if (level > 1) refuse("level", std::to_string(level), "must be 0 or 1");
    bool in_turn = order.stages() % order.ranks() == 0;
    for (std::size_t s = 0; s < order.stages(); ++s) in_turn = in_turn && order.rank_of[s] == s % ranks_;
    if (!in_turn) refuse("order", in_quotes(order.name), "must have the stages of the ranks in turn");
    if (splits_backward(order)) refuse("order", in_quotes(order.name), "must run backward passes whole");
    const std::size_t microbatches = order.microbatches * order.slices;
    count_ = static_cast<double>(microbatches);
    has_two_parts_ = level == 1 && chunks_ > 1 && microbatches == ranks_;
    is_less_ = std::string_view(order.name) == "sapp-less-memory";
  }

  /// How often passes count.
  [[nodiscard]] double count() const noexcept { return count_; }
  [[nodiscard]] bool has_two_parts() const noexcept { return has_two_parts_; }
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }

  /// Of a rank.
  ///
  /// @param times  `times(v, is_backward)`: the pass of the rank's stage v
  /// @param tail   the forward pass of the tail, which the last stage has
  template <class Times>
  [[nodiscard]] parts of(std::size_t rank, double tail, const Times& times) const {
    double forward = 0;
    double backward = 0;
    const std::size_t looked_at = has_two_parts_ ? chunks_ - 1 : chunks_;
    for (std::size_t v = 0; v < looked_at; ++v) {
      forward = forward < times(v, false) ? times(v, false) : forward;
      backward = backward < times(v, true) ? times(v, true) : backward;
    }
    if (!has_two_parts_) return {0, count_ * (forward + backward)};
    const double own = rank + 1 == ranks_ ? tail : 0;  // which counts in full
    const double last = times(chunks_ - 1, true) + own;
    return {count_ * backward, count_ * last + among_backward(rank) * (times(chunks_ - 1, false) - own)};
  }

  /// Of the largest parts.
  [[nodiscard]] double value(const parts& largest) const noexcept {
    return largest.first + (largest.last < largest.first ? largest.first : largest.last);
  }

 private:
  /// How many forward passes of its last stage a rank runs among backward passes, as SAPP counts them for m = p.
  [[nodiscard]] double among_backward(std::size_t rank) const noexcept {
    if (is_less_) return static_cast<double>(rank);
    return rank < ranks_ / 2 ? 0 : static_cast<double>(2 * rank) - static_cast<double>(ranks_ - 1);
  }

  std::size_t ranks_;
  std::size_t chunks_;
  double count_ = 0;
  bool has_two_parts_ = false;
  bool is_less_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
