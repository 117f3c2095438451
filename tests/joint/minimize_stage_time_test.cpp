// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/joint/baselines/variant_stages.hpp>
#include <stagecut/joint/minimize_stage_time.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "variant_oracle.hpp"

using namespace stagecut;
using joint_tests::drawn_variants;
using joint_tests::layer_set;
using joint_tests::small_variants;
using joint_tests::variant_oracle;

namespace {

std::size_t wanted_cases(std::size_t usual) {
  const char* const said = std::getenv("STAGECUT_CASES");
  return said != nullptr ? std::strtoul(said, nullptr, 10) : usual;
}

/// Compares a plan with what it says of itself, and with the request.
void check_plan(const small_variants& of, const variant_stages& model, const hybrid_cut& cut) {
  const auto stages = model.stages_of(cut, of.request.memory_limit.for_all());
  REQUIRE(stages.size() == cut.stages.size());
  layer_set before = 0;
  double slowest = 0;
  std::size_t devices = 0;
  std::size_t replicas = 0;
  for (const auto& stage : stages) {
    devices += stage.replicas * stage.tensor_parallel;
    replicas += stage.replicas;
  }
  std::size_t device = of.request.devices - devices;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const variant_stage& each = stages[s];
    CHECK(cut.stages[s].first_device == device);
    device += each.replicas * each.tensor_parallel;
    layer_set here = 0;
    std::vector<std::size_t> variants(of.graph.layers.size(), 0);
    for (std::size_t i = 0; i < each.layers.size(); ++i) {
      here |= layer_set{1} << each.layers[i];
      variants[each.layers[i]] = each.variants[i];
    }
    CHECK((before & here) == 0);
    before |= here;
    for (const auto& edge : of.graph.edges) {
      CHECK(((here >> edge.to & 1U) == 0 || (before >> edge.from & 1U) != 0));
    }
    const auto figures =
        joint_tests::figures_of(of.graph, joint_tests::members(here), each.replicas, each.tensor_parallel, variants);
    REQUIRE(figures.has_value());
    CHECK(figures->time == cut.stages[s].option.time);
    CHECK(figures->activations == cut.stages[s].option.activations);
    CHECK(figures->resident == cut.stages[s].option.resident);
    slowest = figures->time > slowest ? figures->time : slowest;
    CHECK(of.graph.microbatches % each.replicas == 0);
    std::size_t held = (replicas + each.replicas - 1) / each.replicas;
    if (of.request.in_flight_rule == in_flight_rule::stages) {
      held = stages.size() - s < of.request.microbatches ? stages.size() - s : of.request.microbatches;
    }
    if (of.request.memory_limit.for_all()) {
      CHECK(figures->activations * static_cast<double>(held) + figures->resident <= *of.request.memory_limit.for_all());
    }
    replicas -= each.replicas;
  }
  CHECK(device == of.request.devices);
  CHECK(before == (layer_set{1} << of.graph.layers.size()) - 1);
  CHECK(slowest == cut.value);
  if (!of.request.at_most) CHECK(devices == of.request.devices);
  if (of.request.stages) CHECK(stages.size() == *of.request.stages);
}

/// Compares an answer with the best of all plans.
void check_answer(const small_variants& of, const variant_stages& model, const std::optional<double>& best) {
  const auto found = minimize_stage_time(model, of.request);
  if (!best) {
    CHECK(found.state() == state::infeasible);
    if (found.why().what != reason::cause::memory) return;
    CHECK(static_cast<double>(found.why().needed) == variant_oracle(of).fewest_bytes());
    return;
  }
  REQUIRE(found.state() == state::optimal);
  CHECK(found->value == *best);
  CHECK(found->bound == *best);
  check_plan(of, model, *found);
}

/// Stages of a chain whose messages depend on where the devices stand.
struct placed_chain {
  std::vector<double> times;
  std::size_t per_node = 1;
  double slow = 0;
  mutable std::size_t asked = 0;

  std::size_t size() const { return times.size(); }
  std::size_t period() const { return per_node; }
  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    ++asked;
    double sum = 0;
    for (std::size_t i = query.first; i < query.last; ++i) sum += times[i];
    for (std::size_t d = 1; d <= 3; ++d) {
      stage_option option;
      option.replicas = d;
      option.time = time(sum, d, query.device % per_node);
      option.activations = static_cast<double>(query.last - query.first);
      option.resident = 1;
      visit(option);
    }
  }
  /// A stage that does not end where a node does is slower.
  double time(double sum, std::size_t d, std::size_t end) const {
    return sum / static_cast<double>(d) + (end == 0 ? 0 : slow);
  }
};

