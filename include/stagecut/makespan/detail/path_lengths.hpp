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

/// How long the paths of a pool are on the way down a graph of cuts, and why what was tried on the way is too long.
///
/// Of every step t of the way it has the lengths of the paths up to there, what the edge that is tried there adds to them,
/// and conditions: lengths up to there that are enough for all that was tried to be too long. Proofs: docs/makespan.md, The
/// search.
class path_lengths {
 public:
  static constexpr double no_condition = nogood_store::no_condition;

  path_lengths(engine::path_pool& pool, path_completions& rest, std::size_t steps)
      : pool_(pool),
        rest_(rest),
        length_((steps + 1) * pool.capacity()),
        weight_((steps + 1) * pool.capacity()),
        condition_((steps + 1) * pool.capacity()) {}

  /// One for each path of the pool.
  /// @{
  [[nodiscard]] double* up_to(std::size_t t) { return length_.data() + t * pool_.capacity(); }
  [[nodiscard]] double* of_edge(std::size_t t) { return weight_.data() + t * pool_.capacity(); }
  [[nodiscard]] double* conditions(std::size_t t) { return condition_.data() + t * pool_.capacity(); }
  /// @}

  /// Back to the first step.
  void restart() { length_.assign(length_.size(), 0); }

  /// Nothing was tried yet at step t.
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

  /// Goes on to step t + 1 by the edge that is tried at step t.
  void go_on(std::size_t t) {
    double* const next = up_to(t + 1);
    const double* const edge = of_edge(t);
    const double* const now = up_to(t);
    for (std::size_t j = 0; j < pool_.padded(); ++j) next[j] = now[j] + edge[j];
  }

  /// Keeps, as a condition, why the edge to v that is tried is longer than `most`: a path that is a condition already, or
  /// else the longest.
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

  /// What is tried at step t is too long if the path has at least this length up to there.
  void require(std::size_t t, std::size_t path, double length) {
    double& here = conditions(t)[path];
    if (length < 0) length = 0;
    if (here < length) here = length;
  }

  /// The same of all conditions of step t + 1, to which the edge led that is tried.
  void require_of_next(std::size_t t) {
    const double* const failed = conditions(t + 1);
    const double* const edge = of_edge(t);
    for (std::size_t j = 0; j < pool_.padded(); ++j) {
      if (failed[j] != no_condition) require(t, j, failed[j] - edge[j]);
    }
  }

  /// Puts a path with these counts into the pool, if it is not there, and in place of the one that was least of use, if it
  /// is full. Returns its place; `capacity()`, and nothing is put, if all others are conditions up to step t.
  std::size_t put(std::size_t t, const std::vector<double>& counts, const engine::layered_graph& graph) {
    std::size_t place = pool_.find(counts);
    if (place != pool_.capacity()) return place;
    place = pool_.size() < pool_.capacity() ? pool_.size() : least_used(t);
    if (place == pool_.capacity()) return place;
    const std::size_t padded = pool_.padded();
    pool_.put(place, counts);
    rest_.fill_one(graph, place);
    for (std::size_t at = 0; at < length_.size(); at += pool_.capacity()) {
      for (std::size_t j = padded; j < pool_.padded(); ++j) {  // that come with a new group pass nowhere so far
        length_[at + j] = weight_[at + j] = 0;
      }
    }
    return place;
  }

  /// Follows one path along the nodes of the steps up to t, and the edge behind.
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
  /// The path least used of those that are no condition up to step t.
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
