// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/detail/option_columns.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/path_rows.hpp>
#include <stagecut/joint/detail/program_basis.hpp>
#include <stagecut/joint/detail/program_matrix.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The linear program that mixes options: the least z that is at least the length of every path, where each rank takes
/// shares of options that sum to 1, and the layers of every type are all taken.
///
/// Solved by the revised simplex method: the dual one after a path was added, the primal one after options were given up.
/// Doubles throughout: what comes out of it is no proof, but weights of paths, of which `option_paths` makes one.
class option_program : program_basis {
 public:
  using live_options = option_paths::live_options;

  using variable = program_variable;
  /// What is handed on to the next program: its paths, and its basis.
  struct basis {
    std::vector<std::uint32_t> rows{};
    std::vector<variable> variables{};
  };

  /// @param scale  by which times are divided, so that they are near 1
  option_program(const recompute_problem& problem, const path_rows& paths, double scale)
      : program_basis(problem, paths, scale) {}

  using program_basis::add_row;
  using program_basis::drop_loose;

  /// Begins with the basis of another program, whose options may be given up by now.
  void begin(const live_options& live, const basis& from) {
    matrix_.rows = from.rows;
    basics_ = from.variables;
    matrix_.take(live);
    invert();
  }
  /// Begins with a plan and a path.
  void begin(const live_options& live, const std::vector<std::uint32_t>& plan, std::uint32_t row) {
    matrix_.rows = {row};
    basics_.clear();
    for (std::uint32_t r = 0; r < plan.size(); ++r) basics_.push_back({variable::kind::option, r, plan[r]});
    for (auto t = static_cast<std::uint32_t>(plan.size()); t < fixed_; ++t) {
      basics_.push_back({variable::kind::artificial, t, 0});
    }
    basics_.push_back({variable::kind::path, 0, 0});
    matrix_.take(live);
    invert();
  }
  /// Goes on after options were given up.
  void change(const live_options& live) {
    matrix_.take(live);
    set_values();
  }

  [[nodiscard]] basis keep() const { return {matrix_.rows, basics_}; }
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const noexcept { return matrix_.rows; }
  /// z, in whole units.
  [[nodiscard]] double value() const noexcept {
    for (std::size_t i = 0; i < basics_.size(); ++i) {
      if (basics_[i].what == variable::kind::path) return values_[i] * matrix_.scale();
    }
    return 0;
  }
  std::size_t steps = 0;  ///< of the simplex method, so far

  /// Makes z least, as far as so many steps go.
  void solve(std::size_t most_steps) {
    for (std::size_t step = 0; step < most_steps; ++step) {
      if (step % 100 == 99) invert();
      const std::size_t below = most_negative();
      if (!(below < basics_.size() ? dual_step(below) : primal_step())) return;
      ++steps;
    }
  }

  /// The weight of the path of every row, not negative, of sum 1 if there is any.
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

  /// Shows every option that has a share: `visit(rank, option, share)`.
  template <class Visit>
  void each_share(const Visit& visit) const {
    for (std::size_t i = 0; i < basics_.size(); ++i) {
      if (basics_[i].what != variable::kind::option || !(values_[i] > 1e-9)) continue;
      visit(basics_[i].rank, basics_[i].option, values_[i]);
    }
  }

 private:
  static constexpr double nothing = 1e-9;

  [[nodiscard]] std::size_t most_negative() const {
    std::size_t worst = values_.size();
    double least = -nothing;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] < least && basics_[i].what != variable::kind::path) least = values_[i], worst = i;
    }
    return worst;
  }

  [[nodiscard]] variable slack_of(std::size_t k) const {
    return {variable::kind::slack, static_cast<std::uint32_t>(fixed_ + k), 0};
  }

  /// Takes in what lowers the cost most; false: nothing does.
  bool primal_step() {
    variable best{};
    double least = -nothing;
    for (std::uint32_t r = 0; r < matrix_.columns().size(); ++r) {
      const option_columns::of_rank& here = matrix_.columns()[r];
      for (std::size_t c = 0; c < here.ids.size(); ++c) {
        if (here.reduced[c] < least) least = here.reduced[c], best = {variable::kind::option, r, here.ids[c]};
      }
    }
    for (std::size_t k = 0; k < matrix_.rows.size(); ++k) {
      if (duals_[fixed_ + k] < least) least = duals_[fixed_ + k], best = slack_of(k);
    }
    if (!(least < -nothing)) return false;
    enter(best);
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
    if (leaving == basics_.size() || basics_[leaving].what == variable::kind::path) return false;
    matrix_.price(inverse_.row(leaving), &option_columns::of_rank::row);
    pivot(leaving, best, least);
    return true;
  }

  /// Puts a variable that is below 0 out of the basis; false: no other one can make up for it.
  bool dual_step(std::size_t leaving) {
    const double* const row = inverse_.row(leaving);
    matrix_.price(row, &option_columns::of_rank::row);
    variable best{};
    double ratio = 1e300;
    double steepest = 0;
    double reduced = 0;
    const auto better = [&](double cost, double alpha) {
      if (!(alpha < -nothing)) return false;
      const double here = (cost > 0 ? cost : 0) / -alpha;
      if (here > ratio + 1e-12 || (here > ratio - 1e-12 && -alpha <= steepest)) return false;
      ratio = here < ratio ? here : ratio;
      steepest = -alpha;
      reduced = cost;
      return true;
    };
    for (std::uint32_t r = 0; r < matrix_.columns().size(); ++r) {
      const option_columns::of_rank& here = matrix_.columns()[r];
      for (std::size_t c = 0; c < here.ids.size(); ++c) {
        if (better(here.reduced[c], here.row[c])) best = {variable::kind::option, r, here.ids[c]};
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
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
