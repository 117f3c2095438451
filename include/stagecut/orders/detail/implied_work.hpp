// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

// Work that memory forces a rank to run before or after a pass, in addition to the passes that come there in every
// schedule. I or W frees memory for F: neither has to run before it, but one of them does.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Work before a pass, or after it, in every schedule, whichever passes it consists of.
struct implied_work {
  std::int64_t time = 0;  ///< ticks, a lower bound; 0: none known
  std::int64_t key = 0;   ///< a lower bound on the heads, or tails, of its parts
};

/// Passes of a rank with known heads or tails: of letter l and microbatch k at [l * microbatches + k].
class extra_passes {
 public:
  /// @param rules  the precedence on the rank
  extra_passes(const schedule_problem& of, std::size_t rank, const pass_precedence& rules)
      : of_(of), m_(of.microbatches), rank_(rank), rules_(rules) {}

  /// Work before pass k of the letter at x in addition to `rules.before(x, k)`.
  [[nodiscard]] implied_work before(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const {
    return rules_.work().empty() ? by_bytes(x, k, heads) : by_states(x, k, heads);
  }

  /// Work after the pass in addition to the passes that it always precedes.
  ///
  /// At least all the work less the most that has run when it begins. O(letters log microbatches).
  [[nodiscard]] implied_work behind(std::size_t x, std::size_t k, const std::vector<std::int64_t>& tails) const;

 private:
  [[nodiscard]] std::int64_t time(std::size_t y) const { return of_.time[rules_.letters()[y]]; }

  [[nodiscard]] static implied_work cleared(implied_work of) {
    return of.time > 0 && of.key < std::numeric_limits<std::int64_t>::max() ? of : implied_work{};
  }

  /// The first microbatch of the letter at y that comes after pass k of the letter at x in every schedule.
  [[nodiscard]] std::size_t first_behind(std::size_t y, std::size_t x, std::size_t k) const;

  /// Lower bound on the work that has run when the pass begins, over all states of the rank.
  [[nodiscard]] implied_work by_states(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const;

  /// A kind of pass that frees memory.
  struct giver {
    std::int64_t time, bytes, passes;  // of one; the most passes possible
  };

  /// The cheapest work per byte that frees memory for F of microbatch k. On the rank's stages up to that one, I and W
  /// of the k previous microbatches can have run, since their F has run there; other stages take bytes and free none.
  [[nodiscard]] implied_work by_bytes(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const;

  const schedule_problem& of_;
  std::size_t m_;
  std::size_t rank_;
  const pass_precedence& rules_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/implied_work.ipp>
#endif
