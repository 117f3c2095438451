// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/joint/baselines/variant_stages.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "variant_oracle.hpp"

using namespace stagecut;
using joint_tests::drawn_variants;
using joint_tests::layer_set;

namespace {

constexpr double no_limit = std::numeric_limits<double>::max();

struct any_stages {
  template <class Options>
  bool operator()(std::size_t first, const Options&) const {
    return firsts->push_back(first), false;
  }
  std::vector<std::size_t>* firsts;
};

/// The layers of a stage.
layer_set layers_of(const variant_stages& model, std::size_t first, std::size_t last) {
  layer_set result = 0;
  for (const std::size_t v : model.layers_of(first, last)) result |= layer_set{1} << v;
  return result;
}

/// The least time of a stage with `held` microbatches.
std::optional<double> least(const variant_graph& graph, layer_set stage, const stage_option& on, std::size_t held,
                            const std::optional<double>& memory) {
  std::optional<double> best;
  std::vector<std::size_t> variants(graph.layers.size(), 0);
  for (layer_set second = stage;; second = (second - 1) & stage) {
    for (std::size_t v = 0; v < variants.size(); ++v) variants[v] = second >> v & 1U;
    const auto all = joint_tests::figures_of(graph, joint_tests::members(stage), on.replicas, on.tensor_parallel, variants);
    if (all && (!memory || all->activations * static_cast<double>(held) + all->resident <= *memory) &&
        (!best || all->time < *best)) {
      best = all->time;
    }
    if (second == 0) return best;
  }
}

variant_graph pair_of_layers() {
  variant_graph graph;
  graph.layers = {{7, "a", {{1, {{"kept", 1, 0, 0, 0, {}, {}}}}}}, {8, "b", {{1, {{"kept", 2, 0, 0, 0, {}, {}}}}}}};
  graph.edges = {{0, 1, 5}};
  return graph;
}

std::string said(const variant_graph& graph) {
  return refusal<invalid_input>([&] { return variant_stages(graph).size(); });
}

}  // namespace

TEST_CASE("points are the down-sets, and stages what lies between two of them") {
  std::mt19937 dice(51);
  for (std::size_t done = 0; done < 100; ++done) {
    const auto drawn = drawn_variants(dice);
    const variant_stages model(drawn.graph);
    REQUIRE(model.size() + 1 == joint_tests::down_sets_of(drawn.graph));
    std::map<std::pair<layer_set, layer_set>, std::size_t> pairs;
    for (std::size_t last = 1; last <= model.size(); ++last) {
      CHECK(model.least_work(last) >= model.least_work(last - 1));
      std::vector<std::size_t> firsts;
      model.each_stage(last, any_stages{&firsts});
      const layer_set outer = layers_of(model, 0, last);
      for (const std::size_t first : firsts) {
        const layer_set inner = first == 0 ? 0 : layers_of(model, 0, first);
        CHECK((inner & ~outer) == 0);
        CHECK(layers_of(model, first, last) == (outer & ~inner));
        CHECK(++pairs[std::pair(inner, outer)] == 1);
      }
      std::vector<std::size_t> some;
      const double middle = model.least_work(last) / 2;
      model.each_stage_between(last, middle, no_limit, any_stages{&some});
      std::vector<std::size_t> expected;
      for (const std::size_t first : firsts) {
        if (model.least_work(first) >= middle) expected.push_back(first);
      }
      CHECK(some == expected);
    }
  }
}

TEST_CASE("all options of a stage, and the smallest_memory") {
  std::mt19937 dice(52);
  for (std::size_t done = 0; done < 100; ++done) {
    CAPTURE(done);
    const auto drawn = drawn_variants(dice);
    const variant_stages model(drawn.graph);
    const std::size_t all = drawn.graph.microbatches;
    for (std::size_t first = 0; first < model.size(); ++first) {
      stage_query query;
      query.first = first;
      query.last = model.size();
      query.memory = drawn.request.memory_limit.for_all();
      const layer_set stage = layers_of(model, query.first, query.last);
      std::map<std::pair<std::size_t, std::size_t>, std::vector<stage_option>> options;
      model.each_option(query, [&](const stage_option& option) {
        options[{option.replicas, option.tensor_parallel}].push_back(option);
      });
      for (std::size_t ways = 1; ways <= 2; ++ways) {
        for (std::size_t d = 1; d <= all; ++d) {
          const auto& found = options[{d, ways}];
          if (all % d != 0) CHECK(found.empty());
          if (all % d != 0) continue;
          std::optional<double> slowest_at_all;
          for (std::size_t held = 1; held <= all; ++held) {
            std::optional<double> offered;
            for (const stage_option& option : found) {
              const double bytes = option.activations * static_cast<double>(held) + option.resident;
              if (query.memory && bytes > *query.memory) continue;
              if (!offered || option.time < *offered) offered = option.time;
            }
            CHECK(offered == least(drawn.graph, stage, {.replicas = d, .tensor_parallel = ways}, held, query.memory));
            if (offered) slowest_at_all = offered;
          }
          // With as many microbatches as possible.
          stage_query roomy = query;
          roomy.smallest_memory = true;
          roomy.most_devices = d * ways;
          roomy.most_time = slowest_at_all.value_or(0);
          for (int again = 0; again < 2; ++again) {
            std::size_t room = 0;
            model.each_option(roomy, [&](const stage_option& option) {
              if (option.replicas != d || option.tensor_parallel != ways) return;
              CHECK(option.time <= roomy.most_time);
              while (room < all &&
                     (!query.memory ||
                      option.activations * static_cast<double>(room + 1) + option.resident <= *query.memory)) {
                ++room;
              }
            });
            std::size_t expected = 0;
            for (std::size_t held = 1; held <= all; ++held) {
              const auto time = least(drawn.graph, stage, {.replicas = d, .tensor_parallel = ways}, held, query.memory);
              if (time && *time <= roomy.most_time) expected = held;
            }
            CHECK(room == expected);
            roomy.most_time = std::floor(roomy.most_time * 0.8);
          }
        }
      }
    }
  }
}

