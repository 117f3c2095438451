// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/basis_inverse.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// A variable of the linear program of `simplex`.
struct program_variable {
  enum class kind : std::uint8_t {
    column,     // of the matrix
    objective,  // z, which is minimised
    slack,      // by how much z exceeds a row
    artificial  // the residual of a fixed row
  } what;
  std::uint32_t block;   // of a column; otherwise the row of the program
  std::uint32_t column;  // its index
};

/// A linear program solved by the revised simplex method: the smallest z that is at least every row of a growing set,
/// over nonnegative columns that satisfy equations, the fixed rows. A row is z - (its sum over columns) - slack = its
/// constant. The dual method continues after a row was added, the primal one after columns were removed.
///
/// All in doubles: the result alone proves nothing. It gives multipliers of rows, from which the caller can derive a
/// bound. A step takes O(rows^2 + entries).
///
/// `Matrix` has
/// - `rows`, the numbers of the added rows, and `fixed()`, the number of rows before them;
/// - `columns()`, whose `block`s list the numbers `ids` of columns, and store their costs, `reduced`, and their entries
///   in a row of the basis, `row`; `price(multipliers, where)` writes for each its product with multipliers of rows;
/// - `cost(variable)`, `side(row of the program)`, `constant(row)`, `entry(variable, row)` without slacks, and
///   `column(variable, to)`.
template <class Matrix>
class simplex {
 public:
  using variable = program_variable;

  /// What the next program inherits: the rows, and the basis.
  struct basis {
    std::vector<std::uint32_t> rows{};
    std::vector<variable> variables{};
  };

  explicit simplex(Matrix matrix) : matrix_(std::move(matrix)), fixed_(matrix_.fixed()) {}

  std::size_t steps = 0;  ///< so far

  [[nodiscard]] basis keep() const { return {matrix_.rows, basics_}; }
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const noexcept { return matrix_.rows; }

  /// z.
  [[nodiscard]] double objective() const noexcept {
    for (std::size_t i = 0; i < basics_.size(); ++i) {
      if (basics_[i].what == variable::kind::objective) return values_[i];
    }
    return 0;
  }

