// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/minimize_load.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

#include "../../bench/graph/down_set_pairs.hpp"
#include "../refusal.hpp"
#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::graph_method;
using stagecut::graph_operator;
using stagecut::graph_partition;
using stagecut::invalid_input;
using stagecut::search_progress;
using stagecut::load_request;
using stagecut::minimize_load;
using stagecut::operator_graph;
using stagecut::outcome;
using stagecut::state;

namespace {

/// How many problems were met, so that none of the checks is about nothing.
struct tally {
  int solved = 0;
  int infeasible = 0;
  int unproved = 0;
  int conflicts = 0;
};

/// What `minimize_load` says, where operators that share a stage have no two to stand on.
std::optional<outcome<graph_partition>> answer_of(const oracle::load_case& each, tally& counts) {
  try {
    return minimize_load(each.graph, each.request);
  } catch (const invalid_input& error) {
    REQUIRE(std::string(error.what()).find("has to stand on stage") != std::string::npos);
    ++counts.conflicts;
    return std::nullopt;
  }
}

void check_case(const oracle::load_case& each, tally& counts) {
  const std::optional<double> best = oracle::least_load(each.graph, each.request);
  const auto found = answer_of(each, counts);
  if (!found || found->state() == state::infeasible) {
    REQUIRE_FALSE(best.has_value());
    ++counts.infeasible;
    if (found) REQUIRE_FALSE(found->why().text().empty());
    return;
  }
  if (*found) {
    REQUIRE(oracle::wrong_with(each.graph, each.request, **found) == "");
    REQUIRE(best.has_value());
    REQUIRE((*found)->value >= *best * (1 - 1e-12));
    REQUIRE((*found)->bound <= *best * (1 + 1e-12));
  }
  if (found->state() == state::optimal) {
    REQUIRE(oracle::close((*found)->value, *best));
    REQUIRE((*found)->bound == (*found)->value);
    ++counts.solved;
  } else {
    ++counts.unproved;
  }
}

tally check_cases(std::uint64_t seed, int rounds, std::size_t n, graph_method method, std::size_t most_down_sets,
                  bool tensors = false) {
  tally counts;
  for (int round = 0; round < rounds * oracle::times_as_many(); ++round) {
    oracle::chance random(seed * 1000000 + static_cast<std::uint64_t>(round));
    oracle::load_case each = oracle::random_case(random, n, 4);
    if (tensors) oracle::draw_tensors(random, each.graph);
    each.request.method = method;
    each.request.most_down_sets = most_down_sets;
    each.request.search.time_limit.reset();
    if (method == graph_method::linear || most_down_sets < 100) each.request.search.node_limit = round % 4;
    CAPTURE(seed);
    CAPTURE(round);
    check_case(each, counts);
  }
  return counts;
}

/// A chain whose every operator takes its time forward, and whose outputs take theirs.
operator_graph chain_of(const std::vector<double>& seconds, const std::vector<double>& sent) {
  operator_graph graph;
  for (std::size_t v = 0; v < seconds.size(); ++v) {
    graph_operator each;
    each.forward = seconds[v];
    each.sent_seconds = sent[v];
    graph.operators.push_back(each);
    if (v != 0) graph.edges.push_back({v - 1, v});
  }
  return graph;
}

/// The operators with other numbers: `number[v]` is what `v` becomes.
operator_graph renumbered(const operator_graph& graph, const std::vector<std::size_t>& number) {
  operator_graph result = graph;
  for (std::size_t v = 0; v < number.size(); ++v) result.operators[number[v]] = graph.operators[v];
  for (auto& edge : result.edges) edge = {number[edge.from], number[edge.to], edge.tensor};
  for (auto& each : result.shared) {
    for (std::size_t& v : each.operators) v = number[v];
  }
  std::reverse(result.edges.begin(), result.edges.end());
  return result;
}

/// All seconds times `factor`.
void scale(oracle::load_case& each, double factor) {
  for (graph_operator& v : each.graph.operators) {
    for (double* seconds : {&v.forward, &v.backward, &v.cpu, &v.sent_seconds, &v.sent_back_seconds}) *seconds *= factor;
  }
  each.graph.latency *= factor;
  for (double& seconds : each.request.load.constants) seconds *= factor;
}

/// A graph whose smallest load is found, but not at once.
operator_graph braid(std::size_t n, std::uint64_t seed, std::size_t width = 12) {
  oracle::chance random(seed);
  operator_graph graph;
  for (std::size_t v = 0; v < n; ++v) {
    graph_operator each;
    each.forward = 1 + random.figure(9, false);
    each.sent_seconds = random.figure(3, false);
    graph.operators.push_back(each);
    for (std::size_t u = v < width ? 0 : v - width; u < v; ++u) {
      if (random.one_in(width - width / 3)) graph.edges.push_back({u, v});
    }
  }
  return graph;
}

/// A braid whose first operators each feed a leaf without time that needs memory: leaves are folded, which is too much for
/// one of four devices with memory for 95, and unfolded again.
operator_graph braid_with_leaves() {
  operator_graph graph = braid(120, 5);
  for (graph_operator& each : graph.operators) each.resident = 1;
  for (std::size_t v = 0; v < 30; ++v) {
    graph_operator leaf;
    leaf.resident = 8;
    graph.edges.push_back({v, graph.operators.size()});
    graph.operators.push_back(leaf);
  }
  return graph;
}

}  // namespace

