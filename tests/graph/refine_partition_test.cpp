// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/refine_partition.hpp>

#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/communication_refiner.hpp>
#include <stagecut/graph/detail/load_refiner.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/warm_up.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "load_oracle.hpp"
#include "plain_pipeline.hpp"
#include "random_problems.hpp"

using stagecut::contraction;
using stagecut::operator_costs;
using stagecut::operator_graph;
using stagecut::refine_objective;
using stagecut::refine_partition;
using stagecut::refine_request;
using stagecut::refined_partition;
using stagecut::state;
using assignment = std::vector<std::size_t>;

namespace {

/// Some numbers of stages that edges and groups allow, by chance: each element as far down as it pleases.
assignment random_stages(oracle::chance& random, const operator_graph& graph, const contraction& parts,
                         std::size_t stages) {
  std::vector<std::size_t> of_elements(parts.elements());
  for (const std::size_t e : parts.below().order()) {
    std::size_t least = 0;
    for (const std::size_t from : parts.below().predecessors(e)) least = std::max(least, of_elements[from]);
    of_elements[e] = random.one_in(2) ? least : least + random.below(stages - least);
  }
  assignment result;
  for (std::size_t v = 0; v < graph.operators.size(); ++v) result.push_back(of_elements[parts.element_of(v)]);
  return result;
}

/// Whether edges and groups allow an assignment, by their definition.
bool keeps_to_edges(const operator_graph& graph, const assignment& stage_of) {
  std::vector<bool> following;
  for (std::size_t v = 0; v < stage_of.size(); ++v) following.push_back(oracle::follows(graph, v));
  for (std::size_t a = 0; a < stage_of.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!oracle::may_stand(graph, following, a, stage_of[a], b, stage_of[b])) return false;
    }
  }
  return true;
}

oracle::operators set_of(const assignment& stage_of, std::size_t s) {
  oracle::operators result = 0;
  for (std::size_t v = 0; v < stage_of.size(); ++v) result |= stage_of[v] == s ? 1U << v : 0U;
  return result;
}

/// The loads of all stages, the heaviest first; nothing if one may not be.
std::optional<std::vector<double>> loads_of(const operator_graph& graph, const refine_request& request,
                                            const assignment& stage_of) {
  std::vector<double> result;
  for (std::size_t s = 0; s < request.stages; ++s) {
    const oracle::priced each = oracle::price(graph, request.load, set_of(stage_of, s), false, s, request.stages);
    if (!each.fits) return std::nullopt;
    result.push_back(each.figures.load);
  }
  std::sort(result.begin(), result.end(), std::greater<>());
  return result;
}

/// What is sent: of every producer, its seconds for each stage beyond the first of those that hold it or a consumer.
double sent_by(const operator_graph& graph, const assignment& stage_of) {
  double result = 0;
  for (std::size_t u = 0; u < graph.operators.size(); ++u) {
    std::set<std::size_t> stages{stage_of[u]};
    bool feeds = false;
    for (const auto& edge : graph.edges) {
      if (edge.from == u) stages.insert(stage_of[edge.to]), feeds = true;
    }
    if (!feeds) continue;
    const auto& from = graph.operators[u];
    double weight = from.sent_seconds + graph.latency;
    if (from.sent_back_seconds > 0 || graph.sends_back) weight += from.sent_back_seconds + graph.latency;
    result += weight * static_cast<double>(stages.size() - 1);
  }
  return result;
}

double work_above(const operator_graph& graph, const assignment& stage_of, std::size_t stages, double cap) {
  std::vector<double> work(stages);
  for (std::size_t v = 0; v < stage_of.size(); ++v) {
    work[stage_of[v]] += graph.operators[v].forward + graph.operators[v].backward;
  }
  double result = 0;
  for (const double each : work) result += std::max(each - cap, 0.0);
  return result;
}

double cap_of(const operator_graph& graph, const contraction& parts, const refine_request& request) {
  double total = 0;
  double heaviest = 0;
  for (std::size_t e = 0; e < parts.elements(); ++e) {
    double work = 0;
    for (const std::size_t v : parts.operators_of(e)) work += graph.operators[v].forward + graph.operators[v].backward;
    total += work;
    heaviest = std::max(heaviest, work);
  }
  return std::max(total / static_cast<double>(request.stages) * (1 + request.imbalance), heaviest);
}

