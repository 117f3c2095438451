// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/plan_graph.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/as_chain.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "../refusal.hpp"

using namespace stagecut;

namespace {

/// A profile of an acyclic graph.
profile random_graph(std::mt19937& random) {
  const auto below = [&](std::size_t count) { return static_cast<int>(random() % count); };
  profile result;
  const std::size_t n = 3 + random() % 10;
  for (std::size_t i = 0; i < n; ++i) {
    layer each;
    each.name = "op" + std::to_string(i);
    each.forward = 1 + below(8);
    each.backward = 2 * each.forward;
    if (below(3) != 0) each.backward_input = each.backward_weight = each.forward;
    each.parameters = below(50);
    each.activations = below(40);
    each.workspace = below(20);
    each.output = below(10);
    if (below(8) == 0) each.group = "g" + std::to_string(below(2));
    if (below(8) == 0) each.tied = {tied_parameters{"t", 16.0}};
    result.layers.push_back(each);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (below(n) < 3) result.edges.push_back({i, j});
    }
  }
  if (result.edges.empty()) result.edges.push_back({0, 1});
  return result;
}

/// Gives some layers what an iteration ends with.
void add_updates(profile& model, std::mt19937& random) {
  for (auto& layer : model.layers) layer.update = random() % 2 == 0 ? 0 : static_cast<double>(1 + random() % 5);
}

plan_request random_request(std::mt19937& random) {
  plan_request result;
  result.devices = 1 + random() % 3;
  result.microbatches = random() % 3 == 0 ? 0 : 1 + random() % 6;
  if (random() % 2 == 0) result.links = {{0.125, 4.0}};
  constexpr transfer_kind kinds[] = {transfer_kind::link, transfer_kind::latency, transfer_kind::blocking};
  result.transfers = kinds[random() % 3];
  if (random() % 3 == 0) result.memory_limit = static_cast<double>(400 + random() % 2000);
  if (random() % 3 == 0) result.at_most = true;
  if (random() % 4 == 0) result.schedule = schedule_kind::gpipe;
  if (result.schedule == schedule_kind::gpipe && result.microbatches == 0) result.microbatches = 2;
  result.search.time_limit = 5;
  return result;
}

void check_verified(const profile& model, const plan& made) {
  const plan_verification all = verify_plan(model, made);
  for (const plan_check& check : all.checks) {
    CAPTURE(check.name);
    CAPTURE(check.place);
    CAPTURE(check.why);
    CHECK(check.result != check_result::broken);
  }
}

}  // namespace

TEST_CASE("plans of graphs stand up to their verification") {
  std::mt19937 random(7);
  int planned = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    profile model = random_graph(random);
    if (i % 2 == 0) add_updates(model, random);
    plan_request request = random_request(random);
    request.objective = plan_objective::bottleneck;
    const auto made = plan_graph(model, request);
    if (!made) {
      CHECK(made.state() == state::infeasible);
      continue;
    }
    ++planned;
    CHECK(made.state() == state::optimal);
    check_verified(model, *made);
  }
  CHECK(planned > 200);
}

TEST_CASE("plans of graphs with several chunks on a device stand up to their verification") {
  std::mt19937 random(17);
  int chunked = 0;
  int plain = 0;
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    profile model = random_graph(random);
    if (i % 2 == 0) add_updates(model, random);
    plan_request request = random_request(random);
    request.objective = plan_objective::bottleneck;
    const auto one = plan_graph(model, request);
    request.stages_per_rank = 2 + random() % 2;
    if (random() % 4 == 0 && !request.at_most)
      request.speeds.assign(request.devices, 1.0 + static_cast<double>(random() % 2));
    int asked = 0;  // so long on every machine
    const auto stop = [&] { return ++asked > 150; };
    request.search.time_limit.reset();
    request.search.stop = stop;
    const auto made = plan_graph(model, request);
    if (!made) {
      CHECK_FALSE(one);
      continue;
    }
    check_verified(model, *made);
    CHECK(verify_plan(model, *made).find("loads")->result == check_result::holds);
    CHECK(verify_plan(model, *made).find("objective")->result == check_result::holds);
    if (one && request.speeds.empty()) CHECK(made->objective.value <= one->objective.value * (1 + 1e-12));
    CHECK(has_virtual_stages(*made) == (made->stages_per_rank > 1));
    ++(made->stages_per_rank > 1 ? chunked : plain);
    if (made->stages_per_rank == 1) {
      CHECK(made->makespan.has_value() == (request.microbatches != 0));
      continue;
    }
    CHECK(made->schedule == schedule_choice{});
    CHECK_FALSE(made->makespan);
    plan changed = *made;
    for (planned_stage& stage : changed.stages) stage.cost *= 1.01;
    CHECK_FALSE(verify_plan(model, changed).holds());
  }
  CHECK(chunked > 30);
  CHECK(plain > 30);
}