TEST_CASE("the least load is that of all partitions, and there is one exactly if one is found") {
  const tally counts = check_cases(1, 900, 6, graph_method::automatic, 1000000);
  CHECK(counts.conflicts > 0);
  CHECK(counts.solved > 500);
  CHECK(counts.infeasible > 100);
  CHECK(counts.unproved == 0);
}

TEST_CASE("the least load is that of all partitions of more operators") {
  const tally counts = check_cases(2, 150, 9, graph_method::automatic, 1000000);
  CHECK(counts.solved > 75);
  CHECK(counts.infeasible > 15);
  CHECK(counts.unproved == 0);
}

TEST_CASE("the least load is that of all partitions of very few operators, where stages stay empty") {
  const tally counts = check_cases(3, 1500, 4, graph_method::down_sets, 1000000);
  CHECK(counts.solved > 700);
  CHECK(counts.infeasible > 300);
  CHECK(counts.unproved == 0);
}

TEST_CASE("the least load is that of all partitions where edges have tensors of their own") {
  const tally exact = check_cases(11, 2000, 6, graph_method::automatic, 1000000, true);
  CHECK(exact.solved > 1000);
  CHECK(exact.unproved == 0);
  for (const graph_method method : {graph_method::by_levels, graph_method::merge, graph_method::linear}) {
    const tally counts = check_cases(12, 200, 7, method, 1000000, true);
    CHECK(counts.solved + counts.unproved > 100);
  }
  const tally bounds = check_cases(13, 200, 7, graph_method::automatic, 1, true);
  CHECK(bounds.solved + bounds.unproved > 100);
}

TEST_CASE("what is made for large graphs gives partitions as they should be, and bounds that hold") {
  const tally counts = check_cases(8, 600, 7, graph_method::by_levels, 1000000);
  CHECK(counts.solved + counts.unproved > 300);
}