TEST_CASE("a stage has the time of its formula") {
  variant_graph graph = pair_of_layers();
  graph.layers[1].divided[0].variants[0].parameters = 6;
  graph.layers[1].divided[0].variants[0].received_bytes = {3};
  graph.bandwidth = 4;
  graph.microbatches = 2;
  const variant_stages model(graph);
  std::vector<double> times;
  stage_query query;
  query.first = 1;
  query.last = 2;
  model.each_option(query, [&](const stage_option& option) { times.push_back(option.time); });
  CHECK(times == std::vector<double>{2 + 2 * (5 + 3) / 4., (2 + 2 * (5 + 3) / 4. + 4 * 6 / (2 * 4.)) / 2});
}

TEST_CASE("cuts of other models") {
  const variant_stages model(pair_of_layers());
  const auto said_of = [&](const hybrid_stage& stage) {
    hybrid_cut cut;
    cut.stages = {stage};
    return refusal<argument_error>([&] { return model.stages_of(cut, std::nullopt); });
  };
  const std::string text =
      "stagecut::variant_stages::stages_of: cut = stage 0, must be a stage of this model that fits";
  CHECK(said_of({.first = 1, .last = 3}) == text);
  CHECK(said_of({.first = 1, .last = 1}) == text);
  CHECK(said_of({.first = 0, .last = 2, .option = {.tensor_parallel = 2}}) == text);
  CHECK(said_of({.first = 0, .last = 2, .option = {.choice = 2}}) == text);
  CHECK(said_of({.first = 0, .last = 2, .option = {.choice = 1}}) == "not refused");
}

TEST_CASE("graphs that make no sense") {
  variant_graph graph = pair_of_layers();
  graph.edges.push_back({0, 1, 1});
  CHECK(said(graph) == "edges: from layer 0 to layer 1 there are two");
  graph.edges[1] = {1, 1, 1};
  CHECK(said(graph) == "edges[1]: from layer 1 to itself");
  graph.edges[1] = {1, 2, 1};
  CHECK(said(graph) == "edges[1]: from 1 to 2, and there are 2 layers");
  graph.edges[1] = {1, 0, 1};
  CHECK(said(graph) == "element 0: 0 -> 1 -> 0 is a cycle of 2 elements");
  graph = pair_of_layers();
  graph.layers[0].divided[0].variants[0].sent_bytes = {1, 2};
  CHECK(said(graph) == "layers[0].divided[0].variants[0]: sent_bytes is of 2 edges, and 1 go out");
  graph.layers[0].divided[0].variants[0].sent_bytes = {-1};
  CHECK(said(graph).starts_with("layers[0].divided[0].variants[0]: sent_bytes = -1"));
  graph = pair_of_layers();
  graph.layers[1].divided.push_back({1, {}});
  CHECK(said(graph) == "layers[1].divided[1]: tensor_parallel = 1 stands twice");
  graph.layers[1].divided[1].tensor_parallel = 0;
  CHECK(said(graph) == "layers[1].divided[1]: tensor_parallel = 0, must be from 1 to 1000000");
  graph = pair_of_layers();
  graph.bandwidth = 0;
  CHECK(said(graph) == "bandwidth: must be above 0");
  graph = pair_of_layers();
  graph.microbatches = 0;
  CHECK(said(graph) == "microbatches: 0 of them: must be from 1 to below 2^31");
  graph = pair_of_layers();
  graph.layers[0].divided[0].variants[0].time = graph.layers[1].divided[0].variants[0].time = 1e308;
  CHECK(said(graph) == "layers: their figures sum to more than a double holds");
  CHECK(said({}) == "layers: there are none");
  graph = pair_of_layers();
  graph.edges.clear();
  CHECK(refusal<invalid_input>([&] { return variant_stages(graph, 3).size(); }) ==
        "edges: there are more than 3 sets of layers that stages could end at");
}
