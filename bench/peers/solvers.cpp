// SPDX-License-Identifier: BSL-1.0
// Solvers of chains with a C interface: weights, items, stages, and the output for the k + 1 cut points. 0: no
// solution.

#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/block_partition.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_variance.hpp>

#include <cstddef>
#include <exception>

namespace {

template <class Solver>
int cut(const Solver& solve, const double* weights, std::size_t items, std::size_t stages, std::size_t* points) {
  try {
    const auto best = solve(stagecut::prefix_sums(stagecut::view(weights, items)), stages);
    if (!best) return 0;
    for (const std::size_t point : best->cuts.points()) *points++ = point;
    return 1;
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace

extern "C" {

int minimize_bottleneck(const double* weights, std::size_t items, std::size_t stages, std::size_t* points) {
  return cut(stagecut::minimize_bottleneck, weights, items, stages, points);
}

int minimize_range(const double* weights, std::size_t items, std::size_t stages, std::size_t* points) {
  return cut(stagecut::minimize_range, weights, items, stages, points);
}

int minimize_variance(const double* weights, std::size_t items, std::size_t stages, std::size_t* points) {
  return cut(stagecut::minimize_variance, weights, items, stages, points);
}

int block_partition(const double* weights, std::size_t items, std::size_t stages, std::size_t* points) {
  return cut(stagecut::block_partition, weights, items, stages, points);
}

}  // extern "C"