TEST_CASE("a graph of several hundred operators is cut as a large one first, and no worse than by that") {
  operator_graph graph;
  graph.operators.resize(400);
  for (std::size_t v = 0; v < 400; ++v) {
    graph.operators[v].forward = 1 + static_cast<double>(v * v % 7);
    graph.operators[v].sent_seconds = static_cast<double>(v % 3);
    for (const std::size_t back : {std::size_t{1} + v % 5, std::size_t{11}}) {
      if (v >= back) graph.edges.push_back({v - back, v});
    }
  }
  load_request request{.devices = 5, .method = graph_method::by_levels};
  request.search.time_limit.reset();
  request.most_down_sets = 1000;
  request.search.node_limit = 4;
  const auto large = minimize_load(graph, request);
  REQUIRE(large);
  CHECK(minimize_load(graph, request)->assignment == large->assignment);
  request.method = graph_method::automatic;
  const auto both = minimize_load(graph, request);
  REQUIRE(both);
  CHECK(both->value <= large->value);
  CHECK(both->bound <= large->value);
  CHECK(large->bound <= both->value);
  request.load.memory_limit = 1.05;
  for (auto& each : graph.operators) each.resident = 0.0125;
  const auto within = minimize_load(graph, request);
  REQUIRE(within);
  for (const auto& stage : within->stages) CHECK(stage.memory <= 1.05);
}

TEST_CASE("merged and refined layers give partitions as they should be, and bounds that hold") {
  const tally counts = check_cases(7, 600, 7, graph_method::merge, 1000000);
  CHECK(counts.solved > 100);
  CHECK(counts.unproved > 100);
  const operator_graph graph = braid(60, 3);
  load_request request{.devices = 4, .method = graph_method::merge};
  const auto merged = minimize_load(graph, request);
  REQUIRE(merged);
  CHECK(minimize_load(graph, request)->assignment == merged->assignment);
  request.method = graph_method::linear;
  request.search.time_limit.reset();
  request.search.node_limit = 10;
  CHECK(merged->value <= 1.2 * minimize_load(graph, request)->value);
}

TEST_CASE("linear orders alone give partitions as they should be, and bounds that hold") {
  const tally counts = check_cases(4, 200, 8, graph_method::linear, 1000000);
  CHECK(counts.solved > 20);
  CHECK(counts.unproved > 40);
}

TEST_CASE("bounds by smallest cuts hold where down-sets are too many") {
  const tally counts = check_cases(5, 250, 8, graph_method::automatic, 1);
  CHECK(counts.solved > 30);
  CHECK(counts.unproved > 40);
}

TEST_CASE("the least load of middling graphs is that of another method") {
  oracle::chance random(61);
  int on_cpus = 0;
  for (int round = 0; round < 25 * oracle::times_as_many(); ++round) {
    bench::load_problem problem;
    operator_graph graph;
    load_request request{.devices = 2 + random.below(3), .cpus = random.below(3), .at_most = true};
    const std::size_t n = 10 + random.below(6);
    for (std::size_t v = 0; v < n; ++v) {
      graph_operator each;
      each.forward = random.figure(20, true);
      each.cpu = random.figure(50, true);
      each.sent_seconds = random.figure(6, true);
      each.resident = random.figure(5, true);
      each.on_cpu = true;
      each.on_accelerator = !random.one_in(12) || request.cpus == 0;
      bench::crossing_net net{each.sent_seconds, {v}};
      for (std::size_t u = v + 1; u < n; ++u) {
        if (!random.one_in(4)) continue;
        net.elements.push_back(u);
        graph.edges.push_back({v, u});
        problem.edges.emplace_back(v, u);
      }
      if (net.elements.size() > 1) problem.nets.push_back(net);
      graph.operators.push_back(each);
      problem.accelerator.push_back(each.forward);
      problem.cpu.push_back(each.cpu);
      problem.memory.push_back(each.resident);
      problem.needs_cpu.push_back(!each.on_accelerator);
    }
    problem.accelerators = request.devices;
    problem.cpus = request.cpus;
    if (random.one_in(2)) problem.memory_limit = std::floor(2.5 * static_cast<double>(n) / 2);
    if (std::isfinite(problem.memory_limit)) request.load.memory_limit = problem.memory_limit;
    const auto peer = bench::down_set_pairs(problem).run();
    REQUIRE(peer);
    const auto found = minimize_load(graph, request);
    CAPTURE(round);
    REQUIRE(found.has_value() == std::isfinite(peer->load));
    if (!found) continue;
    REQUIRE(found.state() == state::optimal);
    REQUIRE(found->value == peer->load);
    for (const auto& stage : found->stages) on_cpus += stage.on_cpu ? 1 : 0;
  }
  CHECK(on_cpus > 3);
}

