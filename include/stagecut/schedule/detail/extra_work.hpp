// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/extremes.hpp>
#include <stagecut/core/detail/sort.hpp>
#include <stagecut/schedule/detail/pass_precedence.hpp>
#include <stagecut/schedule/detail/word_problem.hpp>

// What memory makes a rank run before a pass, or behind it, beside what comes there in every order. Room for F is made by I or
// by W: neither has to run before it, but one of them.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Work that lies before a pass in every order, whichever passes it is made of; or behind it.
struct extra_work {
  std::int64_t time = 0;  ///< ticks, at least; 0: none is known
  std::int64_t key = 0;   ///< no part of it has a head, or a tail, below
};

/// Passes of a rank whose heads or tails are known: of letter l and microbatch k at [l * microbatches + k].
class extra_passes {
 public:
  /// @param rules  what comes before what on the rank
  extra_passes(const word_problem& of, std::size_t rank, const pass_precedence& rules)
      : of_(of), m_(of.microbatches), rank_(rank), rules_(rules) {}

  /// What lies before pass k of the letter at x beside `rules.before(x, k)`.
  [[nodiscard]] extra_work before(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const {
    return rules_.work().empty() ? by_bytes(x, k, heads) : by_states(x, k, heads);
  }

  /// What lies behind it beside what it comes before in every order.
  ///
  /// All that runs less what has run as it begins, at most, is left then. O(letters log microbatches).
  [[nodiscard]] extra_work behind(std::size_t x, std::size_t k, const std::vector<std::int64_t>& tails) const {
    extra_work result{0, std::numeric_limits<std::int64_t>::max()};
    const std::vector<letter_work>& work = rules_.work();
    if (work.empty() || !work[x].told) return {};
    result.time = -work[x].most - time(x);
    for (std::size_t y = 0; y < work.size(); ++y) {
      if (!work[y].told) continue;
      const std::size_t first = first_behind(y, x, k);
      result.time += time(y) * (static_cast<std::int64_t>(first) - static_cast<std::int64_t>(k));
      if (y != x && first > 0) result.key = detail::lesser_of(result.key, tails[rules_.letters()[y] * m_ + first - 1]);
    }
    return cleared(result);
  }

 private:
  [[nodiscard]] std::int64_t time(std::size_t y) const { return of_.time[rules_.letters()[y]]; }

  [[nodiscard]] static extra_work cleared(extra_work of) {
    return of.time > 0 && of.key < std::numeric_limits<std::int64_t>::max() ? of : extra_work{};
  }

  /// The first microbatch of the letter at y that comes behind pass k of the letter at x in every order.
  [[nodiscard]] std::size_t first_behind(std::size_t y, std::size_t x, std::size_t k) const {
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

  /// What has run as the pass begins, at least, in all states of the rank.
  [[nodiscard]] extra_work by_states(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const {
    const std::vector<letter_work>& work = rules_.work();
    if (!work[x].told) return {};
    extra_work result{work[x].least, std::numeric_limits<std::int64_t>::max()};
    const std::uint32_t* const before = rules_.before(x, k);
    for (std::size_t y = 0; y < work.size(); ++y) {
      if (!work[y].told) continue;
      result.time += time(y) * (static_cast<std::int64_t>(k) - static_cast<std::int64_t>(before[y]));
      if (y != x && before[y] < m_)
        result.key = detail::lesser_of(result.key, heads[rules_.letters()[y] * m_ + before[y]]);
    }
    return cleared(result);
  }

  /// A kind of pass that gives bytes back.
  struct giver {
    std::int64_t time, bytes, passes;  // of one; how many there can be
  };

  /// What makes room for F of microbatch k, in the least time per byte. Of the rank's stages up to that one, I and W can have
  /// run of the k microbatches before, whose F has run there; others take bytes and give none back.
  [[nodiscard]] extra_work by_bytes(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const {
    const std::vector<std::size_t>& letters = rules_.letters();
    if (!of_.capped() || !is_forward(letters[x])) return {};
    const std::uint32_t* const before = rules_.before(x, k);
    const std::size_t stage = stage_of(letters[x]);
    wide_integer need = static_cast<wide_integer>(of_.kept[stage]) - of_.memory[rank_];
    extra_work result{0, std::numeric_limits<std::int64_t>::max()};
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
      result.key = detail::lesser_of(result.key, heads[letters[y] * m_ + before[y]]);
    }
    detail::sort(givers, [](const giver& a, const giver& b) {
      return static_cast<wide_integer>(a.time) * b.bytes < static_cast<wide_integer>(b.time) * a.bytes;
    });
    for (const giver& each : givers) {
      if (need <= 0) break;
      const wide_integer all = static_cast<wide_integer>(each.bytes) * each.passes;
      const wide_integer taken = detail::lesser_of(all, need);
      result.time += static_cast<std::int64_t>((taken * each.time + each.bytes - 1) / each.bytes);
      need -= taken;
    }
    return cleared(result);
  }

  const word_problem& of_;
  std::size_t m_;
  std::size_t rank_;
  const pass_precedence& rules_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
