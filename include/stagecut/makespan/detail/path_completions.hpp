// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/path_pool.hpp>
#include <stagecut/engine/search_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Lower bounds on the completion of every path of a pool after every node of a graph of cuts: docs/makespan.md, The
/// search.
class path_completions {
 public:
  path_completions(const engine::path_pool& pool, std::size_t steps)
      : pool_(pool), steps_(steps), edge_(pool.capacity()) {}

  /// After node u: one per path.
  [[nodiscard]] double* operator[](std::uint32_t u) noexcept { return rest_.data() + u * pool_.capacity(); }

  /// Computes them for all paths. False: time ran out.
  bool fill(const engine::layered_graph& graph, engine::search_clock& clock) {
    const std::size_t paths = pool_.padded();
    rest_.resize(graph.nodes.size() * pool_.capacity());
    for (std::size_t u = graph.nodes.size(); u-- > 0;) {
      if (u % 256 == 0 && clock.look()) return false;
      double* __restrict to = (*this)[static_cast<std::uint32_t>(u)];
      const bool end = graph.nodes[u].step == steps_;
      for (std::size_t j = 0; j < paths; ++j) to[j] = end ? 0 : engine::no_ticks;
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
        const std::uint32_t v = graph.edges[i].to;
        pool_.weigh(graph.nodes[u], graph.nodes[v], edge_.data());
        const double* __restrict edge = edge_.data();
        const double* __restrict behind = (*this)[v];
        for (std::size_t j = 0; j < paths; ++j) {
          const double here = edge[j] + behind[j];
          to[j] = std::min(to[j], here);
        }
      }
    }
    return true;
  }

  /// The same for one; unused slots of its group get no passes.
  void fill_one(const engine::layered_graph& graph, std::size_t path) {
    for (std::size_t u = graph.nodes.size(); u-- > 0;) {
      double best = graph.nodes[u].step == steps_ ? 0 : engine::no_ticks;
      double* const here = (*this)[static_cast<std::uint32_t>(u)];
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
        const std::uint32_t v = graph.edges[i].to;
        const double length = pool_.weight(graph.nodes[u], graph.nodes[v], path) + (*this)[v][path];
        best = std::min(best, length);
      }
      here[path] = best;
      for (std::size_t j = pool_.size(); j < pool_.padded(); ++j) here[j] = 0;
    }
  }

  /// Removes the edges through which some path is longer than `most`, until few are left to remove, and recomputes.
  /// Returns whether any cut is left; true if time ran out.
  bool filter(engine::layered_graph& graph, double most, engine::search_clock& clock) {
    const std::size_t paths = pool_.padded();
    for (;;) {
      if (!fill(graph, clock) || paths == 0) return true;
      before_.assign(graph.nodes.size() * pool_.capacity(), engine::no_ticks);
      for (std::size_t j = 0; j < paths; ++j) before_[j] = 0;
      const std::size_t count = graph.edges.size();
      for (std::size_t i = 0; i < count; ++i) {
        if (i % 4096 == 0 && clock.look()) return true;
        engine::layered_graph::edge& each = graph.edges[i];
        pool_.weigh(graph.nodes[each.from], graph.nodes[each.to], edge_.data());
        const double* __restrict edge = edge_.data();
        const double* __restrict from = before_.data() + each.from * pool_.capacity();
        double* __restrict to = before_.data() + each.to * pool_.capacity();
        const double* __restrict behind = (*this)[each.to];
        double longest = 0;
        for (std::size_t j = 0; j < paths; ++j) {
          const double here = from[j] + edge[j];
          to[j] = std::min(to[j], here);
          const double all = here + behind[j];
          longest = all < longest ? longest : all;
        }
        if (each.bound < longest) each.bound = longest;
      }
      const bool left = graph.prune(static_cast<std::uint32_t>(steps_),
                                    [most](const engine::layered_graph::edge& each) { return each.bound > most; });
      if (!left) return false;
      if (graph.edges.size() == count) return true;
      if (graph.edges.size() * 20 > count * 19) return fill(graph, clock), true;
    }
  }

 private:
  const engine::path_pool& pool_;
  std::size_t steps_;
  std::vector<double> edge_;      // contribution of each edge
  std::vector<double> rest_{};    // [u * capacity + path]
  std::vector<double> before_{};  // the same for the shortest beginnings
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
