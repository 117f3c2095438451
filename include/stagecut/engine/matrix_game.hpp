// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

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
  void begin(std::size_t padded);

  /// There are so many rows now, and nothing is known of one of them.
  void change_row(std::size_t padded, std::size_t row);

  /// Adds a column, whose values are set behind it.
  void add_column();

  /// Gives up the column that counts least, and puts the last one there; says which.
  /// @pre there was play with all columns
  std::size_t forget();

  /// Plays some rounds.
  ///
  /// @param rows   that there are
  /// @param first  so many of them are worth more than their values:
  /// @param more   by this
  /// @pre          there is a column
  void play(std::size_t rows, std::size_t first, double more);

 private:
  static constexpr std::size_t rounds = 8;

  /// In proportion to regrets.
  static void share(const std::vector<double>& regrets, std::size_t size, std::vector<double>& weights);

  [[nodiscard]] static double product(const std::vector<double>& a, const std::vector<double>& b);

  /// What columns cost with the rows of a round, but what is the same for all, and how much is regretted.
  void price_columns();

  /// Likewise what rows get with the columns of a round.
  void price_rows(std::size_t rows, std::size_t first, double more);

  std::vector<double> row_regrets_{};
  std::vector<double> column_regrets_{};
  std::vector<double> rows_{};     // of a round, as shares
  std::vector<double> columns_{};  // likewise
  std::vector<double> costs_{};
  std::vector<double> sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/matrix_game.ipp>
#endif
