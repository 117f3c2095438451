// SPDX-License-Identifier: BSL-1.0
#pragma once

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
  [[nodiscard]] Eigen::Index rank() const;
};

/// Turns two columns by the angle whose tangent is given.
STAGECUT_DECL void turn(Eigen::MatrixXd& columns, Eigen::Index p, Eigen::Index q, double tangent);

/// The singular values of a matrix of few columns, whose lengths are about 1 or 0. O(rows columns^2) a sweep, some ten of
/// them. Eigen's own decompositions take seconds to compile.
///
/// Source: M. R. Hestenes, J. SIAM 6(1):51-90, 1958; the angles as of H. Rutishauser, Numer. Math. 9:1-10, 1966.
[[nodiscard]] STAGECUT_DECL singular_values singular_values_of(Eigen::MatrixXd a);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/singular_values.ipp>
#endif
