// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/minimize_graph_makespan.hpp>

#include <stagecut/graph/stage_makespan.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/graph/warm_up.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "plain_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

using stagecut::argument_error;
using stagecut::graph_makespan;
using stagecut::graph_makespan_request;
using stagecut::minimize_graph_makespan;
using stagecut::operator_graph;
using stagecut::reason;
using stagecut::state;
using stagecut::transfer_kind;

namespace {

using assignment = std::vector<std::size_t>;

/// Two branches of `length` operators each, joined by a last one.
operator_graph branches(std::size_t length) {
  operator_graph graph;
  graph.operators.resize(2 * length + 1, {.forward = 1, .backward = 2});
  for (std::size_t i = 0; i < 2 * length; ++i) {
    graph.edges.push_back({i, i + 1 == length || i + 1 == 2 * length ? 2 * length : i + 1});
  }
  return graph;
}

/// Whether a plan is one, and ends when it says, by the simulator and op by op.
void check_plan(const operator_graph& graph, const graph_makespan_request& request, const graph_makespan& plan) {
  REQUIRE(plan.stages() <= request.devices);
  REQUIRE(plan.assignment.size() == graph.operators.size());
  REQUIRE(is_allowed(graph, plan.assignment));
  const std::set<std::size_t> used(plan.assignment.begin(), plan.assignment.end());
  if (!request.at_most) CHECK(used.size() == request.devices);
  const auto of = pipeline_plainly(graph, plan.assignment, plan.stages());
  const std::size_t m = request.microbatches;
  const double memory = request.memory_limit.for_all().value_or(1e300);
  for (std::size_t s = 0; s < plan.stages(); ++s) {
    CHECK(of.resident[s] + static_cast<double>(std::min(plan.warm_up[s] + 1, m)) * of.activations[s] <= memory);
  }
  const reference_simulator run = run_plainly(of, plan.warm_up, m, request.transfers == transfer_kind::link);
  REQUIRE(run.ends);
  CHECK(run.makespan == plan.value);
  CHECK(plan.bound <= plan.value);
  if (of.edges.empty()) return;
  const auto simulated =
      stagecut::simulate(stagecut::warm_up_schedule(of, plan.warm_up, m),
                         stagecut::pass_times<double>{.forward = of.forward, .backward = of.backward},
                         stagecut::transfer_times<double>{request.transfers, of.send_forward, of.send_backward});
  CHECK(simulated.makespan == plan.value);
}

/// Shows all assignments that leave no stage empty, of operators that are listed in the order of their edges.
void each_assignment(const operator_graph& graph, std::size_t k, const std::function<void(const assignment&)>& visit) {
  assignment at(graph.operators.size());
  const std::function<void(std::size_t)> place = [&](std::size_t v) {
    if (v == at.size()) {
      if (std::set<std::size_t>(at.begin(), at.end()).size() == k) visit(at);
      return;
    }
    std::size_t least = 0;
    for (const stagecut::operator_edge& edge : graph.edges) {
      if (edge.to == v) least = std::max(least, at[edge.from]);
    }
    for (at[v] = least; at[v] < k; ++at[v]) place(v + 1);
  };
  place(0);
}

}  // namespace

TEST_CASE("plans against all assignments and all counts") {
  random_graphs random(5);
  int compared = 0;
  int best_found = 0;
  int infeasible = 0;
  double worst = 0;
  double below = 0;
  for (int round = 0; round < 160; ++round) {
    const std::size_t n = 4 + random.up_to(round % 8 == 0 ? 4 : 2);
    const std::size_t k = 2 + random.up_to(n <= 5 ? 2 : n <= 7 ? 1 : 0);
    const std::size_t m = 2 + random.up_to(2);
    const bool tight = round % 3 == 1;
    const operator_graph graph = random.next(n, {.groups = round % 3 == 0,
                                                 .backward = round % 4 == 1,
                                                 .shared = round % 5 == 0,
                                                 .fixed = round % 7 == 3,
                                                 .messages = round % 6 != 5});
    graph_makespan_request request;
    request.devices = k;
    request.microbatches = m;
    request.at_most = round % 5 == 4;
    request.transfers = round % 2 == 0 ? transfer_kind::link : transfer_kind::latency;
    request.kicks = 20;
    if (tight) {
      double bytes = 0;
      for (const auto& each : graph.operators) bytes += each.resident + each.activations;
      request.memory_limit = std::floor(bytes / static_cast<double>(k)) + random.number(8);
    }
    const double best = best_plainly(graph, k, m, request.transfers == transfer_kind::link,
                                     request.memory_limit.for_all().value_or(1e300), request.at_most);
    const auto found = minimize_graph_makespan(graph, request);
    CAPTURE(round);
    if (best < 0) {
      CHECK_FALSE(found.has_value());
      ++infeasible;
      continue;
    }
    REQUIRE(found.state() != state::infeasible);
    REQUIRE(found.has_value());
    check_plan(graph, request, *found);
    REQUIRE(found->value >= best);
    REQUIRE(found->bound <= best);
    if (found.state() == state::optimal) CHECK(found->value == best);
    ++compared;
    best_found += found->value == best ? 1 : 0;
    worst = std::max(worst, found->value / best - 1);
    below += best / found->bound - 1;
  }
  MESSAGE("best plans in " << best_found << " of " << compared << ", at worst " << 100 * worst << " % above; bounds "
                           << 100 * below / compared << " % below; " << infeasible << " infeasible");
  CHECK(compared > 130);
  CHECK(infeasible > 0);
  CHECK(best_found >= compared * 98 / 100);
  CHECK(worst < 0.06);
}

