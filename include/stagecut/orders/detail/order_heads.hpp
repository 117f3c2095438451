// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/implied_work.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Lower bounds, valid in every schedule, on the start of each pass (its *head*) and on the work after its end (its
/// *tail*); and with these, on the length of a schedule.
///
/// For the passes that precede a pass on its rank, a preemptive schedule is optimal: always run the one with the
/// smallest head first. When that ends, the pass can begin. The same holds after it.
///
/// Source: Jackson (1955), Carlier (1982), Carlier and Pinson (1989) for one machine with heads and tails;
/// docs/orders.md.
class order_heads {
 public:
  static constexpr std::size_t everywhere = ~std::size_t{0};

  /// @param focus  a rank: heads and tails are measured from the start of its first pass, and to the end of its last;
  ///               or `everywhere`
  order_heads(const schedule_problem& of, std::vector<pass_precedence> rules, std::size_t focus = everywhere);

  /// Raises heads and tails until nothing changes, or until `stop()`; they are valid in both cases.
  void settle(function_ref<bool()> stop = {});

  /// Number of passes examined, summed over the passes bounded.
  [[nodiscard]] std::size_t work() const noexcept { return work_; }

  /// A lower bound on every schedule.
  [[nodiscard]] std::int64_t bound() const;
  /// A lower bound on every schedule, from the passes of a rank.
  [[nodiscard]] std::int64_t rank_bound(std::size_t rank) const;

  /// Adds the precedences that hold in every schedule of at most `target` ticks, and settles; false: there is none.
  [[nodiscard]] bool keep_to(std::int64_t target, function_ref<bool()> stop = {});

 private:
  /// For passes not after the first pass of the `focus` rank, or not before its last.
  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min() / 4;

  struct place {
    std::int64_t key;      // a head, or a tail
    std::uint32_t letter;  // of the rank
    std::uint32_t microbatch;
  };

  void begin(std::size_t focus, std::size_t letter);

  /// Visits every rank once down the chain and once up, for heads or for tails.
  bool sweep(bool heads, function_ref<bool()> stop);

  /// Sorts the passes of a rank by head or by tail. Copies them: reading values while they change would not give a
  /// bound.
  void sort_passes(std::size_t rank, const std::vector<std::int64_t>& keys);

  /// The end of a preemptive run of all passes that come before a pass, or after it, and of the extra work there.
  template <class Comes>
  [[nodiscard]] std::int64_t run_all(std::size_t rank, const Comes& comes, implied_work more) const {
    std::int64_t now = unknown;
    const auto wait = [&now](std::int64_t key) { return now < key ? key : now; };
    for (const place& each : sorted_) {
      if (more.time > 0 && each.key >= more.key) {
        now = wait(more.key) + more.time;
        more.time = 0;
      }
      if (comes(each)) now = wait(each.key) + of_->time[rules_[rank].letters()[each.letter]];
    }
    return more.time > 0 ? wait(more.key) + more.time : now;
  }

  bool raise_heads(std::size_t rank, function_ref<bool()> stop);

  bool raise_tails(std::size_t rank, function_ref<bool()> stop);

  /// Marks what may rise after a head, or a tail, of a letter rose: those of the next stage, or the previous one.
  void tell(std::size_t letter, bool heads);

  [[nodiscard]] std::int64_t head_by_data(std::size_t letter, std::size_t k) const;

  [[nodiscard]] std::int64_t tail_by_data(std::size_t letter, std::size_t k) const;

  /// Orders passes of a rank before those after which the schedule would be too long; returns whether any precedence is
  /// new.
  bool order_passes(std::size_t rank, std::int64_t target);

  const schedule_problem* of_;
  std::size_t m_;
  std::vector<pass_precedence> rules_;  // per rank
  std::vector<bool> stale_[2];          // ranks whose tails, and whose heads, may rise
  std::vector<std::int64_t> heads_{};   // per pass, letter * m + microbatch
  std::vector<std::int64_t> tails_{};
  std::vector<place> sorted_{};
  std::size_t work_ = 0;
  std::int64_t target_ = std::numeric_limits<std::int64_t>::max();
  bool beyond_ = false;  // whether a head or a tail exceeds the target: cyclic waits would raise them forever
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_heads.ipp>
#endif
