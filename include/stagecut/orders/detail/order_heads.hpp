// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/extra_work.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// When each pass begins at the earliest (its *head*) and what comes behind its end at least (its *tail*), in every order; and
/// with these, how long an order takes at least.
///
/// Of the passes that come before another one on its rank, some order is best where one breaks off for another: the one with
/// the least head first. When that ends the pass can begin. Likewise behind it.
///
/// Source: Jackson (1955), Carlier (1982), Carlier and Pinson (1989) for one machine with heads and tails; docs/orders.md.
class order_heads {
 public:
  static constexpr std::size_t everywhere = ~std::size_t{0};

  /// @param focus  a rank: heads and tails are counted from the start of its first pass, and to the end of its last; or
  ///               `everywhere`
  order_heads(const word_problem& of, std::vector<pass_precedence> rules, std::size_t focus = everywhere);

  /// Raises heads and tails until nothing changes, or `stop()`, after which they hold all the same.
  void settle(function_ref<bool()> stop = {});

  /// Passes looked at so far, for what comes before or behind each.
  [[nodiscard]] std::size_t work() const noexcept { return work_; }

  /// No order is shorter.
  [[nodiscard]] std::int64_t bound() const;
  /// No order is shorter, for what a rank runs.
  [[nodiscard]] std::int64_t rank_bound(std::size_t rank) const;

  /// Adds which passes come before which in every order of at most `target` ticks, and settles; false: there is none.
  [[nodiscard]] bool keep_to(std::int64_t target, function_ref<bool()> stop = {});

 private:
  /// Of what is not behind the first pass of the rank that counts, or not before its last.
  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min() / 4;

  struct place {
    std::int64_t key;      // a head, or a tail
    std::uint32_t letter;  // of the rank
    std::uint32_t microbatch;
  };

  void begin(std::size_t focus, std::size_t letter);

  /// Every rank once down the chain and once up, for heads or for tails.
  bool sweep(bool heads, function_ref<bool()> stop);

  /// The passes of a rank, by head or by tail. They are copied: what is read while it changes would not be a bound.
  void sort_passes(std::size_t rank, const std::vector<std::int64_t>& keys);

  /// When all passes that come before one, or behind it, and what else does there have run, each broken off for another at will.
  template <class Comes>
  [[nodiscard]] std::int64_t run_all(std::size_t rank, const Comes& comes, extra_work more) const {
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

  /// A head, or a tail, of a letter has risen: those of the stage behind it, or before it, may rise.
  void tell(std::size_t letter, bool heads);

  [[nodiscard]] std::int64_t head_by_data(std::size_t letter, std::size_t k) const;

  [[nodiscard]] std::int64_t tail_by_data(std::size_t letter, std::size_t k) const;

  /// Passes of a rank that would make an order too long behind others come before these; whether any is new.
  bool order_passes(std::size_t rank, std::int64_t target);

  const word_problem* of_;
  std::size_t m_;
  std::vector<pass_precedence> rules_;  // of every rank
  std::vector<bool> stale_[2];          // ranks whose tails, and whose heads, may rise
  std::vector<std::int64_t> heads_{};   // of every pass, letter * m + microbatch
  std::vector<std::int64_t> tails_{};
  std::vector<place> sorted_{};
  std::size_t work_ = 0;
  std::int64_t target_ = std::numeric_limits<std::int64_t>::max();
  bool beyond_ = false;  // a head or a tail is: passes that wait for each other would raise theirs for ever
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_heads.ipp>
#endif
