// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/matrix_game.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "../schedule/oracle.hpp"

namespace engine = stagecut::engine;
using oracle::dice;
using stagecut::engine::matrix_game;

namespace {

/// A game of some columns, with the values of each row.
engine::matrix_game game_of(const std::vector<std::vector<double>>& columns) {
  engine::matrix_game game;
  for (const auto& column : columns) {
    game.add_column();
    game.values.back() = column;
    game.values.back().resize(engine::matrix_game::lanes);
  }
  game.begin(engine::matrix_game::lanes);
  return game;
}

/// What is paid at least for the shares of rows that were played, and got at most for those of columns.
struct guarantees {
  double least;
  double most;
};

/// Plays many times; what is played later counts more.
guarantees played(engine::matrix_game& game, std::size_t rows, std::size_t first, double more) {
  std::vector<double> row_shares(rows);
  std::vector<double> column_shares(game.values.size());
  double all = 0;
  for (int turn = 1; turn <= 400; ++turn) {
    game.play(rows, first, more);
    const double sum = std::accumulate(game.row_weights.begin(), game.row_weights.end(), 0.0);
    for (std::size_t k = 0; k < rows; ++k) row_shares[k] += turn * game.row_weights[k] / sum;
    for (std::size_t c = 0; c < column_shares.size(); ++c) column_shares[c] += turn * game.column_weights[c];
    all += turn;
  }
  guarantees result{1e300, -1e300};
  const auto value = [&](std::size_t c, std::size_t k) { return game.values[c][k] + (k < first ? more : 0); };
  for (std::size_t c = 0; c < game.values.size(); ++c) {
    double sum = 0;
    for (std::size_t k = 0; k < rows; ++k) sum += row_shares[k] / all * value(c, k);
    result.least = std::min(result.least, sum);
  }
  for (std::size_t k = 0; k < rows; ++k) {
    double sum = 0;
    for (std::size_t c = 0; c < game.values.size(); ++c) sum += column_shares[c] / all * value(c, k);
    result.most = std::max(result.most, sum);
  }
  return result;
}

}  // namespace

TEST_CASE("matching pennies, and the same with a row worth more") {
  engine::matrix_game pennies = game_of({{1, -1}, {-1, 1}});
  const guarantees none = played(pennies, 2, 0, 0);
  CHECK(std::abs(none.least) < 0.01);
  CHECK(std::abs(none.most) < 0.01);
  // The first row is 2 and 0 then, the second -1 and 1: each column is chosen as often as the other, where 1/2 is paid.
  engine::matrix_game more = game_of({{1, -1}, {-1, 1}});
  const guarantees half = played(more, 2, 1, 1);
  CHECK(half.least == doctest::Approx(0.5).epsilon(0.02));
  CHECK(half.most == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("what both players are sure of comes together, also when rows and columns change") {
  dice random(1);
  double widest = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::size_t rows = random.from(1, 8);
    const std::size_t first = random.below(rows + 1);
    std::vector<std::vector<double>> columns(random.from(1, 12), std::vector<double>(rows));
    for (auto& column : columns) {
      for (double& each : column) each = random.fraction();
    }
    engine::matrix_game game = game_of(columns);
    (void)played(game, rows, first, 0.3);
    for (int change = 0; change < 5; ++change) {
      const std::size_t row = random.below(rows);
      game.set_row(rows, row, [&](std::size_t) { return random.fraction(); });
      if (game.values.size() > 3 && random.once_in(2)) {
        const std::size_t least = game.forget();
        CHECK(least <= game.values.size());
      } else {
        game.add_column();
        game.values.back().assign(engine::matrix_game::lanes, 0);
        for (std::size_t k = 0; k < rows; ++k) game.values.back()[k] = random.fraction();
      }
      const guarantees now = played(game, rows, first, 0.3);
      CHECK(now.least <= now.most + 1e-12);
      widest = std::max(widest, now.most - now.least);
    }
    CHECK(std::accumulate(game.column_weights.begin(), game.column_weights.end(), 0.0) == doctest::Approx(1));
  }
  CHECK(widest < 0.03);
}

TEST_CASE("the column that counts least is given up, and the last one takes its place") {
  engine::matrix_game game = game_of({{1, 0}, {9, 9}, {0, 1}});
  game.play(2, 0, 0);
  for (int turn = 0; turn < 20; ++turn) game.play(2, 0, 0);
  const std::vector<double> last = game.values[2];
  CHECK(game.forget() == 1);
  CHECK(game.values.size() == 2);
  CHECK(game.values[1] == last);
}
