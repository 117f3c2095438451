// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/is_better_plan.hpp>

#include <doctest/doctest.h>

#include <vector>

using stagecut::detail::is_better_plan;

namespace {

stagecut::plan with_costs(const char* objective, const std::vector<double>& costs) {
  stagecut::plan made;
  made.objective.name = objective;
  for (const double cost : costs) {
    made.stages.emplace_back();
    made.stages.back().cost = cost;
    if (cost > made.objective.value) made.objective.value = cost;
  }
  return made;
}

}  // namespace

TEST_CASE("plans by leximax are compared by all costs, others by their value") {
  CHECK(is_better_plan(with_costs("leximax", {2, 4, 2}), with_costs("leximax", {4, 3, 1})));
  CHECK_FALSE(is_better_plan(with_costs("leximax", {4, 3, 1}), with_costs("leximax", {2, 4, 2})));
  CHECK_FALSE(is_better_plan(with_costs("leximax", {1, 2}), with_costs("leximax", {2, 1})));
  CHECK_FALSE(is_better_plan(with_costs("bottleneck", {2, 4, 2}), with_costs("bottleneck", {4, 3, 1})));
  CHECK(is_better_plan(with_costs("bottleneck", {3, 3}), with_costs("bottleneck", {4, 1})));
}
