// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/whole_ticks.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// A zero-sum game of two players. One chooses a row, the other a column, and the first receives the value there from
/// the second. Both learn by regret matching (Hart and Mas-Colell 2000), where negative regrets are forgotten and later
/// rounds count more. Columns are added and removed, rows change, and what was learned about the others stays.
class matrix_game {
 public:
  static constexpr std::size_t lanes = 8;
  static constexpr std::size_t most_columns = 80;  ///< for `make_room`

  /// The number of rows, rounded up to whole lanes.
  [[nodiscard]] static constexpr std::size_t padded(std::size_t rows) noexcept {
    return (rows + lanes - 1) / lanes * lanes;
  }

  /// The values of the columns, `8 * groups` each, 0 after the last row.
  std::vector<std::vector<double>> values{};
  /// Total row play since `play` began, not normalised.
  std::vector<double> row_weights{};
  /// Column play since `play` began, normalised to sum 1.
  std::vector<double> column_weights{};

  /// Forgets everything learned.
  void begin(std::size_t rows);

  /// Sets or appends a row, whose value in column c is `value(c)`.
  template <class Value>
  void set_row(std::size_t rows, std::size_t row, const Value& value) {
    row_regrets_.resize(padded(rows));
    row_regrets_[row] = 0;
    for (std::size_t c = 0; c < values.size(); ++c) {
      values[c].resize(padded(rows));
      values[c][row] = value(c);
    }
  }

  /// Adds a column, whose values are set afterwards.
  void add_column();

  /// Removes the column with the smallest weight, and moves the last column to its place. Returns that place.
  /// @pre all columns were played
  std::size_t forget();

  /// Removes a column if there are `most_columns`, with its element of `columns`.
  template <class Column>
  void make_room(std::vector<Column>& columns) {
    if (columns.size() < most_columns) return;
    std::swap(columns[forget()], columns.back());
    columns.pop_back();
  }

  /// Plays several rounds.
  ///
  /// @param rows   number of rows
  /// @param first  number of leading rows whose values are raised by `more`
  /// @param more   added to the values of the leading rows
  /// @pre          there is a column
  void play(std::size_t rows, std::size_t first, double more);

  /// The weights of the rows after the first ones as shares: multiples of 2^-30, rounded down, which also hides most
  /// differences in rounding between compilers. Leaves `shares` unchanged if none of these rows was played.
  ///
  /// @param shares  output, one for each of these rows
  /// @return        the sum of their weights
  double row_shares(std::size_t first, std::size_t rows, std::vector<double>& shares) const;

 private:
  static constexpr std::size_t rounds = 8;

  /// Sets weights in proportion to regrets.
  static void share(const std::vector<double>& regrets, std::size_t size, std::vector<double>& weights);

  [[nodiscard]] static double product(const std::vector<double>& a, const std::vector<double>& b);

  /// Computes the cost of columns under the rows of a round, up to a common constant, and the regrets.
  void price_columns();

  /// Computes the gain of rows under the columns of a round, and the regrets.
  void price_rows(std::size_t rows, std::size_t first, double more);

  std::vector<double> row_regrets_{};
  std::vector<double> column_regrets_{};
  std::vector<double> rows_{};     // of a round, normalised
  std::vector<double> columns_{};  // of a round, normalised
  std::vector<double> costs_{};
  std::vector<double> sums_{};
};

inline void matrix_game::begin(std::size_t rows) {
  row_regrets_.assign(padded(rows), 0);
  column_regrets_.assign(values.size(), 0);
  column_weights.clear();
}

inline void matrix_game::add_column() {
  values.emplace_back();
  column_regrets_.push_back(0);
}

inline std::size_t matrix_game::forget() {
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

inline void matrix_game::play(std::size_t rows, std::size_t first, double more) {
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
  for (const double weight : column_weights) sum += weight;
  for (double& weight : column_weights) weight /= sum;
}

inline double matrix_game::row_shares(std::size_t first, std::size_t rows, std::vector<double>& shares) const {
  double sum = 0;
  for (std::size_t k = 0; k < rows; ++k) sum += row_weights[first + k];
  for (std::size_t k = 0; k < rows && sum > 0; ++k) {
    shares[k] = whole_ticks(row_weights[first + k] / sum * 0x1p30) * 0x1p-30;
  }
  return sum;
}

inline void matrix_game::share(const std::vector<double>& regrets, std::size_t size, std::vector<double>& weights) {
  double sum = 0;
  for (const double regret : regrets) sum += regret;
  for (std::size_t i = 0; i < size; ++i) weights[i] = sum > 0 ? regrets[i] / sum : 1 / static_cast<double>(size);
}

inline double matrix_game::product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum[lanes] = {};
  for (std::size_t k = 0; k < b.size(); k += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) sum[l] += a[k + l] * b[k + l];
  }
  double all = 0;
  for (const double each : sum) all += each;
  return all;
}

inline void matrix_game::price_columns() {
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

inline void matrix_game::price_rows(std::size_t rows, std::size_t first, double more) {
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