TEST_CASE("plans of graphs by the makespan are no longer than those of the least load, and stand up") {
  std::mt19937 random(8);
  int shorter = 0;
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random);
    plan_request request = random_request(random);
    request.schedule = schedule_kind::one_forward_one_backward;
    if (request.microbatches == 0) request.microbatches = 4;
    if (request.transfers == transfer_kind::blocking) request.transfers = transfer_kind::link;
    request.objective = plan_objective::bottleneck;
    const auto least = plan_graph(model, request);
    request.objective = i % 2 == 0 ? plan_objective::makespan : plan_objective::automatic;
    request.search.time_limit = 0.4;
    const auto made = plan_graph(model, request);
    if (!made) continue;
    check_verified(model, *made);
    CHECK(made->objective.name == "makespan");
    CHECK(made->objective.bound <= *made->makespan * (1 + 1e-12));
    if (!least) continue;
    CHECK(*made->makespan <= *least->makespan * (1 + 1e-12));
    if (*made->makespan < *least->makespan * (1 - 1e-9)) ++shorter;
  }
  CHECK(shorter > 10);
}

TEST_CASE("what is not said of the objective means the makespan wherever it is known") {
  std::mt19937 random(11);
  profile model = random_graph(random);
  plan_request known;
  known.devices = 2;
  known.microbatches = 4;
  const auto objective = [&](auto&& change) {
    plan_request request = known;
    change(request);
    const auto made = plan_graph(model, request);
    return made ? made->objective.name : "none";
  };
  CHECK(objective([](plan_request&) {}) == "makespan");
  CHECK(objective([](plan_request& r) { r.at_most = true; }) == "makespan");
  CHECK(objective([](plan_request& r) { r.objective = plan_objective::bottleneck; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.microbatches = 0; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.cpus = 1; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.speeds = {1, 2}; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.stages_per_rank = 2; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.schedule = schedule_kind::gpipe; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.transfers = transfer_kind::blocking; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.by = measure::time_and_memory; }) == "bottleneck");
  CHECK(objective([](plan_request& r) { r.method = graph_method::linear; }) == "bottleneck");
  for (auto& layer : model.layers) {
    layer.forward = layer.backward = 0;
    layer.backward_input = layer.backward_weight = std::nullopt;
  }
  CHECK(objective([](plan_request&) {}) == "bottleneck");
}

TEST_CASE("a number of nodes alone ends the search through orders of a graph") {
  std::mt19937 random(11);
  std::size_t unproved = 0;
  for (int i = 0; i < 20; ++i) {
    const profile model = random_graph(random);
    plan_request request;
    request.devices = 3;
    request.objective = plan_objective::bottleneck;
    request.method = graph_method::linear;
    request.search.time_limit.reset();
    request.search.node_limit = 20;
    std::size_t asked = 0;
    const auto stop = [&] { return ++asked > 1000000; };
    request.search.stop = stop;
    const auto made = plan_graph(model, request);
    CHECK(asked < 1000000);
    if (made && made.state() == state::feasible) ++unproved;
  }
  CHECK(unproved > 0);
}

TEST_CASE("a plan that holds so many bytes is no reason to call them too few") {
  std::mt19937 random(52);
  std::size_t within = 0, few = 0;
  for (int i = 0; i < 30; ++i) {
    const profile model = random_graph(random);
    plan_request request;
    request.devices = 2;
    request.microbatches = 2 + random() % 4;
    request.search.time_limit.reset();
    request.search.node_limit = 200;
    double least = 0;  // of the fullest stages of all plans that were found
    for (int step = 0; step < 8; ++step) {
      const auto made = plan_graph(model, request);
      CHECK((made.state() != state::infeasible || !(least > 0) || *request.memory_limit.for_all() < least));
      if (!made) break;
      double fullest = 0;
      for (const planned_stage& stage : made->stages) fullest = std::max(fullest, stage.total_memory());
      if (request.memory_limit.for_all()) CHECK(fullest <= *request.memory_limit.for_all());
      few += made->stages[0].in_flight < std::min<std::size_t>(request.microbatches, made->stages.size()) ? 1 : 0;
      CHECK(made->objective.bound <= made->objective.value);
      least = fullest;
      request.memory_limit = step % 2 == 0 ? fullest : fullest * (1 - 0x1p-20);
      ++within;
    }
  }
  CHECK(within > 60);
  CHECK(few > 10);
}

