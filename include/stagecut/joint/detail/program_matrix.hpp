// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_columns.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A variable of the linear program that mixes options.
struct program_variable {
  enum class kind : std::uint8_t {
    option,     // its share
    path,       // z, the length of the longest path
    slack,      // by which z is above the length of a path
    artificial  // what a row of a rank or a type lacks
  } what;
  std::uint32_t rank;  // of an option; else the row of the program
  std::uint32_t option;
};

/// The rows and columns of that program, in which times are divided by a scale: ranks, types, then paths, of which each
/// says z - (sum of shares) - slack = constant.
class program_matrix {
 public:
  program_matrix(const recompute_problem& problem, const engine::critical_path_pool& paths, double scale)
      : paths_(paths),
        scale_(scale),
        messages_(problem.no_passes()),
        columns_(problem),
        weights_(problem.order->stages() * engine::tick_kinds) {}

  std::vector<std::uint32_t> rows{};  ///< the paths, by number

  [[nodiscard]] std::size_t fixed() const noexcept { return columns_.fixed(); }
  [[nodiscard]] double scale() const noexcept { return scale_; }
  [[nodiscard]] std::vector<option_columns::of_rank>& columns() noexcept { return columns_.live(); }

  void take(const option_paths::live_options& live);

  /// 1 for z, a penalty for what is given up.
  [[nodiscard]] double cost(const program_variable& each) const;

  /// What messages add to a path.
  [[nodiscard]] double constant(std::uint32_t path) const noexcept { return paths_.length(path, messages_) / scale_; }
  /// The right-hand side of a row.
  [[nodiscard]] double side(std::size_t row) const noexcept {
    return row < fixed() ? columns_.side(row) : constant(rows[row - fixed()]);
  }

  /// The coefficient of a variable in the row of a path, its slack apart.
  [[nodiscard]] double entry(const program_variable& each, std::uint32_t path) const;

  void column(const program_variable& each, std::vector<double>& to) const;

  /// For every live option the product of its column with multipliers of all rows.
  void price(const double* multipliers, std::vector<double> option_columns::of_rank::*result);

 private:
  static constexpr double penalty = 16;  // of a share, in units of the scale

  const engine::critical_path_pool& paths_;
  double scale_;
  std::vector<double> messages_;  // as times
  option_columns columns_;
  const option_paths::live_options* live_ = nullptr;
  std::vector<double> weights_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/program_matrix.ipp>
#endif
