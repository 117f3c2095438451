// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/option_program.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "reference_program.hpp"

using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::option_columns;
using stagecut::detail::option_paths;
using stagecut::detail::option_program;
using stagecut::detail::program_matrix;
using stagecut::engine::critical_path_pool;
using stagecut::engine::program_variable;
using stagecut::engine::tick_kinds;

namespace {

bool is_about(double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(b)); }

/// Whether shares of live options sum to 1 for every rank, and to the layers there are.
bool is_mix(const workbench& bench, const option_program& program, const option_paths::live_options& live) {
  bool right = true;
  std::vector<double> shares(live.size());
  std::vector<double> layers(bench.drawn.model.types.size());
  program.each_share([&](std::size_t r, std::size_t o, double share) {
    right = right && share > 0 && live[r][o] != 0;
    shares[r] += share;
    for (const auto content : bench.graph.ranks[r].classes()[bench.graph.ranks[r].class_of(o)].of) {
      for (std::size_t t = 0; t < layers.size(); ++t) layers[t] += share * bench.curves[content].counts[t];
    }
  });
  for (const double share : shares) right = right && is_about(share, 1);
  for (const std::size_t t : bench.drawn.model.layers) --layers[t];
  for (const double each : layers) right = right && is_about(1 + each, 1);
  return right;
}

/// What the mean of paths by the multipliers of the program is for no plan below.
double bound_of(const workbench& bench, const option_program& program, const critical_path_pool& paths,
                const option_paths::live_options& live) {
  const std::vector<double> multipliers = program.multipliers();
  std::vector<double> weights(bench.drawn.request.schedule.stages() * tick_kinds);
  double constant = 0;
  double sum = 0;
  for (std::size_t k = 0; k < multipliers.size(); ++k) {
    CHECK(multipliers[k] >= 0);
    sum += multipliers[k];
    const std::uint32_t row = program.rows()[k];
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] += multipliers[k] * paths.counts(row)[j];
    constant += multipliers[k] * paths.length(row, bench.problem.no_passes());
  }
  CHECK(is_about(sum, 1));
  option_paths bounds(bench.graph);
  bounds.price(live, weights);
  return bounds.least() + constant;
}

}  // namespace

TEST_CASE("z is the least of all mixes, rows only raise it, and so does giving up options") {
  std::mt19937 dice(1);
  std::size_t tight = 0;
  std::size_t mixes = 0;
  for (int round = 0; round < 120; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 2, 6, 300));
    const std::set<options> plans = joint_tests::all_plans(bench.graph, 300);
    if (plans.empty()) continue;
    const options& plan = joint_tests::any_plan(dice, plans);
    const critical_path_pool paths = joint_tests::drawn_paths(dice, bench, plans, 10);
    option_paths::live_options live = option_paths::all_live(bench.graph);
    option_program program(bench.problem, paths, bench.makespan(plan));
    program.begin(live, plan, 0);
    program.solve(1000);
    double last = program.value();
    const auto check = [&] {
      const std::optional<double> best = joint_tests::least_mix(bench, paths, program.rows(), live);
      REQUIRE(best);  // the plan is one
      CHECK(is_about(program.value(), *best));
      CHECK(is_mix(bench, program, live));
      CHECK(program.value() >= last - 1e-6 * last);
      last = program.value();
      double least = 1e300;
      for (const options& each : plans) {
        if (joint_tests::is_live(live, each)) least = std::min(least, bench.makespan(each));
      }
      CHECK(last <= least * (1 + 1e-9));
      const double bound = bound_of(bench, program, paths, live);
      CHECK(bound <= least * (1 + 1e-9));
      CHECK(bound >= last * (1 - 1e-6));  // paths of the graph are mixes
      tight += is_about(bound, least) ? 1 : 0;
      ++mixes;
    };
    check();
    for (std::uint32_t k = 1; k < paths.size(); ++k) {
      program.add_row(k);
      program.add_row(k);  // is there already
      CHECK(program.rows().size() == k + 1);
      if (dice() % 2 == 0 && k + 1 < paths.size()) continue;  // several at once
      program.solve(1000);
      check();
    }
    for (int fewer = 0; fewer < 2; ++fewer) {
      joint_tests::give_up(dice, plan, live);
      program.change(live);
      program.solve(1000);
      check();
    }
    // Handed on to another program, and without rows that are loose.
    option_program other(bench.problem, paths, bench.makespan(plan));
    other.begin(live, program.keep());
    CHECK(is_about(other.value(), last));
    other.drop_loose(1);
    other.solve(1000);
    CHECK(is_about(other.value(), last));
    CHECK(is_mix(bench, other, live));
    CHECK(other.rows().size() <= program.rows().size());
  }
  CHECK(mixes > 300);
  CHECK(tight > 50);
}

