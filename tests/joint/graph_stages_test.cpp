// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/joint/graph_stages.hpp>
#include <stagecut/joint/minimize_hybrid.hpp>
#include <stagecut/joint/minimize_pipeline_latency.hpp>
#include <stagecut/joint/minimize_stage_time.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/joint/profile_options.hpp>
#include <stagecut/profile/as_chain.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "hybrid_models.hpp"
#include "two_nodes.hpp"

using namespace stagecut;

namespace {

std::size_t cases_wanted(std::size_t usual) {
  return std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : usual;
}

struct graph_case {
  profile model;
  device_choices choices;
  hybrid_request request;
};

graph_case drawn_graph(std::mt19937& dice, std::size_t most_layers, bool chain) {
  const auto draw = [&dice](std::size_t least, std::size_t most) {
    return static_cast<double>(least + dice() % (most - least + 1));
  };
  graph_case made;
  const auto n = static_cast<std::size_t>(draw(1, most_layers));
  for (std::size_t i = 0; i < n; ++i) {
    layer each;
    each.name = std::to_string(i);
    each.forward = draw(0, 9);
    each.backward = draw(1, 15);
    each.parameters = draw(0, 9);
    each.activations = draw(0, 8);
    each.workspace = draw(0, 3);
    each.output = draw(0, 9);
    each.update = draw(0, 2);
    const auto variant = [&](const std::string& name, std::size_t ways) {
      layer_variant way;
      way.name = name;
      way.tensor_parallel = ways;
      way.forward = draw(0, 9);
      way.backward = draw(1, 15);
      way.parameters = draw(0, 5);
      way.activations = draw(0, 4);
      way.output = each.output;
      return way;
    };
    if (dice() % 3 == 0) {
      layer_variant full = variant("full", 1);
      full.forward = each.forward;
      full.parameters = each.parameters;
      full.update = each.update;
      each.recomputations = std::vector<layer_variant>{full};
    }
    if (dice() % 2 == 0) each.shardings = std::vector<layer_variant>{variant("row", 2), variant("column", 2)};
    if (dice() % 5 == 0) each.tied = std::vector<tied_parameters>{{"t", 3, {}, {}}};
    if (dice() % 9 == 0) each.group = std::string("g");
    made.model.layers.push_back(each);
  }
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  if (!chain) std::shuffle(order.begin(), order.end(), dice);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (!chain && dice() % 3 == 0) made.model.edges.push_back({order[i], order[j]});
    }
  }
  made.request.devices = dice() % 2 == 0 ? 4 : 2;
  if (made.request.devices == 4 && dice() % 2 == 0) {
    made.choices.machine = topology({2, 2}, {{0, 4}, {1, 2}});
  } else {
    made.choices.machine = topology({made.request.devices}, {{draw(0, 2), 3}});
  }
  made.choices.replicas = {1, 2};
  if (dice() % 2 == 0) made.choices.tensor_parallel = {1, 2};
  made.choices.memory_accounting.parameter_multiplier = 4;
  made.choices.memory_accounting.boundary_buffers = dice() % 2 == 0 ? 0 : 2;
  made.request.microbatches = static_cast<std::size_t>(draw(1, 6));
  made.request.at_most = dice() % 2 == 0;
  if (dice() % 3 != 0) made.request.memory_limit = draw(10, 160);
  made.request.search.time_limit.reset();
  return made;
}

/// All sets of layers that hold what feeds them, and stages between them with every way to run each layer: an oracle.
struct listed_graph {
  const graph_case& of;
  std::vector<std::uint32_t> sets{};

  explicit listed_graph(const graph_case& from) : of(from) {
    const std::size_t n = of.model.layers.size();
    for (std::uint32_t set = 0; set < std::uint32_t{1} << n; ++set) {
      bool closed = true;
      for (const auto& edge : of.model.edges)
        closed = closed && ((set >> edge.to & 1) == 0 || (set >> edge.from & 1) != 0);
      for (std::size_t i = 1; i < n && of.model.edges.empty(); ++i)
        closed = closed && ((set >> i & 1) == 0 || (set >> (i - 1) & 1) != 0);
      if (closed) sets.push_back(set);
    }
  }