TEST_CASE("plans of edges with tensors of their own against all assignments and all counts") {
  random_graphs random(21);
  int best_found = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 4 + random.up_to(1);
    operator_graph graph = random.next(n, {.backward = round % 3 == 1});
    random.add_tensors(graph);
    graph_makespan_request request;
    request.devices = 2 + random.up_to(1);
    request.microbatches = 2 + random.up_to(1);
    request.transfers = round % 2 == 0 ? transfer_kind::link : transfer_kind::latency;
    request.kicks = 20;
    const double best =
        best_plainly(graph, request.devices, request.microbatches, request.transfers == transfer_kind::link, 1e300);
    const auto found = minimize_graph_makespan(graph, request);
    CAPTURE(round);
    REQUIRE(found.has_value() == (best >= 0));
    if (!found) continue;
    check_plan(graph, request, *found);
    REQUIRE(found->value >= best);
    REQUIRE(found->bound <= best);
    if (found.state() == state::optimal) CHECK(found->value == best);
    best_found += found->value == best ? 1 : 0;
  }
  CHECK(best_found > 50);
}

TEST_CASE("two encoders: plans of least load, of counts by rank or depth, and of any counts") {
  struct model {
    std::vector<double> one, other, joint;
    std::vector<double> least_load, rank_or_depth, runs, best;  // for 4, 8 and 16 microbatches
  };
  const std::vector<model> models{
      {{2, 2, 2, 2, 2, 2}, {2, 2, 2, 2}, {4}, {108, 180, 324}, {96, 180, 324}, {108, 180, 324}, {96, 180, 324}},
      {{2, 2, 2, 2, 2}, {5, 5}, {3, 3}, {135, 219, 387}, {117, 207, 387}, {120, 228, 420}, {117, 200, 357}}};
  for (const model& each : models) {
    operator_graph graph;
    for (const auto* part : {&each.one, &each.other, &each.joint}) {
      for (std::size_t i = 0; i < part->size(); ++i) {
        if (i > 0) graph.edges.push_back({graph.operators.size() - 1, graph.operators.size()});
        graph.operators.push_back({.forward = (*part)[i], .backward = 2 * (*part)[i]});
      }
    }
    const std::size_t joint = each.one.size() + each.other.size();
    graph.edges.push_back({each.one.size() - 1, joint});
    graph.edges.push_back({joint - 1, joint});
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t m = std::size_t{4} << i;
      double lightest = 1e300;
      double least_load = 1e300;
      double rank_or_depth = 1e300;
      double runs = 1e300;
      each_assignment(graph, 4, [&](const assignment& stage_of) {
        const auto of = stagecut::make_stage_pipeline(graph, stage_of, 4);
        stagecut::stage_makespan price(of, m, transfer_kind::latency);
        const double found = std::min(price(stagecut::warm_up_by_rank(4)), price(stagecut::warm_up_by_depth(of)));
        double load = 0;
        for (std::size_t s = 0; s < 4; ++s) load = std::max(load, of.forward[s] + of.backward[s]);
        if (load < lightest) lightest = load, least_load = found;
        if (load == lightest) least_load = std::min(least_load, found);
        rank_or_depth = std::min(rank_or_depth, found);
        if (std::is_sorted(stage_of.begin(), stage_of.end())) runs = std::min(runs, found);
      });
      CHECK(least_load == each.least_load[i]);
      CHECK(rank_or_depth == each.rank_or_depth[i]);
      CHECK(runs == each.runs[i]);
      const auto found = minimize_graph_makespan(
          graph, {.devices = 4, .microbatches = m, .transfers = transfer_kind::latency, .kicks = 20});
      CHECK(found->value == each.best[i]);
    }
  }
}

