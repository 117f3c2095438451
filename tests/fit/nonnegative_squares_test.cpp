// SPDX-License-Identifier: BSL-1.0
#include <stagecut/fit/detail/nonnegative_squares.hpp>
#include <stagecut/fit/detail/singular_values.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <Eigen/Core>

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
namespace detail = stagecut::detail;

namespace {

/// Numbers of both signs, each column as long as 1.
MatrixXd any_columns(std::mt19937& random, Index rows, Index columns) {
  std::uniform_real_distribution<double> any(-1, 1);
  MatrixXd made(rows, columns);
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) made(i, j) = any(random);
    made.col(j) /= made.col(j).norm();
  }
  return made;
}

/// The least squares of some columns, all the others being 0, are those without bounds if none is negative: of all such
/// the best.
double best_by_enumeration(const MatrixXd& a, const VectorXd& b) {
  double best = b.squaredNorm();
  for (unsigned chosen = 1; chosen < 1U << a.cols(); ++chosen) {
    std::vector<bool> with(static_cast<std::size_t>(a.cols()));
    for (std::size_t j = 0; j < with.size(); ++j) with[j] = (chosen >> j & 1U) != 0;
    const VectorXd x = detail::least_squares_with(a, b, with);
    if (x.minCoeff() >= 0) best = std::min(best, (a * x - b).squaredNorm());
  }
  return best;
}

}  // namespace

TEST_CASE("turned columns stand at right angles and make the matrix again") {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const Index rows = 1 + static_cast<Index>(random() % 12);
    const Index columns = 1 + static_cast<Index>(random() % 8);
    const MatrixXd a = any_columns(random, rows, columns);
    const detail::singular_values parts = detail::singular_values_of(a);
    CHECK((parts.turned * parts.right.transpose() - a).norm() < 1e-13);
    CHECK((parts.right.transpose() * parts.right - MatrixXd::Identity(columns, columns)).norm() < 1e-13);
    for (Index p = 0; p < columns; ++p) {
      CHECK(parts.values[p] == parts.turned.col(p).norm());
      for (Index q = p + 1; q < columns; ++q) CHECK(std::abs(parts.turned.col(p).dot(parts.turned.col(q))) < 1e-14);
    }
    CHECK(parts.rank() == std::min(rows, columns));
  }
}

TEST_CASE("a column that is a sum of others is seen, and which others") {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    MatrixXd a = any_columns(random, 9, 6);
    a.col(4) = (a.col(1) - 2 * a.col(2)) / 3;
    const detail::singular_values parts = detail::singular_values_of(a);
    CHECK(parts.rank() == 5);
    CHECK(parts.condition() > 1e12);
    for (Index j = 0; j < 6; ++j) {
      if (!parts.vanishes(j)) continue;
      for (const Index other : {0, 3, 5}) CHECK(std::abs(parts.right(other, j)) < 1e-12);
      for (const Index part : {1, 2, 4}) CHECK(std::abs(parts.right(part, j)) > 0.2);
    }
  }
}

TEST_CASE("least squares that may not be negative are the best by enumeration") {
  std::mt19937 random(6);
  int held = 0;
  for (int round = 0; round < 2000; ++round) {
    const Index columns = 1 + static_cast<Index>(random() % 7);
    const Index rows = columns + static_cast<Index>(random() % 8);
    const MatrixXd a = any_columns(random, rows, columns);
    const VectorXd b = any_columns(random, rows, 1);
    const VectorXd x = detail::nonnegative_squares_of(a, b);
    CHECK(x.minCoeff() >= 0);
    held += x.minCoeff() == 0 ? 1 : 0;
    CHECK((a * x - b).squaredNorm() <= best_by_enumeration(a, b) + 1e-12);
  }
  CHECK(held > 1000);
}

TEST_CASE("columns that hardly differ are told apart") {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    MatrixXd a = any_columns(random, 12, 4);
    a.col(3) = a.col(2) + 1e-4 * a.col(3);
    a.col(3) /= a.col(3).norm();
    const VectorXd truth{{1.0, 0.5, 2.0, 1.0}};
    CHECK((detail::nonnegative_squares_of(a, a * truth) - truth).norm() < 1e-10);
  }
}
