// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/tables/pipedream.hpp>
#include <stagecut/joint/baselines/minimize_nested_time.hpp>
#include <stagecut/joint/baselines/plan_nested_graph.hpp>
#include <stagecut/joint/detail/layer_orders.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "random_graphs.hpp"

using namespace stagecut;

namespace {

constexpr double gigabyte = 1e9;

struct machines_row {
  std::string name;
  std::vector<machine_level> levels;
};

const machines_row machines_of[] = {{"1x4", {{4, gigabyte}}},
                                    {"1x16", {{16, gigabyte}}},
                                    {"4x4", {{4, 10 * gigabyte}, {4, 1.25 * gigabyte}}},
                                    {"8x2", {{8, 30 * gigabyte}, {2, 3.125 * gigabyte}}}};

/// An order in which each layer stands behind all that feed it.
std::vector<std::size_t> drawn_order(std::mt19937& dice, const profile& model) {
  std::vector<std::size_t> order;
  std::vector<bool> there(model.layers.size());
  while (order.size() < model.layers.size()) {
    const std::size_t v = dice() % model.layers.size();
    bool ready = !there[v];
    for (const profile_edge& edge : model.edges) ready = ready && (edge.to != v || there[edge.from]);
    if (ready) order.push_back(v), there[v] = true;
  }
  return order;
}

/// Every point of an order is one of all points, with its figures.
void check_points(const graph_states& some, const graph_states& all) {
  REQUIRE(some.layers == all.layers);
  REQUIRE(some.words == all.words);
  for (std::size_t p = 0; p <= some.states.size(); ++p) {
    std::size_t q = 0;
    const auto same = [&] {
      return std::equal(&some.held[p * some.words], &some.held[p * some.words] + some.words, &all.held[q * all.words]);
    };
    while (q <= all.states.size() && !same()) ++q;
    REQUIRE(q <= all.states.size());
    CHECK(some.states.seconds[p] == all.states.seconds[q]);
    CHECK(some.states.parameters[p] == all.states.parameters[q]);
    CHECK(some.states.activations[p] == all.states.activations[q]);
    CHECK(some.states.output[p] == all.states.output[q]);
  }
}

/// The stages hold each layer once, no edge leads back, and the plan is the best by its points.
void check_plan(const profile& model, const nested_machines& machines, const nested_graph_plan& plan) {
  std::vector<std::size_t> stage_of(model.layers.size(), model.layers.size());
  std::size_t at = 0;
  for (std::size_t s = 0; s < plan.cut.stages.size(); ++s) {
    CHECK(plan.cut.stages[s].first == at);
    at = plan.cut.stages[s].last;
    for (const std::size_t v : plan.points.layers_between(plan.cut.stages[s].first, at)) {
      CHECK(stage_of[v] == model.layers.size());
      stage_of[v] = s;
    }
  }
  CHECK(at == plan.points.states.size());
  CHECK(std::count(stage_of.begin(), stage_of.end(), model.layers.size()) == 0);
  for (const profile_edge& edge : model.edges) CHECK(stage_of[edge.from] <= stage_of[edge.to]);
  const auto again = minimize_nested_time(plan.points.states, machines);
  CHECK(again->value == plan.cut.value);
  CHECK(again->stages == plan.cut.stages);
  CHECK(plan.cut.bound <= plan.cut.value);
}

nested_machines draw_machines(std::mt19937& dice, const profile& model) {
  nested_machines made;
  const std::size_t levels = 1 + dice() % 3;
  for (std::size_t l = 0; l < levels; ++l) {
    const double bandwidths[] = {0, 0.5, 1, 3, 8};
    made.levels.push_back({1 + dice() % (levels == 1 ? 6 : 3), bandwidths[dice() % 5]});
  }
  made.at_most = dice() % 2 == 0;
  made.straight = dice() % 4 == 0;
  made.messages = dice() % 4 != 0;
  made.compression = dice() % 3 == 0 ? 3 : 1;
  double bytes = 0;
  for (const auto& layer : model.layers) bytes += layer.parameters + layer.activations;
  if (dice() % 3 == 0) made.memory_limit = bytes * static_cast<double>(1 + dice() % 16) / 8;
  return made;
}

/// Blocks of four branches, which are joined by the layer that the next ones begin with.
profile inception(std::size_t blocks) {
  profile model;
  const auto add = [&](double milliseconds, double parameters, double output) {
    layer each;
    each.name = std::to_string(model.layers.size());
    each.forward = milliseconds / 3e3;
    each.backward = milliseconds / 1.5e3;
    each.parameters = parameters * 1e6;
    each.activations = each.output = output * 1e6;
    model.layers.push_back(each);
    return model.layers.size() - 1;
  };
  std::size_t last = add(12, 0.1, 40);
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<std::size_t> ends;
    for (const std::size_t length : {1U, 2U, 3U, 5U}) {
      std::size_t end = last;
      for (std::size_t i = 0; i < length; ++i) {
        const auto size = static_cast<double>((7 * b + 3 * i + length) % 5 + 1);
        const std::size_t next = add(size, size / 2, 4 + size);
        model.edges.push_back({end, next});
        end = next;
      }
      ends.push_back(end);
    }
    last = add(1, 0, 25);
    for (const std::size_t end : ends) model.edges.push_back({end, last});
  }
  return model;
}

