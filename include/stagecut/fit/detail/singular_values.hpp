// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <Eigen/Core>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A singular value below this share of the largest, for columns of length 1, counts as 0.
inline constexpr double least_singular_share = 1e-10;

/// A matrix `a` rotated until its columns are orthogonal: `a * right = turned`, whose columns have the singular values of
/// `a` as lengths.
struct singular_values {
  Eigen::MatrixXd turned{};
  Eigen::MatrixXd right{};   // orthogonal
  Eigen::VectorXd values{};  // in the order of the columns, not sorted

  [[nodiscard]] double largest() const { return values.maxCoeff(); }
  /// Infinite or very large for linearly dependent columns.
  [[nodiscard]] double condition() const { return largest() / values.minCoeff(); }
  /// Whether column `j` of `right` is in the null space.
  [[nodiscard]] bool vanishes(Eigen::Index j) const { return !(values[j] > least_singular_share * largest()); }
  [[nodiscard]] Eigen::Index rank() const;
};

/// Rotates two columns by the angle with the given tangent.
STAGECUT_DECL void turn(Eigen::MatrixXd& columns, Eigen::Index p, Eigen::Index q, double tangent);

/// The singular values of a matrix with few columns of length about 1 or 0. O(rows columns^2) per sweep, about ten
/// sweeps. Eigen's own decompositions take seconds to compile.
///
/// Source: M. R. Hestenes, J. SIAM 6(1):51-90, 1958; angles from H. Rutishauser, Numer. Math. 9:1-10, 1966.
[[nodiscard]] STAGECUT_DECL singular_values singular_values_of(Eigen::MatrixXd a);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/singular_values.ipp>
#endif
