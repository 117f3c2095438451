// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/weighted_dag.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

/// Large graphs whose vertices, edges and outputs all weigh 1.
namespace bench {

class generated_graph {
 public:
  using vertex = std::uint32_t;

  vertex add() { return size_++; }
  vertex add(std::initializer_list<vertex> takes) {
    for (const vertex each : takes) join(each, size_);
    return size_++;
  }
  std::vector<vertex> add_all(std::size_t count) {
    std::vector<vertex> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(add());
    return result;
  }
  vertex chain(vertex from, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) from = add({from});
    return from;
  }
  void join(vertex from, vertex to) { edges_.push_back({from, to, 1}); }
  [[nodiscard]] const std::vector<stagecut::weighted_edge>& edges() const { return edges_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] stagecut::weighted_dag dag() const {
    const std::vector<std::int64_t> one(size_, 1);
    return {one, edges_, one};
  }

 private:
  vertex size_ = 0;
  std::vector<stagecut::weighted_edge> edges_;
};

/// PolyBench's 2mm, D = alpha A B C + beta D, one vertex per operation: for (i, j, k) a product, its product with
/// alpha, and a sum; D times beta; for (i, l, j) a product and a sum.
inline generated_graph two_products(std::size_t ni, std::size_t nj, std::size_t nk, std::size_t nl) {
  generated_graph g;
  const auto a = g.add_all(ni * nk);
  const auto b = g.add_all(nk * nj);
  const auto c = g.add_all(nj * nl);
  const auto d = g.add_all(ni * nl);
  std::vector<generated_graph::vertex> product;
  for (std::size_t i = 0; i < ni; ++i) {
    for (std::size_t j = 0; j < nj; ++j) {
      generated_graph::vertex sum = 0;
      for (std::size_t k = 0; k < nk; ++k) {
        const auto scaled = g.add({g.add({a[i * nk + k], b[k * nj + j]})});
        sum = k == 0 ? g.add({scaled}) : g.add({scaled, sum});
      }
      product.push_back(sum);
    }
  }
  for (std::size_t i = 0; i < ni; ++i) {
    for (std::size_t l = 0; l < nl; ++l) {
      auto sum = g.add({d[i * nl + l]});
      for (std::size_t j = 0; j < nj; ++j) sum = g.add({g.add({product[i * nj + j], c[j * nl + l]}), sum});
    }
  }
  return g;
}

/// Steps of a five-point stencil on a square.
inline generated_graph stencil(std::size_t width, std::size_t steps) {
  generated_graph g;
  auto before = g.add_all(width * width);
  for (std::size_t s = 1; s < steps; ++s) {
    const auto now = g.add_all(width * width);
    for (std::size_t y = 0; y < width; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t at = y * width + x;
        g.join(before[at], now[at]);
        if (y > 0) g.join(before[at - width], now[at]);
        if (y + 1 < width) g.join(before[at + width], now[at]);
        if (x > 0) g.join(before[at - 1], now[at]);
        if (x + 1 < width) g.join(before[at + 1], now[at]);
      }
    }
    before = now;
  }
  return g;
}

/// Layers in which each vertex uses the outputs of two random vertices of the previous layer.
inline generated_graph layered(std::size_t layers, std::size_t width) {
  generated_graph g;
  std::mt19937_64 random(1);
  auto before = g.add_all(width);
  for (std::size_t l = 1; l < layers; ++l) {
    const auto now = g.add_all(width);
    for (const auto each : now) {
      const std::size_t first = random() % width;
      const std::size_t second = random() % width;
      g.join(before[first], each);
      if (second != first) g.join(before[second], each);
    }
    before = now;
  }
  return g;
}

/// The forward pass of a transformer, one operator per block of tokens and head; keys and values of a head are gathered
/// before use.
inline generated_graph transformer(std::size_t layers, std::size_t blocks, std::size_t heads) {
  generated_graph g;
  auto x = g.add_all(blocks);
  for (std::size_t l = 0; l < layers; ++l) {
    std::vector<std::vector<generated_graph::vertex>> q(heads), k(heads), v(heads);
    for (std::size_t t = 0; t < blocks; ++t) {
      const auto norm = g.chain(x[t], 1);
      for (std::size_t h = 0; h < heads; ++h) {
        q[h].push_back(g.chain(norm, 3));
        k[h].push_back(g.chain(norm, 3));
        v[h].push_back(g.chain(norm, 3));
      }
    }
    std::vector<std::pair<generated_graph::vertex, generated_graph::vertex>> gathered;
    for (std::size_t h = 0; h < heads; ++h) {
      gathered.emplace_back(g.add(), g.add());
      for (const auto each : k[h]) g.join(each, gathered[h].first);
      for (const auto each : v[h]) g.join(each, gathered[h].second);
    }
    for (std::size_t t = 0; t < blocks; ++t) {
      std::vector<generated_graph::vertex> heads_out;
      for (std::size_t h = 0; h < heads; ++h) {
        const auto weights = g.chain(g.add({q[h][t], gathered[h].first}), 4);  // scale, mask, softmax, dropout
        heads_out.push_back(g.add({weights, gathered[h].second}));
      }
      const auto projected = g.add();
      for (const auto each : heads_out) g.join(each, projected);
      const auto attended = g.add({g.chain(projected, 2), x[t]});
      x[t] = g.add({g.chain(attended, 6), attended});
    }
  }
  return g;
}

}  // namespace bench