/// Plans a model on all machines and says how well.
void plan_on_all(const std::string& name, const profile& model) {
  for (const machines_row& row : machines_of) {
    CAPTURE(row.name);
    const nested_machines machines{.levels = row.levels};
    const auto start = std::chrono::steady_clock::now();
    const auto found = plan_nested_graph(model, machines);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    REQUIRE(found.has_value());
    check_plan(model, machines, *found);
    MESSAGE(name, " on ", row.name, ": ", found->cut.value, " s, at least ", found->cut.bound, ", gap ",
            100 * (found->cut.value / found->cut.bound - 1), " %, ", found->cut.stages.size(), " stages, in ",
            took.count(), " s");
  }
}

}  // namespace

TEST_CASE("the points of an order are those of the graph, with the same figures") {
  std::mt19937 dice(61);
  const std::size_t wanted = joint_tests::wanted_cases(200);
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    profile model = joint_tests::drawn_graph(dice, 2 + dice() % 6);
    if (model.edges.empty()) continue;
    for (auto& layer : model.layers) layer.forward /= 7, layer.parameters /= 3;  // sums are rounded
    const std::vector<std::size_t> order = drawn_order(dice, model);
    const graph_states some = states_of_order(model, order);
    REQUIRE(some.states.size() == model.layers.size());
    for (std::size_t p = 0; p < order.size(); ++p) CHECK(some.layers_between(p, p + 1)[0] == order[p]);
    check_points(some, *states_of_graph(model));
  }
}

TEST_CASE("graphs of few points get the best plan, and by orders none that is better or below its bound") {
  std::mt19937 dice(62);
  const std::size_t wanted = joint_tests::wanted_cases(300);
  std::size_t planned = 0;
  std::size_t best = 0;
  std::size_t proved = 0;
  std::size_t missed = 0;
  double worst = 1;
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    const profile model = joint_tests::drawn_graph(dice, 2 + dice() % 8);
    const nested_machines machines = draw_machines(dice, model);
    const auto all = states_of_graph(model, {.most_states = 40});
    if (!all) continue;
    const auto exact = minimize_nested_time(all->states, machines);
    const auto few = plan_nested_graph(model, machines);
    const auto ordered = plan_nested_graph(model, machines, {.most_states = 0});
    REQUIRE(few.state() == exact.state());
    if (!exact) {
      CHECK(few.why() == exact.why());
      REQUIRE(!ordered);
      const bool short_of_layers = exact.why().what == reason::cause::more_stages_than_layers;
      CHECK(ordered.state() == (short_of_layers ? state::infeasible : state::unknown));
      if (short_of_layers) CHECK(ordered.why() == exact.why());
      continue;
    }
    ++planned;
    CHECK(few->cut == *exact);
    CHECK(few->cut.bound == exact->value);
    if (!ordered) {
      CHECK(machines.memory_limit.has_value());
      CHECK(ordered.state() == state::unknown);
      ++missed;
      continue;
    }
    check_plan(model, machines, *ordered);
    check_points(ordered->points, *all);
    CHECK(ordered->cut.value >= exact->value);
    CHECK(ordered->cut.bound <= exact->value);
    if (ordered.state() == state::optimal) {
      ++proved;
      CHECK(ordered->cut.value == exact->value);
    }
    if (ordered->cut.value == exact->value) ++best;
    if (exact->value > 0) worst = std::max(worst, ordered->cut.value / exact->value);
  }
  MESSAGE("by orders ", best, " of ", planned, " best, ", proved, " proved, ", missed, " without a plan, worst ",
          worst);
  CHECK(best > planned / 2);
}

