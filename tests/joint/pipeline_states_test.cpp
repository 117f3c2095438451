// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/pipeline_states.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "random_graphs.hpp"

using namespace stagecut;

namespace {

using layers_t = std::set<std::size_t>;

bool joins(const profile& model, std::size_t from, std::size_t to) {
  return std::find(model.edges.begin(), model.edges.end(), profile_edge{from, to}) != model.edges.end();
}

bool holds_all_it_needs(const profile& model, const layers_t& set) {
  for (const profile_edge& edge : model.edges) {
    if (set.count(edge.to) != 0 && set.count(edge.from) == 0) return false;
  }
  return true;
}

/// Whether edges join all layers of a set.
bool hangs_together(const profile& model, const layers_t& set) {
  layers_t reached{*set.begin()};
  for (bool more = true; more;) {
    more = false;
    for (const profile_edge& edge : model.edges) {
      if (set.count(edge.from) == 0 || set.count(edge.to) == 0) continue;
      if (reached.count(edge.from) == reached.count(edge.to)) continue;
      reached.insert({edge.from, edge.to});
      more = true;
    }
  }
  return reached == set;
}

/// All that a layer needs, without itself.
layers_t needed_by(const profile& model, std::size_t layer) {
  layers_t all;
  for (const profile_edge& edge : model.edges) {
    if (edge.to != layer || !all.insert(edge.from).second) continue;
    all.merge(needed_by(model, edge.from));
  }
  return all;
}

/// What PipeDream says that crosses a cut: the last layers of a set, and whatever feeds what one of them does not need.
double crossing_as_published(const profile& model, const layers_t& set) {
  layers_t last = set;
  for (const profile_edge& edge : model.edges) {
    if (set.count(edge.to) != 0) last.erase(edge.from);
  }
  layers_t crossing = last;
  for (const std::size_t v : last) {
    const layers_t needed = needed_by(model, v);
    for (const profile_edge& edge : model.edges) {
      if (needed.count(edge.from) != 0 && needed.count(edge.to) == 0 && edge.to != v) crossing.insert(edge.from);
    }
  }
  double sum = 0;
  for (const std::size_t v : crossing) sum += model.layers[v].output;
  return sum;
}

double crossing(const profile& model, const layers_t& set) {
  double sum = 0;
  for (const std::size_t v : set) {
    bool feeds = false;
    for (std::size_t to = 0; to < model.layers.size(); ++to)
      feeds = feeds || (joins(model, v, to) && set.count(to) == 0);
    if (feeds) sum += model.layers[v].output;
  }
  return sum;
}

/// The sets of layers that are points, the empty one among them.
std::set<layers_t> points_of(const profile& model, bool as_published) {
  const std::size_t n = model.layers.size();
  std::size_t first = n;
  for (std::size_t v = n; v-- > 0;) {
    if (needed_by(model, v).empty()) first = v;
  }
  std::set<layers_t> result{{}};
  for (std::size_t bits = 1; bits < std::size_t{1} << n; ++bits) {
    layers_t set;
    for (std::size_t v = 0; v < n; ++v) {
      if ((bits >> v & 1) != 0) set.insert(v);
    }
    if (!holds_all_it_needs(model, set)) continue;
    if (as_published && (set.count(first) == 0 || !hangs_together(model, set))) continue;
    result.insert(set);
  }
  return result;
}

void check_point(const profile& model, const graph_states& found, std::size_t p, const layers_t& set, bool published) {
  layer sum;
  for (const std::size_t v : set) {
    sum.forward += model.layers[v].time();
    sum.parameters += model.layers[v].parameters;
    sum.activations += model.layers[v].activations;
  }
  CHECK(found.states.seconds[p] == sum.forward);
  CHECK(found.states.parameters[p] == sum.parameters);
  CHECK(found.states.activations[p] == sum.activations);
  CHECK(found.states.output[p] == (published ? crossing_as_published(model, set) : crossing(model, set)));
}

void check_graph(const profile& model, bool as_published) {
  const auto expected = points_of(model, as_published);
  const auto found = states_of_graph(model, {.as_published = as_published});
  REQUIRE(found.state() == state::optimal);
  REQUIRE(found->states.size() + 1 == expected.size());
  std::vector<layers_t> sets;
  for (std::size_t p = 0; p <= found->states.size(); ++p) {
    const auto layers = found->layers_between(0, p);
    sets.emplace_back(layers.begin(), layers.end());
    REQUIRE(expected.count(sets[p]) == 1);
    if (p > 0) CHECK(sets[p - 1].size() <= sets[p].size());
    check_point(model, *found, p, sets[p], as_published);
  }
  for (std::size_t p = 0; p < sets.size(); ++p) {
    std::vector<std::size_t> later;
    for (std::size_t q = 0; q < sets.size(); ++q) {
      const bool holds = std::includes(sets[q].begin(), sets[q].end(), sets[p].begin(), sets[p].end());
      if (q != p && holds) later.push_back(q);
    }
    CHECK(found->states.later[p] == later);
  }
  const std::size_t states = found->states.size();
  CHECK(states_of_graph(model, {.most_states = states, .as_published = as_published}).has_value());
  CHECK(!states_of_graph(model, {.most_states = states - 1, .as_published = as_published}).has_value());
}

layer layer_named(const char* kind, double forward, double output) {
  layer each;
  each.name = each.kind = kind;
  each.forward = forward;
  each.output = output;
  return each;
}

}  // namespace

