// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/matrix_game.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/engine/whole_ticks.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL void matrix_game::begin(std::size_t rows) {
  row_regrets_.assign(padded(rows), 0);
  column_regrets_.assign(values.size(), 0);
  column_weights.clear();
}

STAGECUT_DECL void matrix_game::add_column() {
  values.emplace_back();
  column_regrets_.push_back(0);
}

STAGECUT_DECL std::size_t matrix_game::forget() {
  std::size_t least = 0;
  for (std::size_t c = 0; c < values.size(); ++c) least = column_weights[c] < column_weights[least] ? c : least;
  values[least].swap(values.back());
  column_regrets_[least] = column_regrets_.back();
  column_weights[least] = column_weights.back();
  values.pop_back();
  column_regrets_.pop_back();
  column_weights.pop_back();
  return least;
}

STAGECUT_DECL void matrix_game::play(std::size_t rows, std::size_t first, double more) {
  row_weights.assign(row_regrets_.size(), 0);
  column_weights.assign(values.size(), 0);
  rows_.resize(row_regrets_.size());
  columns_.resize(values.size());
  share(column_regrets_, values.size(), columns_);
  for (std::size_t round = 1; round <= rounds; ++round) {
    share(row_regrets_, rows, rows_);
    price_columns();
    share(column_regrets_, values.size(), columns_);
    price_rows(rows, first, more);
    const auto counts = static_cast<double>(round);
    for (std::size_t k = 0; k < rows; ++k) row_weights[k] += counts * rows_[k];
    for (std::size_t c = 0; c < values.size(); ++c) column_weights[c] += counts * columns_[c];
  }
  double sum = 0;
  for (const double each : column_weights) sum += each;
  for (double& each : column_weights) each /= sum;
}

STAGECUT_DECL double matrix_game::row_shares(std::size_t first, std::size_t rows, std::vector<double>& shares) const {
  double sum = 0;
  for (std::size_t k = 0; k < rows; ++k) sum += row_weights[first + k];
  for (std::size_t k = 0; k < rows && sum > 0; ++k) {
    shares[k] = whole_ticks(row_weights[first + k] / sum * 0x1p30) * 0x1p-30;
  }
  return sum;
}

STAGECUT_DECL void matrix_game::share(const std::vector<double>& regrets, std::size_t size,
                                      std::vector<double>& weights) {
  double sum = 0;
  for (const double each : regrets) sum += each;
  for (std::size_t i = 0; i < size; ++i) weights[i] = sum > 0 ? regrets[i] / sum : 1 / static_cast<double>(size);
}

STAGECUT_DECL double matrix_game::product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum[lanes] = {};
  for (std::size_t k = 0; k < b.size(); k += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) sum[l] += a[k + l] * b[k + l];
  }
  double all = 0;
  for (const double each : sum) all += each;
  return all;
}

STAGECUT_DECL void matrix_game::price_columns() {
  double mean = 0;
  costs_.resize(values.size());
  for (std::size_t c = 0; c < values.size(); ++c) {
    costs_[c] = product(values[c], rows_);
    mean += columns_[c] * costs_[c];
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    const double regret = column_regrets_[c] + mean - costs_[c];
    column_regrets_[c] = regret < 0 ? 0 : regret;
  }
}

STAGECUT_DECL void matrix_game::price_rows(std::size_t rows, std::size_t first, double more) {
  sums_.assign(rows_.size(), 0);
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (columns_[c] == 0) continue;
    const double* const from = values[c].data();
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += columns_[c] * from[k];
  }
  for (std::size_t k = 0; k < first; ++k) sums_[k] += more;
  double mean = 0;
  for (std::size_t k = 0; k < rows; ++k) mean += rows_[k] * sums_[k];
  for (std::size_t k = 0; k < rows; ++k) {
    const double regret = row_regrets_[k] + sums_[k] - mean;
    row_regrets_[k] = regret < 0 ? 0 : regret;
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