TEST_CASE("nasnetamobile on PipeDream's machines") {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr) {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return;
  }
  const auto path = std::filesystem::path(folder) / "pipedream" / "nasnetamobile.txt";
  if (!std::filesystem::exists(path)) {
    MESSAGE("skipped: there is no ", path.string());
    return;
  }
  const profile model = io::parse_pipedream(io::file_text(path.string()), "nasnetamobile");
  CHECK(!states_of_graph(model, {.most_states = 100'000}));
  plan_on_all("nasnetamobile", model);
}

TEST_CASE("ten blocks of four branches") {
  const profile model = inception(10);
  CHECK(plan_nested_graph(model, {.levels = {{4, gigabyte}}}).state() == state::feasible);
  plan_on_all("ten blocks", model);
}

TEST_CASE("fewer points than layers: the plan so far is found again, and each device has its stage") {
  const profile model = inception(30);
  const nested_machines nested{.levels = {{8, 30 * gigabyte}, {2, gigabyte}}};
  const auto few = plan_nested_graph(model, nested, {.orders = 6});
  const auto more = plan_nested_graph(model, nested, {.orders = 30});
  CHECK(few->points.states.size() < model.layers.size());
  CHECK(more->cut.value <= few->cut.value);
  CHECK(plan_nested_graph(model, nested, {.orders = 30})->cut == more->cut);
  nested_machines straight{.levels = {{20, 0}, {6, 0}}, .straight = true};
  const auto single = plan_nested_graph(model, straight, {.orders = 1});
  REQUIRE(single.has_value());
  CHECK(single->cut.stages.size() == 120);
  straight.levels[1].count = 20;
  const auto none = plan_nested_graph(model, straight);
  REQUIRE(none.state() == state::infeasible);
  CHECK(none.why().text() == "400 stages need at least 400 layers, and there are 361");
  const auto memory = plan_nested_graph(model, {.levels = {{4, 0}}, .memory_limit = 1});
  REQUIRE(memory.state() == state::unknown);
  CHECK(memory.why().what == reason::cause::constraint);
}

TEST_CASE("of neighbours the point stays at which the least crosses, and those that are kept") {
  profile model;
  for (const double output : {5, 1, 7, 3, 2, 9, 9, 9, 4, 1}) model.layers.push_back({.forward = 1, .output = output});
  const graph_states all = states_of_order(model, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto seconds = [&](std::size_t most, std::vector<std::size_t> kept) {
    std::vector<bool> is_kept(kept.empty() ? 0 : 11);
    for (const std::size_t p : kept) is_kept[p] = true;
    return detail::with_fewer_points(all, most, is_kept).states.seconds;
  };
  CHECK(seconds(10, {}).size() == 11);
  CHECK(seconds(4, {}) == std::vector<double>{0, 2, 5, 9, 10});
  CHECK(seconds(4, {3, 5, 7}) == std::vector<double>{0, 2, 3, 5, 7, 9, 10});
  CHECK(seconds(1, {}) == std::vector<double>{0, 10});
}

TEST_CASE("the bound is met by equal layers, and by a heavy one") {
  profile model = inception(10);
  for (layer& each : model.layers) each = layer{.name = each.name, .forward = 0.1};
  const auto equal = plan_nested_graph(model, {.levels = {{11, 1}, {3, 0}}});
  CHECK(equal.state() == state::optimal);
  CHECK(equal->cut.bound == equal->cut.value);
  model.layers[17].forward = 100;
  model.layers[17].parameters = 1e6;
  const auto heavy = plan_nested_graph(model, {.levels = {{3, 1}}});
  CHECK(heavy.state() == state::optimal);
  CHECK(heavy->cut.value == doctest::Approx(100));
}

TEST_CASE("what makes no sense is refused") {
  profile model = inception(2);
  const auto refused_order = [&](const std::vector<std::size_t>& order) {
    return refusal<argument_error>([&] { return states_of_order(model, order); });
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < model.layers.size(); ++i) order.push_back(i);
  CHECK(states_of_order(model, order).states.size() == 25);
  const std::string of = "stagecut::states_of_order: ";
  std::swap(order[0], order[1]);
  CHECK(refused_order(order) == of + "order[0] = 1, must stand behind all layers that feed it");
  order[0] = 0;
  order[1] = 0;
  CHECK(refused_order(order) == of + "order[1] = 0, must be a layer that is not yet there");
  order[1] = 25;
  CHECK(refused_order(order) == of + "order[1] = 25, must be a layer that is not yet there");
  order.pop_back();
  CHECK(refused_order(order) == of + "order.size() = 24, must be the number of layers, 25");

  const auto refused = [&](const nested_machines& machines, const nested_graph_options& options) {
    return refusal<argument_error>([&] { return plan_nested_graph(model, machines, options); });
  };
  const std::string plan = "stagecut::plan_nested_graph: ";
  CHECK(refused({.levels = {{4, 1}}, .as_published = true}, {}) ==
        plan + "machines.as_published = true, must be false: see states_of_graph and minimize_nested_time");
  CHECK(refused({.levels = {{4, 1}}}, {.orders = 0}) == plan + "orders = 0, must be at least 1");
  CHECK(refused({}, {}) == plan + "levels.size() = 0, must be at least 1");
  model.layers.resize(6);
  model.edges = {{0, 1}, {0, 2}, {0, 3}, {1, 4}};
  CHECK(refused({}, {}) == plan + "levels.size() = 0, must be at least 1");
  model.edges.push_back({4, 0});
  CHECK(refusal<invalid_input>([&] {
          return plan_nested_graph(model, {.levels = {{4, 1}}});
        }) == R"(edges: "0" -> "1" -> "4" -> "0" is a cycle)");
}