TEST_CASE("where 1F1B does not fit, fewer microbatches in flight may") {
  profile model;
  const auto add = [&](double backward, double parameters, double activations) {
    layer each;
    each.name = "n" + std::to_string(model.layers.size());
    each.backward = backward, each.parameters = parameters, each.activations = activations;
    model.layers.push_back(each);
  };
  add(0, 0, 3), add(1, 2, 6), add(0, 0, 0), add(0, 1, 0);
  model.layers[2].tied = {tied_parameters{"w", 4.0}};
  model.layers[3].output = 1;
  model.edges = {{3, 1}};
  plan_request request;
  request.devices = 2, request.microbatches = 2;
  request.memory_accounting.parameter_multiplier = 2;
  for (const double bytes : {12.0, 13.0}) {
    request.memory_limit = bytes;
    const auto made = plan_graph(model, request);
    REQUIRE(made);
    for (const planned_stage& stage : made->stages) CHECK(stage.total_memory() <= bytes);
  }
  request.memory_limit = 5;
  CHECK(plan_graph(model, request).state() == state::infeasible);
}

TEST_CASE("where fewer stages will do, none is empty though layers are fixed") {
  profile model;
  model.layers.resize(2);
  model.layers[0].name = "a", model.layers[1].name = "b", model.layers[1].backward = 1;
  model.edges = {{0, 1}};
  plan_request request;
  request.devices = 2, request.microbatches = 2, request.at_most = true;
  for (const std::uint32_t stage : {0U, 1U}) {
    model.layers[1].stage = stage;
    const auto made = plan_graph(model, request);
    REQUIRE(made);
    CHECK(made->stages.size() == stage + 1);
    CHECK(made->objective.value == 2);
  }
}

TEST_CASE("an iteration of a graph ends with the updates of its stages, which are no part of what is minimised") {
  std::mt19937 random(9);
  int ends = 0;
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    const profile bare = random_graph(random);
    profile model = bare;
    add_updates(model, random);
    plan_request request{.devices = 2, .microbatches = 3};
    request.search.time_limit = 5;
    if (i % 2 == 0) request.objective = plan_objective::makespan;
    const auto without = plan_graph(bare, request);
    const auto made = plan_graph(model, request);
    REQUIRE(made.has_value() == without.has_value());
    if (!made) continue;
    check_verified(model, *made);
    double updates = 0;
    double all = 0;
    for (const auto& layer : model.layers) updates += layer.update;
    for (const planned_stage& stage : made->stages) all += stage.all_reduce;
    CHECK(all == updates);
    CHECK(made->objective == without->objective);
    CHECK(*made->makespan >= *without->makespan);
    ends += *made->makespan > *without->makespan ? 1 : 0;
  }
  CHECK(ends > 20);
}

TEST_CASE("CPUs take stages, and what runs nowhere is told") {
  profile model;
  for (const char* const name : {"a", "b", "c"}) {
    layer each;
    each.name = name;
    each.forward = 1;
    each.backward = 1;
    each.cpu = 3.0;
    model.layers.push_back(each);
  }
  model.layers[1].accelerator = false;
  model.edges = {{0, 1}, {1, 2}};
  plan_request request;
  request.devices = 2;
  request.cpus = 1;
  const auto made = plan_graph(model, request);
  REQUIRE(made);
  CHECK(made->stages.size() == 3);
  CHECK(made->stages[1].on_cpu);
  CHECK(made->objective.value == 3);
  check_verified(model, *made);
  request.cpus = 0;
  const auto none = plan_graph(model, request);
  CHECK(none.state() == state::infeasible);
  CHECK(none.why().text() == "no cut keeps to the constraint: operator 1 (\"b\") runs on none of the devices");
}

