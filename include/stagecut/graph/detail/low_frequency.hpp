// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Vectors that change slowly along the edges of a graph, in either direction: approximate eigenvectors of the least
/// nonzero eigenvalues of its Laplacian, by which neighbours have similar numbers and distant parts of the graph
/// differ.
///
/// Multilevel: heavy edges are matched until few vertices are left; there damped steps of a random walk smooth random
/// vectors, kept orthogonal to each other and to the constant, and a few more steps smooth them on every level. Uses
/// integers and immediately rounded single products, so that results are the same to the bit with every compiler. O(n +
/// m). Source: S. T. Barnard and H. D. Simon, A fast multilevel implementation of recursive spectral bisection, 1994.
class low_frequency {
 public:
  static constexpr std::size_t count = 3;
  static constexpr std::int32_t one = std::int32_t{1} << 20U;  ///< the greatest number
  using values = std::vector<std::array<std::int32_t, count>>;

  /// One number of each vector per vertex, between -`one` and `one`.
  [[nodiscard]] static values of(const flat_dag& graph, engine::seeded& random) {
    std::vector<graph_level> levels;
    levels.push_back(finest(graph));
    while (levels.back().size() > 120) {
      graph_level next = matched(levels.back(), random);
      if (next.size() * 20 > levels.back().size() * 19) break;
      levels.push_back(std::move(next));
    }
    values result(levels.back().size());
    for (auto& each : result) {
      for (std::int32_t& x : each) x = static_cast<std::int32_t>(random.below(std::size_t{2} * one)) - one;
    }
    smooth(levels.back(), 150, result);
    for (std::size_t l = levels.size() - 1; l-- > 0;) {
      values finer(levels[l].size());
      for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = result[levels[l + 1].into[v]];
      result = std::move(finer);
      smooth(levels[l], 3, result);
    }
    return result;
  }

 private:
  struct graph_level {
    std::vector<std::uint32_t> end{0};
    std::vector<dag_vertex> to{};
    std::vector<std::int64_t> weight{};
    std::vector<std::int64_t> degree{};
    std::vector<dag_vertex> into{};  // of each vertex of the previous level
    [[nodiscard]] std::size_t size() const noexcept { return degree.size(); }
    void add(dag_vertex other, std::int64_t each) {
      to.push_back(other);
      weight.push_back(each);
    }
    void close() {
      std::int64_t sum = 0;
      for (std::size_t i = end.back(); i < to.size(); ++i) sum += weight[i];
      degree.push_back(sum);
      end.push_back(static_cast<std::uint32_t>(to.size()));
    }
  };

