// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/program_basis.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/joint/detail/option_columns.hpp>
#include <stagecut/joint/detail/program_matrix.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void program_basis::add_row(std::uint32_t row) {
  for (const std::uint32_t each : matrix_.rows) {
    if (each == row) return;
  }
  std::vector<double> entries;
  double value = -matrix_.constant(row);
  for (std::size_t i = 0; i < basics_.size(); ++i) {
    entries.push_back(matrix_.entry(basics_[i], row));
    value += entries[i] * values_[i];
  }
  inverse_.grow(entries);
  matrix_.rows.push_back(row);
  basics_.push_back({variable::kind::slack, static_cast<std::uint32_t>(fixed_ + matrix_.rows.size() - 1), 0});
  values_.push_back(value);
  duals_.push_back(0);
}

STAGECUT_DECL void program_basis::drop_loose(std::size_t most) {
  for (std::size_t i = basics_.size(); i-- > 0 && matrix_.rows.size() > most;) {
    if (basics_[i].what == variable::kind::slack && values_[i] > 1e-5) drop(i);
  }
}

STAGECUT_DECL void program_basis::invert() {
  const std::size_t m = fixed_ + matrix_.rows.size();
  std::vector<double> all;
  std::vector<double> one;
  std::vector<std::pair<std::size_t, std::size_t>> left;
  for (std::size_t round = 0; round == 0 || (!left.empty() && round < 4); ++round) {
    for (const auto& [place, row] : left) {
      const auto what = row < fixed_ ? variable::kind::artificial : variable::kind::slack;
      basics_[place] = {what, static_cast<std::uint32_t>(row), 0};
    }
    all.clear();
    for (const variable& each : basics_) {
      matrix_.column(each, one);
      all.insert(all.end(), one.begin(), one.end());
    }
    inverse_.invert(all, m, left);
  }
  set_values();
}

STAGECUT_DECL void program_basis::set_values() {
  const std::size_t m = basics_.size();
  values_.assign(m, 0);
  duals_.assign(m, 0);
  std::vector<double> sides;
  for (std::size_t j = 0; j < m; ++j) sides.push_back(matrix_.side(j));
  for (std::size_t i = 0; i < m; ++i) {
    const double* const row = inverse_.row(i);
    const double costs = matrix_.cost(basics_[i]);
    for (std::size_t j = 0; j < m; ++j) {
      values_[i] += row[j] * sides[j];
      duals_[j] += costs * row[j];
    }
  }
  matrix_.price(duals_.data(), &option_columns::of_rank::reduced);
  for (option_columns::of_rank& each : matrix_.columns()) {
    for (double& reduced : each.reduced) reduced = -reduced;
  }
}

STAGECUT_DECL void program_basis::enter(const variable& each) {
  matrix_.column(each, column_);
  inverse_.multiply(column_, entering_);
}

STAGECUT_DECL void program_basis::pivot(std::size_t leaving, const variable& entering, double reduced) {
  const double by = reduced / entering_[leaving];
  const double* const row = inverse_.row(leaving);
  for (std::size_t j = 0; j < duals_.size(); ++j) duals_[j] += by * row[j];
  for (option_columns::of_rank& each : matrix_.columns()) {
    double* __restrict const to = each.reduced.data();
    const double* __restrict const from = each.row.data();
    for (std::size_t c = 0; c < each.ids.size(); ++c) to[c] -= by * from[c];
  }
  inverse_.pivot(leaving, entering_);
  values_[leaving] /= entering_[leaving];
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i != leaving) values_[i] -= entering_[i] * values_[leaving];
  }
  basics_[leaving] = entering;
}

STAGECUT_DECL void program_basis::drop(std::size_t place) {
  const std::size_t row = basics_[place].rank;
  inverse_.shrink(place, row);
  const auto at = [](auto& all, std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  basics_.erase(at(basics_, place));
  values_.erase(at(values_, place));
  duals_.erase(at(duals_, row));
  matrix_.rows.erase(at(matrix_.rows, row - fixed_));
  for (variable& each : basics_) {
    const bool of_row = each.what == variable::kind::slack || each.what == variable::kind::artificial;
    if (of_row && each.rank > row) --each.rank;
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