TEST_CASE("the least load does not depend on how operators are numbered") {
  int answers = 0;
  for (std::uint64_t round = 0; round < 80; ++round) {
    oracle::chance random(7000 + round);
    const oracle::load_case each = oracle::random_case(random, 14, 4);
    std::vector<std::size_t> number(each.graph.operators.size());
    std::iota(number.begin(), number.end(), std::size_t{0});
    std::shuffle(number.begin(), number.end(), random.engine());
    tally counts;
    const auto first = answer_of(each, counts);
    const auto second = answer_of({renumbered(each.graph, number), each.request}, counts);
    CAPTURE(round);
    REQUIRE(first.has_value() == second.has_value());
    if (!first) continue;
    REQUIRE(first->state() == second->state());
    if (!*first) continue;
    REQUIRE(oracle::close((*first)->value, (*second)->value));
    ++answers;
  }
  CHECK(answers > 30);
}

TEST_CASE("twice the times give twice the load and the same partition") {
  int answers = 0;
  for (std::uint64_t round = 0; round < 80; ++round) {
    oracle::chance random(8000 + round);
    oracle::load_case each = oracle::random_case(random, 12, 4);
    tally counts;
    const auto first = answer_of(each, counts);
    scale(each, 2);
    const auto second = answer_of(each, counts);
    scale(each, 1.5);
    const auto third = answer_of(each, counts);
    if (!first || !*first) continue;
    CAPTURE(round);
    REQUIRE(*second);
    REQUIRE((*second)->value == 2 * (*first)->value);
    REQUIRE((*second)->assignment == (*first)->assignment);
    REQUIRE(*third);
    REQUIRE(oracle::close((*third)->value, 3 * (*first)->value));
    ++answers;
  }
  CHECK(answers > 30);
}

TEST_CASE("more devices that may stay idle, more CPUs and more memory never do harm") {
  int better = 0;
  int first_fits = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    oracle::chance random(9000 + round);
    oracle::load_case each = oracle::random_case(random, 10, 3);
    each.request.at_most = true;
    each.request.load.constants.resize(std::min<std::size_t>(1, each.request.load.constants.size()));
    each.request.load.speeds.clear();
    for (graph_operator& v : each.graph.operators) v.stage = graph_operator::none;
    const auto before = minimize_load(each.graph, each.request);
    for (int what = 0; what < 3; ++what) {
      oracle::load_case more = each;
      if (what == 0) ++more.request.devices;
      if (what == 1) ++more.request.cpus;
      if (what == 2 && more.request.load.memory_limit) *more.request.load.memory_limit += 3;
      const auto after = minimize_load(more.graph, more.request);
      CAPTURE(round);
      CAPTURE(what);
      if (!before) {
        first_fits += after ? 1 : 0;
        continue;
      }
      REQUIRE(after);
      REQUIRE(after->value <= before->value * (1 + 1e-12));
      better += after->value < before->value ? 1 : 0;
    }
  }
  CHECK(better > 20);
  CHECK(first_fits > 5);
}

TEST_CASE("a chain of a million operators is cut as a chain") {
  constexpr std::size_t n = 1000000;
  constexpr std::size_t stages = 16;
  std::vector<double> seconds;
  std::vector<double> sent;
  oracle::chance random(10);
  for (std::size_t v = 0; v < n; ++v) {
    seconds.push_back(1 + random.figure(9, true));
    sent.push_back(random.figure(1000, true));
  }
  std::vector<double> bytes = sent;
  const auto sums = stagecut::prefix_sums(seconds);
  const stagecut::added_cuts cost(sums, stagecut::cut_times(std::move(bytes), {{0, 1}}));
  const auto chain = stagecut::minimize_bottleneck(cost, stages);
  REQUIRE(chain);
  const auto found = minimize_load(chain_of(seconds, sent), {.devices = stages});
  REQUIRE(found.state() == state::optimal);
  CHECK(found->value == chain->value);
  CHECK(found->elements == n);
  CHECK(found->stages.size() == stages);
  CHECK(std::is_sorted(found->assignment.begin(), found->assignment.end()));
}

