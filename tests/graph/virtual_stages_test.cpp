// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/virtual_stages.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/graph/minimize_load.hpp>

#include "../refusal.hpp"
#include "chunk_oracle.hpp"
#include "random_problems.hpp"

using stagecut::graph_operator;
using stagecut::invalid_input;
using stagecut::search_progress;
using stagecut::load_request;
using stagecut::minimize_load;
using stagecut::operator_graph;
using stagecut::outcome;
using stagecut::state;
using stagecut::virtual_partition;
using stagecut::virtual_stage_request;
using stagecut::virtual_stages;

namespace {

virtual_stage_request with_chunks(const load_request& request, std::size_t chunks) {
  virtual_stage_request result;
  result.devices = request.devices;
  result.cpus = request.cpus;
  result.at_most = request.at_most;
  result.stages_per_rank = chunks;
  result.method = request.method;
  result.load = request.load;
  result.search = request.search;
  return result;
}

struct tally {
  int optimal = 0;
  int best = 0;  // of those that are not proved
  int worse = 0;
  int better = 0;  // than with one chunk a device
  int none = 0;
  int missed = 0;  // there is a partition, and none was found
};

void check_answer(const operator_graph& graph, const virtual_stage_request& request,
                  const outcome<virtual_partition>& found, tally& counts) {
  oracle::chunk_rows all(graph, request);
  const std::optional<double> best = all.least();
  if (!found) {
    if (found.state() == state::infeasible) REQUIRE_FALSE(best.has_value());
    ++(best ? counts.missed : counts.none);
    return;
  }
  REQUIRE(oracle::wrong_with(graph, request, all, *found) == "");
  REQUIRE(best.has_value());
  REQUIRE(found->value >= *best * (1 - 1e-12));
  REQUIRE(found->bound <= *best * (1 + 1e-12));
  const bool same = oracle::close(found->value, *best);
  if (found.state() == state::optimal) {
    REQUIRE(same);
    REQUIRE(found->bound == found->value);
    ++counts.optimal;
  } else {
    ++(same ? counts.best : counts.worse);
  }
  if (found->value < found->contiguous_load * (1 - 1e-12)) ++counts.better;
}

tally check_cases(std::uint64_t seed, int rounds, std::size_t n, std::size_t stages, std::size_t round_limit) {
  tally counts;
  for (int round = 0; round < rounds * oracle::times_as_many(); ++round) {
    oracle::chance random(seed * 1000000 + static_cast<std::uint64_t>(round));
    oracle::load_case each = oracle::random_case(random, n, stages);
    each.request.search.time_limit.reset();
    each.request.search.node_limit = round_limit;
    const virtual_stage_request request = with_chunks(each.request, 2);
    CAPTURE(seed);
    CAPTURE(round);
    std::optional<outcome<virtual_partition>> found;
    try {
      found = virtual_stages(each.graph, request);
    } catch (const invalid_input& error) {  // operators that share a chunk have no two devices to stand on
      REQUIRE(std::string(error.what()).find("has to stand on stage") != std::string::npos);
      continue;
    }
    check_answer(each.graph, request, *found, counts);
    const auto one = minimize_load(each.graph, each.request);
    if (one) {
      REQUIRE(*found);
      REQUIRE((*found)->value <= one->value * (1 + 1e-12));
    }
  }
  return counts;
}

/// A long path that begins and ends with what speaks with no others: one device can hold both ends.
operator_graph two_ends() {
  operator_graph graph;
  for (const double seconds : {2.0, 5.0, 5.0, 3.0}) {
    graph_operator each;
    each.forward = seconds;
    graph.operators.push_back(each);
  }
  for (std::size_t v = 1; v < 4; ++v) graph.edges.push_back({v - 1, v});
  return graph;
}

}  // namespace

TEST_CASE("no partition into chunks is lighter than what is known of it, and most answers are the lightest") {
  const tally counts = check_cases(1, 900, 5, 3, 6);
  CHECK(counts.optimal > 250);
  CHECK(counts.best > 150);
  CHECK(counts.better > 30);
  CHECK(counts.none > 60);
  CHECK(counts.worse * 20 < counts.best);
  CHECK(counts.missed * 100 < counts.best);
}