std::optional<double> best_placed(const placed_chain& model, const hybrid_request& request, std::size_t last,
                                  std::size_t device, std::size_t replicas, double slowest) {
  if (last == 0) {
    return !request.at_most && device != 0 ? std::nullopt : std::optional<double>(slowest);
  }
  std::optional<double> best;
  double sum = 0;
  for (std::size_t first = last; first-- > 0;) {
    sum += model.times[first];
    for (std::size_t d = 1; d <= 3 && d <= device && replicas + d <= request.microbatches; ++d) {
      const std::size_t held = (replicas + d + d - 1) / d;
      if (static_cast<double>(held * (last - first)) + 1 > *request.memory_limit.for_all()) continue;
      const double here = model.time(sum, d, device % model.per_node);
      const auto all = best_placed(model, request, first, device - d, replicas + d, here > slowest ? here : slowest);
      if (all && (!best || *all < *best)) best = all;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("small graphs, compared with all plans") {
  const std::size_t wanted = wanted_cases(400);
  std::mt19937 dice(31);
  std::size_t infeasible = 0;
  for (std::size_t done = 0; done < wanted; ++done) {
    const small_variants drawn = drawn_variants(dice);
    CAPTURE(done);
    const auto best = variant_oracle(drawn).best();
    infeasible += best ? 0 : 1;
    check_answer(drawn, variant_stages(drawn.graph), best);
  }
  MESSAGE(infeasible, " of ", wanted, " infeasible");
}

TEST_CASE("links that differ by the place of the devices") {
  const std::size_t wanted = wanted_cases(150);
  std::mt19937 dice(32);
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    placed_chain model;
    for (std::size_t i = 1 + dice() % 5; i-- > 0;) model.times.push_back(static_cast<double>(1 + dice() % 20));
    model.per_node = 1 + dice() % 3;
    model.slow = static_cast<double>(dice() % 5);
    hybrid_request request;
    request.devices = model.per_node * (1 + dice() % 3);
    request.at_most = dice() % 2 == 0;
    request.microbatches = 3 + dice() % 9;
    request.in_flight_rule = in_flight_rule::replicas;
    request.memory_limit = static_cast<double>(2 + dice() % 20);
    const auto best = best_placed(model, request, model.size(), request.devices, 0, 0);
    const auto found = minimize_stage_time(model, request);
    if (!best) {
      CHECK(found.state() == state::infeasible);
      continue;
    }
    REQUIRE(found.state() == state::optimal);
    CHECK(found->value == *best);
    for (const hybrid_stage& stage : found->stages) {
      const std::size_t end = stage.first_device + stage.option.replicas;
      double sum = 0;
      for (std::size_t i = stage.first; i < stage.last; ++i) sum += model.times[i];
      CHECK(stage.option.time == model.time(sum, stage.option.replicas, end % model.per_node));
    }
  }
}

TEST_CASE("stopped early, the bound holds") {
  std::mt19937 dice(33);
  std::size_t stopped = 0;
  for (std::size_t done = 0; done < 100; ++done) {
    small_variants drawn = drawn_variants(dice);
    const auto best = variant_oracle(drawn).best();
    const variant_stages model(drawn.graph);
    for (const std::size_t nodes : {0U, 1U, 10U, 30U, 100U}) {
      CAPTURE(done);
      drawn.request.search.node_limit = nodes;
      const auto found = minimize_stage_time(model, drawn.request);
      stopped += found.state() == state::feasible ? 1 : 0;
      if (found.state() == state::infeasible) CHECK_FALSE(best.has_value());
      if (!found) continue;
      REQUIRE(best.has_value());
      CHECK(found->bound <= *best);
      CHECK(found->value >= *best);
      if (found.state() == state::optimal) CHECK(found->value == *best);
      check_plan(drawn, model, *found);
    }
  }
  CHECK(stopped > 10);
}

TEST_CASE(
    "more memory and more devices are never worse; times twice as long are twice as long; numbers do not matter") {
  std::mt19937 dice(34);
  for (std::size_t done = 0; done < 150; ++done) {
    CAPTURE(done);
    small_variants drawn = drawn_variants(dice);
    drawn.request.at_most = true;
    const auto cost_of = [](const variant_graph& graph, const hybrid_request& request) {
      const auto found = minimize_stage_time(variant_stages(graph), request);
      return found ? found->value : std::numeric_limits<double>::max();
    };
    const double cost = cost_of(drawn.graph, drawn.request);
    hybrid_request more = drawn.request;
    more.memory_limit = more.memory_limit.scaled(2);
    CHECK(cost_of(drawn.graph, more) <= cost);
    more = drawn.request;
    more.devices += 3;
    CHECK(cost_of(drawn.graph, more) <= cost);
    variant_graph longer = drawn.graph;
    for (auto& layer : longer.layers) {
      for (auto& divided : layer.divided) {
        for (auto& one : divided.variants) one.time *= 0x1p40;
      }
    }
    longer.bandwidth *= 0x1p-40;
    const double scaled = cost_of(longer, drawn.request);
    CHECK((scaled == cost * 0x1p40 || cost == std::numeric_limits<double>::max()));
    std::vector<std::size_t> place(drawn.graph.layers.size());
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), dice);
    variant_graph renamed = drawn.graph;
    for (std::size_t v = 0; v < place.size(); ++v) renamed.layers[place[v]] = drawn.graph.layers[v];
    for (auto& edge : renamed.edges) edge = {place[edge.from], place[edge.to], edge.bytes};
    CHECK(cost_of(renamed, drawn.request) == cost);
  }
}

