// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/program_matrix.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "reference_program.hpp"

using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::option_columns;
using stagecut::detail::option_paths;
using stagecut::detail::program_matrix;
using stagecut::detail::program_variable;
using stagecut::engine::critical_path_pool;

TEST_CASE("the rows of the program, for plans: z, less their length, less their slack, is what messages add") {
  std::mt19937 dice(1);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 2, 6, 300));
    const std::set<options> plans = joint_tests::all_plans(bench.graph, 300);
    if (plans.empty()) continue;
    const critical_path_pool paths = joint_tests::drawn_paths(dice, bench, plans, 6);
    const double scale = 64;
    program_matrix matrix(bench.problem, paths, scale);
    for (std::uint32_t k = 0; k < paths.size(); ++k) matrix.rows.push_back(k);
    option_paths::live_options live = option_paths::all_live(bench.graph);
    const options& plan = joint_tests::any_plan(dice, plans);
    joint_tests::give_up(dice, plan, live);
    matrix.take(live);
    CHECK(matrix.scale() == scale);

    // All shares of the plan are 1, z is its makespan.
    const auto times = bench.problem.times_of(plan);
    const double z = bench.problem.makespan(times) / scale;
    std::vector<double> sums(matrix.fixed() + paths.size());
    std::vector<double> column;
    const auto add = [&](const program_variable& each, double value) {
      matrix.column(each, column);
      REQUIRE(column.size() == sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += value * column[i];
    };
    for (std::uint32_t r = 0; r < plan.size(); ++r) add({program_variable::kind::option, r, plan[r]}, 1);
    add({program_variable::kind::path, 0, 0}, z);
    for (std::uint32_t k = 0; k < paths.size(); ++k) {
      const double slack = z - paths.length(k, times) / scale;
      CHECK(slack >= 0);
      add({program_variable::kind::slack, static_cast<std::uint32_t>(matrix.fixed()) + k, 0}, slack);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) CHECK(std::abs(sums[i] - matrix.side(i)) < 1e-9);

    // Prices are products with columns.
    std::vector<double> multipliers(sums.size());
    for (double& each : multipliers) each = static_cast<double>(dice() % 9) - 4;
    matrix.price(multipliers.data(), &option_columns::of_rank::reduced);
    for (std::uint32_t r = 0; r < plan.size(); ++r) {
      const option_columns::of_rank& here = matrix.columns()[r];
      for (std::size_t c = 0; c < here.ids.size(); ++c) {
        const program_variable each{program_variable::kind::option, r, here.ids[c]};
        matrix.column(each, column);
        double product = 0;
        for (std::size_t i = 0; i < column.size(); ++i) product += multipliers[i] * column[i];
        CHECK(std::abs(here.reduced[c] - product) < 1e-9 * (1 + std::abs(product)));
        for (std::uint32_t k = 0; k < paths.size(); ++k) CHECK(matrix.entry(each, k) == column[matrix.fixed() + k]);
        CHECK(matrix.cost(each) == 0);
      }
    }
  }
}

TEST_CASE("z costs 1, slack nothing, and what is given up or lacking more") {
  std::mt19937 dice(2);
  joint_tests::small_case drawn;
  drawn.model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers = {0, 0, 0};
  drawn.request.order = stagecut::one_forward_one_backward(2, 2);
  const workbench bench(drawn);
  const critical_path_pool paths = joint_tests::drawn_paths(dice, bench, joint_tests::all_plans(bench.graph), 1);
  program_matrix matrix(bench.problem, paths, 8);
  option_paths::live_options live = option_paths::all_live(bench.graph);
  live[0][1] = 0;
  matrix.take(live);
  CHECK(matrix.cost({program_variable::kind::path, 0, 0}) == 1);
  CHECK(matrix.cost({program_variable::kind::slack, 3, 0}) == 0);
  CHECK(matrix.cost({program_variable::kind::option, 0, 0}) == 0);
  CHECK(matrix.cost({program_variable::kind::option, 0, 1}) > 1);
  CHECK(matrix.cost({program_variable::kind::artificial, 0, 0}) > 1);
  std::vector<double> column;
  matrix.column({program_variable::kind::artificial, 2, 0}, column);
  CHECK(column == std::vector<double>{0, 0, 1});
}
