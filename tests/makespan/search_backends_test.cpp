// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/search_backends.hpp>

#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

using stagecut::enumeration_call;
using stagecut::enumeration_answer;
using stagecut::makespan_request;
using stagecut::minimize_makespan;
using stagecut::state;
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
  return {.schedule = stagecut::make_schedule("interleaved", {.ranks = ranks, .stages_per_rank = 3, .microbatches = 2 * ranks})};
}

bool at_once() { return true; }

}  // namespace

TEST_CASE("an enumerator that writes no cut, or none that is allowed, changes nothing") {
  std::mt19937 random(18);
  std::size_t asked = 0;
  for (int i = 0; i < 25; ++i) {
    const auto model = random_times(random, 14 + random() % 4);  // few cuts: there is a graph at once
    makespan_request request = three_a_rank(3);
    request.search.time_limit.reset();
    const auto plain = minimize_makespan(model, request);
    const std::size_t wrong = random() % 3;
    const auto liar = [&](const stagecut::enumeration_call& task, view<std::size_t> points) {
      ++asked;
      CHECK(task.problem != nullptr);
      CHECK(task.graph->edges.size() > 0);
      CHECK(!task.stop());
      for (std::size_t j = 0; j < points.size(); ++j) points[j] = wrong == 0 ? 0 : wrong == 1 ? j : points.size() - j;
      return enumeration_answer::found;
    };
    request.backends.enumerator = liar;
    const auto lied_to = minimize_makespan(model, request);
    REQUIRE(plain.state() == lied_to.state());
    CHECK(plain->value == lied_to->value);
    CHECK(plain->bound == lied_to->bound);
    CHECK(plain->cuts == lied_to->cuts);
  }
  CHECK(asked > 0);
}

TEST_CASE("a bound provider is asked where domains leave a gap, and its bound is taken") {
  std::mt19937 random(5);
  const auto model = random_times(random, 64);
  makespan_request request = three_a_rank(8);
  request.search.time_limit.reset();
  request.search.node_limit = 70'000;
  const auto plain = minimize_makespan(model, request);
  REQUIRE(plain.state() == stagecut::state::feasible);
  std::size_t asked = 0;
  double told = 0;
  const auto bound_provider = [&](const stagecut::bound_call& task) {
    ++asked;
    CHECK(task.problem->order.stages() == 24);
    CHECK(task.bound < task.value);
    CHECK(task.seconds > 1e300);
    told = task.value - 1;  // a lie, but one that can be told from what the search finds by itself
    return told;
  };
  request.backends.bound_provider = bound_provider;
  const auto helped = minimize_makespan(model, request);
  CHECK(asked == 1);
  CHECK(helped->value <= plain->value);
  CHECK(helped->bound >= helped->value - 1);
}

TEST_CASE("the heuristic of a request is asked as one that is an argument") {
  std::mt19937 random(9);
  const auto model = random_times(random, 24);
  makespan_request request = three_a_rank(2);
  std::size_t starts = 0;
  const auto heuristic = [&](const stagecut::heuristic_call& task, view<std::size_t>) {
    CHECK(task.problem != nullptr);
    starts += task.starts.size();
    return false;
  };
  const auto as_argument = minimize_makespan(model, request, heuristic);
  CHECK(starts > 0);
  request.backends.heuristic = heuristic;
  const std::size_t before = starts;
  const auto of_request = minimize_makespan(model, request);
  CHECK(starts == 2 * before);
  CHECK(as_argument->value == of_request->value);
}

TEST_CASE("a request owns its functions: it may be returned from one, and a free function is a stop") {
  const auto made = [](std::size_t& told) {
    makespan_request request = three_a_rank(3);
    request.search = {.stop = at_once, .progress = [&told](const stagecut::search_progress&) { ++told; }};
    request.backends.heuristic = [owned = std::make_shared<int>(1)](const stagecut::heuristic_call&, view<std::size_t>) {
      return *owned == 0;
    };
    return request;
  };
  std::mt19937 random(3);
  std::size_t told = 0;
  const auto model = random_times(random, 60);
  const makespan_request copied = made(told);
  const auto answer = minimize_makespan(model, copied);
  CHECK(answer.state() != state::infeasible);
  CHECK(minimize_makespan(model, made(told)).state() == answer.state());
}
