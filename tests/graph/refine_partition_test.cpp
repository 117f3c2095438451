// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/refine_partition.hpp>

#include <stagecut/graph/minimize_load.hpp>

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

#include "graph/load_oracle.hpp"
#include "graph/plain_pipeline.hpp"
#include "graph/random_problems.hpp"

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
    for (const auto& each : graph.edges) {
      if (each.from == u) stages.insert(stage_of[each.to]), feeds = true;
    }
    if (!feeds) continue;
    const auto& from = graph.operators[u];
    double weight = from.sent + graph.latency;
    if (from.sent_back > 0 || graph.sends_back) weight += from.sent_back + graph.latency;
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
      for (double* value : {&each.forward, &each.backward, &each.sent, &each.sent_back}) *value = std::floor(*value);
    }
    refine_case result{std::move(drawn.graph), {}, {}};
    result.request.stages = drawn.request.devices + drawn.request.cpus;
    result.request.load = drawn.request.load;
    result.request.may_empty = random.one_in(2);
    result.request.seed = random.below(1000);
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
  for (int i = 0; i < 2500 * oracle::times_as_many(); ++i) {
    const refine_case of = draw(random, 9, 4, false);
    const auto before = loads_of(of.graph, of.request, of.given);
    const auto found = refine_partition(of.graph, of.given, of.request);
    if (!before) {
      CHECK_FALSE(found);
      ++refused;
      continue;
    }
    REQUIRE(found);
    REQUIRE(keeps_to_edges(of.graph, found->stage_of));
    const auto after = loads_of(of.graph, of.request, found->stage_of);
    REQUIRE(after);
    CHECK(near(found->before, (*before)[0]));
    CHECK(near(found->after, (*after)[0]));
    CHECK(found->after <= found->before);
    CHECK(found->bound <= found->after);
    if (!of.request.may_empty) {
      CHECK(empty_stages(found->stage_of, of.request.stages) <= empty_stages(of.given, of.request.stages));
    }
    CHECK(refine_partition(of.graph, of.given, of.request)->stage_of == found->stage_of);
    if (i % 5 != 0) continue;
    // Stages that may be empty are those of fewer devices, where they are alike.
    std::optional<double> best;
    oracle::for_each_assignment(of.graph, of.request.stages, [&](const assignment& stage_of) {
      const auto loads = loads_of(of.graph, of.request, stage_of);
      if (loads && (!best || (*loads)[0] < *best)) best = (*loads)[0];
    });
    REQUIRE(best);
    CHECK(found->after >= *best - 1e-9);
    CHECK(found->bound <= *best + 1e-9);
    ++rounds;
    if (near(found->after, *best)) ++least;
  }
  MESSAGE("least load in ", least, " of ", rounds, "; ", refused, " given do not fit");
  CHECK(2 * least > rounds);
  CHECK(refused > 50);
}

TEST_CASE("messages are what is sent, within the cap, never more than given, never below the least") {
  oracle::chance random(12);
  int least = 0;
  int rounds = 0;
  for (int i = 0; i < 2500 * oracle::times_as_many(); ++i) {
    refine_case of = draw(random, 9, 4, false);
    of.request.objective = refine_objective::communication;
    of.request.imbalance = 0.1 * static_cast<double>(random.below(8));
    const auto before = loads_of(of.graph, of.request, of.given);
    const auto found = refine_partition(of.graph, of.given, of.request);
    REQUIRE(found.has_value() == before.has_value());
    if (!found) continue;
    REQUIRE(keeps_to_edges(of.graph, found->stage_of));
    CHECK(loads_of(of.graph, of.request, found->stage_of));
    const double cap = cap_of(of.graph, contraction(of.graph), of.request);
    const std::size_t stages = of.request.stages;
    CHECK(near(found->before, sent_by(of.graph, of.given)));
    CHECK(near(found->after, sent_by(of.graph, found->stage_of)));
    CHECK(near(found->excess_before, work_above(of.graph, of.given, stages, cap)));
    CHECK(near(found->excess, work_above(of.graph, found->stage_of, stages, cap)));
    CHECK(std::pair(found->excess, found->after) <= std::pair(found->excess_before, found->before));
    if (!of.request.may_empty) CHECK(empty_stages(found->stage_of, stages) <= empty_stages(of.given, stages));
    CHECK(refine_partition(of.graph, of.given, of.request)->stage_of == found->stage_of);
    if (i % 5 != 0 || found->excess > 0) continue;
    double best = std::numeric_limits<double>::max();
    oracle::for_each_assignment(of.graph, stages, [&](const assignment& stage_of) {
      if (work_above(of.graph, stage_of, stages, cap * (1 + 1e-12)) > 0) return;
      if (!of.request.may_empty && empty_stages(stage_of, stages) > empty_stages(of.given, stages)) return;
      if (loads_of(of.graph, of.request, stage_of)) best = std::min(best, sent_by(of.graph, stage_of));
    });
    CHECK(found->after >= best - 1e-9);
    ++rounds;
    if (near(found->after, best)) ++least;
  }
  MESSAGE("least messages in ", least, " of ", rounds);
  CHECK(2 * least > rounds);
}
