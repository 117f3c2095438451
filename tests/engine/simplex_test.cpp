// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/simplex.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using stagecut::engine::program_variable;
using stagecut::engine::simplex;

namespace {

/// Shares of columns that sum to 1, and z at least the mean of every row: the value of a game, whose first player chooses a
/// row.
class game_matrix {
 public:
  struct block {
    std::vector<std::uint32_t> ids{};
    std::vector<double> reduced{};
    std::vector<double> row{};
  };

  explicit game_matrix(std::vector<std::vector<double>> values) : values_(std::move(values)), blocks_(1) {
    for (std::uint32_t c = 0; c < values_[0].size(); ++c) blocks_[0].ids.push_back(c);
    give_up(0);
  }

  /// Gives up the last columns.
  void give_up(std::size_t some) {
    const std::size_t left = blocks_[0].ids.size() - some;
    blocks_[0].ids.resize(left);
    blocks_[0].reduced.resize(left);
    blocks_[0].row.resize(left);
  }

  std::vector<std::uint32_t> rows{};

  [[nodiscard]] static std::size_t fixed() noexcept { return 1; }
  [[nodiscard]] std::vector<block>& columns() noexcept { return blocks_; }
  [[nodiscard]] double cost(const program_variable& each) const {
    using kind = program_variable::kind;
    if (each.what == kind::objective) return 1;
    if (each.what == kind::slack) return 0;
    return each.what == kind::column && each.column < blocks_[0].ids.size() ? 0 : 1000;
  }
  [[nodiscard]] static double constant(std::uint32_t row) noexcept { return row == 0 ? 1 : 0; }
  [[nodiscard]] double side(std::size_t row) const { return row == 0 ? 1 : constant(rows[row - 1]); }
  [[nodiscard]] double entry(const program_variable& each, std::uint32_t row) const {
    if (each.what == program_variable::kind::objective) return 1;
    return each.what == program_variable::kind::column ? -values_[row][each.column] : 0;
  }
  void column(const program_variable& each, std::vector<double>& to) const {
    to.assign(1 + rows.size(), 0);
    if (each.what == program_variable::kind::slack) to[each.block] = -1;
    if (each.what == program_variable::kind::artificial) to[each.block] = 1;
    if (each.what == program_variable::kind::column) to[0] = 1;
    for (std::size_t k = 0; k < rows.size(); ++k) to[1 + k] += entry(each, rows[k]);
  }
  void price(const double* multipliers, std::vector<double> block::*result) {
    for (std::size_t c = 0; c < blocks_[0].ids.size(); ++c) {
      double sum = multipliers[0];
      for (std::size_t k = 0; k < rows.size(); ++k) sum -= multipliers[1 + k] * values_[rows[k]][c];
      (blocks_[0].*result)[c] = sum;
    }
  }

  /// The largest mean of a row, in these shares of columns.
  [[nodiscard]] double longest(const std::vector<double>& shares) const {
    double most = -1e300;
    for (const std::uint32_t each : rows) {
      double sum = constant(each);
      for (std::size_t c = 0; c < shares.size(); ++c) sum += values_[each][c] * shares[c];
      most = sum > most ? sum : most;
    }
    return most;
  }
  /// The least column, in a mean of rows.
  [[nodiscard]] double least(const std::vector<double>& multipliers) const {
    double least = 1e300;
    for (std::size_t c = 0; c < blocks_[0].ids.size(); ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) sum += multipliers[k] * (constant(rows[k]) + values_[rows[k]][c]);
      least = sum < least ? sum : least;
    }
    return least;
  }

 private:
  std::vector<std::vector<double>> values_;
  std::vector<block> blocks_;
};

class game_program : public simplex<game_matrix> {
 public:
  using simplex::simplex;
  game_matrix& matrix() { return matrix_; }
  void give_up(std::size_t some) {
    matrix_.give_up(some);
    set_values();
  }
};

/// Whether shares and multipliers prove each other best.
bool is_solved(game_program& program, std::size_t columns) {
  std::vector<double> shares(columns);
  double sum = 0;
  program.each_share([&](std::size_t, std::size_t c, double share) {
    shares[c] = share;
    sum += share;
  });
  const auto is = [&](double value) { return std::abs(value - program.objective()) < 1e-6; };
  return std::abs(sum - 1) < 1e-6 && is(program.matrix().longest(shares)) &&
         is(program.matrix().least(program.multipliers()));
}

}  // namespace

TEST_CASE("z is the value of a game, as rows are added and columns are given up") {
  std::mt19937 dice(1);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const std::size_t columns = 2 + dice() % 9;
    std::vector<std::vector<double>> values(1 + dice() % 9, std::vector<double>(columns));
    for (auto& row : values) {
      for (double& each : row) each = static_cast<double>(dice() % 40);
    }
    game_program program{game_matrix(values)};
    using kind = program_variable::kind;
    program.begin({{0}, {{kind::column, 0, 1}, {kind::objective, 0, 0}}});
    program.solve(100);
    CHECK(is_solved(program, columns));
    double last = program.objective();
    for (std::uint32_t k = 1; k < values.size(); ++k) {
      program.add_row(k);
      program.add_row(k);  // is there
      CHECK(program.rows().size() == k + 1);
      program.solve(100);
      CHECK(is_solved(program, columns));
      CHECK(program.objective() >= last - 1e-6);
      last = program.objective();
    }
    program.give_up(dice() % columns);
    program.solve(100);
    CHECK(is_solved(program, columns));
    CHECK(program.objective() >= last - 1e-6);
    last = program.objective();
    program.drop_loose(1);
    program.solve(100);
    CHECK(std::abs(program.objective() - last) < 1e-6);
    game_program other = program;
    other.begin(program.keep());
    CHECK(std::abs(other.objective() - last) < 1e-6);
  }
}

TEST_CASE("stone, paper and scissors: each as often") {
  game_program program{game_matrix({{0, 2, 4}, {4, 0, 2}, {2, 4, 0}})};  // each row gets 1 more in the first
  using kind = program_variable::kind;
  program.begin({{1, 2}, {{kind::column, 0, 0}, {kind::objective, 0, 0}, {kind::slack, 2, 0}}});
  program.solve(100);
  CHECK(program.objective() == doctest::Approx(4.0 / 3));
  program.add_row(0);
  program.solve(100);
  CHECK(is_solved(program, 3));
  CHECK(program.steps > 0);
}
