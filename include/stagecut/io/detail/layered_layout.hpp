// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/profile/layer_graph.hpp>

// Positions of the vertices in a picture of a graph.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Vertices in rows, each below its predecessors: its row is the longest path to it. A vertex without predecessors is
/// just above its first successor. Within rows, vertices are near the mean of their neighbours, and at least 1 apart.
class layered_layout {
 public:
  /// @param graph  acyclic
  explicit layered_layout(const layer_graph& graph) : graph_(graph), row_(graph.size()), x_(graph.size()) {
    make_rows();
    for (auto& row : rows_) spread(row);
    for (int sweep = 0; sweep < 6; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t i = 0; i < rows_.size(); ++i) arrange(rows_[down ? i : rows_.size() - 1 - i], down);
    }
    double least = x_.empty() ? 0 : x_[0];
    for (const double each : x_) least = std::min(least, each);
    for (double& each : x_) width_ = std::max(width_, (each -= least) + 1);
  }

  /// The row of a vertex, from 0 on.
  [[nodiscard]] std::size_t row(std::size_t vertex) const noexcept { return row_[vertex]; }
  /// Its horizontal position, from 0 on.
  [[nodiscard]] double x(std::size_t vertex) const noexcept { return x_[vertex]; }
  /// Number of rows.
  [[nodiscard]] std::size_t height() const noexcept { return rows_.size(); }
  /// Exceeds the position of every vertex by at least 1.
  [[nodiscard]] double width() const noexcept { return width_; }

 private:
  void make_rows() {
    const std::vector<std::size_t> order = graph_.order();
    std::size_t last = 0;
    for (const std::size_t v : order) {
      for (const std::size_t u : graph_.previous(v)) row_[v] = std::max(row_[v], row_[u] + 1);
      last = std::max(last, row_[v]);
    }
    for (const std::size_t v : order) {
      if (!graph_.previous(v).empty() || graph_.next(v).empty()) continue;
      std::size_t first = last;
      for (const std::size_t to : graph_.next(v)) first = std::min(first, row_[to]);
      row_[v] = first - 1;
    }
    rows_.resize(order.empty() ? 0 : last + 1);
    for (const std::size_t v : order) rows_[row_[v]].push_back(v);
  }

  void spread(const std::vector<std::size_t>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      x_[row[i]] = static_cast<double>(i) - static_cast<double>(row.size() - 1) / 2;
    }
  }

  /// Moves the vertices of a row to the mean of their predecessors, or with `down` false of their successors.
  void arrange(std::vector<std::size_t>& row, bool down) {
    std::vector<double> wanted(row.size());
    std::vector<std::size_t> order(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto& near = down ? graph_.previous(row[i]) : graph_.next(row[i]);
      double sum = 0;
      for (const std::size_t v : near) sum += x_[v];
      wanted[i] = near.empty() ? x_[row[i]] : sum / static_cast<double>(near.size());
      order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<std::size_t> sorted;
    double right = 0;
    double moved = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double x = i == 0 ? wanted[order[i]] : std::max(wanted[order[i]], right + 1);
      moved += x - wanted[order[i]];
      sorted.push_back(row[order[i]]);
      x_[sorted.back()] = right = x;
    }
    for (const std::size_t v : sorted) x_[v] -= moved / static_cast<double>(row.size());
    row = std::move(sorted);
  }

  const layer_graph& graph_;
  std::vector<std::size_t> row_;
  std::vector<double> x_;
  std::vector<std::vector<std::size_t>> rows_{};
  double width_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
