// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/joint/detail/basis_inverse.hpp>
#include <stagecut/joint/detail/program_matrix.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A basis of the linear program that mixes options: its variables, their values, the inverse, the multipliers of the rows
/// and the reduced costs of the live options.
class program_basis {
 protected:
  using variable = program_variable;

  program_basis(const recompute_problem& problem, const engine::critical_path_pool& paths, double scale)
      : matrix_(problem, paths, scale), fixed_(matrix_.fixed()) {}

  /// Adds a path that is not yet a row.
  void add_row(std::uint32_t row);

  /// Drops paths that are loose, until no more than so many are left.
  void drop_loose(std::size_t most);

  /// Makes the inverse and all that hangs on it anew.
  void invert();

  /// All that follows from the inverse and the costs.
  void set_values();

  /// The column of a variable, in terms of the basis.
  void enter(const variable& each);

  /// @pre the entries of the leaving row are priced
  void pivot(std::size_t leaving, const variable& entering, double reduced);

  void drop(std::size_t place);

  program_matrix matrix_;
  std::size_t fixed_;
  std::vector<variable> basics_{};
  basis_inverse inverse_{};
  std::vector<double> values_{};  // of the basic variables
  std::vector<double> duals_{};   // of the rows
  std::vector<double> column_{};
  std::vector<double> entering_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/program_basis.ipp>
#endif
