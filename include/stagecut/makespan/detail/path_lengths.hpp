// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/path_pool.hpp>
#include <stagecut/makespan/detail/nogood_store.hpp>
#include <stagecut/makespan/detail/path_completions.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The lengths of the paths of a pool on the way down a graph of cuts, and the reasons why tries on the way are too
/// long.
///
/// Per step t of the way it has the lengths of the paths so far, the contribution of the edge being tried, and
/// conditions: lengths so far that suffice for all tries to be too long. Proofs: docs/makespan.md, The search.
class path_lengths {
 public:
  static constexpr double no_condition = nogood_store::no_condition;

  path_lengths(engine::path_pool& pool, path_completions& rest, std::size_t steps)
      : pool_(pool),
        rest_(rest),
        length_((steps + 1) * pool.capacity()),
        weight_((steps + 1) * pool.capacity()),
        condition_((steps + 1) * pool.capacity()) {}

  /// One per path of the pool.
  /// @{
  [[nodiscard]] double* up_to(std::size_t t) { return length_.data() + t * pool_.capacity(); }
  [[nodiscard]] double* of_edge(std::size_t t) { return weight_.data() + t * pool_.capacity(); }
  [[nodiscard]] double* conditions(std::size_t t) { return condition_.data() + t * pool_.capacity(); }
  /// @}

  /// Back to the first step.
  void restart() { length_.assign(length_.size(), 0); }

  /// Clears the conditions of step t.
  void forget_conditions(std::size_t t) {
    double* const here = conditions(t);
    for (std::size_t j = 0; j < pool_.capacity(); ++j) here[j] = no_condition;
  }

  /// Tries the edge from u to v at step t; returns the longest path through it.
  double longest(std::size_t t, const engine::layered_graph& graph, std::uint32_t u, std::uint32_t v) {
    double* const edge = of_edge(t);
    pool_.weigh(graph.nodes[u], graph.nodes[v], edge);
    const double* __restrict now = up_to(t);
    const double* __restrict behind = rest_[v];
    double most = 0;
    const std::size_t paths = pool_.padded();
    for (std::size_t j = 0; j < paths; ++j) {
      const double all = now[j] + edge[j] + behind[j];
      most = std::max(most, all);
    }
    return most;
  }

  /// Advances to step t + 1 by the edge tried at step t.
  void go_on(std::size_t t) {
    double* const next = up_to(t + 1);
    const double* const edge = of_edge(t);
    const double* const now = up_to(t);
    for (std::size_t j = 0; j < pool_.padded(); ++j) next[j] = now[j] + edge[j];
  }

  /// Records, as a condition, why the edge to v is longer than `most`: a path that is already a condition, else the
  /// longest.
  void explain(std::size_t t, std::uint32_t v, double most) {
    const double* const edge = of_edge(t);
    const double* const now = up_to(t);
    const double* const behind = rest_[v];
    const double* const here = conditions(t);
    std::size_t best = pool_.capacity();
    double longest = most;
    bool known = false;
    for (std::size_t j = 0; j < pool_.padded(); ++j) {
      const double all = now[j] + edge[j] + behind[j];
      if (!(all > most)) continue;
      const bool is_known = here[j] != no_condition;
      if (is_known == known ? all > longest : is_known) best = j, longest = all, known = is_known;
    }
    pool_.use(best) += 1;
    if (behind[best] < engine::no_ticks / 2) require(t, best, most + 1 - edge[best] - behind[best]);
  }

  /// Adds a condition: tries at step t are too long if the path has at least this length so far.
  void require(std::size_t t, std::size_t path, double length) {
    double& here = conditions(t)[path];
    if (length < 0) length = 0;
    if (here < length) here = length;
  }

  /// Adds all conditions of step t + 1, reached by the edge being tried.
  void require_of_next(std::size_t t) {
    const double* const failed = conditions(t + 1);
    const double* const edge = of_edge(t);
    for (std::size_t j = 0; j < pool_.padded(); ++j) {
      if (failed[j] != no_condition) require(t, j, failed[j] - edge[j]);
    }
  }

  /// Puts a path with these counts into the pool, unless it is there, in place of the least useful one if it is full.
  /// Returns its index; `capacity()`, without a change, if all others are conditions up to step t.
  std::size_t put(std::size_t t, const std::vector<double>& counts, const engine::layered_graph& graph) {
    std::size_t place = pool_.find(counts);
    if (place != pool_.capacity()) return place;
    place = pool_.size() < pool_.capacity() ? pool_.size() : least_used(t);
    if (place == pool_.capacity()) return place;
    const std::size_t padded = pool_.padded();
    pool_.put(place, counts);
    rest_.fill_one(graph, place);
    for (std::size_t at = 0; at < length_.size(); at += pool_.capacity()) {
      for (std::size_t j = padded; j < pool_.padded(); ++j) {  // new slots of a group get no passes yet
        length_[at + j] = weight_[at + j] = 0;
      }
    }
    return place;
  }

  /// Updates one path along the nodes of the steps up to t, and the edge after them.
  void follow(std::size_t t, std::size_t path, const engine::layered_graph& graph,
              const std::vector<std::uint32_t>& way) {
    double sum = 0;
    for (std::size_t step = 0; step <= t; ++step) {
      up_to(step)[path] = sum;
      of_edge(step)[path] = pool_.weight(graph.nodes[way[step]], graph.nodes[way[step + 1]], path);
      sum += of_edge(step)[path];
    }
    up_to(t + 1)[path] = sum;
  }

 private:
  /// The least used path that is not a condition up to step t.
  std::size_t least_used(std::size_t t) {
    std::size_t place = pool_.capacity();
    double least = 0;
    for (std::size_t j = 0; j < pool_.capacity(); ++j) {
      bool needed = false;
      for (std::size_t step = 0; step <= t && !needed; ++step) needed = conditions(step)[j] != no_condition;
      pool_.use(j) *= 0.9;
      if (needed || (place != pool_.capacity() && !(pool_.use(j) < least))) continue;
      place = j;
      least = pool_.use(j);
    }
    return place;
  }

  engine::path_pool& pool_;
  path_completions& rest_;
  std::vector<double> length_;  // [t * capacity + path], as the others
  std::vector<double> weight_;
  std::vector<double> condition_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
