// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A game of two players. One chooses a row, the other a column, and the first gets the value there from the second. Both
/// learn by regret matching (Hart and Mascolell 2000), where negative regrets are forgotten and later rounds count more.
/// Columns are added and given up, rows change, and what was learned of the others stays.
class matrix_game {
 public:
  static constexpr std::size_t lanes = 8;

  /// The values of the columns, `8 * groups` of each, 0 behind the last row.
  std::vector<std::vector<double>> values{};
  /// What was played since `play` began, not as shares.
  std::vector<double> row_weights{};
  /// What was played since `play` began; of sum 1.
  std::vector<double> column_weights{};

  /// Forgets what was learned.
  ///
  /// @param padded  rows, a multiple of 8
  void begin(std::size_t padded) {
    row_regrets_.assign(padded, 0);
    column_regrets_.assign(values.size(), 0);
    column_weights.clear();
  }

  /// There are so many rows now, and nothing is known of one of them.
  void change_row(std::size_t padded, std::size_t row) {
    row_regrets_.resize(padded);
    row_regrets_[row] = 0;
  }

  /// Adds a column, whose values are set behind it.
  void add_column() {
    values.emplace_back();
    column_regrets_.push_back(0);
  }

  /// Gives up the column that counts least, and puts the last one there; says which.
  /// @pre there was play with all columns
  std::size_t forget() {
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

  /// Plays some rounds.
  ///
  /// @param rows   that there are
  /// @param first  so many of them are worth more than their values:
  /// @param more   by this
  /// @pre          there is a column
  void play(std::size_t rows, std::size_t first, double more) {
    const std::size_t padded = row_regrets_.size();
    row_weights.assign(padded, 0);
    column_weights.assign(values.size(), 0);
    rows_.resize(padded);
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

 private:
  static constexpr std::size_t rounds = 8;

  /// In proportion to regrets.
  static void share(const std::vector<double>& regrets, std::size_t size, std::vector<double>& weights) {
    double sum = 0;
    for (const double each : regrets) sum += each;
    for (std::size_t i = 0; i < size; ++i) weights[i] = sum > 0 ? regrets[i] / sum : 1 / static_cast<double>(size);
  }

  [[nodiscard]] static double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum[lanes] = {};
    for (std::size_t k = 0; k < b.size(); k += lanes) {
      for (std::size_t l = 0; l < lanes; ++l) sum[l] += a[k + l] * b[k + l];
    }
    double all = 0;
    for (const double each : sum) all += each;
    return all;
  }

  /// What columns cost with the rows of a round, but what is the same for all, and how much is regretted.
  void price_columns() {
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

  /// Likewise what rows get with the columns of a round.
  void price_rows(std::size_t rows, std::size_t first, double more) {
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

  std::vector<double> row_regrets_{};
  std::vector<double> column_regrets_{};
  std::vector<double> rows_{};     // of a round, as shares
  std::vector<double> columns_{};  // likewise
  std::vector<double> costs_{};
  std::vector<double> sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