std::size_t empty_stages(const assignment& stage_of, std::size_t stages) {
  return stages - std::set<std::size_t>(stage_of.begin(), stage_of.end()).size();
}

struct refine_case {
  operator_graph graph{};
  refine_request request{};
  assignment given{};
};

/// A problem and a partition that may be given, without fixed stages or CPUs.
refine_case draw(oracle::chance& random, std::size_t n, std::size_t stages, bool whole) {
  for (;;) {
    oracle::load_case drawn = oracle::random_case(random, n, stages);
    if (drawn.graph.operators.empty()) continue;
    for (auto& each : drawn.graph.operators) {
      each.stage = stagecut::graph_operator::none;
      each.on_accelerator = true;
      if (!whole) continue;
      for (double* value : {&each.forward, &each.backward, &each.sent_seconds, &each.sent_back_seconds}) *value = std::floor(*value);
    }
    refine_case result{std::move(drawn.graph), {}, {}};
    result.request.stages = drawn.request.devices + drawn.request.cpus;
    result.request.load = drawn.request.load;
    result.request.may_empty = random.one_in(2);
    result.request.search.seed = random.below(1000);
    result.given = random_stages(random, result.graph, contraction(result.graph), result.request.stages);
    return result;
  }
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

}  // namespace

TEST_CASE("loads are what the stages take, never heavier than given, never below the least") {
  oracle::chance random(11);
  int least = 0;
  int rounds = 0;
  int refused = 0;
  for (int i = 0; i < 5000 * oracle::times_as_many(); ++i) {
    const refine_case of = draw(random, 9, 4, false);
    const auto before = loads_of(of.graph, of.request, of.given);
    const auto found = refine_partition(of.graph, of.given, of.request);
    if (!before) {
      CHECK_FALSE(found);
      ++refused;
      continue;
    }
    REQUIRE(found);
    REQUIRE(keeps_to_edges(of.graph, found->assignment));
    const auto after = loads_of(of.graph, of.request, found->assignment);
    REQUIRE(after);
    CHECK(near(found->before, (*before)[0]));
    CHECK(near(found->value, (*after)[0]));
    CHECK(found->value <= found->before);
    CHECK(found->bound <= found->value);
    if (!of.request.may_empty) {
      CHECK(empty_stages(found->assignment, of.request.stages) <= empty_stages(of.given, of.request.stages));
    }
    CHECK(refine_partition(of.graph, of.given, of.request)->assignment == found->assignment);
    if (i % 5 != 0) continue;
    // Stages that may be empty are those of fewer devices, where they are alike.
    std::optional<double> best;
    oracle::for_each_assignment(of.graph, of.request.stages, [&](const assignment& stage_of) {
      const auto loads = loads_of(of.graph, of.request, stage_of);
      if (loads && (!best || (*loads)[0] < *best)) best = (*loads)[0];
    });
    REQUIRE(best);
    CHECK(found->value >= *best - 1e-9);
    CHECK(found->bound <= *best + 1e-9);
    ++rounds;
    if (near(found->value, *best)) ++least;
  }
  MESSAGE("least load in ", least, " of ", rounds, "; ", refused, " given do not fit");
  CHECK(2 * least > rounds);
  CHECK(refused > 50);
}

