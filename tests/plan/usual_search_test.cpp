// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/usual_search.hpp>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_combination.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>

#include "../joint/small_requests.hpp"

using joint_tests::small_request;
using joint_tests::small_request_of;
using stagecut::plan_problem;
using stagecut::plan_request;
using stagecut::usual_node_limit;
using stagecut::with_usual_limit;

TEST_CASE("a request without a limit gets the usual one, and any limit of its own stays alone") {
  const small_request small = small_request_of(plan_problem::chain);
  const auto limited = [&](const plan_request& request) { return with_usual_limit(small.model, request).search; };
  plan_request request = small.request;
  CHECK(limited(request).node_limit == usual_node_limit(small.model, request));
  CHECK_FALSE(limited(request).time_limit);
  request.search.node_limit = 7;
  CHECK(limited(request).node_limit == 7);
  request.search.node_limit.reset();
  request.search.time_limit = std::numeric_limits<double>::infinity();
  CHECK_FALSE(limited(request).node_limit);
}

TEST_CASE("it is smaller where a node takes longer") {
  small_request small = small_request_of(plan_problem::chain);
  const std::size_t one = usual_node_limit(small.model, small.request);
  small.request.microbatches *= 1000;
  const std::size_t longer = usual_node_limit(small.model, small.request);
  CHECK(longer < one);
  small.request.any_schedule = true;
  CHECK(usual_node_limit(small.model, small.request) <= longer / 10 + 1);
  small = small_request_of(plan_problem::several_devices);
  const std::size_t few = usual_node_limit(small.model, small.request);
  small.model.layers.resize(2000);
  CHECK(usual_node_limit(small.model, small.request) < few);
}

TEST_CASE("a search ends by it, and counts what it took") {
  small_request small = small_request_of(plan_problem::chain);
  std::size_t spent = 0;
  small.request.search.nodes_spent = &spent;
  const auto made = stagecut::make_plan(small.model, small.request);
  REQUIRE(made);
  CHECK(spent <= usual_node_limit(small.model, small.request));
  plan_request same = small.request;
  same.search.node_limit = usual_node_limit(small.model, small.request);
  CHECK(*made == *stagecut::make_plan(small.model, same));
}
