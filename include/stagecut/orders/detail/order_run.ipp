// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/order_run.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL order_run::order_run(const word_problem& of)
    : of_(of),
      rows_(of.letters()),
      ends_(of.letters() * of.microbatches),
      arrivals_(ends_.size()),
      places_(ends_.size()),
      passes_(of.ranks),
      done_(of.letters()),
      next_(of.ranks),
      free_(of.ranks),
      reduced_(of.ranks),
      blocked_(of.ranks),
      links_(of.links ? of.ranks * of.ranks : 0) {
  for (std::size_t letter = 0; letter < of.letters(); ++letter) fill(letter);
  for (std::size_t r = 0; r < of.ranks; ++r) {
    passes_[r].resize(of.kinds() * of.stages_of[r].size() * of.microbatches);
  }
  order_.reserve(ends_.size());
}

STAGECUT_DECL std::int64_t order_run::operator()(const order_words& words) {
  start();
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    waiting_.push_back(static_cast<std::uint32_t>(r));
    while (!waiting_.empty()) {
      const std::uint32_t rank = waiting_.back();
      waiting_.pop_back();
      advance(rank, words[rank]);
    }
  }
  std::int64_t last = 0;
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    if (next_[r] != words[r].size()) return stuck;
    last = std::max(last, rank_end(r));
  }
  return last;
}

STAGECUT_DECL std::int64_t order_run::rank_end(std::size_t rank) const noexcept {
  return std::max(free_[rank], reduced_[rank]) + of_.step[rank];
}

STAGECUT_DECL void order_run::fill(std::size_t letter) {
  const std::size_t s = stage_of(letter);
  letter_row& row = rows_[letter];
  row.time = of_.time[letter];
  row.rank = static_cast<std::uint32_t>(of_.rank_of[s]);
  const bool first = s == 0;
  const bool last = s + 1 == of_.stages();
  if (is_forward(letter) && !first) row.awaits = static_cast<std::uint32_t>(forward_of(s - 1));
  if (is_backward(letter) && !last) row.awaits = static_cast<std::uint32_t>(backward_of(s + 1));
  if (is_weight(letter) || (is_forward(letter) ? last : first)) return;
  const std::size_t to = is_forward(letter) ? s + 1 : s - 1;
  if (of_.rank_of[to] == of_.rank_of[s]) return;
  row.to = static_cast<std::uint32_t>(of_.rank_of[to]);
  row.hop = is_forward(letter) ? of_.down[s] : of_.up[to];
}

STAGECUT_DECL void order_run::start() {
  arrivals_.assign(arrivals_.size(), stuck);
  done_.assign(done_.size(), 0U);
  next_.assign(next_.size(), 0U);
  free_.assign(free_.size(), 0);
  reduced_.assign(reduced_.size(), 0);
  blocked_.assign(blocked_.size(), none);
  links_.assign(links_.size(), 0);
  waiting_.clear();
  order_.clear();
}

STAGECUT_DECL void order_run::advance(std::uint32_t rank, const std::vector<std::uint16_t>& word) {
  const auto m = static_cast<std::uint32_t>(of_.microbatches);
  std::int64_t now = free_[rank];
  std::uint32_t at = next_[rank];
  blocked_[rank] = none;
  for (; at < word.size(); ++at) {
    const std::uint32_t letter = word[at];
    const letter_row& row = rows_[letter];
    const std::uint32_t k = done_[letter];
    if (row.awaits != none) {
      const std::int64_t ready = arrivals_[row.awaits * m + k];
      if (ready == stuck) {
        blocked_[rank] = row.awaits;
        break;
      }
      now = std::max(now, ready);
    }
    now += row.time;
    const std::uint32_t pass = letter * m + k;
    ends_[pass] = now;
    places_[pass] = at;
    passes_[rank][at] = pass;
    order_.push_back(pass);
    done_[letter] = k + 1;
    hand_over(row, letter, pass, now);
    if (k + 1 == m && of_.ends(letter)) {
      reduced_[rank] = std::max(reduced_[rank], now) + of_.all_reduce[stage_of(letter)];
    }
  }
  next_[rank] = at;
  free_[rank] = now;
}

STAGECUT_DECL void order_run::hand_over(const letter_row& row, std::uint32_t letter, std::uint32_t pass,
                                        std::int64_t now) {
  if (row.to == none) {
    arrivals_[pass] = now;
    return;
  }
  if (of_.links) {
    std::int64_t& link = links_[row.rank * of_.ranks + row.to];
    link = std::max(now, link) + row.hop;
    arrivals_[pass] = link;
  } else {
    arrivals_[pass] = now + row.hop;
  }
  if (blocked_[row.to] != letter) return;
  blocked_[row.to] = none;
  waiting_.push_back(row.to);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