TEST_CASE("messages are what is sent, within the cap, never more than given, never below the least") {
  oracle::chance random(12);
  int least = 0;
  int rounds = 0;
  for (int i = 0; i < 5000 * oracle::times_as_many(); ++i) {
    refine_case of = draw(random, 9, 4, false);
    of.request.objective = refine_objective::communication;
    of.request.imbalance = 0.1 * static_cast<double>(random.below(8));
    const auto before = loads_of(of.graph, of.request, of.given);
    const auto found = refine_partition(of.graph, of.given, of.request);
    REQUIRE(found.has_value() == before.has_value());
    if (!found) continue;
    REQUIRE(keeps_to_edges(of.graph, found->assignment));
    CHECK(loads_of(of.graph, of.request, found->assignment));
    const double cap = cap_of(of.graph, contraction(of.graph), of.request);
    const std::size_t stages = of.request.stages;
    CHECK(near(found->before, sent_by(of.graph, of.given)));
    CHECK(near(found->value, sent_by(of.graph, found->assignment)));
    CHECK(near(found->excess_before, work_above(of.graph, of.given, stages, cap)));
    CHECK(near(found->excess, work_above(of.graph, found->assignment, stages, cap)));
    CHECK(std::pair(found->excess, found->value) <= std::pair(found->excess_before, found->before));
    if (!of.request.may_empty) CHECK(empty_stages(found->assignment, stages) <= empty_stages(of.given, stages));
    CHECK(refine_partition(of.graph, of.given, of.request)->assignment == found->assignment);
    if (i % 5 != 0 || found->excess > 0) continue;
    double best = std::numeric_limits<double>::max();
    oracle::for_each_assignment(of.graph, stages, [&](const assignment& stage_of) {
      if (work_above(of.graph, stage_of, stages, cap * (1 + 1e-12)) > 0) return;
      if (!of.request.may_empty && empty_stages(stage_of, stages) > empty_stages(of.given, stages)) return;
      if (loads_of(of.graph, of.request, stage_of)) best = std::min(best, sent_by(of.graph, stage_of));
    });
    CHECK(found->value >= best - 1e-9);
    ++rounds;
    if (near(found->value, best)) ++least;
  }
  MESSAGE("least messages in ", least, " of ", rounds);
  CHECK(2 * least > rounds);
}

TEST_CASE("every move changes the objective by what is told, and makes no cycle; what is told is the whole of it") {
  oracle::chance random(13);
  std::size_t moves = 0;
  for (int i = 0; i < 1500 * oracle::times_as_many(); ++i) {
    const refine_case of = draw(random, 12, 4, true);
    const contraction parts(of.graph);
    const operator_costs costs(of.graph, parts, of.request.load, of.request.stages);
    std::vector<std::uint32_t> given;
    for (std::size_t e = 0; e < parts.elements(); ++e) {
      given.push_back(static_cast<std::uint32_t>(of.given[parts.operators_of(e)[0]]));
    }
    // Moves as they are told, and what they lead to, from nothing but the stages.
    std::vector<std::uint32_t> now = given;
    const auto keeps_order = [&] {
      for (std::size_t e = 0; e < now.size(); ++e) {
        for (const std::size_t to : parts.below().successors(e)) {
          if (now[e] > now[to]) return false;
        }
      }
      return true;
    };
    const auto load = [&](std::size_t s) {
      stagecut::operator_set set(costs);
      for (std::size_t e = 0; e < now.size(); ++e) {
        if (now[e] == s) set.add(e);
      }
      return set.value({0, s, of.request.stages});
    };
    const auto sent = [&] {
      operator_costs::ticks result = 0;
      for (std::size_t net = 0; net < costs.nets(); ++net) {
        std::set<std::uint32_t> stages;
        for (const std::size_t e : costs.pins(net)) stages.insert(now[e]);
        const auto& weight = costs.weight_of(net);
        result += (weight.forward + weight.backward) * static_cast<operator_costs::ticks>(stages.size() - 1);
      }
      return result;
    };
    const std::vector<std::uint8_t> kinds(of.request.stages);
    stagecut::detail::load_refiner loads(costs, parts.below(), given, kinds, of.request.may_empty);
    const auto on_load = [&](const stagecut::detail::load_refiner::step& step) {
      REQUIRE(now[step.element] == step.from);
      const std::pair before(load(step.from), load(step.to));
      now[step.element] = static_cast<std::uint32_t>(step.to);
      REQUIRE(before == std::pair(step.from_before, step.to_before));
      REQUIRE(std::pair(load(step.from), load(step.to)) == std::pair(step.from_after, step.to_after));
      REQUIRE(keeps_order());
      ++moves;
    };
    while (now = loads.stages().all(), loads.pass({}, on_load)) {
    }
    now = loads.stages().all();
    for (std::size_t s = 0; s < of.request.stages; ++s) REQUIRE(loads.load(s) == load(s));
    operator_costs::ticks cap = 0;
    for (std::size_t e = 0; e < costs.size(); ++e) cap += costs.of(e).forward + costs.of(e).backward;
    cap = cap / static_cast<operator_costs::ticks>(of.request.stages) + cap / 8;
    stagecut::detail::communication_refiner messages(costs, parts.below(), given, of.request.stages, cap,
                                                     of.request.may_empty, of.request.search.seed);
    const auto on_message = [&](const stagecut::detail::communication_refiner::step& step) {
      REQUIRE(now[step.element] == step.from);
      const operator_costs::ticks before = sent();
      now[step.element] = static_cast<std::uint32_t>(step.to);
      REQUIRE(before - sent() == step.gain);
      REQUIRE(keeps_order());
      ++moves;
    };
    while (now = messages.stages().all(), messages.pass({}, on_message)) {
    }
    now = messages.stages().all();
    REQUIRE(messages.value() == sent());
  }
  CHECK(moves > 10000);
}

