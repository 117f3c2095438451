// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/simplex.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_columns.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The rows and columns of the linear program that mixes options, with times divided by a scale: ranks, types, then
/// paths, each with z - (sum of shares) - slack = constant. A block of columns is a rank.
class program_matrix {
 public:
  using block = option_columns::of_rank;

  program_matrix(const recompute_problem& problem, const engine::critical_path_pool& paths, double scale)
      : paths_(paths),
        scale_(scale),
        messages_(problem.no_passes()),
        columns_(problem),
        weights_(problem.order->stages() * engine::tick_kinds) {}

  std::vector<std::uint32_t> rows{};  ///< indices of the paths

  [[nodiscard]] std::size_t fixed() const noexcept { return columns_.fixed(); }
  [[nodiscard]] double scale() const noexcept { return scale_; }
  [[nodiscard]] std::vector<block>& columns() noexcept { return columns_.live(); }

  void take(const option_paths::live_options& live);

  /// 1 for z, a penalty for dropped options.
  [[nodiscard]] double cost(const engine::program_variable& each) const;

  /// The time that messages add to a path.
  [[nodiscard]] double constant(std::uint32_t path) const noexcept { return paths_.length(path, messages_) / scale_; }
  /// The right-hand side of a row.
  [[nodiscard]] double side(std::size_t row) const noexcept {
    return row < fixed() ? columns_.side(row) : constant(rows[row - fixed()]);
  }

  /// The coefficient of a variable other than the slack in the row of a path.
  [[nodiscard]] double entry(const engine::program_variable& each, std::uint32_t path) const;

  void column(const engine::program_variable& each, std::vector<double>& to) const;

  /// Computes for every live option the product of its column with multipliers of all rows.
  void price(const double* multipliers, std::vector<double> block::*result);

 private:
  static constexpr double penalty = 16;  // of a share, in units of the scale

  const engine::critical_path_pool& paths_;
  double scale_;
  std::vector<double> messages_;  // as times
  option_columns columns_;
  const option_paths::live_options* live_ = nullptr;
  std::vector<double> weights_;
};

/// The linear program that mixes options: the smallest z that is at least the length of every path, where each rank
/// takes shares of options that sum to 1, and all layers of every type are taken. Its result is not a proof, but
/// weights of paths, from which `option_paths` makes one.
class option_program : public engine::simplex<program_matrix> {
 public:
  using live_options = option_paths::live_options;

  /// @param scale  divides the times, so that they are near 1
  option_program(const recompute_problem& problem, const engine::critical_path_pool& paths, double scale)
      : simplex(program_matrix(problem, paths, scale)) {}

  /// Starts with the basis of another program, some of whose options may have been dropped.
  void begin(const live_options& live, basis from);
  /// Starts with a plan and a path.
  void begin(const live_options& live, const std::vector<std::uint32_t>& plan, std::uint32_t row);
  /// Continues after options were dropped.
  void change(const live_options& live);

  /// z, in integer units.
  [[nodiscard]] double value() const noexcept { return objective() * matrix_.scale(); }
};

inline void program_matrix::take(const option_paths::live_options& live) {
  live_ = &live;
  columns_.take(live);
}

inline double program_matrix::cost(const engine::program_variable& each) const {
  using kind = engine::program_variable::kind;
  if (each.what == kind::objective) return 1;
  if (each.what == kind::slack) return 0;
  return each.what == kind::column && (*live_)[each.block][each.column] != 0 ? 0 : penalty;
}

inline double program_matrix::entry(const engine::program_variable& each, std::uint32_t path) const {
  if (each.what == engine::program_variable::kind::objective) return 1;
  if (each.what != engine::program_variable::kind::column) return 0;
  return -columns_.weigh(each.block, each.column, paths_.counts(path)) / scale_;
}

inline void program_matrix::column(const engine::program_variable& each, std::vector<double>& to) const {
  using kind = engine::program_variable::kind;
  to.assign(fixed() + rows.size(), 0);
  if (each.what == kind::slack) to[each.block] = -1;
  if (each.what == kind::artificial) to[each.block] = 1;
  if (each.what == kind::column) columns_.column(each.block, each.column, to);
  if (each.what == kind::slack || each.what == kind::artificial) return;
  for (std::size_t k = 0; k < rows.size(); ++k) to[fixed() + k] = entry(each, rows[k]);
}

inline void program_matrix::price(const double* multipliers, std::vector<double> block::*result) {
  weights_.assign(weights_.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double by = multipliers[fixed() + k] / scale_;
    if (by == 0) continue;
    const std::vector<double>& counts = paths_.counts(rows[k]);
    for (std::size_t j = 0; j < weights_.size(); ++j) weights_[j] -= by * counts[j];
  }
  columns_.price(multipliers, weights_, result);
}

inline void option_program::begin(const live_options& live, basis from) {
  matrix_.take(live);
  simplex::begin(std::move(from));
}

inline void option_program::begin(const live_options& live, const std::vector<std::uint32_t>& plan, std::uint32_t row) {
  basis from{{row}, {}};
  for (std::uint32_t r = 0; r < plan.size(); ++r) from.variables.push_back({variable::kind::column, r, plan[r]});
  for (auto t = static_cast<std::uint32_t>(plan.size()); t < matrix_.fixed(); ++t) {
    from.variables.push_back({variable::kind::artificial, t, 0});
  }
  from.variables.push_back({variable::kind::objective, 0, 0});
  begin(live, std::move(from));
}

inline void option_program::change(const live_options& live) {
  matrix_.take(live);
  set_values();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
