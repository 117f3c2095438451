// SPDX-License-Identifier: BSL-1.0
// What is not marked for devices is refused by nvcc wherever a search would call it: unmarked.py reads which lines are.
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/search/best.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/peak_memory.hpp>
#include <stagecut/search/stage_dp.hpp>
#include <stagecut/search/stage_objective.hpp>
#include <stagecut/search/weighted_sum.hpp>

#include <thrust/execution_policy.h>

#include <cstddef>

#ifndef MARK
#define MARK
#endif

namespace search = stagecut::search;

struct own_cost {
  MARK double operator()(search::candidate points) const { return points[1]; }
};
struct summed_cost {
  MARK double operator()(search::candidate points) const { return points[2]; }
};
struct stage_time {
  MARK std::size_t size() const { return 12; }
  MARK double operator()(std::size_t first, std::size_t last) const { return static_cast<double>(last - first); }
};
struct layer_time {
  MARK std::size_t size() const { return 12; }
  MARK double operator()(std::size_t first, std::size_t last) const { return static_cast<double>(last - first); }
};
struct short_stage {
  MARK bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first < 5; }
};
struct stage_bytes {
  MARK double operator()(std::size_t, std::size_t, std::size_t last, std::size_t) const {
    return static_cast<double>(last);
  }
};
struct own_space {
  MARK std::size_t size() const { return 12; }
  MARK std::size_t points() const { return 3; }
  MARK void decode(std::size_t index, search::candidate_room room) const {
    room[1] = room[2] = static_cast<unsigned>(index);
  }
};

int main() {
  const auto cuts = search::all_cuts(12, 4);
  const auto order = stagecut::one_forward_one_backward(4, 4);
  static_cast<void>(search::best(thrust::device, cuts, own_cost{}));
  static_cast<void>(search::best(thrust::device, own_space{}, search::stage_objective(stage_time{})));
  static_cast<void>(search::best(thrust::device, cuts, search::weighted_sum(1, summed_cost{}, 2, summed_cost{})));
  static_cast<void>(search::best(thrust::device, cuts,
                                 search::constrained_cost(search::peak_memory(stage_bytes{}, order), short_stage{})));
  static_cast<void>(search::stage_dp(thrust::device, layer_time{}, 4));
}