TEST_CASE("make_plan hands graphs on, and chains not") {
  profile chain;
  for (int i = 0; i < 4; ++i) {
    layer each;
    each.name = std::to_string(i);
    each.forward = 1 + i;
    chain.layers.push_back(each);
  }
  plan_request request;
  request.devices = 2;
  int asked = 0;
  const auto counting = [&](const profile& model, const plan_request& wanted) {
    ++asked;
    return plan_graph(model, wanted);
  };
  const auto of_chain = make_plan(chain, request, counting);
  REQUIRE(of_chain);
  CHECK(asked == 0);
  profile graph = chain;
  graph.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const auto of_graph = make_plan(graph, request, counting);
  REQUIRE(of_graph);
  CHECK(asked == 1);
  CHECK(of_graph->objective.value == 6);
  chain.layers[0].stage = 1;
  CHECK(make_plan(chain, request, counting).state() == state::infeasible);
  CHECK(asked == 2);
  CHECK(refusal<argument_error>([&] { static_cast<void>(make_plan(chain, request)); }) ==
        "stagecut::make_plan: model.layers[0] = \"0\", has to stand on a stage: that is planned as a graph, see "
        "plan_graph");
}

TEST_CASE("the RFC's cost is a share of time and of memory") {
  profile model;
  for (int i = 0; i < 3; ++i) {
    layer each;
    each.name = std::to_string(i);
    each.forward = 1;
    each.resident = i == 2 ? 8.0 : 1.0;
    model.layers.push_back(each);
  }
  model.edges = {{0, 2}, {1, 2}};
  plan_request request;
  request.devices = 2;
  request.by = measure::time_and_memory;
  request.time_weight = 0.5;
  const auto made = plan_graph(model, request);
  REQUIRE(made);
  CHECK(made->objective.of == "time and memory");
  CHECK(made->objective.value == doctest::Approx(0.5 / 3 + 0.5 * 0.8));
  CHECK(made->stages[1].forward == 1);
}

TEST_CASE("requests that are not for graphs are refused") {
  profile model;
  model.layers.resize(2);
  model.layers[0].forward = 1;
  model.edges = {{0, 1}};
  const auto told = [&](auto change) {
    plan_request request;
    request.devices = 2;
    change(request);
    return refusal<argument_error>([&] { static_cast<void>(plan_graph(model, request)); });
  };
  CHECK(told([](plan_request& r) { r.devices = 0; }) == "stagecut::plan_graph: devices = 0, must be at least 1");
  CHECK(told([](plan_request& r) { r.stages_per_rank = 0; }) ==
        "stagecut::plan_graph: stages_per_rank = 0, must be from 1 to below 2^20");
  const std::string row =
      "where stages do not stand in a row: make_plan puts them so, but with cpus, at_most, a method, fixed stages or layers of "
      "the backward pass alone";
  CHECK(told([](plan_request& r) { r.stages_per_rank = 2, r.microbatches = 4, r.objective = plan_objective::makespan; }) ==
        "stagecut::plan_graph: stages_per_rank = 2, must be 1 for the makespan " + row);
  CHECK(told([](plan_request& r) { r.objective = plan_objective::range; }) ==
        "stagecut::plan_graph: objective = range, must be bottleneck or makespan for a graph");
  CHECK(told([](plan_request& r) { r.objective = plan_objective::makespan; }) ==
        "stagecut::plan_graph: microbatches = 0, must be known for the makespan");
  CHECK(told([](plan_request& r) { r.schedule = schedule_kind::zbv; }) ==
        "stagecut::plan_graph: schedule = zbv, must be 1f1b or gpipe " + row);
  CHECK(told([](plan_request& r) {
          r.kept_together = {{0, 2}};
        }) == "stagecut::plan_graph: kept_together = {…}, is for chains only: set groups of layers");
  CHECK(
      told([](plan_request& r) {
        r.memory_limit = {1, 2};
      }) ==
      "stagecut::plan_graph: memory_limit = {…}, is not supported for a graph: give one memory limit for all devices");
  CHECK(told([](plan_request& r) { r.objective = plan_objective::time_per_token; }) ==
        "stagecut::plan_graph: objective = time-per-token, must be bottleneck or makespan for a graph");
  model.inference = true;
  CHECK(told([](plan_request&) {}) ==
        "stagecut::plan_graph: model.inference = true, is not supported for a graph: inference is planned as a chain");
}