TEST_CASE("a path of any numbers, with fewer stages or more, has the least load of all partitions") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    oracle::chance random(11000 + round);
    oracle::load_case each;
    const std::size_t n = 1 + random.below(8);
    std::vector<std::size_t> number(n);
    std::iota(number.begin(), number.end(), std::size_t{0});
    std::shuffle(number.begin(), number.end(), random.engine());
    std::vector<double> seconds;
    std::vector<double> sent;
    for (std::size_t v = 0; v < n; ++v) {
      seconds.push_back(random.figure(9, true));
      sent.push_back(random.figure(6, true));
    }
    each.graph = renumbered(chain_of(seconds, sent), number);
    each.request = {.devices = 1 + random.below(4), .at_most = random.one_in(2)};
    if (random.one_in(2)) each.request.load.constants = {3};
    const auto best = oracle::least_load(each.graph, each.request);
    const auto found = minimize_load(each.graph, each.request);
    CAPTURE(round);
    REQUIRE(found.has_value() == best.has_value());
    if (!found) continue;
    REQUIRE(oracle::wrong_with(each.graph, each.request, *found) == "");
    REQUIRE(found->value == *best);
  }
}

TEST_CASE("a folded leaf takes no shared parameters to where they have no room") {
  operator_graph graph;
  graph.operators.resize(2);
  graph.operators[0].forward = 5;
  graph.operators[0].activations = 2;
  graph.operators[1].resident = 2;
  graph.edges = {{1, 0}};
  graph.shared = {{4, {1}}, {1, {0}}};
  load_request request{.devices = 2};
  request.load.memory_limit = 6;
  const auto found = minimize_load(graph, request);
  REQUIRE(found.state() == state::optimal);
  CHECK(found->assignment == std::vector<std::size_t>{1, 0});
  CHECK(found->stages[0].memory == 6);
  CHECK(found->stages[1].memory == 3);
}

TEST_CASE("a search that is stopped at once, or has no time, has its first partition and a bound that holds") {
  const operator_graph graph = braid(60, 1, 3);
  load_request request{.devices = 4};
  const auto best = minimize_load(graph, request);
  REQUIRE(best.state() == state::optimal);
  const auto always = [] { return true; };
  for (int what = 0; what < 3; ++what) {
    load_request limited = request;
    if (what == 0) limited.search.stop = always;
    if (what == 1) limited.search.time_limit = 0;
    if (what == 2) limited.method = graph_method::linear, limited.search.node_limit = 0;
    const auto found = minimize_load(graph, limited);
    CAPTURE(what);
    REQUIRE(found);
    CHECK(found->value >= best->value);
    CHECK(found->value < 2 * best->value);
    CHECK(found->bound <= best->value);
    CHECK(found->statistics.nodes == 0);
    CHECK(found->gap() >= 0);
    CHECK(found->statistics.evaluations == 0);
  }
}

TEST_CASE("a time limit ends a search whose answer is not proved") {
  const operator_graph graph = braid(300, 2);
  load_request request{.devices = 8, .method = graph_method::linear};
  request.search.time_limit = 0.2;
  const auto began = stagecut::detail::seconds_now();
  const auto found = minimize_load(graph, request);
  const double seconds = stagecut::detail::seconds_now() - began;
  REQUIRE(found.state() == state::feasible);
  CHECK(seconds > 0.15);
  CHECK(seconds < 5);
  CHECK(found->bound > 0);
  CHECK(found->bound < found->value);
}

