// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/pass_precedence.hpp>
#include <stagecut/orders/detail/word_problem.hpp>

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
  [[nodiscard]] extra_work behind(std::size_t x, std::size_t k, const std::vector<std::int64_t>& tails) const;

 private:
  [[nodiscard]] std::int64_t time(std::size_t y) const { return of_.time[rules_.letters()[y]]; }

  [[nodiscard]] static extra_work cleared(extra_work of) {
    return of.time > 0 && of.key < std::numeric_limits<std::int64_t>::max() ? of : extra_work{};
  }

  /// The first microbatch of the letter at y that comes behind pass k of the letter at x in every order.
  [[nodiscard]] std::size_t first_behind(std::size_t y, std::size_t x, std::size_t k) const;

  /// What has run as the pass begins, at least, in all states of the rank.
  [[nodiscard]] extra_work by_states(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const;

  /// A kind of pass that gives bytes back.
  struct giver {
    std::int64_t time, bytes, passes;  // of one; how many there can be
  };

  /// What makes room for F of microbatch k, in the least time per byte. Of the rank's stages up to that one, I and W can have
  /// run of the k microbatches before, whose F has run there; others take bytes and give none back.
  [[nodiscard]] extra_work by_bytes(std::size_t x, std::size_t k, const std::vector<std::int64_t>& heads) const;

  const word_problem& of_;
  std::size_t m_;
  std::size_t rank_;
  const pass_precedence& rules_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/extra_work.ipp>
#endif
