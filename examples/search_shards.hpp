// SPDX-License-Identifier: BSL-1.0
// The common problem of the workers in examples/search_shards: the same cuts and cost, and a range for each.
#pragma once

#include <stagecut/search/best.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/stagecut.hpp>

#include <cstdint>
#include <cstdio>

namespace search = stagecut::search;

struct shared_problem {
  stagecut::item_times layers{{4, 1, 2, 6, 2, 3, 5, 1, 2, 4, 3, 3, 1, 5, 2, 4},
                              {7, 3, 4, 9, 5, 7, 9, 2, 5, 8, 6, 7, 2, 9, 5, 8}};
  stagecut::schedule order = stagecut::make_schedule("interleaved", {.ranks = 4, .stages_per_rank = 2, .microbatches = 8});
  search::graph_paths cuts = search::all_cuts(16, 8);
  search::cut_makespan makespan{layers, order};

  /// The best of a worker's share; no candidate if the share is empty.
  template <class Policy>
  search::scored<double> best_of(const Policy& policy, std::uint64_t worker, std::uint64_t workers) const {
    const std::uint64_t each = cuts.size() / workers + 1;
    const auto found = search::best(policy, cuts, makespan, {.first = worker * each, .last = (worker + 1) * each});
    return found ? found->score : search::scored<double>{};
  }

  void print(const search::scored<double>& best) const {
    std::uint32_t points[9];
    cuts.decode(best.index, search::candidate_room(points, 9));
    std::printf("%.0f:", best.value);
    for (const auto point : points) std::printf(" %u", point);
    std::printf("\n");
  }
};
