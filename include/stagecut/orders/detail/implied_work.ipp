// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/implied_work.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL implied_work extra_passes::behind(std::size_t x, std::size_t k,
                                              const std::vector<std::int64_t>& tails) const {
  implied_work result{0, std::numeric_limits<std::int64_t>::max()};
  const std::vector<letter_work>& work = rules_.work();
  if (work.empty() || !work[x].told) return {};
  result.time = -work[x].most - time(x);
  for (std::size_t y = 0; y < work.size(); ++y) {
    if (!work[y].told) continue;
    const std::size_t first = first_behind(y, x, k);
    result.time += time(y) * (static_cast<std::int64_t>(first) - static_cast<std::int64_t>(k));
    if (y != x && first > 0) result.key = std::min(result.key, tails[rules_.letters()[y] * m_ + first - 1]);
  }
  return cleared(result);
}

STAGECUT_DECL std::size_t extra_passes::first_behind(std::size_t y, std::size_t x, std::size_t k) const {
  std::size_t least = 0;
  std::size_t most = m_;
  while (least < most) {
    const std::size_t middle = least + (most - least) / 2;
    if (rules_.before(y, middle)[x] > k)
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

STAGECUT_DECL implied_work extra_passes::by_states(std::size_t x, std::size_t k,
                                                 const std::vector<std::int64_t>& heads) const {
  const std::vector<letter_work>& work = rules_.work();
  if (!work[x].told) return {};
  implied_work result{work[x].least, std::numeric_limits<std::int64_t>::max()};
  const std::uint32_t* const before = rules_.before(x, k);
  for (std::size_t y = 0; y < work.size(); ++y) {
    if (!work[y].told) continue;
    result.time += time(y) * (static_cast<std::int64_t>(k) - static_cast<std::int64_t>(before[y]));
    if (y != x && before[y] < m_) result.key = std::min(result.key, heads[rules_.letters()[y] * m_ + before[y]]);
  }
  return cleared(result);
}

STAGECUT_DECL implied_work extra_passes::by_bytes(std::size_t x, std::size_t k,
                                                const std::vector<std::int64_t>& heads) const {
  const std::vector<std::size_t>& letters = rules_.letters();
  if (!of_.capped() || !is_forward(letters[x])) return {};
  const std::uint32_t* const before = rules_.before(x, k);
  const std::size_t stage = stage_of(letters[x]);
  wide_integer need = static_cast<wide_integer>(of_.kept[stage]) - of_.memory[rank_];
  implied_work result{0, std::numeric_limits<std::int64_t>::max()};
  std::vector<giver> givers;
  for (std::size_t y = 0; y < letters.size() && stage_of(letters[y]) <= stage; ++y) {
    const std::size_t s = stage_of(letters[y]);
    const auto count = static_cast<std::int64_t>(before[y]);
    if (is_forward(letters[y])) {
      need += static_cast<wide_integer>(of_.kept[s]) * count;
      continue;
    }
    const std::int64_t bytes = is_weight(letters[y]) ? of_.late[s]
                               : of_.split           ? of_.kept[s] - of_.late[s]
                                                     : of_.kept[s];
    const std::int64_t passes = static_cast<std::int64_t>(k) - count;
    need -= static_cast<wide_integer>(bytes) * count;
    if (bytes <= 0 || passes <= 0) continue;
    givers.push_back({time(y), bytes, passes});
    result.key = std::min(result.key, heads[letters[y] * m_ + before[y]]);
  }
  std::stable_sort(givers.begin(), givers.end(), [](const giver& a, const giver& b) {
    return static_cast<wide_integer>(a.time) * b.bytes < static_cast<wide_integer>(b.time) * a.bytes;
  });
  for (const giver& each : givers) {
    if (need <= 0) break;
    const wide_integer all = static_cast<wide_integer>(each.bytes) * each.passes;
    const wide_integer taken = std::min(all, need);
    result.time += static_cast<std::int64_t>((taken * each.time + each.bytes - 1) / each.bytes);
    need -= taken;
  }
  return cleared(result);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