TEST_CASE("makespans are what an iteration takes op by op, never later than given, never before the earliest") {
  random_graphs random(14);
  int least = 0;
  int rounds = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const bool small = i % 5 == 0;
    const operator_graph graph =
        random.next(small ? 6 : 12, {.groups = i % 3 == 0, .backward = i % 4 == 0, .shared = true});
    const contraction parts(graph, stagecut::backward_edges::lead);
    oracle::chance chance(i);
    refine_request request;
    request.objective = refine_objective::makespan;
    request.stages = small ? 2 : 3;
    request.microbatches = 1 + i % 4;
    request.transfers = i % 2 == 0 ? stagecut::transfer_kind::link : stagecut::transfer_kind::latency;
    request.may_empty = true;
    request.search.seed = i;
    const assignment given = random_stages(chance, graph, parts, request.stages);
    const auto found = refine_partition(graph, given, request);
    REQUIRE(found);
    REQUIRE(is_allowed(graph, found->assignment));
    const bool link = i % 2 == 0;
    const auto of = pipeline_plainly(graph, found->assignment, found->warm_up.size());
    const reference_simulator run = run_plainly(of, found->warm_up, request.microbatches, link);
    CHECK(run.ends);
    CHECK(near(run.makespan, found->value));
    CHECK(found->value <= found->before);
    CHECK(found->bound <= found->value);
    CHECK(refine_partition(graph, given, request)->assignment == found->assignment);
    const auto before = stagecut::choose_warm_up(pipeline_plainly(graph, given, request.stages), request.microbatches,
                                                 request.transfers);
    CHECK(near(before->makespan, found->before));
    if (!small) continue;
    const double best =
        best_plainly(graph, request.stages, request.microbatches, link, std::numeric_limits<double>::max(), true);
    CHECK(found->value >= best - 1e-9);
    CHECK(found->bound <= best + 1e-9);
    ++rounds;
    if (near(found->value, best)) ++least;
  }
  MESSAGE("earliest end in ", least, " of ", rounds);
  CHECK(2 * least > rounds);
}

