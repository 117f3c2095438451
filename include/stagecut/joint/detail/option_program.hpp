// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
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
  option_program(const recompute_problem& problem, const engine::critical_path_pool& paths, double scale)
      : program_basis(problem, paths, scale) {}

  using program_basis::add_row;
  using program_basis::drop_loose;

  /// Begins with the basis of another program, whose options may be given up by now.
  void begin(const live_options& live, const basis& from);
  /// Begins with a plan and a path.
  void begin(const live_options& live, const std::vector<std::uint32_t>& plan, std::uint32_t row);
  /// Goes on after options were given up.
  void change(const live_options& live);

  [[nodiscard]] basis keep() const { return {matrix_.rows, basics_}; }
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const noexcept { return matrix_.rows; }
  /// z, in whole units.
  [[nodiscard]] double value() const noexcept;
  std::size_t steps = 0;  ///< of the simplex method, so far

  /// Makes z least, as far as so many steps go.
  void solve(std::size_t most_steps);

  /// The weight of the path of every row, not negative, of sum 1 if there is any.
  [[nodiscard]] std::vector<double> multipliers() const;

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

  [[nodiscard]] std::size_t most_negative() const;

  [[nodiscard]] variable slack_of(std::size_t k) const {
    return {variable::kind::slack, static_cast<std::uint32_t>(fixed_ + k), 0};
  }

  /// Takes in what lowers the cost most; false: nothing does.
  bool primal_step();

  /// Puts a variable that is below 0 out of the basis; false: no other one can make up for it.
  bool dual_step(std::size_t leaving);
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/option_program.ipp>
#endif
