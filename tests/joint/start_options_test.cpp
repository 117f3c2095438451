// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/start_options.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>

#include "small_problems.hpp"

using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::option_graph;
using stagecut::detail::start_options;

namespace {

double busiest(const option_graph& graph, const options& plan) {
  double most = 0;
  for (std::size_t r = 0; r < plan.size(); ++r) {
    double sum = 0;
    for (std::size_t j = 0; j < graph.ranks[r].width(); ++j) sum += graph.ranks[r].times(j)[plan[r]];
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

TEST_CASE("a plan whose busiest rank has least to do, if there is one") {
  std::mt19937 dice(1);
  std::size_t none = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 3, 6, 600));
    const std::set<options> plans = joint_tests::all_plans(bench.graph);
    const options start = start_options(bench.graph);
    CHECK(start.empty() == plans.empty());
    none += plans.empty() ? 1 : 0;
    if (plans.empty()) continue;
    CHECK(plans.count(start) == 1);
    double least = 1e300;
    for (const options& plan : plans) least = std::min(least, busiest(bench.graph, plan));
    CHECK(busiest(bench.graph, start) == least);
  }
  CHECK(none > 10);
}

TEST_CASE("layers are shared out evenly, the rest of the work with them") {
  joint_tests::small_case drawn;
  drawn.model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers.assign(9, 0);
  drawn.model.tail = {"loss", 4, 0, 0, 0, {{"none", 5, 0, 1}}};  // as long as three layers
  drawn.request.schedule = stagecut::one_forward_one_backward(3, 3);
  const workbench bench(drawn);
  CHECK(bench.problem.counts_of(start_options(bench.graph)) == options{4, 4, 1});
}
