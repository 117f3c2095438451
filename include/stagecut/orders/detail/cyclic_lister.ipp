// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/cyclic_lister.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool cyclic_lister::operator()(const order_keys& by, order_words& words) {
  room_.clear();
  free_.assign(free_.size(), 0);
  ran_.assign(ran_.size(), 0U);
  for (auto& each : late_) each.clear();
  words.resize(of_.ranks);
  for (auto& word : words) word.clear();
  for (std::size_t r = of_.ranks; r-- > 0;) waiting_.push_back(r);
  while (!waiting_.empty()) {
    const std::size_t rank = waiting_.back();
    waiting_.pop_back();
    while (step(by, rank, words[rank])) {
    }
  }
  for (std::size_t r = 0; r < of_.ranks; ++r) {
    if (words[r].size() != of_.kinds() * of_.stages_of[r].size() * of_.microbatches) return false;
  }
  return true;
}

STAGECUT_DECL bool cyclic_lister::step(const order_keys& by, std::size_t rank, std::vector<std::uint16_t>& word) {
  bool waits = false;
  const std::size_t letter = least_key(by, rank, waits);
  const bool has_weight = ran_[rank] < late_[rank].size();
  if (has_weight && (waits || letter == none)) return run_weight(rank, word);
  if (letter == none) return false;
  const std::int64_t at = arrival(letter);
  if (at == never) return false;
  if (has_weight) {
    const std::int64_t time = of_.time[late_[rank][ran_[rank]]];
    if (free_[rank] + time - time / 16 * by.late <= at) return run_weight(rank, word);
  }
  return run(rank, letter, at, word);
}

STAGECUT_DECL std::size_t cyclic_lister::least_key(const order_keys& by, std::size_t rank, bool& waits) const {
  std::size_t best = none;
  std::int64_t least = never;
  const std::vector<std::size_t>& stages = of_.stages_of[rank];
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t s = stages[i];
    for (const std::size_t letter : {forward_of(s), backward_of(s)}) {
      const std::size_t k = room_.done(letter);
      if (k == of_.microbatches || !is_next(stages, i, letter)) continue;
      const std::int64_t key = by.offset[letter] + static_cast<std::int64_t>(k) * by.period;
      if (key >= least) continue;
      if (!room_.has_room(letter)) {
        waits = true;
        continue;
      }
      if (is_forward(letter) && !room_.is_safe(s)) continue;
      best = letter;
      least = key;
    }
  }
  return best;
}

STAGECUT_DECL bool cyclic_lister::is_next(const std::vector<std::size_t>& stages, std::size_t i,
                                          std::size_t letter) const {
  const std::size_t k = room_.done(letter);
  if (is_forward(letter)) return i == 0 || room_.done(forward_of(stages[i - 1])) > k;
  if (room_.done(letter - 1) <= k) return false;
  return i + 1 == stages.size() || room_.done(backward_of(stages[i + 1])) > k;
}

STAGECUT_DECL std::int64_t cyclic_lister::arrival(std::size_t letter) const {
  const std::size_t s = stage_of(letter);
  if (is_forward(letter) ? s == 0 : s + 1 == of_.stages()) return 0;
  const std::size_t from = is_forward(letter) ? forward_of(s - 1) : backward_of(s + 1);
  const std::size_t k = room_.done(letter);
  return room_.done(from) <= k ? never : arrivals_[from * of_.microbatches + k];
}

STAGECUT_DECL bool cyclic_lister::run_weight(std::size_t rank, std::vector<std::uint16_t>& word) {
  const std::size_t letter = late_[rank][ran_[rank]++];
  free_[rank] += of_.time[letter];
  room_.run(letter);
  word.push_back(static_cast<std::uint16_t>(letter));
  return true;
}

STAGECUT_DECL bool cyclic_lister::run(std::size_t rank, std::size_t letter, std::int64_t at,
                                      std::vector<std::uint16_t>& word) {
  const std::size_t s = stage_of(letter);
  const std::size_t pass = letter * of_.microbatches + room_.done(letter);
  const std::int64_t end = std::max(free_[rank], at) + of_.time[letter];
  free_[rank] = end;
  room_.run(letter);
  word.push_back(static_cast<std::uint16_t>(letter));
  if (of_.split && is_backward(letter)) late_[rank].push_back(weight_of(s));
  if (is_forward(letter) ? s + 1 == of_.stages() : s == 0) return true;
  arrivals_[pass] = end + (is_forward(letter) ? of_.down[s] : of_.up[s - 1]);
  const std::size_t to = of_.rank_of[is_forward(letter) ? s + 1 : s - 1];
  if (to != rank) waiting_.push_back(to);
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
