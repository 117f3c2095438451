// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The options that are live as columns of a linear program, in whose rows each rank takes options whose shares sum to 1
/// and all layers of every type are taken. Rows of paths are told by weights of durations.
class option_columns {
 public:
  option_columns(const recompute_problem& problem);

  /// Of one rank, live options alone.
  struct of_rank {
    std::vector<std::uint32_t> ids{};  ///< of every column
    std::vector<double> counts{};      ///< [type * columns + column]
    std::vector<double> times{};       ///< [duration * columns + column]
    std::vector<double> reduced{};     ///< cost, as the simplex method has it
    std::vector<double> row{};         ///< entry in the row of a basic variable
  };

  /// The number of rows beside those of paths: the ranks, then the types.
  [[nodiscard]] std::size_t fixed() const noexcept { return graph_.ranks.size() + types_; }
  /// Their right-hand side.
  [[nodiscard]] double side(std::size_t row) const noexcept {
    return row < graph_.ranks.size() ? 1 : layers_[row - graph_.ranks.size()];
  }
  [[nodiscard]] std::vector<of_rank>& live() noexcept { return live_; }

  void take(const option_paths::live_options& live);

  /// The entries of an option in the fixed rows.
  void column(std::size_t rank, std::size_t option, std::vector<double>& to) const;

  /// What an option takes in durations of these weights.
  [[nodiscard]] double weigh(std::size_t rank, std::size_t option, const std::vector<double>& weights) const;

  /// For every column the product with multipliers of the fixed rows, and with weights of durations.
  void price(const double* multipliers, const std::vector<double>& weights, std::vector<double> of_rank::*result);

 private:
  [[nodiscard]] static std::size_t slot(const rank_options& rank, std::size_t j) noexcept;

  static void add(double by, const double* __restrict from, std::size_t count, double* __restrict to);

  const option_graph& graph_;
  std::size_t types_;
  std::vector<std::vector<double>> counts_{};  // [rank][type * size + option]
  std::vector<double> layers_{};               // of every type
  std::vector<of_rank> live_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/option_columns.ipp>
#endif
