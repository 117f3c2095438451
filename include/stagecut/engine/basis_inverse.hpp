// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The inverse of the basis of a linear program, dense: a row for every basic variable, a column for every row of the
/// program.
class basis_inverse {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const double* row(std::size_t place) const noexcept { return values_.data() + place * size_; }

  /// Inverts a basis by Gauss and Jordan.
  ///
  /// @param columns  of the basic variables, one after the other
  /// @param left     gets the places of variables that depend on others, each with a row of the program that would make
  ///                 up for it; the inverse is there only if there are none
  void invert(const std::vector<double>& columns, std::size_t size,
              std::vector<std::pair<std::size_t, std::size_t>>& left);

  /// The product with a column of the program.
  void multiply(const std::vector<double>& column, std::vector<double>& result) const;

  /// Puts another variable at a place, whose column in terms of the basis is `entering`.
  void pivot(std::size_t place, const std::vector<double>& entering);

  /// A row of the program more, whose new variable is basic with the coefficient -1; `entries` are those of the others.
  void grow(const std::vector<double>& entries);

  /// Without a row of the program and the variable at a place, which is in that row alone.
  void shrink(std::size_t place, std::size_t without);

 private:
  [[nodiscard]] static double far(double x) noexcept { return x < 0 ? -x : x; }

  static void eliminate(std::vector<double>& matrix, std::vector<double>& inverse, std::size_t pivot, std::size_t c);

  std::size_t size_ = 0;
  std::vector<double> values_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/basis_inverse.ipp>
#endif