TEST_CASE("a program of no row but one: the plan that is shortest on it") {
  joint_tests::small_case drawn;
  drawn.model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers = {0, 0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 2);
  const workbench bench(drawn);
  critical_path_pool paths;
  std::vector<double> counts(2 * tick_kinds);
  for (const std::size_t kind : {stagecut::engine::tick_f, stagecut::engine::tick_b}) {
    counts[kind] = 2;  // what the first rank does
  }
  (void)paths.add(counts);
  counts.assign(counts.size(), 0);
  for (const std::size_t kind : {stagecut::engine::tick_f, stagecut::engine::tick_b}) counts[tick_kinds + kind] = 2;
  (void)paths.add(counts);
  const options plan = *joint_tests::all_plans(bench.graph).begin();
  option_program program(bench.problem, paths, 10);
  program.begin(option_paths::all_live(bench.graph), plan, 0);
  program.solve(100);
  CHECK(program.value() == doctest::Approx(2 * 3 * 1));  // one layer on the first rank
  program.add_row(1);
  program.solve(100);
  CHECK(program.value() == doctest::Approx(2 * 3 * 1.5));  // half of the time two
  const auto multipliers = program.multipliers();
  CHECK(multipliers[0] == doctest::Approx(0.5));
  CHECK(multipliers[1] == doctest::Approx(0.5));
  CHECK(program.steps > 0);
}

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
    const auto add = [&](const program_variable& variable, double value) {
      matrix.column(variable, column);
      REQUIRE(column.size() == sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += value * column[i];
    };
    for (std::uint32_t r = 0; r < plan.size(); ++r) add({program_variable::kind::column, r, plan[r]}, 1);
    add({program_variable::kind::objective, 0, 0}, z);
    for (std::uint32_t k = 0; k < paths.size(); ++k) {
      const double slack = z - paths.length(k, times) / scale;
      CHECK(slack >= 0);
      add({program_variable::kind::slack, static_cast<std::uint32_t>(matrix.fixed()) + k, 0}, slack);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) CHECK(std::abs(sums[i] - matrix.side(i)) < 1e-9);

    // Prices are products with columns.
    std::vector<double> multipliers(sums.size());
    for (double& multiplier : multipliers) multiplier = static_cast<double>(dice() % 9) - 4;
    matrix.price(multipliers.data(), &option_columns::of_rank::reduced);
    for (std::uint32_t r = 0; r < plan.size(); ++r) {
      const option_columns::of_rank& here = matrix.columns()[r];
      for (std::size_t c = 0; c < here.ids.size(); ++c) {
        const program_variable each{program_variable::kind::column, r, here.ids[c]};
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
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 2);
  const workbench bench(drawn);
  const critical_path_pool paths = joint_tests::drawn_paths(dice, bench, joint_tests::all_plans(bench.graph), 1);
  program_matrix matrix(bench.problem, paths, 8);
  option_paths::live_options live = option_paths::all_live(bench.graph);
  live[0][1] = 0;
  matrix.take(live);
  CHECK(matrix.cost({program_variable::kind::objective, 0, 0}) == 1);
  CHECK(matrix.cost({program_variable::kind::slack, 3, 0}) == 0);
  CHECK(matrix.cost({program_variable::kind::column, 0, 0}) == 0);
  CHECK(matrix.cost({program_variable::kind::column, 0, 1}) > 1);
  CHECK(matrix.cost({program_variable::kind::artificial, 0, 0}) > 1);
  std::vector<double> column;
  matrix.column({program_variable::kind::artificial, 2, 0}, column);
  CHECK(column == std::vector<double>{0, 0, 1});
}