TEST_CASE("one time limit is of all that is tried, and no load is told that no partition has") {
  const operator_graph graph = braid_with_leaves();
  load_request request{.devices = 4, .method = graph_method::linear};
  request.load.memory_limit = 95;
  request.search.time_limit = 0.4;
  std::vector<search_progress> told;
  const auto keep = [&](const search_progress& progress) { told.push_back(progress); };
  request.search.progress = keep;
  const auto began = stagecut::detail::seconds_now();
  const auto found = minimize_load(graph, request);
  CHECK(stagecut::detail::seconds_now() - began < 2);
  REQUIRE(found.state() == state::feasible);
  for (const auto& stage : found->stages) CHECK(stage.memory <= 95);
  for (std::size_t i = 0; i < told.size(); ++i) {
    CHECK((told[i].value == 0 || told[i].value >= found->value * (1 - 1e-12)));
    if (i != 0) CHECK(told[i].seconds >= told[i - 1].seconds);
  }
}

TEST_CASE("one limit of rounds is of all that is tried, too") {
  const operator_graph graph = braid_with_leaves();
  load_request request{.devices = 4, .method = graph_method::linear};
  request.load.memory_limit = 95;
  request.search.time_limit.reset();
  for (const std::size_t limit : {0U, 1U, 20U}) {
    CAPTURE(limit);
    request.search.node_limit = limit;
    std::vector<std::size_t> told;
    const auto keep = [&](const search_progress& progress) { told.push_back(progress.nodes); };
    request.search.progress = keep;
    const auto found = minimize_load(graph, request);
    REQUIRE(found.state() == state::feasible);
    CHECK(found->statistics.nodes == limit);
    CHECK(std::is_sorted(told.begin(), told.end()));
    request.search.progress = {};
    CHECK(minimize_load(graph, request)->assignment == found->assignment);
  }
}

TEST_CASE("progress is told with what is found, in the unit of the answer") {
  const operator_graph graph = braid(120, 3);
  load_request request{.devices = 5, .method = graph_method::linear};
  request.search.node_limit = 60;
  std::vector<search_progress> told;
  const auto keep = [&](const search_progress& progress) { told.push_back(progress); };
  request.search.progress = keep;
  const auto found = minimize_load(graph, request);
  REQUIRE(found);
  REQUIRE_FALSE(told.empty());
  for (std::size_t i = 0; i < told.size(); ++i) {
    CHECK(told[i].seconds >= 0);
    if (told[i].value != 0) CHECK(told[i].bound <= told[i].value);
    if (i == 0) continue;
    CHECK(told[i].seconds >= told[i - 1].seconds);
    CHECK(told[i].nodes >= told[i - 1].nodes);
    CHECK(told[i].bound >= told[i - 1].bound);
    if (told[i - 1].value != 0) CHECK(told[i].value <= told[i - 1].value);
  }
  CHECK(oracle::close(told.back().value, found->value));
}

TEST_CASE("the same seed and number of rounds give the same partition, another seed may give another") {
  const operator_graph graph = braid(150, 4);
  load_request request{.devices = 6, .method = graph_method::linear};
  request.search.node_limit = 8;
  request.search.time_limit.reset();
  const auto first = minimize_load(graph, request);
  const auto second = minimize_load(graph, request);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->assignment == second->assignment);
  CHECK(first->value == second->value);
  CHECK(first->bound == second->bound);
  CHECK(first->statistics.nodes == 8);
  int others = 0;
  for (std::uint64_t seed = 2; seed < 6; ++seed) {
    request.search.seed = seed;
    const auto other = minimize_load(graph, request);
    REQUIRE(other);
    others += other->assignment != first->assignment ? 1 : 0;
  }
  CHECK(others > 0);
}

TEST_CASE("no operators make no stage") {
  const auto none = minimize_load(operator_graph(), {.devices = 2, .at_most = true});
  REQUIRE(none.state() == state::optimal);
  CHECK(none->stages.empty());
  CHECK(none->value == 0);
  const auto two = minimize_load(operator_graph(), {.devices = 2});
  REQUIRE(two.state() == state::infeasible);
  CHECK(two.why().what == stagecut::reason::cause::more_stages_than_layers);
}

