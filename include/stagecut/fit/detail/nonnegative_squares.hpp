// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/fit/detail/singular_values.hpp>

#include <Eigen/Core>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The `x` that minimizes the sum of squares of `a x - b`.
/// @pre the columns of `a` have lengths of about 1 and are linearly independent
[[nodiscard]] inline Eigen::VectorXd least_squares_of(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const singular_values parts = singular_values_of(a);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  for (int pass = 0; pass < 2; ++pass) {  // the second pass corrects the rounding errors of the first
    const Eigen::VectorXd left = b - a * x;
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
      const double square = parts.values[j] * parts.values[j];
      x += parts.right.col(j) * (parts.turned.col(j).dot(left) / square);
    }
  }
  return x;
}

/// The same with some columns; the others get 0.
[[nodiscard]] inline Eigen::VectorXd least_squares_with(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                                        const std::vector<bool>& with) {
  Eigen::MatrixXd some(a.rows(), a.cols());
  Eigen::Index columns = 0;
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    if (with[static_cast<std::size_t>(j)]) some.col(columns++) = a.col(j);
  }
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  if (columns == 0) return x;
  some.conservativeResize(a.rows(), columns);
  const Eigen::VectorXd found = least_squares_of(some, b);
  for (Eigen::Index j = 0, next = 0; j < a.cols(); ++j) {
    if (with[static_cast<std::size_t>(j)]) x[j] = found[next++];
  }
  return x;
}

/// Moves from `x` towards `target` until a part would become negative; that part is 0 from then on.
/// @return  whether the target was reached
[[nodiscard]] inline bool step_towards(Eigen::VectorXd& x, const Eigen::VectorXd& target, std::vector<bool>& with) {
  double share = 1;
  Eigen::Index first = -1;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (!with[static_cast<std::size_t>(j)] || target[j] > 0) continue;
    const double until = x[j] > 0 ? x[j] / (x[j] - target[j]) : 0;
    if (first < 0 || until < share) share = until, first = j;
  }
  x += share * (target - x);
  if (first < 0) return true;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (j != first && x[j] > 0) continue;
    x[j] = 0;
    with[static_cast<std::size_t>(j)] = false;
  }
  return false;
}

/// The same for non-negative `x`.
///
/// Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23.
[[nodiscard]] inline Eigen::VectorXd nonnegative_squares_of(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  Eigen::VectorXd x = least_squares_of(a, b);
  if (!(x.minCoeff() < 0)) return x;
  x.setZero();
  std::vector<bool> with(static_cast<std::size_t>(a.cols()), false);
  std::vector<bool> in_vain = with;  // their gain was a rounding error
  const double least_gain = 1e-14 * static_cast<double>(a.rows()) * b.norm();
  const Eigen::Index most_rounds = 10 * a.cols() + 100;  // far more than occur in practice
  for (Eigen::Index round = 0; round < most_rounds; ++round) {
    const Eigen::VectorXd downhill = a.transpose() * (b - a * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      if (with[column] || in_vain[column] || !(downhill[j] > least_gain)) continue;
      if (best < 0 || downhill[j] > downhill[best]) best = j;
    }
    if (best < 0) break;
    with[static_cast<std::size_t>(best)] = true;
    // Each step that falls short drops a column.
    while (!step_towards(x, least_squares_with(a, b, with), with)) {
    }
    if (x[best] > 0) in_vain.assign(in_vain.size(), false);
    in_vain[static_cast<std::size_t>(best)] = true;
  }
  return x;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