namespace {

/// 0 -> 1 -> 2 -> 3, and 0 -> 3.
operator_graph square() {
  operator_graph graph;
  for (int v = 0; v < 4; ++v) {
    graph.operators.push_back({.forward = 1, .sent_seconds = 0.25, .resident = 4, .activations = 1});
  }
  graph.edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  return graph;
}

std::string refusal(const operator_graph& graph, const assignment& stage_of, const refine_request& request = {}) {
  try {
    static_cast<void>(refine_partition(graph, stage_of, request));
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a partition that is none is explained") {
  operator_graph graph = square();
  CHECK(refusal(graph, {0, 1, 2}) ==
        "stagecut::refine_partition: stage_of.size() = 3, must be the number of operators, 4");
  CHECK(refusal(graph, {0, 1, 2, 9}) ==
        "stagecut::refine_partition: stage_of[3] = 9, must be below the number of stages, 3");
  CHECK(refusal(graph, {0, 1, 0, 1}) ==
        "stagecut::refine_partition: stage_of = {…}, must not make a cycle of stages: 0 -> 1 -> 0, by the edge 0 -> 1, "
        "the edge 1 -> 2");
  graph.names = {"a", "b", "c", "d"};
  CHECK(
      refusal(graph, {1, 1, 0, 1}) ==
      "stagecut::refine_partition: stage_of = {…}, must not make a cycle of stages: 0 -> 1 -> 0, by the edge operator "
      "2 (\"c\") -> operator 3 (\"d\"), the edge operator 1 (\"b\") -> operator 2 (\"c\")");
  graph.names.clear();
  graph.operators[1].group = graph.operators[2].group = 5;
  CHECK(refusal(graph, {0, 0, 1, 1}) ==
        "stagecut::refine_partition: stage_of[2] = 1, must be that of operator 1, 0, which is of the same group");
  graph = square();
  graph.operators[0].stage = 1;
  CHECK(refusal(graph, {0, 0, 1, 1}) == "stagecut::refine_partition: stage_of[0] = 0, must be 1, which is fixed");
  graph = square();
  refine_request request;
  request.load.speeds = {1, 2};
  CHECK(refusal(graph, {1, 1, 0, 0}, request) ==
        "stagecut::refine_partition: stage_of = {…}, must not lead to lower stages, as the edge 0 -> 3 does, where "
        "stages "
        "are not alike");
}

TEST_CASE("stages whose edges lead down and that are alike get other numbers") {
  const auto found = refine_partition(square(), {1, 1, 0, 0});
  REQUIRE(found);
  CHECK(found->assignment == assignment{0, 0, 1, 1});
  CHECK(found->before == 2.5);
  CHECK(found->value == 2.5);
}

TEST_CASE("a stage with more memory than there is, and an operator that no device holds, are told with their bytes") {
  refine_request request;
  request.load.memory_limit = 12;
  const auto full = refine_partition(square(), {0, 0, 0, 1}, request);
  CHECK(full.state() == state::unknown);
  CHECK(full.why().text() == "stage 0 as given needs at least 15 bytes, and a device has 12 bytes");
  request.objective = refine_objective::makespan;
  CHECK(refine_partition(square(), {0, 0, 0, 1}, request).why().text() == full.why().text());
  request.objective = refine_objective::max_load;
  request.load.memory_limit = 4;
  const auto heavy = refine_partition(square(), {0, 1, 2, 3}, request);
  CHECK(heavy.state() == state::infeasible);
  CHECK(heavy.why().text() == "operator 0 needs at least 5 bytes, and a device has 4 bytes");
}

TEST_CASE("requests that make no sense are refused") {
  refine_request request;
  request.imbalance = -1;
  CHECK(refusal(square(), {0, 0, 0, 0}, request) ==
        "stagecut::refine_partition: imbalance = -1.000000, must be finite and not negative");
  request = {};
  request.on_cpu = {false, false, false};
  CHECK(refusal(square(), {0, 0, 1, 1}, request) ==
        "stagecut::refine_partition: on_cpu.size() = 3, must be 0 or the number of stages, 2");
  request.on_cpu = {false, true};
  request.objective = refine_objective::communication;
  CHECK(refusal(square(), {0, 0, 1, 1}, request) ==
        "stagecut::refine_partition: on_cpu = true, goes with max_load alone");
  request = {};
  request.objective = refine_objective::makespan;
  request.microbatches = 0;
  CHECK(refusal(square(), {0, 0, 1, 1}, request) == "stagecut::refine_partition: microbatches = 0, must be at least 1");
}

TEST_CASE("work above the cap comes down through stages that are full") {
  operator_graph graph;
  for (std::size_t v = 0; v < 40; ++v) {
    graph.operators.push_back({.forward = 1, .sent_seconds = 1});
    if (v > 0) graph.edges.push_back({v - 1, v});
  }
  assignment given;  // 20, 10, 10, 0
  for (std::size_t v = 0; v < 40; ++v) given.push_back(v < 20 ? 0 : v < 30 ? 1 : 2);
  refine_request request;
  request.objective = refine_objective::communication;
  request.stages = 4;
  request.imbalance = 0;
  const auto found = refine_partition(graph, given, request);
  REQUIRE(found);
  CHECK(found->excess_before == 10);
  CHECK(found->excess == 0);
  CHECK(found->value == 3);
}

TEST_CASE("no graph, one stage, and a caller who has had enough") {
  const auto none = refine_partition({}, {});
  REQUIRE(none);
  CHECK(none->value == 0);
  const auto one = refine_partition(square(), {0, 0, 0, 0});
  CHECK(one.state() == state::optimal);
  CHECK(one->value == 4);
  const auto stop = [] { return true; };
  refine_request request;
  request.search.stop = stop;
  const auto found = refine_partition(square(), {0, 0, 0, 1}, request);
  CHECK(found->assignment == assignment{0, 0, 0, 1});
  CHECK(found->passes == 0);
}