  [[nodiscard]] std::size_t size() const { return sets.size() - 1; }
  [[nodiscard]] std::size_t period() const { return placed_links(of.choices.machine).period(); }
  [[nodiscard]] bool has(std::size_t first, std::size_t last) const {
    if ((sets[first] & ~sets[last]) != 0) return false;
    std::size_t in = 0;
    std::size_t all = 0;
    for (std::size_t i = 0; i < of.model.layers.size(); ++i) {
      if (of.model.layers[i].group.empty()) continue;
      ++all;
      in += (sets[last] & ~sets[first]) >> i & 1;
    }
    return in == 0 || in == all;
  }

  /// Bytes that cross a cut.
  [[nodiscard]] double crossing(std::size_t point) const {
    double sum = 0;
    for (std::size_t i = 0; i < of.model.layers.size(); ++i) {
      bool needed = of.model.edges.empty() && i + 1 < of.model.layers.size() && (sets[point] >> (i + 1) & 1) == 0;
      for (const auto& edge : of.model.edges) needed = needed || (edge.from == i && (sets[point] >> edge.to & 1) == 0);
      if ((sets[point] >> i & 1) != 0 && needed) sum += of.model.layers[i].output;
    }
    return sum;
  }

  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    const placed_links links(of.choices.machine);
    const std::uint32_t inside = sets[query.last] & ~sets[query.first];
    for (const std::size_t ways : of.choices.tensor_parallel) {
      for (const std::size_t replicas : of.choices.replicas) {
        const std::size_t devices = replicas * ways;
        if (devices > links.devices()) continue;
        const std::size_t start = (query.device + 8 * links.period() - devices) % links.period();
        bool close = true;
        for (std::size_t r = 0; r < replicas; ++r) close = close && links.is_close(start + r * ways, ways);
        if (!close) continue;
        stage_option option{replicas, ways};
        const auto share = static_cast<double>(replicas);
        if (query.first > 0) option.message = links.before(start)(crossing(query.first) / share);
        const auto figures = [&](const auto& self, std::size_t i, double workspace, double parameters) -> void {
          while (i < of.model.layers.size() && (inside >> i & 1) == 0) ++i;
          if (i == of.model.layers.size()) {
            stage_option done = option;
            done.time = done.forward + done.backward;
            done.resident +=
                (workspace + of.choices.memory_accounting.boundary_buffers * (crossing(query.first) + crossing(query.last))) /
                share;
            if (replicas > 1) done.all_reduce += 2 * (share - 1) * links.within(start, devices)(parameters / share);
            visit(done);
            return;
          }
          const layer& each = of.model.layers[i];
          const auto run = [&](const auto& way) {
            const stage_option before = option;
            option.forward += way.forward / share;
            option.backward += way.backward / share;
            option.activations += way.activations / share;
            option.resident += way.parameters * of.choices.memory_accounting.parameter_multiplier;
            option.all_reduce += way.update;
            double more = 0;
            if (!each.tied.empty()) {
              bool first = true;
              for (std::size_t j = 0; j < i; ++j)
                first = first && ((inside >> j & 1) == 0 || of.model.layers[j].tied.empty());
              bool all = ways > 1;  // of them are sharded
              for (std::size_t j = 0; j < of.model.layers.size(); ++j) {
                if ((inside >> j & 1) == 0 || of.model.layers[j].tied.empty()) continue;
                all = all && !of.model.layers[j].shardings.empty();
              }
              if (first) more = each.tied.get()[0].bytes / (all ? static_cast<double>(ways) : 1);
            }
            option.resident += more * of.choices.memory_accounting.parameter_multiplier;
            self(self, i + 1, std::max(workspace, way.workspace), parameters + way.parameters + more);
            option = before;
          };
          bool sharded = false;
          for (const layer_variant& way : each.shardings.get()) sharded = sharded || (ways > 1 && way.tensor_parallel == ways);
          if (sharded) {
            for (const layer_variant& way : each.shardings.get()) run(way);
          } else {
            run(each);
            for (const layer_variant& way : each.recomputations.get()) run(way);
          }
        };
        figures(figures, 0, 0, 0);
      }
    }
  }
};