TEST_CASE("replicas divide the microbatches in Piper's model, and need not in others") {
  variant_graph graph;
  graph.layers = {{0, "", {{1, {{"kept", 12, 0, 0, 0, {}, {}}}}}}};
  graph.microbatches = 4;
  hybrid_request request;
  request.devices = 3;
  request.at_most = true;
  request.microbatches = 4;
  CHECK(minimize_stage_time(variant_stages(graph), request)->value == 6);
  placed_chain other{{12}};
  request.memory_limit = 5;
  CHECK(minimize_stage_time(other, request)->value == 4);
  request.in_flight_rule = in_flight_rule::replicas;
  request.microbatches = 2;  // of which three replicas would be too many
  CHECK(minimize_stage_time(other, request)->value == 6);
}

TEST_CASE("the best that saves most for its time is not the best of all") {
  // 6 bytes lack: what takes least for a byte, 4 for 4 and then 7 for 6, takes 11; 7 for 6 does alone.
  variant_graph graph;
  const auto layer = [](std::size_t id, double more, double saved) {
    return variant_layer{id, "", {{1, {{"kept", 1, 0, 10, 0, {}, {}}, {"again", 1 + more, 0, 10 - saved, 0, {}, {}}}}}};
  };
  graph.layers = {layer(0, 4, 4), layer(1, 6, 5), layer(2, 7, 6)};
  graph.edges = {{0, 1, 100}, {1, 2, 100}};
  hybrid_request request;
  request.memory_limit = 24;
  const variant_stages model(graph);
  const auto found = minimize_stage_time(model, request);
  REQUIRE(found.state() == state::optimal);
  CHECK(found->value == 3 + 7);
  CHECK(model.stages_of(*found, 24.0)[0].variants == std::vector<std::size_t>{0, 0, 1});
}

TEST_CASE("reasons") {
  const auto layer = [](std::size_t id, double activations) {
    return variant_layer{id, "", {{1, {{"kept", 1, 0, activations, 2, {}, {}}}}}};
  };
  variant_graph graph;
  graph.layers = {layer(0, 10), layer(1, 30), layer(2, 10)};
  graph.edges = {{0, 1, 0}, {1, 2, 0}};
  graph.microbatches = 4;
  hybrid_request request;
  request.devices = 3;
  request.at_most = true;
  request.microbatches = 4;
  request.memory_limit = 20;
  const variant_stages model(graph);
  CHECK(minimize_stage_time(model, request).why().text() ==
        "stage 1 of 2 of the plan that needs least, from point 1 to 3 on 1 x 1 devices, with 4 bytes that stay and 1 "
        "microbatch in flight of 40 bytes, needs at least 44 bytes, and a device has 20 bytes; 44 bytes a device would "
        "do");
  request.stages = 4;
  CHECK(minimize_stage_time(model, request).why().text() == "4 stages need at least 4 layers, and there are 3");
  request.stages.reset();
  request.devices = 2;
  request.at_most = false;
  graph.microbatches = 1;
  graph.edges.clear();
  graph.layers.resize(1);
  CHECK(minimize_stage_time(variant_stages(graph), request).why().text() ==
        "no cut keeps to the constraint: stages on all 2 devices are not possible");
}

TEST_CASE("requests that make no sense") {
  const placed_chain model{{1, 2}};
  const auto said = [](const auto& of, const hybrid_request& request) {
    return refusal<argument_error>([&] { return minimize_stage_time(of, request); });
  };
  CHECK(said(model, {.devices = 0}) == "stagecut::minimize_stage_time: request.devices = 0, must be at least 1");
  CHECK(said(model, {.microbatches = 0}) ==
        "stagecut::minimize_stage_time: request.microbatches = 0, must be at least 1");
  CHECK(said(model, {.stages = 0}) == "stagecut::minimize_stage_time: request.stages = 0, must be at least 1");
  CHECK(
      said(model, {.memory_limit = -1.0}).starts_with("stagecut::minimize_stage_time: request.memory_limit = -1"));
  CHECK(said(model, {.memory_limit = {1, 2}}) ==
        "stagecut::minimize_stage_time: request.memory_limit = {…}, must be one value: devices are alike");
  const placed_chain in_nodes{{1, 2}, 2};
  CHECK(said(in_nodes, {.devices = 3}) ==
        "stagecut::minimize_stage_time: request.devices = 3, must be a multiple of 2, the model's period");
}

TEST_CASE("stages that take no time") {
  const placed_chain model{{0, 0, 0}};
  const auto found = minimize_stage_time(model, {.devices = 2, .memory_limit = 10.0});
  REQUIRE(found.state() == state::optimal);
  CHECK(found->value == 0);
}
