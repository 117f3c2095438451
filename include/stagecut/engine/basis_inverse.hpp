// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The dense inverse of the basis of a linear program: a row for every basic variable, a column for every row of the
/// program.
class basis_inverse {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const double* row(std::size_t place) const noexcept { return values_.data() + place * size_; }

  /// Inverts a basis by Gauss-Jordan elimination.
  ///
  /// @param columns  of the basic variables, one after the other
  /// @param left     set to the places of linearly dependent variables, each with a row of the program that would
  ///                 replace it; the inverse exists only if there are none
  void invert(const std::vector<double>& columns, std::size_t size,
              std::vector<std::pair<std::size_t, std::size_t>>& left);

  /// Multiplies the inverse with a column of the program.
  void multiply(const std::vector<double>& column, std::vector<double>& result) const;

  /// Replaces the variable at a place by one whose column in terms of the basis is `entering`.
  void pivot(std::size_t place, const std::vector<double>& entering);

  /// Adds a row of the program, whose new variable is basic with the coefficient -1; `entries` are those of the other
  /// variables.
  void grow(const std::vector<double>& entries);

  /// Removes a row of the program and the variable at a place, which occurs only in that row.
  void shrink(std::size_t place, std::size_t without);

 private:
  [[nodiscard]] static double far(double x) noexcept { return x < 0 ? -x : x; }

  static void eliminate(std::vector<double>& matrix, std::vector<double>& inverse, std::size_t pivot, std::size_t c);

  std::size_t size_ = 0;
  std::vector<double> values_{};
};

inline void basis_inverse::invert(const std::vector<double>& columns, std::size_t size,
                                  std::vector<std::pair<std::size_t, std::size_t>>& left) {
  size_ = size;
  std::vector<double> matrix(size * size);  // by row of the program
  std::vector<double> inverse(size * size);
  for (std::size_t c = 0; c < size; ++c) {
    for (std::size_t r = 0; r < size; ++r) matrix[r * size + c] = columns[c * size + r];
    inverse[c * size + c] = 1;
  }
  std::vector<std::size_t> row_of(size, size);
  std::vector<char> used(size);
  for (std::size_t c = 0; c < size; ++c) {
    std::size_t pivot = size;
    for (std::size_t r = 0; r < size; ++r) {
      if (used[r] == 0 && (pivot == size || far(matrix[r * size + c]) > far(matrix[pivot * size + c]))) pivot = r;
    }
    if (far(matrix[pivot * size + c]) < 1e-9) continue;
    used[pivot] = 1;
    row_of[c] = pivot;
    eliminate(matrix, inverse, pivot, c);
  }
  left.clear();
  std::size_t free_row = 0;
  for (std::size_t c = 0; c < size; ++c) {
    if (row_of[c] != size) continue;
    while (used[free_row] != 0) ++free_row;
    left.emplace_back(c, free_row++);
  }
  values_.resize(size * size);
  for (std::size_t c = 0; c < size && left.empty(); ++c) {
    for (std::size_t j = 0; j < size; ++j) values_[c * size + j] = inverse[row_of[c] * size + j];
  }
}

inline void basis_inverse::multiply(const std::vector<double>& column, std::vector<double>& result) const {
  result.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const double* const from = row(i);
    double sum = 0;
    for (std::size_t j = 0; j < size_; ++j) sum += from[j] * column[j];
    result[i] = sum;
  }
}

inline void basis_inverse::pivot(std::size_t place, const std::vector<double>& entering) {
  double* __restrict const own = values_.data() + place * size_;
  const double by = 1 / entering[place];
  for (std::size_t j = 0; j < size_; ++j) own[j] *= by;
  for (std::size_t i = 0; i < size_; ++i) {
    const double off = entering[i];
    if (i == place || off == 0) continue;
    double* __restrict const to = values_.data() + i * size_;
    for (std::size_t j = 0; j < size_; ++j) to[j] -= off * own[j];
  }
}

inline void basis_inverse::grow(const std::vector<double>& entries) {
  const std::size_t m = size_ + 1;
  std::vector<double> grown(m * m);
  double* const last = grown.data() + size_ * m;
  for (std::size_t i = 0; i < size_; ++i) {
    const double* const from = row(i);
    for (std::size_t j = 0; j < size_; ++j) {
      grown[i * m + j] = from[j];
      last[j] += entries[i] * from[j];
    }
  }
  last[size_] = -1;
  values_ = std::move(grown);
  size_ = m;
}

inline void basis_inverse::shrink(std::size_t place, std::size_t without) {
  std::vector<double> smaller;
  smaller.reserve((size_ - 1) * (size_ - 1));
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_ && i != place; ++j) {
      if (j != without) smaller.push_back(row(i)[j]);
    }
  }
  values_ = std::move(smaller);
  --size_;
}

inline void basis_inverse::eliminate(std::vector<double>& matrix, std::vector<double>& inverse, std::size_t pivot,
                                     std::size_t c) {
  std::size_t size = 0;
  while (size * size < matrix.size()) ++size;
  const double by = 1 / matrix[pivot * size + c];
  double* __restrict const own = matrix.data() + pivot * size;
  double* __restrict const own_inverse = inverse.data() + pivot * size;
  for (std::size_t j = 0; j < size; ++j) own[j] *= by, own_inverse[j] *= by;
  for (std::size_t r = 0; r < size; ++r) {
    const double off = matrix[r * size + c];
    if (r == pivot || off == 0) continue;
    double* __restrict const to = matrix.data() + r * size;
    double* __restrict const to_inverse = inverse.data() + r * size;
    for (std::size_t j = 0; j < size; ++j) to[j] -= off * own[j], to_inverse[j] -= off * own_inverse[j];
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
