// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/order_heads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/orders/detail/implied_work.hpp>
#include <stagecut/orders/detail/memory_time_bound.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/preemptive_end.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL order_heads::order_heads(const schedule_problem& of, std::vector<pass_precedence> rules, std::size_t focus)
    : of_(&of),
      m_(of.microbatches),
      rules_(std::move(rules)),
      stale_{std::vector<bool>(of.ranks, true), std::vector<bool>(of.ranks, true)} {
  heads_.assign(of.letters() * m_, focus == everywhere ? 0 : unknown);
  tails_ = heads_;
  for (std::size_t s = 0; s < of.stages(); ++s) {
    for (std::size_t kind = 0; kind < of.kinds(); ++kind) begin(focus, kinds_of_pass * s + kind);
  }
}

STAGECUT_DECL void order_heads::settle(function_ref<bool()> stop) {
  for (bool changed = true; changed;) {
    changed = sweep(true, stop);
    changed = sweep(false, stop) || changed;
    if (beyond_ || (stop && stop())) return;
  }
}

STAGECUT_DECL std::int64_t order_heads::bound() const {
  std::int64_t most = 0;
  for (std::size_t r = 0; r < of_->ranks; ++r)
    most = std::max(most, std::max(rank_bound(r), memory_time_bound(*of_, r, heads_, tails_)));
  return most;
}

STAGECUT_DECL std::int64_t order_heads::rank_bound(std::size_t rank) const {
  std::vector<job_with_tail> jobs;
  std::int64_t most = 0;
  for (const std::size_t letter : rules_[rank].letters()) {
    for (std::size_t pass = letter * m_; pass < (letter + 1) * m_; ++pass) {
      if (heads_[pass] < 0 || tails_[pass] < 0) continue;
      jobs.push_back({heads_[pass], of_->time[letter], tails_[pass]});
      most = std::max(most, heads_[pass] + of_->time[letter] + tails_[pass]);
    }
  }
  return std::max(most, preemptive_end(std::move(jobs)));
}

STAGECUT_DECL bool order_heads::keep_to(std::int64_t target, function_ref<bool()> stop) {
  target_ = target;
  for (;;) {
    settle(stop);
    if (beyond_ || bound() > target) return false;
    if (stop && stop()) return true;
    bool changed = false;
    for (std::size_t r = 0; r < of_->ranks; ++r) {
      if (!order_passes(r, target)) continue;
      if (!rules_[r].close()) return false;
      stale_[0][r] = stale_[1][r] = changed = true;
    }
    if (!changed) return true;
  }
}

STAGECUT_DECL void order_heads::begin(std::size_t focus, std::size_t letter) {
  const std::size_t s = stage_of(letter);
  const std::size_t rank = of_->rank_of[s];
  if (focus != everywhere && focus != rank) return;
  for (std::size_t k = 0; k < m_; ++k) {
    heads_[letter * m_ + k] = 0;
    tails_[letter * m_ + k] = of_->step[rank] + (of_->ends(letter) ? of_->all_reduce[s] : 0);
  }
}

STAGECUT_DECL bool order_heads::sweep(bool heads, function_ref<bool()> stop) {
  bool changed = false;
  for (std::size_t i = 0; i < 2 * of_->ranks; ++i) {
    if (stop && stop()) return false;
    const std::size_t rank = i < of_->ranks ? i : 2 * of_->ranks - 1 - i;
    if (!stale_[heads ? 1 : 0][rank]) continue;
    stale_[heads ? 1 : 0][rank] = false;
    changed = (heads ? raise_heads(rank, stop) : raise_tails(rank, stop)) || changed;
  }
  return changed;
}

STAGECUT_DECL void order_heads::sort_passes(std::size_t rank, const std::vector<std::int64_t>& keys) {
  sorted_.clear();
  const std::vector<std::size_t>& letters = rules_[rank].letters();
  for (std::size_t x = 0; x < letters.size(); ++x) {
    for (std::size_t k = 0; k < m_; ++k) {
      sorted_.push_back({keys[letters[x] * m_ + k], static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(k)});
    }
  }
  std::stable_sort(sorted_.begin(), sorted_.end(), [](const place& a, const place& b) { return a.key < b.key; });
  work_ += sorted_.size() * sorted_.size();
}

