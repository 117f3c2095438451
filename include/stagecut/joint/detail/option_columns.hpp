// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The live options as columns of a linear program. Its rows require that the shares of each rank's options sum to 1,
/// and that all layers of every type are taken. Rows of paths are given by weights of durations.
class option_columns {
 public:
  option_columns(const recompute_problem& problem);

  /// The live options of one rank.
  struct of_rank {
    std::vector<std::uint32_t> ids{};  ///< of every column
    std::vector<double> counts{};      ///< [type * columns + column]
    std::vector<double> times{};       ///< [duration * columns + column]
    std::vector<double> reduced{};     ///< reduced costs of the simplex method
    std::vector<double> row{};         ///< entry in the row of a basic variable
  };

  /// The number of rows other than those of paths: the ranks, then the types.
  [[nodiscard]] std::size_t fixed() const noexcept { return graph_.ranks.size() + types_; }
  /// The right-hand side of such a row.
  [[nodiscard]] double side(std::size_t row) const noexcept {
    return row < graph_.ranks.size() ? 1 : layers_[row - graph_.ranks.size()];
  }
  [[nodiscard]] std::vector<of_rank>& live() noexcept { return live_; }

  void take(const option_paths::live_options& live);

  /// Computes the entries of an option in the fixed rows.
  void column(std::size_t rank, std::size_t option, std::vector<double>& to) const;

  /// The sum of an option's durations under these weights.
  [[nodiscard]] double weigh(std::size_t rank, std::size_t option, const std::vector<double>& weights) const;

  /// Computes for every column its product with multipliers of the fixed rows, and with weights of durations.
  void price(const double* multipliers, const std::vector<double>& weights, std::vector<double> of_rank::*result);

 private:
  [[nodiscard]] static std::size_t slot(const rank_options& rank, std::size_t j) noexcept;

  static void add(double by, const double* __restrict from, std::size_t count, double* __restrict to);

  const option_graph& graph_;
  std::size_t types_;
  std::vector<std::vector<double>> counts_{};  // [rank][type * size + option]
  std::vector<double> layers_{};               // for every type
  std::vector<of_rank> live_{};
};

inline option_columns::option_columns(const recompute_problem& problem) : graph_(*problem.graph) {
  types_ = problem.curves->model().types.size();
  for (const rank_options& rank : graph_.ranks) {
    std::vector<double> counts(types_ * rank.size());
    for (std::size_t o = 0; o < rank.size(); ++o) {
      for (const std::uint32_t content : rank.classes()[rank.class_of(o)].of) {
        for (std::size_t t = 0; t < types_; ++t) {
          counts[t * rank.size() + o] += static_cast<double>((*problem.curves)[content].counts[t]);
        }
      }
    }
    counts_.push_back(std::move(counts));
  }
  for (std::size_t t = 0; t < types_; ++t) {
    double all = 0;
    for (const std::size_t each : problem.curves->model().layers) all += each == t ? 1 : 0;
    layers_.push_back(all);
  }
  live_.resize(graph_.ranks.size());
}

inline void option_columns::take(const option_paths::live_options& live) {
  for (std::size_t r = 0; r < live_.size(); ++r) {
    const rank_options& rank = graph_.ranks[r];
    of_rank& to = live_[r];
    to.ids.clear();
    for (std::uint32_t o = 0; o < rank.size(); ++o) {
      if (live[r][o] != 0) to.ids.push_back(o);
    }
    const std::size_t count = to.ids.size();
    to.counts.resize(types_ * count);
    to.times.resize(rank.width() * count);
    to.reduced.resize(count);
    to.row.resize(count);
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t t = 0; t < types_; ++t) to.counts[t * count + c] = counts_[r][t * rank.size() + to.ids[c]];
      for (std::size_t j = 0; j < rank.width(); ++j) to.times[j * count + c] = rank.times(j)[to.ids[c]];
    }
  }
}

inline void option_columns::column(std::size_t rank, std::size_t option, std::vector<double>& to) const {
  to[rank] = 1;
  const std::size_t size = graph_.ranks[rank].size();
  for (std::size_t t = 0; t < types_; ++t) to[graph_.ranks.size() + t] = counts_[rank][t * size + option];
}

inline double option_columns::weigh(std::size_t rank, std::size_t option, const std::vector<double>& weights) const {
  const rank_options& from = graph_.ranks[rank];
  double sum = 0;
  for (std::size_t j = 0; j < from.width(); ++j) sum += weights[slot(from, j)] * from.times(j)[option];
  return sum;
}

inline void option_columns::price(const double* multipliers, const std::vector<double>& weights,
                                  std::vector<double> of_rank::*result) {
  for (std::size_t r = 0; r < live_.size(); ++r) {
    of_rank& here = live_[r];
    const std::size_t count = here.ids.size();
    double* __restrict const to = (here.*result).data();
    for (std::size_t c = 0; c < count; ++c) to[c] = multipliers[r];
    for (std::size_t t = 0; t < types_; ++t)
      add(multipliers[live_.size() + t], here.counts.data() + t * count, count, to);
    for (std::size_t j = 0; j < graph_.ranks[r].width(); ++j) {
      add(weights[slot(graph_.ranks[r], j)], here.times.data() + j * count, count, to);
    }
  }
}

inline std::size_t option_columns::slot(const rank_options& rank, std::size_t j) noexcept {
  return rank.stage(j / rank.kinds()) * engine::tick_kinds + j % rank.kinds();
}

inline void option_columns::add(double by, const double* __restrict from, std::size_t count, double* __restrict to) {
  if (by == 0) return;
  for (std::size_t c = 0; c < count; ++c) to[c] += by * from[c];
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