TEST_CASE("requests that make no sense are refused") {
  const operator_graph graph = chain_of({1, 1}, {0, 0});
  const auto of = [&](load_request request) { return refusal([&] { return minimize_load(graph, request); }); };
  CHECK(of({.devices = 0}) == "stagecut::minimize_load: devices = 0, must be at least 1");
  load_request late;
  late.search.time_limit = -1;
  CHECK(of(late) == "stagecut::minimize_load: search.time_limit = -1.000000, must not be negative");
  late.search.time_limit = std::numeric_limits<double>::quiet_NaN();
  CHECK(of(late) == "stagecut::minimize_load: search.time_limit = nan, must not be negative");
  const auto with = [&](stagecut::load_options load) { return of({.devices = 3, .load = std::move(load)}); };
  CHECK(with({.constants = {1, 2}}) ==
        "stagecut::minimize_load: constants.size() = 2, must be 0, 1 or the number of stages");
  CHECK(with({.constants = {-1}}) == "stagecut::minimize_load: constants = -1.000000, must be finite and not negative");
  CHECK(with({.speeds = {1}}) == "stagecut::minimize_load: speeds.size() = 1, must be 0 or the number of stages");
  CHECK(with({.speeds = {1, 0, 1}}) == "stagecut::minimize_load: speeds = 0.000000, must be finite and above 0");
  CHECK(with({.memory_limit = -1}) == "stagecut::minimize_load: memory_limit = -1.000000, must not be negative");
}

TEST_CASE("what makes a graph no graph of operators is refused where it stands") {
  const auto of = [](const operator_graph& graph) {
    return refusal<invalid_input>([&] { return minimize_load(graph, {}); });
  };
  operator_graph graph = chain_of({1, 1, 1}, {0, 0, 0});
  graph.operators[1].sent_seconds = -1;
  CHECK(of(graph) == "operator 1: sent_seconds = -1.000000, must be finite and not negative");
  graph.operators[1].sent_seconds = 0;
  graph.operators[2].activations = std::numeric_limits<double>::infinity();
  CHECK(of(graph) == "operator 2: activations = inf, must be finite and not negative");
  graph.operators[2].activations = 0;
  graph.edges.push_back({2, 3});
  CHECK(of(graph) == "edge 2: there is no operator 3");
  graph.edges.back() = {2, 0};
  CHECK(of(graph) == "operator 0: 0 -> 1 -> 2 -> 0 is a cycle of 3 operators");
  graph.edges.pop_back();
  graph.operators[0].is_backward = true;
  CHECK(of(graph) == "edge 0: leads from the backward to the forward pass");
  graph.operators[0].is_backward = false;
  graph.shared = {{1, {0, 5}}};
  CHECK(of(graph) == "shared 0: there is no operator 5");
  graph.shared.clear();
  graph.operators[0].group = graph.operators[2].group = 4;
  graph.operators[0].stage = 0;
  graph.operators[2].stage = 1;
  CHECK(of(graph) ==
        "operator 2: has to stand on stage 1, and shares one with operator 0, which has to stand on stage 0");
}