double slowest(const std::vector<hybrid_stage>& stages, double& sum) {
  double most = 0;
  sum = 0;
  for (const hybrid_stage& stage : stages) most = std::max(most, stage.option.time), sum += stage.option.time;
  return most;
}

/// Sums the layers of the stages of an answer again.
void check_cut(const graph_case& of, const graph_stages& model, const hybrid_cut& found) {
  std::vector<std::size_t> stage_of(of.model.layers.size(), found.stages.size());
  for (std::size_t s = 0; s < found.stages.size(); ++s) {
    const hybrid_stage& each = found.stages[s];
    const std::vector<std::size_t> layers = model.layers_of(each.first, each.last);
    const std::vector<std::size_t> how = model.mixture(each.first, each.last, each.option);
    REQUIRE(how.size() == layers.size());
    double forward = 0;
    double activations = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      stage_of[layers[i]] = s;
      forward += model.alternative(layers[i], each.option.tensor_parallel, how[i]).forward;
      activations += model.alternative(layers[i], each.option.tensor_parallel, how[i]).activations;
    }
    const auto share = static_cast<double>(each.option.replicas);
    CHECK(each.option.forward == doctest::Approx(forward / share));
    CHECK(each.option.activations == doctest::Approx(activations / share));
  }
  for (const auto& edge : of.model.edges) CHECK(stage_of[edge.from] <= stage_of[edge.to]);
  for (const std::size_t stage : stage_of) CHECK(stage < found.stages.size());
}

}  // namespace

TEST_CASE("plans of graphs are the best of all cuts, whatever is minimised") {
  std::size_t plans = 0;
  std::size_t graphs = 0;
  for (std::size_t seed = 0; seed < cases_wanted(400); ++seed) {
    CAPTURE(seed);
    std::mt19937 dice(static_cast<unsigned>(seed));
    const graph_case of = drawn_graph(dice, 5, false);
    const listed_graph listed(of);
    const graph_stages model(of.model, of.choices);
    REQUIRE(model.size() == listed.size());
    std::optional<double> makespan;
    std::optional<double> time;
    std::optional<double> length;
    joint_tests::each_hybrid(listed, of.request, [&](const std::vector<hybrid_stage>& stages) {
      if (of.request.memory_limit.for_all() && joint_tests::bytes_of(of.request, stages) > *of.request.memory_limit.for_all())
        return;
      double sum = 0;
      const double most = slowest(stages, sum);
      const double whole = sum + static_cast<double>(of.request.microbatches - 1) * most;
      const double end = joint_tests::makespan_of(stages, of.request.microbatches);
      makespan = makespan ? std::min(*makespan, end) : end;
      time = time ? std::min(*time, most) : most;
      length = length ? std::min(*length, whole) : whole;
    });
    const auto found = minimize_hybrid(model, of.request);
    const auto fastest = minimize_stage_time(model, of.request);
    const auto shortest = minimize_pipeline_latency(model, of.request);
    CHECK(found.state() == (makespan ? state::optimal : state::infeasible));
    CHECK(fastest.state() == (makespan ? state::optimal : state::infeasible));
    CHECK(shortest.state() == (makespan ? state::optimal : state::infeasible));
    if (!makespan || !found || !fastest || !shortest) continue;
    ++plans;
    CHECK(found->value == doctest::Approx(*makespan).epsilon(1e-12));
    CHECK(fastest->value == doctest::Approx(*time).epsilon(1e-12));
    CHECK(shortest->value == doctest::Approx(*length).epsilon(1e-12));
    check_cut(of, model, *found);
    check_cut(of, model, *fastest);
    if (is_chain(of.model)) continue;
    ++graphs;
    hybrid_plan_request asked;
    asked.pipeline = of.request;
    asked.choices = of.choices;
    const auto made = plan_hybrid(of.model, asked);
    REQUIRE(made.state() == state::optimal);
    CHECK(*made->makespan == doctest::Approx(*makespan).epsilon(1e-12));
    joint_tests::check_holds(of.model, *made);
    CHECK(io::parse_json_plan(io::as_json(*made), "p") == *made);
  }
  CHECK(plans > cases_wanted(400) / 3);
  CHECK(graphs > cases_wanted(400) / 6);
}

