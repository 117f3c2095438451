// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/rank_room.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/orders/detail/word_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool room_check::is_enough(std::size_t rank, std::int64_t room) const {
  std::int64_t kept = 0;
  std::int64_t again = 0;
  for (const std::size_t s : of_.stages_of[rank]) {
    kept += s == of_.stages_of[rank][0] ? 0 : of_.kept[s];
    again = std::max(again, of_.again[s]);
  }
  return kept + again <= room;
}

STAGECUT_DECL void room_check::run_backward(const std::vector<std::size_t>& stages, std::int64_t& room) {
  for (bool ran = true; ran;) {
    ran = false;
    for (std::size_t i = stages.size(); i-- > 0;) {
      const std::int64_t ready = i + 1 == stages.size() ? forward_[i] : backward_[i + 1];
      while (backward_[i] < ready && of_.again[stages[i]] <= room) {
        ++backward_[i];
        room += of_.kept[stages[i]];
        ran = true;
      }
    }
  }
}

STAGECUT_DECL void rank_room::clear() {
  done_.assign(done_.size(), 0U);
  held_.assign(held_.size(), 0);
  late_.assign(late_.size(), 0);
}

STAGECUT_DECL void rank_room::run(std::size_t letter) {
  ++done_[letter];
  if (!of_.capped()) return;
  const std::size_t s = stage_of(letter);
  const std::size_t rank = of_.rank_of[s];
  held_[rank] += of_.taken(letter) - of_.freed(letter);
  if (of_.split && is_backward(letter)) late_[rank] += of_.late[s] + of_.again[s];
  if (is_weight(letter)) late_[rank] -= of_.freed(letter);
}

STAGECUT_DECL bool rank_room::has_room(std::size_t letter) const noexcept {
  const std::size_t rank = of_.rank_of[stage_of(letter)];
  return !of_.capped() || held_[rank] + of_.taken(letter) <= of_.memory[rank];
}

STAGECUT_DECL bool rank_room::is_safe(std::size_t stage) const {
  if (!of_.capped()) return true;
  const std::size_t rank = of_.rank_of[stage];
  const std::int64_t room = of_.memory[rank] - held_[rank] + late_[rank] - of_.kept[stage];
  const auto done = [&](std::size_t letter) { return done_[letter] + (letter == forward_of(stage) ? 1U : 0U); };
  return check_.in_turn(rank, room, done);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
