// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/words_of_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL schedule schedule_of(const word_problem& of, const order_words& words) {
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

STAGECUT_DECL std::optional<order_words> words_of(const word_problem& of, const schedule& order) {
  if (order.rank_of != of.rank_of || order.microbatches != of.microbatches || order.slices != 1) return std::nullopt;
  if (order.ranks() < of.ranks || !order.edges.empty()) return std::nullopt;
  order_words words(of.ranks);
  for (std::size_t r = 0; r < of.ranks; ++r) {
    for (const op& each : order.orders[r]) {
      if (!is_compute(each.kind)) continue;
      const bool part = each.kind == op_kind::backward_input || each.kind == op_kind::backward_weight;
      if (part && !of.split) return std::nullopt;
      const auto add = [&](std::size_t letter) { words[r].push_back(static_cast<std::uint16_t>(letter)); };
      if (each.kind == op_kind::forward) add(forward_of(each.stage));
      if (each.kind == op_kind::backward || each.kind == op_kind::backward_input) add(backward_of(each.stage));
      if (each.kind == op_kind::backward_weight || (each.kind == op_kind::backward && of.split))
        add(weight_of(each.stage));
    }
  }
  return words;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
