// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/pass_precedence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <stagecut/orders/detail/rank_states.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL pass_precedence::pass_precedence(const schedule_problem& of, std::size_t rank, std::size_t most_states)
    : m_(of.microbatches), rank_(rank) {
  for (const std::size_t s : of.stages_of[rank]) {
    for (std::size_t kind = 0; kind < of.kinds(); ++kind) letters_.push_back(kinds_of_pass * s + kind);
  }
  before_.assign(letters_.size() * m_ * letters_.size(), 0);
  by_results();
  if (of.capped() && !letters_.empty()) by_memory(of, most_states);
  close();
}

STAGECUT_DECL bool pass_precedence::raise(std::size_t x, std::size_t k, std::size_t y, std::uint32_t count) {
  std::uint32_t& now = before_[(x * m_ + k) * letters_.size() + y];
  if (count <= now) return false;
  now = count;
  return true;
}

STAGECUT_DECL bool pass_precedence::close() {
  const std::size_t n = letters_.size();
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < m_; ++k) {
      for (std::size_t x = 0; x < n; ++x) {
        for (std::size_t y = 0; y < n; ++y) {
          const std::uint32_t count = before(x, k)[y];
          if (count == 0) continue;
          if (y == x && count > k) return false;
          const std::uint32_t* const more = before(y, count - 1);
          for (std::size_t z = 0; z < n; ++z) changed = raise(x, k, z, more[z]) || changed;
        }
      }
    }
  }
  return true;
}

STAGECUT_DECL void pass_precedence::raise_all(std::size_t x, std::size_t y, std::int64_t more) {
  const auto m = static_cast<std::int64_t>(m_);
  for (std::int64_t k = std::max<std::int64_t>(0, 1 - more); k < m; ++k) {
    raise(x, static_cast<std::size_t>(k), y, static_cast<std::uint32_t>(std::min(k + more, m)));
  }
}

STAGECUT_DECL void pass_precedence::by_results() {
  for (std::size_t x = 0; x < letters_.size(); ++x) {
    for (std::size_t y = 0; y < letters_.size(); ++y) {
      const std::size_t to = letters_[x];
      const std::size_t from = letters_[y];
      if (to == from) raise_all(x, y, 0);
      if (to == from || is_weight(from)) continue;
      const bool earlier = stage_of(from) < stage_of(to);
      const bool needs = is_forward(from)  ? !is_forward(to) || earlier  // all F come before any I of a microbatch
                         : is_backward(to) ? !earlier
                         : is_weight(to)   ? stage_of(from) >= stage_of(to)
                                           : false;
      if (needs) raise_all(x, y, 1);
    }
  }
}

STAGECUT_DECL void pass_precedence::by_memory(const schedule_problem& of, std::size_t most_states) {
  const rank_states states(of, rank_, most_states);
  if (!states.known()) return by_each_stage(of);
  const std::size_t n = states.letters().size();
  const auto m = static_cast<std::int64_t>(m_);
  work_.resize(letters_.size());
  for (std::size_t i = 0; i < n; ++i) {
    work_[place(states.letters()[i])] = {true, states.least_work(i), states.most_work(i)};
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::int64_t more = states.more_before(i, j);
      if (more > -m && more <= m) raise_all(place(states.letters()[i]), place(states.letters()[j]), more);
    }
  }
}

STAGECUT_DECL void pass_precedence::by_each_stage(const schedule_problem& of) {
  std::int64_t together = 0;
  const std::int64_t memory = of.memory[rank_];
  for (const std::size_t s : of.stages_of[rank_]) {
    together += of.kept[s];
    const std::size_t x = place(forward_of(s));
    // If a microbatch's F has run here, F has run on the rank's previous stages; if I has not run here, it has not run there.
    if (together > 0) raise_all(x, place(backward_of(s)), 1 - held_by(memory, together));
    // Pass k: k + 1 of F, at most k of I, and w of W have run: (k + 1) kept - k (kept - late) - w late <= memory.
    if (of.split && of.late[s] > 0) raise_all(x, place(weight_of(s)), -held_by(memory - of.kept[s], of.late[s]));
  }
}

STAGECUT_DECL std::int64_t pass_precedence::held_by(std::int64_t memory, std::int64_t each) const {
  return std::min(memory / each, static_cast<std::int64_t>(m_));
}

STAGECUT_DECL std::size_t pass_precedence::place(std::size_t letter) const {
  std::size_t at = 0;
  while (letters_[at] != letter) ++at;
  return at;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