TEST_CASE("stages that do not speak have a plan that says no more than is known") {
  profile model;
  for (const double seconds : {1.0, 2.0, 3.0}) {
    layer each;
    each.name = std::to_string(seconds);
    each.forward = each.backward = seconds;
    model.layers.push_back(each);
  }
  model.edges = {{0, 1}};
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.objective = plan_objective::makespan;
  request.search.time_limit = 1;
  const auto made = plan_graph(model, request);
  REQUIRE(made);
  check_verified(model, *made);
  CHECK(made->objective.bound <= 24);  // two parallel stages of 4 * 6
  CHECK(*made->makespan <= 30);        // as one after the other
}

TEST_CASE("starts that no pipeline runs are left out") {
  // The backward pass of b feeds a's, against the order of their forward passes.
  profile model;
  for (const char* const name : {"f0", "f1", "f2", "b0", "b1", "b2"}) {
    layer each;
    each.name = name;
    each.is_backward = name[0] == 'b';
    (each.is_backward ? each.backward : each.forward) = 1;
    each.group = std::string(1, name[1]);
    model.layers.push_back(each);
  }
  model.edges = {{0, 1}, {1, 2}, {3, 5}, {4, 3}};
  plan_request request;
  request.devices = 2;
  request.microbatches = 3;
  request.at_most = true;
  CHECK(plan_graph(model, request));
  request.objective = plan_objective::makespan;
  request.search.time_limit = 1;
  const auto made = plan_graph(model, request);
  REQUIRE(made);
  CHECK(made->stages.size() == 1);
  check_verified(model, *made);
}

TEST_CASE("a chain keeps to the machine that its profile names") {
  profile model;
  for (int i = 0; i < 3; ++i) {
    layer each;
    each.name = std::to_string(i);
    each.forward = 2;
    each.output = 1;
    each.resident = 1.0;
    model.layers.push_back(each);
  }
  model.machine.memory = 1;
  model.machine.link = link_speed{0, 1};
  model.machine.buffers = false;
  plan_request request;
  request.devices = 2;
  CHECK(make_plan(model, request).state() == state::infeasible);
  model.machine.memory = 2;
  const auto made = make_plan(model, request);
  REQUIRE(made);
  CHECK(made->objective.value == 6);  // two layers, and a message there and back
  check_verified(model, *made);
  request.memory_limit = 100;
  request.links = {{0, 0.5}};
  CHECK(make_plan(model, request));
}

TEST_CASE("who watches is told how far the search for the lightest heaviest stage is") {
  // Too many operators, nearly all of them independent, to be proved at once.
  std::mt19937 random(31);
  profile model;
  for (std::size_t i = 0; i < 80; ++i) {
    layer each;
    each.name = "op" + std::to_string(i);
    each.forward = 1 + static_cast<double>(random() % 97);
    each.output = 1;
    model.layers.push_back(each);
    if (i >= 20) model.edges.push_back({i - 20 + random() % 20, i});
  }
  plan_request request{.devices = 5};
  request.links = {{0, 0.5}};
  request.search.time_limit = 0.6;
  std::size_t told = 0;
  search_progress last;
  const auto watch = [&](const search_progress& now) {
    ++told;
    CHECK(now.seconds >= last.seconds);
    CHECK(now.bound >= last.bound);
    CHECK((now.value == 0 || now.bound <= now.value));
    CHECK((last.value == 0 || now.value <= last.value));
    last = now;
  };
  request.search.progress = watch;
  const auto made = plan_graph(model, request);
  REQUIRE(made);
  CHECK(told > 1);
  REQUIRE(last.value > 0);
  CHECK(last.bound <= made->objective.value);
  CHECK(made->objective.value <= last.value);
}

TEST_CASE("plans by merged layers are what they say, and have a bound") {
  std::mt19937 random(31);
  int made = 0;
  int optimal = 0;
  for (int round = 0; round < 120; ++round) {
    const profile model = random_graph(random);
    plan_request request = random_request(random);
    request.objective = plan_objective::bottleneck;
    const auto best = plan_graph(model, request);
    request.method = graph_method::merge;
    const auto found = plan_graph(model, request);
    if (!found) {
      if (!request.memory_limit.for_all()) CHECK_FALSE(best);
      continue;
    }
    ++made;
    check_verified(model, *found);
    REQUIRE(best);
    CHECK(found->objective.value >= best->objective.value * (1 - 1e-12));
    CHECK(found->objective.bound <= best->objective.value * (1 + 1e-12));
    if (found->objective.value <= best->objective.value * (1 + 1e-12)) ++optimal;
  }
  CHECK(made > 60);
  CHECK(2 * optimal > made);
}