  /// The multiplier of every added row, nonnegative, with sum 1 if there is any.
  [[nodiscard]] std::vector<double> multipliers() const {
    std::vector<double> result(matrix_.rows.size());
    double sum = 0;
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = duals_[fixed_ + k] > 0 ? duals_[fixed_ + k] : 0;
      sum += result[k];
    }
    for (double& each : result) each = sum > 0 ? each / sum : 0;
    return result;
  }

  /// Visits every column with a share: `visit(block, column, share)`.
  template <class Visit>
  void each_share(const Visit& visit) const {
    for (std::size_t i = 0; i < basics_.size(); ++i) {
      if (basics_[i].what != variable::kind::column || !(values_[i] > 1e-9)) continue;
      visit(basics_[i].block, basics_[i].column, values_[i]);
    }
  }

  /// Starts with a basis for the current matrix; linearly dependent columns are replaced.
  void begin(basis from) {
    matrix_.rows = std::move(from.rows);
    basics_ = std::move(from.variables);
    invert();
  }

  /// Adds a row, unless it is present.
  void add_row(std::uint32_t row) {
    if (std::find(matrix_.rows.begin(), matrix_.rows.end(), row) != matrix_.rows.end()) return;
    std::vector<double> entries;
    double value = -matrix_.constant(row);
    for (std::size_t i = 0; i < basics_.size(); ++i) {
      entries.push_back(matrix_.entry(basics_[i], row));
      value += entries[i] * values_[i];
    }
    inverse_.grow(entries);
    matrix_.rows.push_back(row);
    basics_.push_back(slack_of(matrix_.rows.size() - 1));
    values_.push_back(value);
    duals_.push_back(0);
  }

  /// Drops loose rows, until no more than `most` are left.
  void drop_loose(std::size_t most) {
    for (std::size_t i = basics_.size(); i-- > 0 && matrix_.rows.size() > most;) {
      if (basics_[i].what == variable::kind::slack && values_[i] > 1e-5) drop(i);
    }
  }

  /// Minimises z, in at most `most_steps` steps.
  void solve(std::size_t most_steps) {
    for (std::size_t step = 0; step < most_steps; ++step) {
      if (step % 100 == 99) invert();
      const std::size_t below = most_negative();
      if (!(below < basics_.size() ? dual_step(below) : primal_step())) return;
      ++steps;
    }
  }

 protected:
  /// Computes everything that follows from the inverse, the costs and the columns.
  void set_values() {
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
    matrix_.price(duals_.data(), &block::reduced);
    for (block& column : matrix_.columns()) {
      for (double& reduced : column.reduced) reduced = -reduced;
    }
  }

  Matrix matrix_;

 private:
  using block = typename Matrix::block;
  static constexpr double nothing = 1e-9;

  [[nodiscard]] variable slack_of(std::size_t k) const {
    return {variable::kind::slack, static_cast<std::uint32_t>(fixed_ + k), 0};
  }

  /// Recomputes the inverse and everything derived from it.
  void invert() {
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

  /// The place of the most negative basic variable.
  [[nodiscard]] std::size_t most_negative() const {
    std::size_t worst = values_.size();
    double least = -nothing;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] < least && basics_[i].what != variable::kind::objective) least = values_[i], worst = i;
    }
    return worst;
  }

  /// Enters the variable with the most negative reduced cost; false: none lowers the objective.
  bool primal_step() {
    variable best{};
    double least = -nothing;
    for (std::uint32_t b = 0; b < matrix_.columns().size(); ++b) {
      const block& here = matrix_.columns()[b];
      for (std::size_t c = 0; c < here.ids.size(); ++c) {
        if (here.reduced[c] < least) least = here.reduced[c], best = {variable::kind::column, b, here.ids[c]};
      }
    }
    for (std::size_t k = 0; k < matrix_.rows.size(); ++k) {
      if (duals_[fixed_ + k] < least) least = duals_[fixed_ + k], best = slack_of(k);
    }
    if (!(least < -nothing)) return false;
    enter(best);
    const std::size_t leaving = first_to_leave();
    if (leaving == basics_.size() || basics_[leaving].what == variable::kind::objective) return false;
    matrix_.price(inverse_.row(leaving), &block::row);
    pivot(leaving, best, least);
    return true;
  }

  /// The place of the basic variable that reaches 0 first as the entering one grows; near ties: the one with the
  /// largest entry.
  [[nodiscard]] std::size_t first_to_leave() const {
    std::size_t leaving = basics_.size();
    double ratio = 0;
    for (std::size_t i = 0; i < basics_.size(); ++i) {
      if (!(entering_[i] > nothing)) continue;
      const double here = (values_[i] > 0 ? values_[i] : 0) / entering_[i];
      const bool first = leaving == basics_.size();
      if (!first && (here > ratio + 1e-12 || (here > ratio - 1e-12 && entering_[i] <= entering_[leaving]))) continue;
      ratio = first || here < ratio ? here : ratio;
      leaving = i;
    }
    return leaving;
  }

  /// Removes a negative variable from the basis; false: no other one can compensate for it.
  bool dual_step(std::size_t leaving) {
    const double* const row = inverse_.row(leaving);
    matrix_.price(row, &block::row);
    variable best{};
    double ratio = 1e300;
    double steepest = 0;
    double reduced = 0;
    const auto better = [&](double cost, double alpha) {
      if (!(alpha < -nothing)) return false;
      const double here = (cost > 0 ? cost : 0) / -alpha;
      if (here > ratio + 1e-12 || (here > ratio - 1e-12 && -alpha <= steepest)) return false;
      ratio = std::min(ratio, here);
      steepest = -alpha;
      reduced = cost;
      return true;
    };
    for (std::uint32_t b = 0; b < matrix_.columns().size(); ++b) {
      const block& here = matrix_.columns()[b];
      for (std::size_t c = 0; c < here.ids.size(); ++c) {
        if (better(here.reduced[c], here.row[c])) best = {variable::kind::column, b, here.ids[c]};
      }
    }
    for (std::size_t k = 0; k < matrix_.rows.size(); ++k) {
      if (better(duals_[fixed_ + k], -row[fixed_ + k])) best = slack_of(k);
    }
    if (!(steepest > 0)) return false;
    enter(best);
    if (!(entering_[leaving] < -nothing)) return false;
    pivot(leaving, best, reduced);
    return true;
  }

  /// Computes the column of a variable in terms of the basis.
  void enter(const variable& each) {
    matrix_.column(each, column_);
    inverse_.multiply(column_, entering_);
  }

  /// @pre the entries of the leaving row are priced
  void pivot(std::size_t leaving, const variable& entering, double reduced) {
    const double by = reduced / entering_[leaving];
    const double* const row = inverse_.row(leaving);
    for (std::size_t j = 0; j < duals_.size(); ++j) duals_[j] += by * row[j];
    for (block& column : matrix_.columns()) {
      double* __restrict const to = column.reduced.data();
      const double* __restrict const from = column.row.data();
      for (std::size_t c = 0; c < column.ids.size(); ++c) to[c] -= by * from[c];
    }
    inverse_.pivot(leaving, entering_);
    values_[leaving] /= entering_[leaving];
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (i != leaving) values_[i] -= entering_[i] * values_[leaving];
    }
    basics_[leaving] = entering;
  }

  /// Drops the row of a basic slack.
  void drop(std::size_t place) {
    const std::size_t row = basics_[place].block;
    inverse_.shrink(place, row);
    const auto at = [](auto& all, std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    basics_.erase(at(basics_, place));
    values_.erase(at(values_, place));
    duals_.erase(at(duals_, row));
    matrix_.rows.erase(at(matrix_.rows, row - fixed_));
    for (variable& each : basics_) {
      const bool of_row = each.what == variable::kind::slack || each.what == variable::kind::artificial;
      if (of_row && each.block > row) --each.block;
    }
  }

  std::size_t fixed_;
  std::vector<variable> basics_{};
  basis_inverse inverse_{};
  std::vector<double> values_{};  // of the basic variables
  std::vector<double> duals_{};   // of the rows
  std::vector<double> column_{};
  std::vector<double> entering_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
