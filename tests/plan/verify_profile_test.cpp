// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include "plan_checks.hpp"
#include "random_made.hpp"
#include "random_requests.hpp"

using plan_checks::breaks;
using plan_checks::broken;
using plan_checks::more;
using plan_checks::plan_by_hand;
using plan_checks::said;
using random_made::random_profile;
using stagecut::plan;
using stagecut::profile;
using stagecut::verify_plan;
using dice_t = random_requests::dice;

TEST_CASE("the chain that is made of a graph is one") {
  dice_t dice(4);
  std::size_t plans = 0;
  for (int round = 0; round < 400; ++round) {
    profile graph = random_profile(dice, 4 + dice.up_to(5));
    const std::size_t n = graph.layers.size();
    for (std::size_t i = 0; i < n; ++i) {
      graph.layers[i].name = "v" + std::to_string(i);
      graph.layers[i].group = std::string();
      if (i > 0) graph.edges.push_back({i - 1, i});
      if (i > 1 && dice.up_to(1) == 0) graph.edges.push_back({dice.up_to(i - 2), i});
    }
    const std::size_t other = dice.up_to(n - 1);  // in an order of its own
    std::swap(graph.layers[0], graph.layers[other]);
    for (auto& edge : graph.edges) {
      for (std::size_t* end : {&edge.from, &edge.to}) *end = *end == 0 ? other : *end == other ? 0 : *end;
    }
    const auto found = stagecut::make_plan(graph, {.devices = 2 + dice.up_to(2), .microbatches = 4});
    if (!found) continue;
    ++plans;
    plan made = *found;
    REQUIRE(made.profile.edges.empty());
    INFO(round, "\n", broken(verify_plan(graph, made)));
    REQUIRE(verify_plan(graph, made).holds());
    const std::size_t i = dice.up_to(n - 1);
    more(made.profile.layers[i].output);
    CHECK(breaks(graph, made, "profile"));
    made = *found;
    std::swap(made.profile.layers[0], made.profile.layers[n - 1]);
    CHECK(breaks(graph, made, "profile"));
    profile wider = graph;
    for (std::size_t v = 0; v < n; ++v) {
      if (wider.layers[v].name == "v1") wider.edges.push_back({v, wider.edges.back().to});
    }
    wider.edges.push_back({graph.edges[0].to, graph.edges[0].from});
    CHECK(breaks(wider, *found, "profile"));
  }
  CHECK(plans > 300);
}

TEST_CASE("profiles of another unit, and graphs of other edges, are others") {
  plan made = plan_by_hand();
  profile model = made.profile;
  model.weights_only = true;
  CHECK(said(model, made, "profile") == "does not hold: : times are seconds in one and weights in the other");
  made.profile.weights_only = true;
  made.profile.name = "another name";
  CHECK(said(model, made, "profile") == "holds: : ");
  made.profile.edges = {{0, 1}};
  CHECK(said(model, made, "profile") == "does not hold: : its edges are others");
}