STAGECUT_DECL bool order_heads::raise_heads(std::size_t rank, function_ref<bool()> stop) {
  const pass_precedence& rules = rules_[rank];
  const std::vector<std::size_t>& letters = rules.letters();
  const extra_passes extra(*of_, rank, rules);
  sort_passes(rank, heads_);
  bool changed = false;
  for (std::size_t x = 0; x < letters.size(); ++x) {
    for (std::size_t k = 0; k < m_; ++k) {
      if (k % 32 == 31 && stop && stop()) return changed;
      const std::uint32_t* const before = rules.before(x, k);
      const auto comes = [&](const place& each) { return each.microbatch < before[each.letter]; };
      const std::int64_t now = std::max(run_all(rank, comes, extra.before(x, k, heads_)), head_by_data(letters[x], k));
      if (now <= heads_[letters[x] * m_ + k]) continue;
      heads_[letters[x] * m_ + k] = now;
      beyond_ = beyond_ || now > target_;
      changed = stale_[1][rank] = true;
      tell(letters[x], true);
    }
  }
  return changed;
}

STAGECUT_DECL bool order_heads::raise_tails(std::size_t rank, function_ref<bool()> stop) {
  const pass_precedence& rules = rules_[rank];
  const std::vector<std::size_t>& letters = rules.letters();
  const extra_passes extra(*of_, rank, rules);
  sort_passes(rank, tails_);
  bool changed = false;
  for (std::size_t x = 0; x < letters.size(); ++x) {
    for (std::size_t k = 0; k < m_; ++k) {
      if (k % 32 == 31 && stop && stop()) return changed;
      const auto comes = [&](const place& each) { return rules.before(each.letter, each.microbatch)[x] > k; };
      const std::int64_t now = std::max(run_all(rank, comes, extra.behind(x, k, tails_)), tail_by_data(letters[x], k));
      if (now <= tails_[letters[x] * m_ + k]) continue;
      tails_[letters[x] * m_ + k] = now;
      beyond_ = beyond_ || now > target_;
      changed = stale_[0][rank] = true;
      tell(letters[x], false);
    }
  }
  return changed;
}

STAGECUT_DECL void order_heads::tell(std::size_t letter, bool heads) {
  const std::size_t s = stage_of(letter);
  if (is_weight(letter)) return;
  const bool up = is_forward(letter) == heads;
  if (up ? s + 1 < of_->stages() : s > 0) stale_[heads ? 1 : 0][of_->rank_of[up ? s + 1 : s - 1]] = true;
}

STAGECUT_DECL std::int64_t order_heads::head_by_data(std::size_t letter, std::size_t k) const {
  const std::size_t s = stage_of(letter);
  const auto behind = [&](std::size_t other, std::int64_t hop) {
    return heads_[other * m_ + k] + of_->time[other] + hop;
  };
  std::int64_t head = is_forward(letter) ? unknown : behind(letter - 1, 0);
  if (is_forward(letter) && s > 0) head = behind(forward_of(s - 1), of_->down[s - 1]);
  if (is_backward(letter) && s + 1 < of_->stages()) head = std::max(head, behind(backward_of(s + 1), of_->up[s]));
  return head;
}

STAGECUT_DECL std::int64_t order_heads::tail_by_data(std::size_t letter, std::size_t k) const {
  const std::size_t s = stage_of(letter);
  const auto before = [&](std::size_t other, std::int64_t hop) {
    return hop + of_->time[other] + tails_[other * m_ + k];
  };
  std::int64_t tail = of_->ends(letter) ? unknown : before(letter + 1, 0);
  if (is_forward(letter) && s + 1 < of_->stages()) tail = std::max(tail, before(forward_of(s + 1), of_->down[s]));
  if (is_backward(letter) && s > 0) tail = std::max(tail, before(backward_of(s - 1), of_->up[s - 1]));
  return tail;
}

STAGECUT_DECL bool order_heads::order_passes(std::size_t rank, std::int64_t target) {
  pass_precedence& rules = rules_[rank];
  const std::vector<std::size_t>& letters = rules.letters();
  bool changed = false;
  for (std::size_t x = 0; x < letters.size(); ++x) {
    for (std::size_t y = 0; y < letters.size(); ++y) {
      if (x == y) continue;
      for (std::size_t k = 0; k < m_; ++k) {
        const std::int64_t ended = heads_[letters[x] * m_ + k] + of_->time[letters[x]] + of_->time[letters[y]];
        std::uint32_t count = rules.before(x, k)[y];
        while (count < m_ && ended + tails_[letters[y] * m_ + count] > target) ++count;
        changed = rules.raise(x, k, y, count) || changed;
      }
    }
  }
  return changed;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
