// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/orders/detail/word_rules.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

// Words as schedules, and schedules as words.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The schedule of words.
[[nodiscard]] STAGECUT_DECL schedule schedule_of(const word_problem& of, const order_words& words);

/// The words of a schedule, its microbatches in turn; nothing where it is for other ranks, stages or microbatches, has slices,
/// or has backward passes apart where the problem has them whole. B is I and W, and passes that overlap are F and B, one after
/// the other.
[[nodiscard]] STAGECUT_DECL std::optional<order_words> words_of(const word_problem& of, const schedule& order);

/// Shows `take(words)` those of all named schedules that have the ranks, stages and microbatches of a problem and keep to its
/// memory, as long as it returns true.
template <class Take>
void named_words(const word_problem& of, const Take& take) {
  word_rules allowed(of);
  if (of.stages() % of.ranks != 0) return;
  schedule_shape shape;
  shape.ranks = of.ranks;
  shape.chunks = of.stages() / of.ranks;
  shape.microbatches = of.microbatches;
  for (const schedule_entry& entry : schedules) {
    if (!has_shape(entry.kind, shape.ranks, shape.chunks, shape.microbatches)) continue;
    std::optional<order_words> words = words_of(of, make_schedule(entry.kind, shape));
    bool fits = words.has_value();
    for (std::size_t r = 0; fits && r < of.ranks; ++r) fits = allowed(r, (*words)[r]);
    if (fits && !take(std::move(*words))) return;
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/words_of_schedule.ipp>
#endif
