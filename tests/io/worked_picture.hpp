// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>

/// GPipe with F = 1 and B = 2 on every rank, and messages that arrive `hop` later, by its closed form: F of microbatch k on
/// rank r begins at r (1 + hop) + k. A rank holds 3, and 1 for every microbatch in flight.
inline stagecut::io::pipeline_picture worked_picture(std::size_t ranks, std::size_t microbatches, double hop = 0) {
  using stagecut::op_kind;
  stagecut::io::pipeline_picture made;
  made.order = stagecut::gpipe(ranks, microbatches);
  made.seconds = made.bytes = false;
  auto& run = made.run;
  run.ops.resize(ranks), run.transfers.resize(ranks), run.updates.resize(ranks);
  const auto m = static_cast<double>(microbatches);
  const auto last = static_cast<double>(ranks - 1);
  const double middle = last * (1 + hop) + m;
  run.makespan = run.span = middle + last * (2 + hop) + 2 * m;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto above = static_cast<double>(r);
    run.ranks.push_back({3 * m, 0, run.makespan - 3 * m, above * (1 + hop), run.makespan - above * (2 + hop)});
    stagecut::rank_memory<double> memory{3, m, {{0, 0}}};
    for (const op_kind kind : {op_kind::forward, op_kind::backward}) {
      const bool back = kind == op_kind::backward;
      for (std::size_t k = 0; k < microbatches; ++k) {
        const auto before = static_cast<double>(k);
        const double start = back ? middle + (last - above) * (2 + hop) + 2 * before : above * (1 + hop) + before;
        const double end = start + (back ? 2 : 1);
        run.ops[r].push_back({{kind, r, k}, start, end});
        memory.curve.push_back(back ? stagecut::memory_point<double>{end, m - before - 1}
                                    : stagecut::memory_point<double>{start, before + 1});
        if (hop > 0 && (back ? r > 0 : r + 1 < ranks)) {
          run.transfers[r].push_back({{back ? op_kind::send_backward : op_kind::send_forward, r, k}, end, end + hop});
        }
      }
    }
    made.memory.push_back(memory);
  }
  return made;
}