TEST_CASE("a chain on one device takes what its operators take, and that is proved") {
  const operator_graph graph = branches(3);
  const auto found = minimize_graph_makespan(graph, {.devices = 1, .microbatches = 5});
  CHECK(found.state() == state::optimal);
  CHECK(found->value == 5 * 21);
  CHECK(found->bound == 5 * 21);
  CHECK(found->warm_up == assignment{0});
}

TEST_CASE("branches that nothing joins run beside each other, and that is proved") {
  operator_graph graph = branches(4);
  graph.operators.pop_back();
  std::erase_if(graph.edges, [](const stagecut::operator_edge& edge) { return edge.to == 8; });
  const auto found = minimize_graph_makespan(graph, {.devices = 2, .microbatches = 4});
  CHECK(found.state() == state::optimal);
  CHECK(found->value == 4 * 12);
  CHECK(found->assignment[0] == found->assignment[3]);
  CHECK(found->assignment[4] == found->assignment[7]);
  CHECK(found->assignment[0] != found->assignment[4]);
}

TEST_CASE("a join of branches is planned better than by a device for each branch") {
  const auto found = minimize_graph_makespan(branches(4), {.devices = 3, .microbatches = 4, .kicks = 10});
  CHECK(found->value == 45);
}

TEST_CASE("stages are numbered so that in_flight_order takes the counts") {
  random_graphs random(6);
  for (int round = 0; round < 40; ++round) {
    const operator_graph graph = random.next(8 + random.up_to(10), {.groups = round % 2 == 0});
    const auto found = minimize_graph_makespan(graph, {.devices = 3, .microbatches = 6, .kicks = 2});
    if (found.state() == state::infeasible) continue;
    assignment in_flight;
    for (const std::size_t count : found->warm_up) in_flight.push_back(count + 1);
    const auto order = stagecut::make_schedule("in-flight", {.ranks = 3, .microbatches = 6, .in_flight = in_flight});
    CHECK(order.ranks() == 3);
  }
}

TEST_CASE("no start is better than the answer, and what a start has that others miss is kept") {
  random_graphs random(7);
  for (int round = 0; round < 60; ++round) {
    const operator_graph graph = random.next(12, {.groups = false, .backward = round % 2 == 0});
    graph_makespan_request request{.devices = 3, .microbatches = 6, .kicks = 0};
    std::vector<assignment> starts;
    double best = 1e300;
    for (int i = 0; i < 5; ++i) {
      assignment start(12);
      for (std::size_t v = 0; v < 12; ++v) start[v] = random.up_to(2);
      std::sort(start.begin(), start.end());
      if (round % 2 == 0) std::reverse(start.begin() + 6, start.end());
      if (round % 2 == 0) std::sort(start.begin(), start.begin() + 6);
      if (!is_allowed(graph, start)) continue;
      if (std::set<std::size_t>(start.begin(), start.end()).size() != 3) continue;
      starts.push_back(start);
      best = std::min(best, stagecut::choose_warm_up(pipeline_plainly(graph, start, 3), 6)->makespan);
    }
    const auto found = minimize_graph_makespan(graph, request, starts);
    check_plan(graph, request, *found);
    CHECK(found->value <= best);
  }
}

TEST_CASE("the same seed gives the same plan") {
  random_graphs random(8);
  for (int round = 0; round < 6; ++round) {
    const operator_graph graph = random.next(24, {});
    const graph_makespan_request request{.devices = 4, .microbatches = 8, .kicks = 4, .search = {.time_limit = 10, .seed = 7}};
    const auto once = minimize_graph_makespan(graph, request);
    const auto again = minimize_graph_makespan(graph, request);
    CHECK(once->assignment == again->assignment);
    CHECK(once->warm_up == again->warm_up);
    CHECK(once->statistics.nodes == again->statistics.nodes);
  }
}

TEST_CASE("groups, cycles through groups, and fixed stages stay where they must") {
  operator_graph graph = branches(3);
  for (std::size_t v : {0U, 2U}) graph.operators[v].group = 5;  // and so 1, between them
  graph.operators[6].stage = 2;
  graph.operators[3].stage = 0;
  const graph_makespan_request request{.devices = 3, .microbatches = 4};
  const auto found = minimize_graph_makespan(graph, request);
  check_plan(graph, request, *found);
  CHECK(found->assignment[0] == found->assignment[1]);
  CHECK(found->assignment[0] == found->assignment[2]);
  CHECK(found->assignment[6] == 2);
  CHECK(found->assignment[3] == 0);
}

TEST_CASE("fewer stages will do where that is said") {
  operator_graph graph = branches(2);
  for (auto& each : graph.operators) each.sent_seconds = each.sent_back_seconds = 1000;
  const auto all = minimize_graph_makespan(graph, {.devices = 3, .microbatches = 2});
  CHECK(all->stages() == 3);
  CHECK(all->value > 1000);
  const auto fewer = minimize_graph_makespan(graph, {.devices = 3, .at_most = true, .microbatches = 2});
  CHECK(fewer->stages() == 1);
  CHECK(fewer->value == 30);
  CHECK(fewer->assignment == assignment(5, 0));
}

