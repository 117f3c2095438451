// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/recut_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "random_made.hpp"
#include "random_requests.hpp"

using stagecut::measure;
using stagecut::plan_objective;

TEST_CASE("cut as another plan of the same request is cut, a plan takes as long as that one") {
  random_requests::dice dice(1);
  std::size_t cut = 0, unlike = 0;
  for (int round = 0; round < 3000; ++round) {
    const stagecut::profile model = random_made::random_profile(dice, 2 + dice.up_to(12));
    stagecut::plan_request request = random_made::random_request(dice, model);
    request.memory_limit = {};
    if (request.microbatches == 0) continue;
    const auto made = [&](plan_objective objective, stagecut::measure by) {
      request.objective = objective;
      request.by = by;
      return stagecut::plan_chain(model, request);
    };
    try {
      const auto one = made(plan_objective::bottleneck, measure::time);
      const auto other = dice.up_to(1) == 0 ? made(plan_objective::range, measure::time)
                                            : made(plan_objective::bottleneck, measure::layers);
      if (!one || !other || !one->makespan || !stagecut::explanation_obstacle(*one).empty()) continue;
      const stagecut::plan same = stagecut::recut_plan(*one, other->cuts);
      ++cut;
      unlike += one->cuts == other->cuts ? 0 : 1;
      REQUIRE(*same.makespan == doctest::Approx(*other->makespan));
      REQUIRE(same.objective.state == stagecut::state::unknown);
      for (std::size_t s = 0; s < same.stages.size(); ++s) {
        REQUIRE(same.stages[s].device == other->stages[s].device);
        REQUIRE(same.stages[s].forward == doctest::Approx(other->stages[s].forward));
        REQUIRE(same.stages[s].total_memory() == doctest::Approx(other->stages[s].total_memory()));
      }
    } catch (const std::invalid_argument&) {  // a request that makes no sense
    }
  }
  CHECK(cut > 500);
  CHECK(unlike > 200);
}

TEST_CASE("cuts of other stages or layers, and plans that cannot be explained, are refused") {
  random_requests::dice dice(2);
  stagecut::plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.objective = plan_objective::bottleneck;
  const auto made = stagecut::plan_chain(random_made::random_profile(dice, 5), request);
  REQUIRE(made);
  const auto refused = [](const stagecut::plan& plan, stagecut::cuts at, const char* text) {
    CHECK_THROWS_WITH_AS(static_cast<void>(stagecut::recut_plan(plan, std::move(at))), doctest::Contains(text),
                         stagecut::argument_error);
  };
  refused(*made, stagecut::cuts({0, 1, 2, 5}), "3 stages of 5 layers");
  refused(*made, stagecut::cuts({0, 1, 4}), "2 stages of 4 layers");
  stagecut::plan unknown = *made;
  unknown.schedule.microbatches = 0;
  refused(unknown, made->cuts, "microbatches");
}
