// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/plan_model.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/graph/plan_graph.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_modules.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "../refusal.hpp"
#include "small_requests.hpp"

using joint_tests::add_part;
using joint_tests::small_request;
using joint_tests::small_request_of;
using stagecut::check_result;
using stagecut::compare_model;
using stagecut::outcome;
using stagecut::plan;
using stagecut::plan_combination;
using stagecut::plan_combinations;
using stagecut::plan_model;
using stagecut::plan_problem;
using stagecut::plan_proof;
using stagecut::plan_request;
using stagecut::planned_model;
using stagecut::request_part;
using stagecut::request_part_entry;
using stagecut::request_parts;
using stagecut::state;

namespace {

/// What `plan_model` says of a combination: nothing if it is what the table says.
std::string contradiction(const plan_combination& row) {
  small_request small = small_request_of(row.problem);
  add_part(row.part, small);
  const request_part_entry& part = request_parts()[static_cast<std::size_t>(row.part)];
  if (!part.is_in(small.model, small.request)) return "the part is not in the request";
  try {
    const outcome<plan> made = plan_model(small.model, small.request);
    if (row.proof == plan_proof::refused) return "it is planned";
    if (!made) return "there is no plan: " + made.why().text();
    if (!(made->objective.bound > 0) || made->objective.bound > made->objective.value) return "it has no bound";
    if (row.proof == plan_proof::exact && made.state() != state::optimal) return "it is not proved";
    // A module tree is planned as its leaves.
    if (row.problem == plan_problem::modules) return "";
    for (const auto& check : stagecut::verify_plan(made->profile, *made).checks) {
      if (check.result == check_result::broken) return check.name + ", " + check.place + ": " + check.why;
    }
    return "";
  } catch (const stagecut::argument_error& error) {
    if (row.proof != plan_proof::refused) return error.what();
    const std::string text = error.what();
    const std::string first = std::string("stagecut::plan_model: ") + part.field + " = ";
    const std::string last = std::string(", ") + row.why;
    const bool expected = text.rfind(first, 0) == 0 && text.size() > first.size() + last.size() &&
                          text.compare(text.size() - last.size(), last.size(), last) == 0;
    return expected ? "" : "it is refused by " + text;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("each combination is planned, proved and refused as the table says") {
  for (const plan_combination& row : plan_combinations()) {
    CAPTURE(std::string(name_of(stagecut::plan_problem_names, row.problem)));
    CAPTURE(std::string(request_parts()[static_cast<std::size_t>(row.part)].name));
    CHECK(contradiction(row) == "");
  }
}

TEST_CASE("every problem is planned by its planner") {
  const auto request_of = [](plan_problem problem) {
    small_request small = small_request_of(problem);
    small.request = stagecut::with_usual_limit(small.model, small.request);
    return small;
  };
  const auto same = [](const outcome<plan>& made, const outcome<plan>& expected) {
    REQUIRE(made);
    REQUIRE(expected);
    CHECK(made.state() == expected.state());
    CHECK(*made == *expected);
  };
  small_request chain = request_of(plan_problem::chain);
  same(plan_model(chain.model, chain.request), stagecut::make_plan(chain.model, chain.request));
  small_request graph = request_of(plan_problem::graph);
  same(plan_model(graph.model, graph.request), stagecut::plan_graph(graph.model, graph.request));
  chain.request.as_graph = true;
  same(plan_model(chain.model, chain.request), stagecut::plan_graph(chain.model, chain.request));
  small_request open = request_of(plan_problem::open_choices);
  plan_request one = open.request;
  one.any_schedule = false;
  same(plan_model(open.model, open.request),
       stagecut::compare_plans(open.model, one, stagecut::usual_choices(open.model)).best);
  small_request again = request_of(plan_problem::recomputation);
  plan_request plain = again.request;
  plain.recomputations.reset();
  same(plan_model(again.model, again.request), stagecut::plan_recomputation(again.model, plain));
}

TEST_CASE("a comparison has the rows of open choices, and the request of its best plan makes that plan alone") {
  small_request small = small_request_of(plan_problem::open_choices);
  planned_model open = compare_model(small.model, small.request);
  REQUIRE(open.best);
  CHECK(open.compared.size() > 4);
  small = small_request_of(plan_problem::recomputation);
  small.request.memory_limit = 110;
  small.request.choices.stages_per_rank = {1, 2, 3};
  small.request.any_schedule = true;
  planned_model made = compare_model(small.model, small.request);
  REQUIRE(made.best);
  CHECK(made.compared.size() == 3);
  for (const auto& row : made.compared) CHECK((row.makespan == 0 || row.makespan >= made.best->objective.value));
  const outcome<plan> alone = stagecut::plan_recomputation(small.model, made.request);
  REQUIRE(alone);
  CHECK(alone->objective.value == doctest::Approx(made.best->objective.value));
  small = small_request_of(plan_problem::several_devices);
  planned_model devices = compare_model(small.model, small.request);
  CHECK(devices.hybrids.size() == 5);
  small = small_request_of(plan_problem::modules);
  planned_model tree = compare_model(small.model, small.request);
  REQUIRE(tree.modules);
  CHECK(tree.modules->loads.size() == 2);
}

TEST_CASE("what a request specifies and its problem does not use is refused, with the field") {
  small_request small = small_request_of(plan_problem::several_devices);
  small.request.slices = 2;
  CHECK_THROWS_WITH_AS(static_cast<void>(plan_model(small.model, small.request)),
                       "stagecut::plan_model: slices = 2, must be 1 where stages have several devices",
                       stagecut::argument_error);
  small = small_request_of(plan_problem::chain);
  small.request.time_weight = 0.25;
  CHECK_THROWS_AS(static_cast<void>(plan_model(small.model, small.request)), stagecut::argument_error);
  small.request.by = stagecut::measure::time_and_memory;
  CHECK(plan_model(small.model, small.request));
  small = small_request_of(plan_problem::open_choices);
  small.request.schedule = stagecut::schedule_kind::zb_h1;
  CHECK_THROWS_AS(static_cast<void>(plan_model(small.model, small.request)), stagecut::argument_error);
}

TEST_CASE("an error shows the value of a part that is one word or number") {
  const auto said = [](request_part part) {
    small_request small = small_request_of(plan_problem::modules);
    add_part(part, small);
    const std::string text = refusal([&] { return plan_model(small.model, small.request); });
    const std::string first = "stagecut::plan_model: ";
    REQUIRE(text.rfind(first, 0) == 0);
    return text.substr(first.size(), text.find(", must be left out for a module tree") - first.size());
  };
  CHECK(said(request_part::makespan) == "objective = makespan");
  CHECK(said(request_part::balance) == "objective = leximax");
  CHECK(said(request_part::another_schedule) == "schedule = zb-h1");
  CHECK(said(request_part::several_per_rank) == "stages_per_rank = 2");
  CHECK(said(request_part::slices) == "slices = 2");
  CHECK(said(request_part::device_size) == "device_size = 2");
  CHECK(said(request_part::empty_stages) == "empty_stages = true");
  CHECK(said(request_part::checkpoint) == "memory_accounting.checkpoint = always");
  CHECK(said(request_part::memory_limit) == "memory_limit = 1000");
  CHECK(said(request_part::target) == "target = pytorch");
  CHECK(said(request_part::imbalance).rfind("imbalance = 0.", 0) == 0);
  CHECK(said(request_part::cpus) == "cpus = 1");
  CHECK(said(request_part::replicas) == "replicas = {…}");
}

TEST_CASE("a recomputation of no layer is refused with its place, the known names and the nearest") {
  for (const plan_problem problem : {plan_problem::recomputation, plan_problem::several_devices}) {
    small_request small = small_request_of(problem);
    const auto said = [&](const std::vector<std::string>& names) {
      small.request.recomputations = names;
      return refusal([&] { return plan_model(small.model, small.request); });
    };
    CHECK(said({"none", "ful"}) ==
          "stagecut::plan_model: recomputations[1] = \"ful\", is the recomputation of no layer: must be \"none\" or "
          "\"full\"; did you mean \"full\"?");
    CHECK(said({"selective"}) ==
          "stagecut::plan_model: recomputations[0] = \"selective\", is the recomputation of no layer: must be \"none\" "
          "or "
          "\"full\"");
    CHECK(said({"none", "full"}) == "not refused");
  }
}

TEST_CASE("with open schedules the best numbers in flight are those of 1F1B, and others are compared without") {
  small_request small = small_request_of(plan_problem::open_choices);
  const planned_model without = compare_model(small.model, small.request);
  small.request.best_in_flight = true;
  planned_model made = compare_model(small.model, small.request);
  REQUIRE(made.best);
  CHECK(made.best->objective.value <= without.best->objective.value);
  REQUIRE(made.compared.size() == without.compared.size() + 1);
  for (std::size_t i = 0; i < without.compared.size(); ++i) CHECK(made.compared[i] == without.compared[i]);
  CHECK(made.compared.back().schedule == stagecut::schedule_kind::in_flight);
  plan_request alone = small.request;
  alone.any_schedule = false;
  CHECK(made.compared.back().makespan == stagecut::make_plan(small.model, alone)->objective.value);

  // GPipe and 1F1B keep too many microbatches for the memory: one of each on both stages would do.
  for (stagecut::layer& layer : small.model.layers) layer.activations = 60;
  small.request.any_schedule = false;
  small.request.choices.schedules = {stagecut::schedule_kind::gpipe, stagecut::schedule_kind::one_forward_one_backward};
  small.request.choices.microbatches = {4, 6};
  double least = 0;
  for (double bytes = 1; least == 0 && bytes < 1000; ++bytes) {
    alone.memory_limit = bytes;
    if (stagecut::make_plan(small.model, alone)) least = bytes;
  }
  small.request.memory_limit = least;
  made = compare_model(small.model, small.request);
  REQUIRE(made.best);
  CHECK(made.compared.size() == 6);
  for (std::size_t i = 0; i < 4; ++i) CHECK(made.compared[i].state == state::infeasible);
  CHECK(made.request.best_in_flight);
  const outcome<plan> again = plan_model(small.model, made.request);
  REQUIRE(again);
  CHECK(again->objective.value == made.best->objective.value);
  for (const auto& check : stagecut::verify_plan(small.model, *made.best).checks) {
    CHECK(check.result != check_result::broken);
  }

  small.request.choices.schedules = {stagecut::schedule_kind::gpipe};
  CHECK(refusal([&] {
          return plan_model(small.model, small.request);
        }).find("best_in_flight = true, is of 1F1B with one stage on each device") != std::string::npos);
  small = small_request_of(plan_problem::graph);
  small.request.any_schedule = small.request.best_in_flight = true;
  CHECK(refusal([&] { return plan_model(small.model, small.request); }).find("best_in_flight = true, is of chains") !=
        std::string::npos);
}

TEST_CASE("a framework that recomputes all layers alike gets the best such plan") {
  small_request small = small_request_of(plan_problem::recomputation);
  for (stagecut::layer& layer : small.model.layers) layer.kind = "decoder";
  small.model.layers.front().kind = "embedding";
  small.model.layers.back().kind = "head";
  small.request.target = stagecut::framework::megatron;
  const auto peak = [](const plan& made) {
    double most = 0;
    for (const auto& stage : made.stages) most = std::max(most, stage.total_memory());
    return most;
  };
  const outcome<plan> roomy = plan_model(small.model, small.request);
  REQUIRE(roomy);
  for (const auto& choice : roomy->choices) CHECK(choice.recomputation.empty());
  small.request.memory_limit = peak(*roomy) - 1;
  const outcome<plan> tight = plan_model(small.model, small.request);
  REQUIRE(tight);
  std::size_t recomputed = 0;
  for (const auto& choice : tight->choices) recomputed += choice.recomputation == "full" ? 1 : 0;
  const bool alike = recomputed == 0 || recomputed == 5;
  CHECK(alike);
  CHECK(peak(*tight) <= *small.request.memory_limit.for_all());
}

TEST_CASE("links and memory of the profile's machine hold for stages on several devices, too") {
  stagecut::profile model;
  for (int i = 0; i < 4; ++i) {
    stagecut::layer one;
    one.name = "layer " + std::to_string(i);
    one.forward = one.backward = 5;
    one.parameters = 10;
    one.activations = 5;
    one.output = 10;
    model.layers.push_back(one);
  }
  stagecut::plan_request request{.devices = 2, .microbatches = 4};
  request.replicas = {1, 2};
  stagecut::plan_request said = request;
  said.memory_limit = 60.0;
  said.links = {{3, 5}};
  said.memory_accounting.boundary_buffers = 0;
  stagecut::profile stated = model;
  stated.machine.memory = 60;
  stated.machine.link = stagecut::link_speed{3, 5};
  stated.machine.buffers = false;
  int planned = 0;
  for (const double memory : {60.0, 63.0, 100.0, 200.0, 400.0}) {
    said.memory_limit = memory;
    stated.machine.memory = memory;
    const auto a = plan_model(model, said);
    const auto b = plan_model(stated, request);
    REQUIRE(a.state() == b.state());
    if (!a) {
      CHECK(a.why() == b.why());
      continue;
    }
    ++planned;
    CHECK(a->objective == b->objective);
    CHECK(a->stages == b->stages);
  }
  CHECK(planned > 0);
}

TEST_CASE("the request of an answer makes its plan again, also for a model that serves") {
  const small_request small = small_request_of(plan_problem::chain);
  plan_request request{.devices = 2, .inference = true};
  const planned_model found = compare_model(small.model, request);
  REQUIRE(found.best);
  const auto again = plan_model(small.model, found.request);
  REQUIRE(again);
  CHECK(*again == *found.best);
  CHECK(again->profile.inference);
}

TEST_CASE("a plan with a stage that may be empty is verified") {
  stagecut::profile model = joint_tests::small_chain();
  const stagecut::tied_parameters shared{"w", 1, std::nullopt, stagecut::tied_parameters::placement::colocated};
  for (std::size_t i = 1; i < 6; ++i) model.layers[i].tied = {shared};
  plan_request request{.devices = 4, .microbatches = 4};
  request.recomputations.emplace();
  CHECK(plan_model(model, request).state() == stagecut::state::infeasible);
  request.empty_stages = true;
  const auto found = plan_model(model, request);
  REQUIRE_MESSAGE(found, found.why().text());
  std::size_t empty = 0;
  for (std::size_t s = 0; s < 4; ++s) empty += found->cuts[s] == found->cuts[s + 1] ? 1 : 0;
  CHECK(empty > 0);
  const auto checks = stagecut::verify_plan(model, *found);
  for (const auto& check : checks.checks) CHECK_MESSAGE(check.result != check_result::broken, check.name, check.why);
  CHECK(checks.holds());
}
