// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <utility>

#include <stagecut/core/config.hpp>

#include <Eigen/Core>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Below that share of the largest singular value, of columns of length 1, one counts as 0.
inline constexpr double least_singular_share = 1e-10;

/// A matrix `a` turned until its columns stand at right angles: `a * right = turned`, whose columns are as long as the
/// singular values of `a`.
struct singular_values {
  Eigen::MatrixXd turned{};
  Eigen::MatrixXd right{};   // orthogonal
  Eigen::VectorXd values{};  // in the order of the columns, not sorted

  [[nodiscard]] double largest() const { return values.maxCoeff(); }
  /// Infinite or very large for columns of which some depend on others.
  [[nodiscard]] double condition() const { return largest() / values.minCoeff(); }
  /// Whether column `j` of `right` makes a sum of nothing.
  [[nodiscard]] bool vanishes(Eigen::Index j) const { return !(values[j] > least_singular_share * largest()); }
  [[nodiscard]] Eigen::Index rank() const {
    Eigen::Index result = 0;
    for (Eigen::Index j = 0; j < values.size(); ++j) result += vanishes(j) ? 0 : 1;
    return result;
  }
};

/// Turns two columns by the angle whose tangent is given.
inline void turn(Eigen::MatrixXd& columns, Eigen::Index p, Eigen::Index q, double tangent) {
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  const double sine = cosine * tangent;
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    const double first = columns(i, p);
    const double second = columns(i, q);
    columns(i, p) = cosine * first - sine * second;
    columns(i, q) = sine * first + cosine * second;
  }
}

/// The singular values of a matrix of few columns, whose lengths are about 1 or 0. O(rows columns^2) a sweep, some ten of
/// them. Eigen's own decompositions take seconds to compile.
///
/// Source: M. R. Hestenes, J. SIAM 6(1):51-90, 1958; the angles as of H. Rutishauser, Numer. Math. 9:1-10, 1966.
[[nodiscard]] inline singular_values singular_values_of(Eigen::MatrixXd a) {
  constexpr double rounding = 1e-15;
  constexpr double nothing = 1e-30;  // the square of a column that is rounding errors alone
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