TEST_CASE("plans whose stages stand in a row are compared with those whose stages need not") {
  std::mt19937 random(61);
  int free = 0, in_row = 0;
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random);
    if (is_chain(model)) continue;
    plan_request request;
    request.devices = 2 + random() % 2;
    request.microbatches = 6;
    if (i % 2 == 0) request.links = {{0.125, 4.0}};
    request.search.time_limit.reset();
    request.search.node_limit = 2000;
    const plan_comparison rows = compare_plans(model, request, usual_choices(model, 1));
    const plan_comparison all = compare_plans(model, request, usual_choices(model, 1), plan_graph);
    REQUIRE(all.compared.size() == rows.compared.size() + 1);
    const compared_plan& last = all.compared.back();
    CHECK(last.schedule == schedule_kind::in_flight);
    if (!all.best) continue;
    check_verified(model, *all.best);
    CHECK(all.best->objective.bound <= all.best->objective.value * (1 + 1e-9));
    if (last.makespan != 0) CHECK(all.best->objective.value <= last.makespan);
    if (rows.best) CHECK(all.best->objective.value <= rows.best->objective.value);
    const bool better = last.makespan != 0 && (!rows.best || last.makespan < rows.best->objective.value);
    (better ? free : in_row) += 1;
  }
  CHECK(free > 10);
  CHECK(in_row > 10);
}

TEST_CASE("a limit of nodes alone ends every search, and gives the same plan twice") {
  std::mt19937 random(88);
  constexpr graph_method methods[] = {graph_method::automatic, graph_method::linear, graph_method::down_sets,
                                      graph_method::merge, graph_method::communication};
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random);
    plan_request request;
    request.devices = 2;
    request.method = methods[i % 5];
    if (i % 2 == 0 && request.method != graph_method::communication) request.microbatches = 4;
    if (i % 10 == 1 || i % 10 == 8) request.stages_per_rank = request.method == graph_method::communication ? 1 : 2;
    request.search.time_limit.reset();
    request.search.node_limit = i % 3 == 0 ? 1 : 50;
    std::size_t asked = 0;
    const auto count = [&] { return ++asked > 1000000; };
    request.search.stop = count;
    const auto first = plan_graph(model, request);
    const std::size_t once = std::exchange(asked, 0);
    const auto second = plan_graph(model, request);
    CHECK(once == asked);
    CHECK(asked < 1000000);
    REQUIRE(first.state() == second.state());
    if (!first) continue;
    CHECK(first->objective.value == second->objective.value);
    CHECK(first->objective.bound == second->objective.bound);
    CHECK(stage_of_layers(*first) == stage_of_layers(*second));
  }
}

TEST_CASE("one node is enough for a plan that is there without a search") {
  std::mt19937 random(3);
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    profile model = random_graph(random);
    for (auto& layer : model.layers) layer.group.clear();
    plan_request request;
    request.devices = 2;
    request.at_most = true;
    request.microbatches = 3;
    request.search.time_limit.reset();
    request.search.node_limit = 1;
    for (const plan_objective objective : {plan_objective::makespan, plan_objective::bottleneck}) {
      request.objective = objective;
      REQUIRE(plan_graph(model, request));
    }
  }
}

TEST_CASE("attempts share a limit of nodes") {
  std::mt19937 random(19);
  std::size_t tight = 0;
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random);
    plan_request request;
    request.devices = 2;
    request.microbatches = 6;
    request.objective = plan_objective::makespan;
    request.search.time_limit.reset();
    request.search.node_limit = 4000;
    const auto wide = plan_graph(model, request);
    if (!wide) continue;
    double fullest = 0;
    for (const planned_stage& stage : wide->stages) fullest = std::max(fullest, stage.total_memory());
    request.memory_limit = 0.9 * fullest;
    std::size_t spent = 0;
    request.search.nodes_spent = &spent;
    tight += plan_graph(model, request) ? 1 : 0;
    CHECK(spent < 2 * *request.search.node_limit);
  }
  CHECK(tight > 5);
}
