// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/detail/word_rules.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

// Conversion between words and schedules.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The schedule of words.
[[nodiscard]] inline schedule schedule_of(const schedule_problem& of, const order_names& words);

/// The words of a schedule, its microbatches in turn; nothing if it has other ranks, stages or microbatches, slices, or
/// split backward passes where the problem has unsplit ones. B becomes I and W, and overlapping passes become F and B,
/// one after the other.
[[nodiscard]] inline std::optional<order_names> words_of(const schedule_problem& of, const schedule& order);

/// Calls `take(words)` for every named schedule with the ranks, stages and microbatches of a problem that keeps within
/// its memory, as long as it returns true.
template <class Take>
void named_words(const schedule_problem& of, const Take& take) {
  word_rules allowed(of);
  if (of.stages() % of.ranks != 0) return;
  schedule_shape shape;
  shape.ranks = of.ranks;
  shape.stages_per_rank = of.stages() / of.ranks;
  shape.microbatches = of.microbatches;
  for (const schedule_entry& entry : schedules) {
    if (!has_shape(entry.kind, shape.ranks, shape.stages_per_rank, shape.microbatches)) continue;
    std::optional<order_names> words = words_of(of, make_schedule(entry.kind, shape));
    bool fits = words.has_value();
    for (std::size_t r = 0; fits && r < of.ranks; ++r) fits = allowed(r, (*words)[r]);
    if (fits && !take(std::move(*words))) return;
  }
}

inline schedule schedule_of(const schedule_problem& of, const order_names& words) {
  constexpr op_kind parts[] = {op_kind::forward, op_kind::backward_input, op_kind::backward_weight};
  schedule result = empty_schedule("", of.rank_of, of.ranks, of.microbatches);
  std::vector<std::size_t> done(of.letters());
  for (std::size_t r = 0; r < of.ranks; ++r) {
    for (const std::uint16_t letter : words[r]) {
      const bool whole = !of.split || of.whole[stage_of(letter)];
      if (whole && is_weight(letter)) continue;
      const op_kind kind = whole && is_backward(letter) ? op_kind::backward : parts[letter % kinds_of_pass];
      result.orders[r].push_back({kind, stage_of(letter), done[letter]++});
    }
  }
  return result;
}

inline std::optional<order_names> words_of(const schedule_problem& of, const schedule& order) {
  if (order.rank_of != of.rank_of || order.microbatches != of.microbatches || order.slices != 1) return std::nullopt;
  if (order.ranks() < of.ranks || !order.edges.empty()) return std::nullopt;
  order_names words(of.ranks);
  for (std::size_t r = 0; r < of.ranks; ++r) {
    for (const auto& op : order.orders[r]) {
      if (!is_compute(op.kind)) continue;
      const bool part = op.kind == op_kind::backward_input || op.kind == op_kind::backward_weight;
      if (part && !of.split) return std::nullopt;
      const auto add = [&](std::size_t letter) { words[r].push_back(static_cast<std::uint16_t>(letter)); };
      if (op.kind == op_kind::forward) add(forward_of(op.stage));
      if (op.kind == op_kind::backward || op.kind == op_kind::backward_input) add(backward_of(op.stage));
      if (op.kind == op_kind::backward_weight || (op.kind == op_kind::backward && of.split)) add(weight_of(op.stage));
    }
  }
  return words;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
