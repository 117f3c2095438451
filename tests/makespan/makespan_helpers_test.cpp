// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/makespan_helpers.hpp>

#include <cstddef>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

using stagecut::exhaustion;
using stagecut::exhaustion_answer;
using stagecut::makespan_request;
using stagecut::minimize_makespan;
using stagecut::view;

namespace {

stagecut::item_times random_times(std::mt19937& random, std::size_t items) {
  std::vector<double> forward;
  std::vector<double> backward;
  for (std::size_t i = 0; i < items; ++i) {
    forward.push_back(static_cast<double>(1 + random() % 30));
    backward.push_back(static_cast<double>(1 + random() % 50));
  }
  return stagecut::item_times(forward, backward);
}

makespan_request three_a_rank(std::size_t ranks) {
  return {.order = stagecut::make_schedule("interleaved", {.ranks = ranks, .chunks = 3, .microbatches = 2 * ranks})};
}

}  // namespace

TEST_CASE("an exhauster that writes no cut, or none that is allowed, changes nothing") {
  std::mt19937 random(18);
  std::size_t asked = 0;
  for (int i = 0; i < 25; ++i) {
    const auto model = random_times(random, 14 + random() % 4);  // few cuts: there is a graph at once
    makespan_request request = three_a_rank(3);
    request.limits.time_limit.reset();
    const auto plain = minimize_makespan(model, request);
    const std::size_t wrong = random() % 3;
    const auto liar = [&](const exhaustion& task, view<std::size_t> points) {
      ++asked;
      CHECK(task.problem != nullptr);
      CHECK(task.graph->edges.size() > 0);
      CHECK(!task.stop());
      for (std::size_t j = 0; j < points.size(); ++j) points[j] = wrong == 0 ? 0 : wrong == 1 ? j : points.size() - j;
      return exhaustion_answer::found;
    };
    request.helpers.exhauster = liar;
    const auto lied_to = minimize_makespan(model, request);
    REQUIRE(plain.state() == lied_to.state());
    CHECK(plain->makespan == lied_to->makespan);
    CHECK(plain->bound == lied_to->bound);
    CHECK(plain->cuts == lied_to->cuts);
  }
  CHECK(asked > 0);
}

TEST_CASE("a bounder is asked where domains leave a gap, and its bound is taken") {
  std::mt19937 random(5);
  const auto model = random_times(random, 64);
  makespan_request request = three_a_rank(8);
  request.limits.time_limit.reset();
  request.limits.node_limit = 70'000;
  const auto plain = minimize_makespan(model, request);
  REQUIRE(plain.state() == stagecut::state::feasible);
  std::size_t asked = 0;
  double told = 0;
  const auto bounder = [&](const stagecut::bounding& task) {
    ++asked;
    CHECK(task.problem->order.stages() == 24);
    CHECK(task.bound < task.makespan);
    CHECK(task.seconds > 1e300);
    told = task.makespan - 1;  // a lie, but one that can be told from what the search finds by itself
    return told;
  };
  request.helpers.bounder = bounder;
  const auto helped = minimize_makespan(model, request);
  CHECK(asked == 1);
  CHECK(helped->makespan <= plain->makespan);
  CHECK(helped->bound >= helped->makespan - 1);
}

TEST_CASE("the improver of a request is asked as one that is an argument") {
  std::mt19937 random(9);
  const auto model = random_times(random, 24);
  makespan_request request = three_a_rank(2);
  std::size_t starts = 0;
  const auto improver = [&](const stagecut::improvement& task, view<std::size_t>) {
    CHECK(task.problem != nullptr);
    starts += task.starts.size();
    return false;
  };
  const auto as_argument = minimize_makespan(model, request, improver);
  CHECK(starts > 0);
  request.helpers.improver = improver;
  const std::size_t before = starts;
  const auto of_request = minimize_makespan(model, request);
  CHECK(starts == 2 * before);
  CHECK(as_argument->makespan == of_request->makespan);
}
