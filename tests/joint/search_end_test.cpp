// SPDX-License-Identifier: BSL-1.0
// Every solver says what ended its search, and how long it took.
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/graph/minimize_communication.hpp>
#include <stagecut/graph/minimize_graph_makespan.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/virtual_stages.hpp>
#include <stagecut/joint/plan_model.hpp>
#include <stagecut/makespan/minimize_cut_and_schedule.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_range.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace stagecut;

namespace {

struct ended_search {
  stagecut::state state = stagecut::state::unknown;
  bool answered = false;
  search_statistics statistics{};
};

template <class Solution>
ended_search ended(const outcome<Solution>& found) {
  if (!found) return {found.state(), false, {}};
  CHECK(found->state() == found.state());
  return {found.state(), true, found->statistics};
}

using solver = std::function<ended_search(const search_options&)>;

std::vector<double> drawn(std::size_t count, std::mt19937& dice) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(1 + static_cast<double>(dice() % 1000));
  return result;
}

operator_graph drawn_graph(std::size_t count, std::mt19937& dice) {
  operator_graph result;
  result.operators.resize(count);
  for (auto& one : result.operators) {
    one.forward = 1 + static_cast<double>(dice() % 1000);
    one.backward = 1 + static_cast<double>(dice() % 1000);
    one.sent_seconds = one.sent_back_seconds = static_cast<double>(dice() % 300);
    one.resident = 1 + static_cast<double>(dice() % 100);
  }
  for (std::size_t v = 1; v < count; ++v) {
    for (int i = 0; i < 2; ++i) result.edges.push_back({dice() % v, v});
  }
  return result;
}

profile drawn_profile(std::size_t count, std::mt19937& dice) {
  profile result;
  for (std::size_t i = 0; i < count; ++i) {
    layer one;
    one.name = "layer " + std::to_string(i);
    one.forward = 1 + static_cast<double>(dice() % 1000);
    one.backward = 1 + static_cast<double>(dice() % 1000);
    one.parameters = 10;
    one.activations = 10 + static_cast<double>(dice() % 30);
    one.output = 1 + static_cast<double>(dice() % 3);
    layer_variant again;
    again.name = "full";
    again.forward = one.forward;
    again.backward = one.backward + one.forward;
    again.parameters = one.parameters;
    again.activations = again.output = one.output;
    one.recomputations = {again};
    result.layers.push_back(one);
  }
  return result;
}

solver of_request(profile model, plan_request request) {
  return [model = std::move(model), request = std::move(request)](const search_options& limits) {
    plan_request asked = request;
    asked.search = limits;
    const planned_model found = compare_model(model, asked);
    return ended_search{found.best.state(), found.best.has_value(), found.statistics};
  };
}

/// Solvers whose problems here take longer than a few nodes.
std::vector<std::pair<std::string, solver>> solvers() {
  static std::mt19937 dice(7);
  static const item_times chain(drawn(60, dice), drawn(60, dice));
  static const operator_graph graph = drawn_graph(60, dice);
  static const prefix_sums<double> sums(drawn(60, dice));
  static const pass_times<double> passes{drawn(4, dice), drawn(4, dice), drawn(4, dice), drawn(4, dice)};
  const schedule pipeline = make_schedule(schedule_kind::interleaved, {.ranks = 4, .stages_per_rank = 2, .microbatches = 8});
  std::vector<std::pair<std::string, solver>> all;
  all.emplace_back("minimize_makespan", [=](const search_options& limits) {
    return ended(minimize_makespan(chain, makespan_request{.schedule = pipeline, .search = limits}));
  });
  all.emplace_back("minimize_cut_and_schedule", [](const search_options& limits) {
    return ended(minimize_cut_and_schedule(
        chain, cut_and_schedule_request{.rank_of = {0, 1, 2, 2, 1, 0}, .microbatches = 6, .split = false, .search = limits}));
  });
  all.emplace_back("synthesize_schedule", [](const search_options& limits) {
    return ended(synthesize_schedule(passes, transfer_times<double>{},
                                     synthesis_request{.rank_of = {0, 1, 1, 0}, .microbatches = 6, .search = limits}));
  });
  all.emplace_back("minimize_load", [](const search_options& limits) {
    return ended(minimize_load(graph, load_request{.devices = 6, .search = limits}));
  });
  all.emplace_back("virtual_stages", [](const search_options& limits) {
    return ended(virtual_stages(graph, virtual_stage_request{.devices = 3, .search = limits}));
  });
  all.emplace_back("minimize_communication", [](const search_options& limits) {
    return ended(minimize_communication(graph, communication_request{.devices = 4, .search = limits}));
  });
  all.emplace_back("minimize_graph_makespan", [](const search_options& limits) {
    return ended(minimize_graph_makespan(graph, graph_makespan_request{.devices = 5, .microbatches = 6, .search = limits}));
  });
  all.emplace_back("minimize_leximax", [](const search_options& limits) { return ended(minimize_leximax(sums, 12, limits)); });
  all.emplace_back("minimize_range", [](const search_options& limits) { return ended(minimize_range(sums, 12, limits)); });
  const profile model = drawn_profile(30, dice);
  all.emplace_back("several schedules", of_request(model, {.devices = 4, .microbatches = 8, .any_schedule = true}));
  plan_request recomputed{.devices = 4, .microbatches = 8};
  recomputed.recomputations.emplace();
  recomputed.memory_limit = 700.0;
  all.emplace_back("recomputation", of_request(model, recomputed));
  plan_request replicated{.devices = 8, .microbatches = 8};
  replicated.replicas = {1, 2, 4};
  all.emplace_back("replicas", of_request(model, replicated));
  replicated.objective = plan_objective::stage_time;
  all.emplace_back("stage time", of_request(model, replicated));
  return all;
}

}  // namespace

TEST_CASE("a search that its nodes, its seconds or its caller end says so, and a proof is complete") {
  for (const auto& [name, solve] : solvers()) {
    INFO(name);
    const auto check = [](const ended_search& found, search_end why) {
      if (!found.answered) return true;
      CHECK(found.statistics.seconds > 0);
      if (found.state == state::optimal) {
        CHECK(found.statistics.ended == search_end::complete);
        return false;
      }
      CHECK(found.statistics.ended == why);
      return true;
    };
    search_options limits;
    limits.time_limit = 0;
    CHECK(check(solve(limits), search_end::time_limit));
    limits.time_limit.reset();
    limits.node_limit = 0;
    CHECK(check(solve(limits), search_end::node_limit));
    limits.node_limit.reset();
    limits.stop = [] { return true; };
    CHECK(check(solve(limits), search_end::stopped));
  }
}

TEST_CASE("a small problem without limits is complete") {
  std::mt19937 dice(8);
  const profile model = drawn_profile(6, dice);
  const planned_model found = compare_model(model, {.devices = 2, .microbatches = 4});
  REQUIRE(found.best.state() == state::optimal);
  CHECK(found.statistics.ended == search_end::complete);
  CHECK(found.statistics.seconds > 0);
  std::size_t nodes = 0;
  search_end why = search_end::complete;
  plan_request counted{.devices = 4, .microbatches = 8};
  counted.search = {.node_limit = 3, .nodes_spent = &nodes, .ended = &why};
  const planned_model limited = compare_model(drawn_profile(40, dice), counted);
  CHECK(limited.statistics.nodes == nodes);
  CHECK(limited.statistics.ended == why);
  CHECK(limited.request.search.nodes_spent == &nodes);
}
