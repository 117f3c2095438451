// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/basis_inverse.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

using stagecut::engine::basis_inverse;

namespace {

using column = std::vector<double>;
using matrix = std::vector<column>;
using places = std::vector<std::pair<std::size_t, std::size_t>>;

matrix drawn_matrix(std::mt19937& dice, std::size_t size) {
  matrix result(size, column(size));
  for (column& each : result) {
    for (double& entry : each) entry = static_cast<double>(dice() % 9) - 4;
  }
  return result;
}

/// By expansion of the first column.
double determinant(const matrix& of) {
  if (of.empty()) return 1;
  double sum = 0;
  for (std::size_t r = 0; r < of.size(); ++r) {
    if (of[0][r] == 0) continue;
    matrix minor(of.begin() + 1, of.end());
    for (column& each : minor) each.erase(each.begin() + static_cast<std::ptrdiff_t>(r));
    sum += (r % 2 == 0 ? 1 : -1) * of[0][r] * determinant(minor);
  }
  return sum;
}

basis_inverse inverse_of(const matrix& columns, places& left) {
  std::vector<double> all;
  for (const column& each : columns) all.insert(all.end(), each.begin(), each.end());
  basis_inverse result;
  result.invert(all, columns.size(), left);
  return result;
}

/// Whether the product with every column is the matching unit vector.
bool inverts(const basis_inverse& inverse, const matrix& columns) {
  std::vector<double> product;
  bool right = inverse.size() == columns.size();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    inverse.multiply(columns[c], product);
    for (std::size_t i = 0; i < product.size(); ++i) {
      right = right && std::abs(product[i] - (i == c ? 1 : 0)) < 1e-6;
    }
  }
  return right;
}

}  // namespace

TEST_CASE("the inverse, of a matrix that has one") {
  std::mt19937 dice(1);
  std::size_t singular = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    matrix columns = drawn_matrix(dice, 1 + dice() % 6);
    const std::size_t size = columns.size();
    if (dice() % 3 == 0) {
      for (std::size_t r = 0; r < size; ++r) columns[size - 1][r] = size == 1 ? 0 : 2 * columns[0][r];
    }
    places left;
    const basis_inverse inverse = inverse_of(columns, left);
    const bool has_none = determinant(columns) == 0;
    CHECK(left.empty() != has_none);
    singular += has_none ? 1 : 0;
    if (!has_none) {
      CHECK(inverts(inverse, columns));
      continue;
    }
    // With a unit column in place of each that is left there is one.
    std::set<std::size_t> rows;
    for (const auto& [place, row] : left) {
      columns[place].assign(size, 0);
      columns[place][row] = 1;
      rows.insert(row);
    }
    CHECK(rows.size() == left.size());
    CHECK(determinant(columns) != 0);
    const basis_inverse made_up = inverse_of(columns, left);
    CHECK(left.empty());
    CHECK(inverts(made_up, columns));
  }
  CHECK(singular > 50);
}

TEST_CASE("other columns, more rows and fewer: as if it were inverted anew") {
  std::mt19937 dice(2);
  std::size_t pivots = 0;
  std::size_t grown = 0;
  std::size_t shrunk = 0;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    matrix columns = drawn_matrix(dice, 2 + dice() % 3);
    places left;
    basis_inverse inverse = inverse_of(columns, left);
    if (!left.empty()) continue;
    std::vector<std::size_t> own;  // places of variables that came with a row, which is the one of the same number
    std::vector<std::size_t> row_of;
    for (int step = 0; step < 12; ++step) {
      const std::size_t size = columns.size();
      if (dice() % 3 == 0) {
        std::vector<double> entries;
        for (std::size_t place = 0; place < size; ++place) {
          const bool of_row = std::find(own.begin(), own.end(), place) != own.end();
          entries.push_back(of_row ? 0 : static_cast<double>(dice() % 5) - 2);
          columns[place].push_back(entries.back());
        }
        columns.emplace_back(size + 1);
        columns.back().back() = -1;
        inverse.grow(entries);
        own.push_back(size);
        row_of.push_back(size);
        ++grown;
      } else if (dice() % 2 == 0 && !own.empty()) {
        const std::size_t which = dice() % own.size();
        const std::size_t place = own[which];
        const std::size_t row = row_of[which];
        inverse.shrink(place, row);
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(place));
        for (column& each : columns) each.erase(each.begin() + static_cast<std::ptrdiff_t>(row));
        own.erase(own.begin() + static_cast<std::ptrdiff_t>(which));
        row_of.erase(row_of.begin() + static_cast<std::ptrdiff_t>(which));
        for (std::size_t& each : own) each -= each > place ? 1 : 0;
        for (std::size_t& each : row_of) each -= each > row ? 1 : 0;
        ++shrunk;
      } else {
        column entering(size);
        for (double& each : entering) each = static_cast<double>(dice() % 9) - 4;
        std::vector<double> terms;
        inverse.multiply(entering, terms);
        const std::size_t place = dice() % size;
        if (std::abs(terms[place]) < 0.1 || std::find(own.begin(), own.end(), place) != own.end()) continue;
        inverse.pivot(place, terms);
        columns[place] = entering;
        ++pivots;
      }
      CHECK(inverts(inverse, columns));
      const basis_inverse anew = inverse_of(columns, left);
      REQUIRE(left.empty());
      bool same = true;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
          same = same && std::abs(inverse.row(i)[j] - anew.row(i)[j]) <= 1e-6 * (1 + std::abs(anew.row(i)[j]));
        }
      }
      CHECK(same);
    }
  }
  CHECK(pivots > 100);
  CHECK(grown > 100);
  CHECK(shrunk > 100);
}
