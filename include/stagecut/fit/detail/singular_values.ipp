// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/detail/singular_values.hpp>

#include <cmath>
#include <utility>

#include <Eigen/Core>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL Eigen::Index singular_values::rank() const {
  Eigen::Index result = 0;
  for (Eigen::Index j = 0; j < values.size(); ++j) result += vanishes(j) ? 0 : 1;
  return result;
}

STAGECUT_DECL void turn(Eigen::MatrixXd& columns, Eigen::Index p, Eigen::Index q, double tangent) {
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  const double sine = cosine * tangent;
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    const double first = columns(i, p);
    const double second = columns(i, q);
    columns(i, p) = cosine * first - sine * second;
    columns(i, q) = sine * first + cosine * second;
  }
}

STAGECUT_DECL singular_values singular_values_of(Eigen::MatrixXd a) {
  constexpr double rounding = 1e-15;
  constexpr double nothing = 1e-30;  // the square of a column with only rounding errors
  constexpr int most_sweeps = 60;
  const Eigen::Index n = a.cols();
  singular_values result{std::move(a), Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n)};
  bool turned = true;
  for (int sweep = 0; sweep < most_sweeps && turned; ++sweep) {
    turned = false;
    for (Eigen::Index p = 0; p < n; ++p) {
      for (Eigen::Index q = p + 1; q < n; ++q) {
        const double first = result.turned.col(p).squaredNorm();
        const double second = result.turned.col(q).squaredNorm();
        const double both = result.turned.col(p).dot(result.turned.col(q));
        if (first < nothing || second < nothing || std::abs(both) <= rounding * std::sqrt(first * second)) continue;
        const double by = (second - first) / (2 * both);
        const double tangent = (by < 0 ? -1 : 1) / (std::abs(by) + std::sqrt(1 + by * by));
        turn(result.turned, p, q, tangent);
        turn(result.right, p, q, tangent);
        turned = true;
      }
    }
  }
  for (Eigen::Index j = 0; j < n; ++j) result.values[j] = result.turned.col(j).norm();
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
