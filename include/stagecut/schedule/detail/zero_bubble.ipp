// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/zero_bubble.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL schedule zero_bubble_by_hand(std::string_view function, const char* name, std::size_t ranks,
                                           std::size_t microbatches, std::size_t ahead) {
  check_shape(function, ranks, 1, microbatches);
  if (microbatches < 2 * ranks) {
    refuse_shape(function, "microbatches", microbatches,
                 joined({"must be at least twice the number of ranks, ", 2 * ranks}));
  }
  schedule result = empty_schedule(name, loop_placement(ranks, 1), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<op>& order = result.orders[r];
    const std::size_t warm_up = (ranks - 1 - r) * ahead;
    for (std::size_t k = 0; k < warm_up; ++k) order.push_back({op_kind::forward, r, k});
    std::size_t weights = 0;
    for (std::size_t i = 0; i < microbatches; ++i) {
      if (warm_up + i < microbatches) order.push_back({op_kind::forward, r, warm_up + i});
      order.push_back({op_kind::backward_input, r, i});
      if (warm_up + i >= (ranks - 1) * ahead) order.push_back({op_kind::backward_weight, r, weights++});
    }
    while (weights < microbatches) order.push_back({op_kind::backward_weight, r, weights++});
  }
  return result;
}

}  // namespace detail

STAGECUT_DECL schedule interleaved_zero_bubble(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches) {
  detail::check_shape("interleaved_zero_bubble", ranks, stages_per_rank, microbatches);
  const std::size_t rounds = microbatches < ranks ? 1 : microbatches / ranks;
  if (microbatches % rounds != 0) {
    detail::refuse_shape("interleaved_zero_bubble", "microbatches", microbatches,
                         detail::joined({"must be a multiple of the number of rounds, ", rounds}));
  }
  const std::size_t round = microbatches / rounds;
  const std::size_t passes = stages_per_rank * microbatches;
  schedule result = detail::empty_schedule("interleaved-zb", loop_placement(ranks, stages_per_rank), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<op>& order = result.orders[r];
    const auto run = [&](op_kind kind, std::size_t turn) {
      const std::size_t chunk = turn / round % stages_per_rank;
      const std::size_t stage = (kind == op_kind::forward ? chunk : stages_per_rank - 1 - chunk) * ranks + r;
      order.push_back({kind, stage, turn / (round * stages_per_rank) * round + turn % round});
    };
    std::size_t forward = 0;
    std::size_t weights = 0;
    while (forward < passes && forward < (stages_per_rank - 1) * round + (ranks - 1 - r)) run(op_kind::forward, forward++);
    for (std::size_t i = 0; i < passes; ++i) {
      if (forward < passes) run(op_kind::forward, forward++);
      run(op_kind::backward_input, i);
      if (i >= r) run(op_kind::backward_weight, weights++);
    }
    while (weights < passes) run(op_kind::backward_weight, weights++);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