TEST_CASE("of the points of an order they are the best of its cuts") {
  for (std::size_t seed = 0; seed < cases_wanted(200); ++seed) {
    CAPTURE(seed);
    std::mt19937 dice(static_cast<unsigned>(seed));
    const graph_case of = drawn_graph(dice, 6, false);
    const listed_graph listed(of);
    std::vector<std::size_t> order;  // any that goes along the edges
    std::uint32_t set = 0;
    listed_graph prefixes(of);
    prefixes.sets = {0};
    while (order.size() < of.model.layers.size()) {
      const std::size_t next = dice() % of.model.layers.size();
      const std::uint32_t with = set | std::uint32_t{1} << next;
      if (with == set || std::find(listed.sets.begin(), listed.sets.end(), with) == listed.sets.end()) continue;
      order.push_back(next);
      set = with;
      if (order.size() == of.model.layers.size() || dice() % 4 != 0) prefixes.sets.push_back(set);
    }
    graph_states points = states_of_order(of.model, order);
    graph_states fewer{{{}, {}, {}, {}, {}}, points.layers, {}, points.words};
    for (std::size_t p = 0; p <= points.states.size(); ++p) {
      std::uint32_t here = 0;
      for (const std::size_t v : points.layers_between(0, p)) here |= std::uint32_t{1} << v;
      if (std::find(prefixes.sets.begin(), prefixes.sets.end(), here) == prefixes.sets.end()) continue;
      fewer.states.seconds.push_back(points.states.seconds[p]);
      fewer.states.parameters.push_back(points.states.parameters[p]);
      fewer.states.activations.push_back(points.states.activations[p]);
      fewer.states.output.push_back(points.states.output[p]);
      fewer.held.push_back(points.held[p]);
    }
    const graph_stages model(of.model, of.choices, fewer);
    REQUIRE(model.size() == prefixes.size());
    std::optional<double> makespan;
    joint_tests::each_hybrid(prefixes, of.request, [&](const std::vector<hybrid_stage>& stages) {
      if (of.request.memory_limit.for_all() && joint_tests::bytes_of(of.request, stages) > *of.request.memory_limit.for_all())
        return;
      const double end = joint_tests::makespan_of(stages, of.request.microbatches);
      makespan = makespan ? std::min(*makespan, end) : end;
    });
    const auto found = minimize_hybrid(model, of.request);
    CHECK(found.state() == (makespan ? state::optimal : state::infeasible));
    if (!makespan || !found) continue;
    CHECK(found->value == doctest::Approx(*makespan).epsilon(1e-12));
    check_cut(of, model, *found);
  }
}

TEST_CASE("of a chain they are the plans of the chain") {
  for (std::size_t seed = 0; seed < cases_wanted(300); ++seed) {
    CAPTURE(seed);
    std::mt19937 dice(static_cast<unsigned>(seed));
    const graph_case of = drawn_graph(dice, 9, true);
    bool group = false;  // which a chain holds all between
    for (const auto& layer : of.model.layers) group = group || !layer.group.empty();
    if (group) continue;
    const graph_stages model(of.model, of.choices);
    const profile_options chain(of.model, of.choices);
    CHECK(model.is_whole() == chain.is_whole());
    REQUIRE(model.size() == chain.size());
    const auto found = minimize_hybrid(model, of.request);
    const auto expected = minimize_hybrid(chain, of.request);
    CHECK(found.state() == expected.state());
    if (found && expected) CHECK(found->value == doctest::Approx(expected->value).epsilon(1e-12));
  }
}