TEST_CASE("limits end the search, and progress is told") {
  random_graphs random(9);
  const operator_graph graph = random.next(60, {});
  graph_makespan_request request{.devices = 4, .microbatches = 8};
  request.search.node_limit = 500;
  const auto limited = minimize_graph_makespan(graph, request);
  REQUIRE(limited.has_value());
  check_plan(graph, request, *limited);
  CHECK(limited->statistics.nodes < 2000);

  request.search.node_limit.reset();
  request.search.time_limit.reset();
  int asked = 0;
  auto stop = [&] { return ++asked > 3; };
  double told = 0;
  auto progress = [&](const stagecut::search_progress& so_far) {
    CHECK(so_far.bound > 0);
    if (so_far.value > 0) told = so_far.value;
  };
  request.search.stop = stop;
  request.search.progress = progress;
  const auto stopped = minimize_graph_makespan(graph, request);
  REQUIRE(stopped.has_value());
  check_plan(graph, request, *stopped);
  CHECK(asked == 4);
  CHECK(told >= stopped->value);
}

TEST_CASE("what cannot be planned is explained") {
  operator_graph graph = branches(1);
  const auto why = [&](const graph_makespan_request& request) {
    const auto found = minimize_graph_makespan(graph, request);
    CHECK(found.state() == state::infeasible);
    return found.why();
  };
  CHECK(why({.devices = 4}).what == reason::cause::more_stages_than_layers);
  CHECK(minimize_graph_makespan(graph, {.devices = 4, .at_most = true}).has_value());
  graph.operators[1].resident = 7;
  graph.operators[1].activations = 4;
  CHECK(why({.devices = 2, .memory_limit = 10}).text() ==
        "operator 1 needs at least 11 bytes, and a device has 10 bytes");
  for (auto& each : graph.operators) each.resident = each.activations = 4;
  CHECK(why({.devices = 2, .memory_limit = 11}).text() ==
        "the graph, on all devices together, needs at least 24 bytes, and a device has 22 bytes");
  // Three eights in two of fifteen: no sum tells.
  const auto open = minimize_graph_makespan(graph, {.devices = 2, .memory_limit = 15});
  CHECK(open.state() == state::unknown);
  graph.operators[0].stage = 1;
  graph.operators[2].stage = 0;
  CHECK(why({.devices = 2}).text() ==
        "no cut keeps to the constraint: operator 2 has no stage left: the fixed operators exclude all");
  graph.operators[2].stage = 2;
  CHECK(why({.devices = 2}).text() ==
        "no cut keeps to the constraint: operator 2 stands on stage 2, which there is not");
  graph.operators[1].on_accelerator = false;
  CHECK(why({.devices = 2}).text() == "no cut keeps to the constraint: operator 1 does not run on an accelerator");
}

TEST_CASE("requests and starts that make no sense are refused") {
  operator_graph graph = branches(2);
  const auto refused = [&](const graph_makespan_request& request, const std::vector<assignment>& starts = {}) {
    return refusal<argument_error>([&] { return minimize_graph_makespan(graph, request, starts); });
  };
  const std::string who = "stagecut::minimize_graph_makespan: ";
  CHECK(refused({.devices = 0}) == who + "devices = 0, must be at least 1");
  CHECK(refused({.microbatches = 0}) == who + "microbatches = 0, must be at least 1");
  CHECK(refused({.transfers = transfer_kind::stream}) == who + "transfers = stream, must be latency or link");
  CHECK(refused({.memory_limit = {1, 2}}) == who + "memory_limit = {…}, must be one value: devices are alike");
  CHECK(refused({.memory_limit = -1}) == who + "memory_limit = -1.000000, must not be negative");
  CHECK(refused({.search = {.time_limit = -1}}) == who + "search.time_limit = -1.000000, must not be negative");
  CHECK(refused({.devices = 2}, {{0, 0, 0, 0, 2}}) ==
        "stagecut::make_stage_pipeline: stage_of[4] = 2, must be below the number of stages, 2");
  graph.operators[0].group = graph.operators[1].group = 1;
  CHECK(refused({.devices = 2}, {{0, 1, 0, 0, 1}}) ==
        who + "starts[0][1] = 1, must be that of operator 0, from which it cannot be parted");
  graph.operators[4].stage = 1;
  CHECK(refused({.devices = 2}, {{0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}}) ==
        who + "starts[1][4] = 0, must be 1, which is fixed");
  graph.operators.clear();
  graph.edges.clear();
  CHECK(refused({}) == who + "graph.operators.size() = 0, must be at least 1");
}