  /// The undirected graph, with weights of at most 2^33 in total.
  static graph_level finest(const flat_dag& graph) {
    std::uint64_t total = 0;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      graph.out.each(v, [&](dag_vertex, dag_weight weight) { total += static_cast<std::uint64_t>(weight); });
    }
    unsigned shift = 0;
    while (total >> shift > std::numeric_limits<std::uint32_t>::max()) ++shift;
    graph_level result;
    result.to.reserve(2 * graph.edges());
    result.weight.reserve(2 * graph.edges());
    for (std::size_t v = 0; v < graph.size(); ++v) {
      const auto add = [&](dag_vertex u, dag_weight weight) { result.add(u, weight == 0 ? 0 : (weight >> shift) + 1); };
      graph.in.each(v, add);
      graph.out.each(v, add);
      result.close();
    }
    return result;
  }

  /// Merges every vertex with the unmatched neighbour of the heaviest edge, in random order.
  static graph_level matched(const graph_level& fine, engine::seeded& random) {
    constexpr dag_vertex none = std::numeric_limits<dag_vertex>::max();
    const std::size_t n = fine.size();
    std::vector<dag_vertex> order(n);
    for (std::size_t v = 0; v < n; ++v) {
      const std::size_t at = random.below(v + 1);
      order[v] = order[at];
      order[at] = static_cast<dag_vertex>(v);
    }
    graph_level result;
    result.into.assign(n, none);
    std::vector<std::pair<dag_vertex, dag_vertex>> members;
    for (const dag_vertex v : order) {
      if (result.into[v] != none) continue;
      dag_vertex with = v;
      std::int64_t heaviest = -1;
      for (std::size_t i = fine.end[v]; i < fine.end[v + std::size_t{1}]; ++i) {
        if (result.into[fine.to[i]] == none && fine.to[i] != v && fine.weight[i] > heaviest) {
          with = fine.to[i], heaviest = fine.weight[i];
        }
      }
      result.into[v] = result.into[with] = static_cast<dag_vertex>(members.size());
      members.emplace_back(v, with);
    }
    add_rows(fine, members, result);
    return result;
  }

  /// The edges of the matched vertices; weights of parallel edges are added.
  static void add_rows(const graph_level& fine, const std::vector<std::pair<dag_vertex, dag_vertex>>& members,
                       graph_level& result) {
    constexpr dag_vertex none = std::numeric_limits<dag_vertex>::max();
    std::vector<dag_vertex> known(members.size(), none);  // for each vertex, its position in the current row
    for (std::size_t c = 0; c < members.size(); ++c) {
      const std::size_t begin = result.to.size();
      const auto take = [&](dag_vertex v) {
        for (std::size_t i = fine.end[v]; i < fine.end[v + std::size_t{1}]; ++i) {
          const dag_vertex to = result.into[fine.to[i]];
          if (to == c) continue;
          if (known[to] != none && known[to] >= begin) {
            result.weight[known[to]] += fine.weight[i];
          } else {
            known[to] = static_cast<dag_vertex>(result.to.size());
            result.add(to, fine.weight[i]);
          }
        }
      };
      take(members[c].first);
      if (members[c].second != members[c].first) take(members[c].second);
      result.close();
    }
  }

  static void smooth(const graph_level& graph, std::size_t steps, values& x) {
    values next(x.size());
    for (std::size_t s = 0; s < steps; ++s) {
      for (std::size_t v = 0; v < x.size(); ++v) {
        std::array<std::int64_t, count> sum{};
        for (std::size_t i = graph.end[v]; i < graph.end[v + 1]; ++i) {
          const auto& other = x[graph.to[i]];
          for (std::size_t c = 0; c < count; ++c) sum[c] += graph.weight[i] * other[c];
        }
        const float part = graph.degree[v] > 0 ? 0.5F / static_cast<float>(graph.degree[v]) : 0;
        for (std::size_t c = 0; c < count; ++c) next[v][c] = x[v][c] / 2 + scaled(sum[c], part);
      }
      x.swap(next);
      if (s % 4 == 3 || s + 1 == steps) make_orthogonal(graph, x);
    }
  }
  static std::int32_t scaled(std::int64_t x, float by) { return static_cast<std::int32_t>(static_cast<float>(x) * by); }

  /// Makes each vector orthogonal to the constant and earlier ones, weighted by degree; its greatest number becomes
  /// `one`.
  static void make_orthogonal(const graph_level& graph, values& x) {
    for (std::size_t c = 0; c < count; ++c) {
      std::int64_t sum = 0;
      std::int64_t mass = 0;
      for (std::size_t v = 0; v < x.size(); ++v) {
        sum += graph.degree[v] * x[v][c];
        mass += graph.degree[v];
      }
      const auto mean = static_cast<std::int32_t>(mass > 0 ? sum / mass : 0);
      for (auto& each : x) each[c] -= mean;
      for (std::size_t b = 0; b < c; ++b) {
        std::int64_t both = 0;
        std::int64_t own = 0;
        for (std::size_t v = 0; v < x.size(); ++v) {
          const std::int64_t other = x[v][b] / 128;  // so that the sums stay below 2^63
          both += graph.degree[v] * (other * (x[v][c] / 128));
          own += graph.degree[v] * (other * other);
        }
        const float share = own > 0 ? static_cast<float>(both) / static_cast<float>(own) : 0;
        for (auto& each : x) each[c] -= scaled(each[b], share);
      }
      std::int32_t most = 0;
      for (const auto& each : x)
        most = (each[c] < 0 ? -each[c] : each[c]) > most ? (each[c] < 0 ? -each[c] : each[c]) : most;
      if (most == 0) continue;
      const float scale = static_cast<float>(one) / static_cast<float>(most);
      for (auto& each : x) each[c] = scaled(each[c], scale);
    }
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