TEST_CASE("a graph with too many sets of layers is planned by orders") {
  profile model;  // 14 branches of two layers between two layers: 3^14 + 2 sets
  for (std::size_t i = 0; i < 30; ++i) {
    layer each;
    each.name = std::to_string(i);
    each.forward = 1 + static_cast<double>(i % 3);
    each.backward = 2 * each.forward;
    each.activations = 1;
    each.parameters = 2;
    each.output = 1;
    model.layers.push_back(each);
  }
  for (std::size_t i = 1; i < 29; i += 2) {
    model.edges.push_back({0, i});
    model.edges.push_back({i, i + 1});
    model.edges.push_back({i + 1, 29});
  }
  CHECK_THROWS_AS((void)graph_stages(model, {}).size(), invalid_input);
  hybrid_plan_request asked;
  asked.pipeline.devices = 4;
  asked.pipeline.microbatches = 8;
  asked.pipeline.memory_limit = 90;
  asked.pipeline.search.time_limit.reset();
  asked.choices.machine = topology({4}, {{0.01, 100}});
  asked.choices.replicas = {1, 2};
  asked.choices.memory_accounting.parameter_multiplier = 2;
  const auto found = plan_hybrid(model, asked);
  REQUIRE(found);
  joint_tests::check_holds(model, *found);
  double work = 0;
  for (const layer& each : model.layers) work += each.time();
  const objective_value& of = found->objective;
  CHECK(of.bound == doctest::Approx(8 * work / 4));
  CHECK(of.value >= of.bound);
  CHECK(of.value <= 1.5 * of.bound);
  for (std::size_t e = 0; e < found->edges.size(); ++e) CHECK(found->edges[e].to == e + 1);
  for (const planned_stage& stage : found->stages) CHECK(stage.total_memory() <= 90);
  // Nodes alone end it as well, the same every time, and no order takes those of all.
  for (const std::size_t nodes : {std::size_t{0}, std::size_t{300}, std::size_t{3000}}) {
    CAPTURE(nodes);
    std::size_t spent = 0;
    hybrid_plan_request counted = asked;
    counted.pipeline.search.node_limit = nodes;
    counted.pipeline.search.nodes_spent = &spent;
    const auto few = plan_hybrid(model, counted);
    REQUIRE(few);
    CHECK(few->objective.value >= of.value * (1 - 1e-12));
    CHECK(spent <= 2 * nodes + 2000);
    const std::size_t before = spent;
    const auto again = plan_hybrid(model, counted);
    CHECK(again->objective.value == few->objective.value);
    CHECK(again->objective.bound == few->objective.bound);
    CHECK(spent == 2 * before);
  }
  asked.pipeline.memory_limit = 5;
  CHECK(!plan_hybrid(model, asked));
}

TEST_CASE("what is no graph of stages is refused") {
  profile model;
  model.layers.resize(3);
  for (auto& layer : model.layers) layer.forward = 1;
  device_choices choices;
  model.edges = {{0, 1}, {1, 2}, {2, 0}};
  CHECK(refusal<invalid_input>([&] { return graph_stages(model, choices).size(); }).find("is a cycle") !=
        std::string::npos);
  model.edges = {{0, 1}};
  CHECK(refusal<invalid_input>([&] { return graph_stages(model, choices, 4).size(); }) ==
        "edges: there are more than 4 sets of layers that stages could end at");
  CHECK(graph_stages(model, choices, 5).size() == 5);
  model.layers[1].is_backward = true;
  model.layers[1].forward = 0;
  CHECK(refusal<invalid_input>([&] { return graph_stages(model, choices).size(); }) ==
        "layer 1: is of the backward pass alone, and stages have both passes of their layers");
  choices.replicas = {0};
  CHECK(refusal([&] { return graph_stages(model, choices).size(); }) ==
        "stagecut::profile_options: replicas = 0, must be at least 1");
}
