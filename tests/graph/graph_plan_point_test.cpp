// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/graph_plan_point.hpp>

#include <stagecut/graph/detail/plan_moves.hpp>
#include <stagecut/graph/stage_pipeline.hpp>

#include <doctest/doctest.h>

#include "plain_pipeline.hpp"

#include <vector>

using stagecut::detail::moving_stages;
using stagecut::detail::plan_moves;
using stagecut::detail::plan_point;
using stagecut::detail::plan_pricer;
using stagecut::detail::plan_value;

TEST_CASE("what counts first") {
  const plan_value good{0, 0, 10, 5};
  CHECK(good.fits());
  CHECK_FALSE(plan_value{1, 0, 1, 1}.fits());
  CHECK_FALSE(plan_value{0, 1, 1, 1}.fits());
  CHECK(good.better_than({1, 0, 1, 1}));
  CHECK(good.better_than({0, 1, 1, 1}));
  CHECK(good.better_than({0, 0, 11, 1}));
  CHECK(good.better_than({0, 0, 10, 6}));
  CHECK_FALSE(good.better_than(good));
  CHECK_FALSE(good.better_than({0, 0, 10 * (1 + 1e-15), 5}));
}

TEST_CASE("a plan is priced as its stages are, and moves that do not help leave it as it was") {
  random_graphs random(15);
  int kept = 0;
  int undone = 0;
  for (int round = 0; round < 120; ++round) {
    const std::size_t n = 5 + random.up_to(6);
    const auto graph = random.next(n, {.groups = round % 3 == 0, .backward = round % 2 == 0});
    const stagecut::contraction elements(graph, stagecut::backward_edges::lead);
    const stagecut::detail::operator_links links(graph);
    const std::size_t k = 3;
    const std::size_t m = 4;
    plan_pricer pricer(m, round % 2 == 0, {}, true, std::vector<bool>(k));
    plan_point point{moving_stages(graph, links, elements, std::vector<std::size_t>(n, 1), k)};
    point.order = {0, 1, 2};
    REQUIRE(pricer.price(point, plan_pricer::counts::chosen));
    const std::vector<bool> fixed(elements.elements());
    plan_moves moves(elements, pricer, fixed);
    for (int step = 0; step < 30; ++step) {
      const plan_point before = point;
      const std::size_t e = random.up_to(elements.elements() - 1);
      const std::size_t other = random.up_to(elements.elements() - 1);
      const std::size_t to = random.up_to(k - 1);
      const std::size_t which = random.up_to(2);
      const bool better = which == 0   ? moves.alone(point, e, to)
                          : which == 1 ? moves.with_others(point, e, to)
                                       : moves.swap(point, e, other);
      (better ? kept : undone) += 1;
      if (better) {
        CHECK(point.value.better_than(before.value));
      } else {
        CHECK(std::vector<std::size_t>(point.stages.stage_of().begin(), point.stages.stage_of().end()) ==
              std::vector<std::size_t>(before.stages.stage_of().begin(), before.stages.stage_of().end()));
        CHECK(point.order == before.order);
        CHECK(point.warm_up == before.warm_up);
        CHECK(point.value.makespan == before.value.makespan);
      }
      std::vector<std::size_t> place(k);
      for (std::size_t i = 0; i < k; ++i) place[point.order[i]] = i;
      std::vector<std::size_t> stage_of;
      for (const std::size_t s : point.stages.stage_of()) stage_of.push_back(place[s]);
      REQUIRE(is_allowed(graph, stage_of));
      const reference_simulator run = run_plainly(pipeline_plainly(graph, stage_of, k), point.warm_up, m, round % 2 == 0);
      REQUIRE(run.ends);
      CHECK(run.makespan == point.value.makespan);
    }
  }
  CHECK(kept > 200);
  CHECK(undone > 200);
}

TEST_CASE("empty stages and bytes above the memory are told") {
  stagecut::operator_graph graph;
  graph.operators.resize(3, {.forward = 1, .resident = 4, .activations = 2});
  const stagecut::contraction elements(graph, stagecut::backward_edges::lead);
  const stagecut::detail::operator_links links(graph);
  plan_pricer pricer(4, false, 10, false, std::vector<bool>(3));
  plan_point point{moving_stages(graph, links, elements, std::vector<std::size_t>{0, 0, 1}, 3)};
  point.order = {0, 1, 2};
  REQUIRE(pricer.price(point, plan_pricer::counts::chosen));
  CHECK(point.value.empty == 1);
  CHECK(point.value.overflow == 2);
  point.stages.move(1, 2);
  REQUIRE(pricer.price(point, plan_pricer::counts::chosen));
  CHECK(point.value.fits());
  CHECK(pricer.runs() > 0);
}