TEST_CASE("chunks of six operators on up to three devices") {
  const tally counts = check_cases(2, 150, 6, 3, 6);
  CHECK(counts.optimal + counts.best > 80);
  CHECK(counts.better > 5);
  CHECK(counts.worse * 10 < counts.best);
}

TEST_CASE("one chunk a device is what minimize_load says") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    oracle::chance random(3000000 + seed);
    oracle::load_case each = oracle::random_case(random, 7, 3);
    for (auto& v : each.graph.operators) v.stage = graph_operator::none;
    const auto one = minimize_load(each.graph, each.request);
    const auto found = virtual_stages(each.graph, with_chunks(each.request, 1));
    CAPTURE(seed);
    REQUIRE(found.state() == one.state());
    if (!one) {
      REQUIRE(found.why().text() == one.why().text());
      continue;
    }
    REQUIRE(found->assignment == one->assignment);
    REQUIRE(found->devices == one->stages);
    REQUIRE(found->value == one->value);
    REQUIRE(found->bound == one->bound);
    REQUIRE(found->contiguous_load == one->value);
  }
}

TEST_CASE("a device that holds both ends of a path") {
  virtual_stage_request request{.devices = 3};
  const auto found = virtual_stages(two_ends(), request);
  REQUIRE(found);
  CHECK(found.state() == state::optimal);
  CHECK(found->value == 5);
  CHECK(found->contiguous_load == 7);
  CHECK(found->assignment == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(found->device_of == std::vector<std::size_t>{0, 1, 2, 0});
  CHECK(found->devices.size() == 3);
  CHECK(found->devices[0].load == 5);
  CHECK(found->gap() == 0);
}

TEST_CASE("chunks of a device that take the same output pay for it once") {
  operator_graph graph = two_ends();
  graph.operators[0].sent_seconds = 1;
  graph.edges.push_back({0, 3});
  graph.edges.push_back({0, 2});
  virtual_stage_request request{.devices = 2};
  request.search.time_limit.reset();
  request.search.node_limit = 20;
  const auto found = virtual_stages(graph, request);
  REQUIRE(found);
  CHECK(found->value == 9);  // 2 and 5, or 3 and 5, with what the other one takes
  CHECK(found->devices[0].communication == 1);
  CHECK(found->devices[1].communication == 1);
}

TEST_CASE("memory is that of all chunks of a device") {
  operator_graph graph = two_ends();
  for (graph_operator& each : graph.operators) each.resident = 10;
  virtual_stage_request request{.devices = 3};
  request.search.node_limit = 40;
  request.search.time_limit.reset();
  request.load.memory_limit = 13;
  const auto none = virtual_stages(graph, request);
  CHECK(none.state() == state::infeasible);
  CHECK(none.why().text().find("memory") != std::string::npos);
  request.load.memory_limit = 20;
  CHECK(virtual_stages(graph, request)->value == 5);
  graph.operators[1].resident = 21;
  const auto heavy = virtual_stages(graph, request);
  CHECK(heavy.state() == state::infeasible);
  CHECK(heavy.why().text().find("operator 1 needs at least 21 bytes") != std::string::npos);
}

TEST_CASE("chunks keep the activations of as many microbatches as there are chunks from them on") {
  operator_graph graph = two_ends();
  for (graph_operator& each : graph.operators) each.activations = 1;
  virtual_stage_request request{.devices = 3};
  request.search.node_limit = 40;
  request.search.time_limit.reset();
  request.load.in_flight = true;
  request.load.memory_limit = 5;  // 4 and 1 at the ends
  const auto found = virtual_stages(graph, request);
  REQUIRE(found);
  CHECK(found->value == 5);
  CHECK(found->devices[0].memory == 5);
  request.load.memory_limit = 4;
  REQUIRE(virtual_stages(graph, request));
  CHECK(virtual_stages(graph, request)->value > 5);
  request.load.microbatches = 2;
  CHECK(virtual_stages(graph, request)->value == 5);
}

TEST_CASE("a partition that fits only with several chunks on a device is found") {
  operator_graph graph = two_ends();
  graph.operators[0].resident = graph.operators[1].resident = 7;  // 0 and 1 cannot share a device
  graph.operators[2].resident = graph.operators[3].resident = 3;
  virtual_stage_request request{.devices = 2};
  request.load.memory_limit = 10;
  request.search.node_limit = 40;
  request.search.time_limit.reset();
  const auto found = virtual_stages(graph, request);
  REQUIRE(found);
  CHECK(found->contiguous_load == 0);
  CHECK(found->devices[0].memory == 10);
}

TEST_CASE("limits, progress and stops") {
  oracle::chance random(9);
  operator_graph graph;
  for (std::size_t v = 0; v < 60; ++v) {
    graph_operator each;
    each.forward = 1 + random.figure(9, false);
    each.sent_seconds = random.figure(3, false);
    graph.operators.push_back(each);
    for (std::size_t u = v < 6 ? 0 : v - 6; u < v; ++u) {
      if (random.one_in(3)) graph.edges.push_back({u, v});
    }
  }
  virtual_stage_request request{.devices = 5, .stages_per_rank = 3};
  request.search.time_limit.reset();
  request.search.node_limit = 20;
  std::size_t told = 0;
  double last = 0;
  const auto tell = [&](const search_progress& now) {
    ++told;
    if (last > 0 && now.value > 0) CHECK(now.value <= last * (1 + 1e-12));
    if (now.value > 0) last = now.value;
  };
  request.search.progress = tell;
  const auto found = virtual_stages(graph, request);
  REQUIRE(found);
  CHECK(found->statistics.nodes <= 20);
  CHECK(told > 0);
  CHECK(oracle::close(last, found->value));
  CHECK(found->value < found->contiguous_load);
  request.search.progress = {};
  const auto again = virtual_stages(graph, request);
  CHECK(again->assignment == found->assignment);
  CHECK(again->device_of == found->device_of);
  const auto stop = [] { return true; };
  request.search.stop = stop;
  const auto stopped = virtual_stages(graph, request);
  if (stopped) CHECK(stopped->bound <= found->value);
}

TEST_CASE("requests that make no sense are refused") {
  const operator_graph graph = two_ends();
  const auto said = [&](const virtual_stage_request& request) {
    return refusal<stagecut::argument_error>([&] { return virtual_stages(graph, request); });
  };
  CHECK(said({.devices = 0}).find("virtual_stages: devices") != std::string::npos);
  CHECK(said({.stages_per_rank = 0}).find("virtual_stages: stages_per_rank") != std::string::npos);
  CHECK(said({.stages_per_rank = std::size_t{1} << 20U}).find("below 2^20") != std::string::npos);
  virtual_stage_request request{.devices = 2};
  request.load.speeds = {1};
  CHECK(said(request).find("speeds.size()") != std::string::npos);
  CHECK(virtual_stages(graph, {.devices = 3, .stages_per_rank = 1000})->value == 5);
  CHECK(virtual_stages(operator_graph{}, {.devices = 2, .at_most = true}).state() == state::optimal);
  CHECK(virtual_stages(operator_graph{}, {.devices = 2}).state() == state::infeasible);
}

TEST_CASE("rounds alone end a search for chunks, and twice after the same") {
  oracle::chance random(31);
  operator_graph graph;
  for (std::size_t v = 0; v < 150; ++v) {  // whose rounds would each make more moves than one of a small graph
    graph_operator each;
    each.forward = 1 + random.figure(9, false);
    each.sent_seconds = random.figure(3, false);
    graph.operators.push_back(each);
    for (std::size_t u = v < 5 ? 0 : v - 5; u < v; ++u) {
      if (random.one_in(3)) graph.edges.push_back({u, v});
    }
  }
  virtual_stage_request request{.devices = 4};
  request.search.time_limit.reset();
  request.search.node_limit = 3;
  std::size_t asked = 0;
  const auto count = [&] { return ++asked > 100000; };
  request.search.stop = count;
  const auto first = virtual_stages(graph, request);
  const std::size_t once = std::exchange(asked, 0);
  const auto second = virtual_stages(graph, request);
  REQUIRE(first);
  CHECK(once == asked);
  CHECK(asked < 100000);
  CHECK(first->statistics.nodes <= 3);
  CHECK(first->assignment == second->assignment);
  CHECK(first->device_of == second->device_of);
  CHECK(first->bound == second->bound);
}