TEST_CASE("small graphs have all sets of layers as points that hold what feeds their layers") {
  std::mt19937 dice(41);
  const std::size_t wanted = joint_tests::wanted_cases(200);
  std::size_t apart = 0;
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    const profile model = joint_tests::drawn_graph(dice, 2 + dice() % 6);
    if (model.edges.empty()) continue;
    check_graph(model, false);
    layers_t all;
    for (std::size_t v = 0; v < model.layers.size(); ++v) all.insert(v);
    if (hangs_together(model, all)) {
      check_graph(model, true);
    } else {
      ++apart;
      const auto why = refusal<invalid_input>([&] { return states_of_graph(model, {.as_published = true}); });
      CHECK(why.find("no edges join it with") != std::string::npos);
    }
  }
  MESSAGE(apart, " of ", wanted, " hang not together");
}

TEST_CASE("a chain has a point behind every layer, as a chain and as a graph") {
  profile model;
  for (std::size_t i = 0; i < 130; ++i) {
    layer each;
    each.forward = static_cast<double>(i);
    each.backward = 1;
    each.parameters = static_cast<double>(i % 7);
    each.activations = each.output = static_cast<double>(i % 5);
    model.layers.push_back(each);
  }
  const pipeline_states chain = states_of_chain(model);
  const auto graph = states_of_graph(model);
  REQUIRE(chain.size() == 130);
  REQUIRE(graph->states.size() == 130);
  CHECK(graph->states.seconds == chain.seconds);
  CHECK(graph->states.parameters == chain.parameters);
  CHECK(graph->states.activations == chain.activations);
  for (std::size_t p = 0; p < 130; ++p) CHECK(graph->states.output[p] == chain.output[p]);
  CHECK(chain.output[130] == 4);
  CHECK(graph->states.output[130] == 0);  // nothing takes it
  CHECK(graph->layers_between(64, 66) == std::vector<std::size_t>{64, 65});
}

TEST_CASE("as published, inputs and parts of outputs that nothing takes are left out") {
  profile model;
  model.layers = {layer_named("Input0", 9, 1), layer_named("Linear", 2, 4), layer_named("__getitem__", 1, 8), layer_named("Input", 5, 2),
                  layer_named("Linear", 3, 16)};
  model.edges = {{0, 1}, {1, 2}, {3, 4}, {1, 4}};
  const auto found = states_of_graph(model, {.as_published = true});
  REQUIRE(found.has_value());
  CHECK(found->layers == std::vector<std::size_t>{1, 4});
  CHECK(found->states.seconds == std::vector<double>{0, 2, 5});
  CHECK(found->states.output == std::vector<double>{0, 4, 16});
  CHECK(states_of_graph(model)->states.seconds.back() == 20);
}

TEST_CASE("what makes no sense is refused") {
  profile model;
  CHECK(refusal<invalid_input>([&] { return states_of_chain(model); }) == "points: 1, must be at least 2");
  CHECK(refusal<invalid_input>([&] { return states_of_graph(model); }) == "layers: there are none");
  model.layers = {layer_named("a", 1, 1), layer_named("b", 1, 1), layer_named("c", 1, 1)};
  model.edges = {{0, 1}, {1, 2}, {2, 1}};
  CHECK(refusal<invalid_input>([&] { return states_of_graph(model); }) == R"(edges: "b" -> "c" -> "b" is a cycle)");
  CHECK(refusal<argument_error>([&] { return states_of_chain(model); }) ==
        "stagecut::states_of_chain: model.edges = {…}, must be empty: see states_of_graph");
  model.edges = {{0, 7}};
  CHECK(refusal<invalid_input>([&] { return states_of_graph(model); }) == "edge 0: there is no layer 7");
  model.edges = {{0, 1}, {0, 2}};
  const auto many = states_of_graph(model, {.most_states = 3});
  CHECK(many.state() == state::unknown);
  CHECK(many.why().what == reason::cause::limit_reached);
  CHECK(states_of_graph(model, {.most_states = std::numeric_limits<std::size_t>::max()})->states.size() == 4);
  model.layers[2].forward = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal<invalid_input>([&] { return states_of_graph(model); }).find("must be finite") != std::string::npos);

  const auto refused = [](const pipeline_states& states) {
    return refusal<invalid_input>([&] { return check_pipeline_states(states), 0; });
  };
  pipeline_states states{{0, 1, 2}, {0, 0, 0}, {0, 0, 0}, {0, 5, 1}, {}};
  CHECK(refused(states) == "not refused");
  states.seconds[2] = 0.5;
  CHECK(refused(states) == "point 2: seconds are below those of point 1");
  states.later = {{1, 2}, {}, {}};
  CHECK(refused(states) == "point 1: the last point does not hold it");
  states.later = {{1, 2}, {2}, {2}};
  states.seconds[2] = 2;
  CHECK(refused(states) == "point 2: later points are not in order, or there is no point 2");
  states.later = {{1, 2}, {2}, {}};
  CHECK(refused(states) == "not refused");
  states.later = {{1, 2}, {3}, {}};
  CHECK(refused(states) == "point 1: later points are not in order, or there is no point 3");
  states.later = {{1, 2}};
  CHECK(refused(states) == "later: 1, must be as many as points, 3");
  states.output.pop_back();
  CHECK(refused(states) == "output: 2, must be as many as points, 3");
  states.activations[1] = -1;
  CHECK(refused(states) == "point 1: activations must be finite and not negative");
}