TEST_CASE("why there is no partition is said with the operators and the bytes") {
  const auto of = [](const operator_graph& graph, const load_request& request) {
    const auto found = minimize_load(graph, request);
    REQUIRE(found.state() == state::infeasible);
    return found.why().text();
  };
  operator_graph graph = chain_of({1, 1, 1, 1}, {0, 0, 0, 0});
  CHECK(of(graph, {.devices = 5}) ==
        "5 stages need at least 5 layers, and there are 4; allow fewer, or part what shares a stage");
  load_request request{.devices = 2, .load = {.memory_limit = 10}};
  graph.operators[2].resident = 8;
  graph.operators[2].activations = 4;
  CHECK(of(graph, request) == "operator 2 needs at least 12 bytes, and a device has 10 bytes");
  graph.operators[2].activations = 2;
  graph.operators[0].resident = 7;
  graph.operators[1].resident = 6;
  CHECK(of(graph, request) ==
        "the average stage needs at least 11 bytes, and a device has 10 bytes; use more devices, or "
        "some with more memory");
  graph.operators[1].resident = 3;
  graph.operators[2].activations = 0;
  graph.operators[3].resident = 1;
  CHECK(minimize_load(graph, request).state() == state::optimal);
  graph.operators[0].resident = 5;
  graph.operators[2].resident = 9;
  graph.operators[3].resident = 2;
  CHECK(of(graph, request) ==
        "no cut keeps to the constraint: none into 2 stages whose memory suffices and that keeps to "
        "what operators ask for; use more devices, or some with more memory");
  graph.operators[1].on_accelerator = false;
  request.load.memory_limit.reset();
  CHECK(of(graph, request) == "no cut keeps to the constraint: operator 1 runs on none of the devices");
  graph.operators[1].on_cpu = true;
  request.cpus = 1;
  CHECK(minimize_load(graph, request).state() == state::optimal);
  graph.operators[1].group = graph.operators[3].group = 0;
  graph.operators[1].on_accelerator = true;
  graph.operators[3].stage = 3;
  CHECK(of(graph, request) ==
        "no cut keeps to the constraint: operator 1 and the 2 that share its stage has to stand on stage 3 of 3");
}

TEST_CASE("bounds of whole numbers are the next load that there can be") {
  // Three operators of 3 s on two devices: 4.5 s on average, and each load is a multiple of 3 s.
  stagecut::operator_graph graph;
  graph.operators.resize(3);
  for (auto& each : graph.operators) each.forward = 3;
  stagecut::load_request request{.devices = 2};
  request.method = stagecut::graph_method::linear;
  request.search.node_limit = 0;
  const auto found = minimize_load(graph, request);
  REQUIRE(found.state() == stagecut::state::optimal);
  CHECK(found->value == 6);
  // Random ones of few seconds: the bound is a whole number, and never above the load.
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    graph.operators.resize(4 + random() % 12);
    for (auto& each : graph.operators) each.forward = static_cast<double>(1 + random() % 7);
    request.devices = 2 + random() % 3;
    const auto made = minimize_load(graph, request);
    CHECK(made->bound == std::floor(made->bound));
    CHECK(made->bound <= made->value);
  }
}

TEST_CASE("without a limit of time rounds end all that is done, and twice after the same") {
  const operator_graph graph = braid(250, 6);  // with more down-sets and smallest cuts than one round allows
  for (const graph_method method : {graph_method::automatic, graph_method::linear, graph_method::down_sets}) {
    CAPTURE(static_cast<int>(method));
    load_request request{.devices = 5, .method = method};
    request.search.time_limit.reset();
    std::size_t asked = 0;
    const auto count = [&] { return ++asked > 1000000; };
    request.search.stop = count;
    std::size_t last = 0;
    for (const std::size_t limit : {1U, 30U}) {
      request.search.node_limit = limit;
      asked = 0;
      const auto first = minimize_load(graph, request);
      const std::size_t once = std::exchange(asked, 0);
      const auto second = minimize_load(graph, request);
      REQUIRE(first);
      CHECK(once == asked);
      CHECK(asked < 1500 * limit);
      CHECK(asked >= last);
      CHECK(first->statistics.nodes <= limit);
      CHECK(first->assignment == second->assignment);
      CHECK(first->bound == second->bound);
      CHECK(first.state() == second.state());
      last = asked;
    }
  }
}

TEST_CASE("what is small is proved with any limit of rounds") {
  const operator_graph graph = braid(9, 2);
  load_request request{.devices = 3};
  request.search.time_limit.reset();
  request.search.node_limit = 0;
  CHECK(minimize_load(graph, request).state() == state::optimal);
}
