// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/joint/detail/option_graph.hpp>

#include "small_problems.hpp"

namespace joint_tests {

/// The simplex method on a dense tableau, by the rule of Bland, slow and obvious: the least of a cost where all variables are
/// at least 0.
class tableau {
 public:
  /// @param rows  coefficients, then the right-hand side, of equations
  explicit tableau(std::vector<std::vector<double>> rows) : rows_(std::move(rows)), size_(rows_[0].size() - 1) {
    // Each row gets a variable that says what it lacks.
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].back() < 0) {
        for (double& each : rows_[i]) each = -each;
      }
      const double side = rows_[i].back();
      rows_[i].back() = 0;
      rows_[i].resize(size_ + rows_.size() + 1);
      rows_[i][size_ + i] = 1;
      rows_[i].back() = side;
      basis_.push_back(size_ + i);
    }
  }

  /// Unset: nothing keeps to the equations.
  [[nodiscard]] std::optional<double> least(const std::vector<double>& cost) {
    std::vector<double> lack(size_ + basis_.size());
    for (std::size_t i = 0; i < basis_.size(); ++i) lack[size_ + i] = 1;
    if (run(lack, lack.size()) > 1e-7) return {};
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      for (std::size_t j = 0; j < size_ && basis_[i] >= size_; ++j) {
        if (std::abs(rows_[i][j]) > 1e-9) pivot(i, j);
      }
    }
    std::vector<double> all = cost;
    all.resize(lack.size());
    return run(all, size_);
  }

 private:
  double run(const std::vector<double>& cost, std::size_t usable) {
    for (;;) {
      std::size_t entering = usable;
      for (std::size_t j = 0; j < usable && entering == usable; ++j) {
        double reduced = cost[j];
        for (std::size_t i = 0; i < basis_.size(); ++i) reduced -= cost[basis_[i]] * rows_[i][j];
        if (reduced < -1e-9) entering = j;
      }
      std::size_t leaving = basis_.size();
      for (std::size_t i = 0; i < basis_.size() && entering != usable; ++i) {
        if (rows_[i][entering] <= 1e-9) continue;
        if (leaving == basis_.size()) leaving = i;
        const double here = rows_[i].back() / rows_[i][entering];
        const double best = rows_[leaving].back() / rows_[leaving][entering];
        if (here < best - 1e-12 || (here <= best + 1e-12 && basis_[i] < basis_[leaving])) leaving = i;
      }
      if (leaving == basis_.size()) break;
      pivot(leaving, entering);
    }
    double sum = 0;
    for (std::size_t i = 0; i < basis_.size(); ++i) sum += cost[basis_[i]] * rows_[i].back();
    return sum;
  }

  void pivot(std::size_t row, std::size_t column) {
    const double by = rows_[row][column];
    for (double& each : rows_[row]) each /= by;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double off = rows_[i][column];
      for (std::size_t j = 0; j < rows_[i].size() && i != row && off != 0; ++j) rows_[i][j] -= off * rows_[row][j];
    }
    basis_[row] = column;
  }

  std::vector<std::vector<double>> rows_;
  std::size_t size_;
  std::vector<std::size_t> basis_{};
};

/// The least z, at least the length of every path, of mixes of options that are live; unset: there is no mix.
inline std::optional<double> least_mix(const workbench& bench, const stagecut::engine::critical_path_pool& paths,
                                       const std::vector<std::uint32_t>& rows,
                                       const std::vector<std::vector<char>>& live) {
  const stagecut::detail::option_graph& graph = bench.graph;
  const std::size_t types = bench.drawn.model.types.size();
  const std::size_t ranks = graph.ranks.size();
  std::size_t columns = 1 + rows.size();  // z, and the slack of every path
  for (const auto& rank : live) columns += static_cast<std::size_t>(std::count(rank.begin(), rank.end(), 1));
  std::vector<std::vector<double>> all(ranks + types + rows.size(), std::vector<double>(columns + 1));
  for (std::size_t r = 0; r < ranks; ++r) all[r].back() = 1;
  for (const std::size_t t : bench.drawn.model.layers) ++all[ranks + t].back();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<double>& here = all[ranks + types + k];
    here[0] = 1;
    here[1 + k] = -1;
    here.back() = paths.length(rows[k], bench.problem.no_passes());
  }
  std::size_t at = 1 + rows.size();
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t o = 0; o < live[r].size(); ++o) {
      if (live[r][o] == 0) continue;
      all[r][at] = 1;
      for (const std::uint32_t content : graph.ranks[r].classes()[graph.ranks[r].class_of(o)].of) {
        for (std::size_t t = 0; t < types; ++t) all[ranks + t][at] += bench.curves[content].counts[t];
      }
      std::vector<double> times(bench.drawn.request.schedule.stages() * stagecut::engine::tick_kinds);
      bench.problem.put(r, o, times);
      for (std::size_t k = 0; k < rows.size(); ++k) all[ranks + types + k][at] = -paths.length(rows[k], times);
      ++at;
    }
  }
  std::vector<double> cost(columns);
  cost[0] = 1;
  return tableau(all).least(cost);
}

/// The paths of some plans of a graph, and of mixes of two.
inline stagecut::engine::critical_path_pool drawn_paths(std::mt19937& dice, const workbench& bench,
                                                        const std::set<options>& plans, std::size_t most) {
  stagecut::engine::critical_path_pool paths;
  std::vector<double> counts;
  const auto any = [&] { return bench.problem.times_of(any_plan(dice, plans)); };
  for (std::size_t i = 0; i < most; ++i) {
    std::vector<double> times = any();
    const std::vector<double> other = any();
    for (std::size_t j = 0; j < times.size() && i % 2 == 1; ++j) times[j] = (times[j] + other[j]) / 2;
    (void)bench.problem.makespan(times);
    bench.simulator.count_critical(counts);
    (void)paths.add(counts);
  }
  return paths;
}

/// Gives up options at random, but for those of a plan.
inline void give_up(std::mt19937& dice, const options& but, std::vector<std::vector<char>>& live) {
  for (std::size_t r = 0; r < live.size(); ++r) {
    for (std::size_t o = 0; o < live[r].size(); ++o) {
      if (o != but[r] && dice() % 3 == 0) live[r][o] = 0;
    }
  }
}

}  // namespace joint_tests
