// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/detail/row_plan.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../refusal.hpp"

using namespace stagecut;

namespace {

/// A graph that is no chain as a rule, its layers listed in any order.
profile random_graph(std::mt19937& random, std::size_t n, bool groups) {
  const auto below = [&](std::size_t count) { return static_cast<double>(random() % count); };
  profile result;
  std::vector<std::size_t> name(n);
  std::iota(name.begin(), name.end(), 0);
  if (random() % 2 == 0) std::shuffle(name.begin(), name.end(), random);
  for (std::size_t i = 0; i < n; ++i) {
    layer each;
    each.name = "op" + std::to_string(i);
    each.forward = 1 + below(8);
    each.backward_input = 1 + below(8);
    each.backward_weight = 1 + below(8);
    each.backward = *each.backward_input + *each.backward_weight;
    each.parameters = below(50);
    each.activations = below(40);
    each.workspace = below(20);
    each.output = below(10);
    if (groups && random() % 4 == 0) each.group = "g" + std::to_string(random() % 2);
    if (random() % 8 == 0) each.tied = {tied_parameters{"t", 16.0}};
    result.layers.push_back(each);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (random() % n < 2) result.edges.push_back({name[i], name[j]});
    }
  }
  if (result.edges.empty()) result.edges.push_back({name[0], name[1]});
  return result;
}

struct run_as {
  schedule_kind kind;
  std::size_t devices;
  std::size_t chunks;
  std::size_t microbatches;
};

/// Any schedule that chains are planned for, 1F1B for PyTorch alone, with numbers that it can be made for.
run_as random_run(std::mt19937& random, bool for_torch = false) {
  std::vector<run_as> all;
  for (const schedule_entry& entry : schedules) {
    if (needs_more(entry) || (entry.kind == schedule_kind::one_forward_one_backward && !for_torch)) continue;
    for (const std::size_t p : {1U, 2U, 3U}) {
      for (const std::size_t v : {1U, 2U}) {
        for (const std::size_t m : {1U, 2U, 4U, 6U}) {
          if (has_shape(entry.kind, p, v, m, 0)) all.push_back({entry.kind, p, v, m});
        }
      }
    }
  }
  return all[random() % all.size()];
}

plan_request request_of(const run_as& run, std::mt19937& random) {
  plan_request result;
  result.schedule = run.kind;
  result.devices = run.devices;
  result.stages_per_rank = run.chunks;
  result.microbatches = run.microbatches;
  result.objective = plan_objective::makespan;
  if (random() % 2 == 0) result.links = {{0.125, 4.0}};
  if (random() % 3 == 0) result.transfers = transfer_kind::latency;
  if (random() % 4 == 0) result.speeds.assign(run.devices, 2.0);
  return result;
}

/// When the last pass ends, of the layers in that order cut there: worked out from the layers and the edges.
double end_of(const profile& model, const plan_request& request, const std::vector<std::size_t>& order,
              const std::vector<std::size_t>& points) {
  const schedule run = make_schedule(
      request.schedule, {.ranks = request.devices, .stages_per_rank = request.stages_per_rank, .microbatches = request.microbatches});
  const std::size_t stages = points.size() - 1;
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  pass_times<double> times;
  transfer_times<double> messages;
  messages.kind = request.transfers;
  for (std::size_t s = 0; s < stages; ++s) {
    double forward = 0, input = 0, weight = 0;
    for (std::size_t i = points[s]; i < points[s + 1]; ++i) {
      const layer& each = model.layers[order[i]];
      forward += each.forward, input += *each.backward_input, weight += *each.backward_weight;
    }
    const double speed = request.speeds.empty() ? 1 : request.speeds[run.rank_of[s]];
    times.forward.push_back(forward / speed);
    times.backward.push_back((input + weight) / speed);
    times.backward_input.push_back(input / speed);
    times.backward_weight.push_back(weight / speed);
    if (s + 1 == stages) break;
    double bytes = 0;
    for (std::size_t v = 0; v < order.size(); ++v) {
      bool crosses = false;
      for (const auto& [from, to] : model.edges) {
        crosses = crosses || (from == v && place[from] < points[s + 1] && place[to] >= points[s + 1]);
      }
      bytes += crosses ? model.layers[v].output : 0;
    }
    messages.forward.push_back(request.links.empty() ? 0 : request.links[0](bytes));
  }
  messages.backward = messages.forward;
  return simulate(run, times, request.links.empty() ? transfer_times<double>() : messages).makespan;
}

/// Whether no cut parts a group.
bool keeps_groups(const profile& model, const std::vector<std::size_t>& order, const std::vector<std::size_t>& points) {
  std::vector<std::size_t> stage(order.size());
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    for (std::size_t i = points[s]; i < points[s + 1]; ++i) stage[order[i]] = s;
  }
  for (std::size_t a = 0; a < stage.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool together = !model.layers[a].group.empty() && model.layers[a].group == model.layers[b].group;
      if (together && stage[a] != stage[b]) return false;
    }
  }
  return true;
}

/// The least of all cuts of an order; infinite if there is none.
double least_of_order(const profile& model, const plan_request& request, const std::vector<std::size_t>& order) {
  const std::size_t stages = request.devices * request.stages_per_rank;
  double least = std::numeric_limits<double>::infinity();
  if (stages > order.size()) return least;
  std::vector<bool> cut(order.size() - 1, false);
  std::fill(cut.end() - static_cast<std::ptrdiff_t>(stages - 1), cut.end(), true);
  do {
    std::vector<std::size_t> points{0};
    for (std::size_t i = 0; i < cut.size(); ++i) {
      if (cut[i]) points.push_back(i + 1);
    }
    points.push_back(order.size());
    if (keeps_groups(model, order, points)) least = std::min(least, end_of(model, request, order, points));
  } while (std::next_permutation(cut.begin(), cut.end()));
  return least;
}

/// The least of all cuts of all orders.
double order_makespan_bound(const profile& model, const plan_request& request) {
  std::vector<std::size_t> order(model.layers.size());
  std::iota(order.begin(), order.end(), 0);
  double least = std::numeric_limits<double>::infinity();
  do {
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    const bool follows = std::all_of(model.edges.begin(), model.edges.end(),
                                     [&](const profile_edge& edge) { return place[edge.from] < place[edge.to]; });
    if (follows) least = std::min(least, least_of_order(model, request, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

void check_holds(const profile& model, const plan& made) {
  for (const plan_check& check : verify_plan(model, made).checks) {
    CAPTURE(check.name);
    CAPTURE(check.place);
    CAPTURE(check.why);
    CHECK(check.result == check_result::holds);
  }
}

/// Simulated anew from what the plan says.
double simulated(const plan& made) {
  const schedule order = schedule_of(made);
  return simulate(order, times_of(made, has_kind(order, op_kind::backward_input)), transfers_of(made)).makespan;
}

}  // namespace

TEST_CASE("stages in a row are those of the best cut of their order, by every schedule") {
  std::mt19937 random(52);
  int planned = 0, without = 0;
  for (int i = 0; i < 1000; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random, 3 + random() % 7, i % 3 == 0);
    if (is_chain(model)) continue;
    const plan_request request = request_of(random_run(random), random);
    CAPTURE(to_string(request.schedule));
    const auto made = make_plan(model, request);
    const std::vector<std::size_t> order = detail::make_layer_row(model).order;
    const double least = least_of_order(model, request, order);
    if (!made) {
      CHECK(least == std::numeric_limits<double>::infinity());
      ++without;
      continue;
    }
    ++planned;
    CHECK(made->profile == model);
    CHECK(made->objective.value == doctest::Approx(least).epsilon(1e-9));
    CHECK(*made->makespan == simulated(*made));
    check_holds(model, *made);
  }
  MESSAGE(planned << " planned, " << without << " have none");
  CHECK(planned > 500);
}

TEST_CASE("no order of the layers is below the bound, and none ends before what is called optimal") {
  std::mt19937 random(53);
  int compared = 0, optimal = 0;
  double gap = 0;
  for (int i = 0; i < 150; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random, 3 + random() % 3, i % 4 == 0);
    if (is_chain(model)) continue;
    const plan_request request = request_of(random_run(random), random);
    CAPTURE(to_string(request.schedule));
    const auto made = make_plan(model, request);
    const double least = order_makespan_bound(model, request);
    if (made.state() == state::infeasible) CHECK(least == std::numeric_limits<double>::infinity());
    if (!made) continue;
    ++compared;
    CHECK(made->objective.bound <= least * (1 + 1e-9));
    if (made.state() == state::optimal) {
      CHECK(made->objective.value <= least * (1 + 1e-9));
      ++optimal;
    }
    gap += least / made->objective.bound - 1;
  }
  MESSAGE(compared << " compared, " << optimal << " optimal, the best of all orders " << 100 * gap / compared
                   << " % above the bound on average");
  CHECK(compared > 50);
  CHECK(optimal > 10);
}

TEST_CASE("a graph that is a chain is planned as that") {
  std::mt19937 random(54);
  int compared = 0;
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    profile model = random_graph(random, 4 + random() % 5, false);
    model.edges.clear();
    for (std::size_t v = 1; v < model.layers.size(); ++v) model.edges.push_back({v - 1, v});
    if (i % 2 == 0) model.edges.push_back({0, model.layers.size() - 1});
    const profile chain = as_chain(model);
    CHECK(detail::make_layer_row(model).chain == chain);
    const plan_request request = request_of(random_run(random), random);
    const auto made = make_plan(model, request);
    const auto of_chain = make_plan(chain, request);
    REQUIRE(made.state() == of_chain.state());
    if (!made) continue;
    CHECK(*made == *of_chain);
    ++compared;
  }
  CHECK(compared > 50);
}

TEST_CASE("memory of stages in a row is kept to, and that one order does not fit is no proof") {
  std::mt19937 random(55);
  int fits = 0, unknown = 0;
  for (int i = 0; i < 150; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random, 4 + random() % 5, false);
    if (is_chain(model)) continue;
    plan_request request = request_of(random_run(random), random);
    request.memory_limit = static_cast<double>(300 + random() % 1000);
    const auto made = make_plan(model, request);
    if (made) {
      ++fits;
      check_holds(model, *made);
      CHECK(fullest_device(*made) <= *request.memory_limit.for_all());
    } else if (model.layers.size() >= request.devices * request.stages_per_rank) {
      ++unknown;
      CHECK(made.state() == state::unknown);
      CHECK(made.why().text().find("in the one order of the layers that was tried") != std::string::npos);
    } else {
      CHECK(made.state() == state::infeasible);
    }
  }
  CHECK(fits > 20);
  CHECK(unknown > 20);
}

TEST_CASE("layers of a group stand together in a row, with what has to stand between them") {
  profile model;
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    layer each;
    each.name = name;
    each.forward = each.backward = 1;
    model.layers.push_back(each);
  }
  model.edges = {{0, 1}, {0, 2}, {1, 4}, {2, 3}};
  model.layers[1].group = model.layers[4].group = "g";
  CHECK(detail::make_layer_row(model).order == std::vector<std::size_t>{0, 1, 4, 2, 3});
  model.edges.push_back({3, 4});
  model.edges.push_back({1, 3});
  const detail::layer_row row = detail::make_layer_row(model);
  CHECK(row.order == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(row.together == std::vector<interval>{{1, 5}});
}

TEST_CASE("schedules are compared for stages in a row") {
  std::mt19937 random(56);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const profile model = random_graph(random, 5 + random() % 3, false);
    if (is_chain(model)) continue;
    plan_request request;
    request.devices = 2;
    request.microbatches = 4;
    if (i % 2 == 0) request.links = {{0.125, 4.0}};
    const plan_comparison all = compare_plans(model, request, usual_choices(model));
    REQUIRE(all.best);
    check_holds(model, *all.best);
    double least = std::numeric_limits<double>::infinity();
    double bound = least;
    for (const compared_plan& row : all.compared) {
      if (row.makespan == 0) continue;
      ++compared;
      CHECK(row.bound <= row.makespan);
      least = std::min(least, row.makespan);
      bound = std::min(bound, row.bound);
    }
    CHECK(all.best->objective.value == least);
    CHECK(all.best->objective.bound <= bound * (1 + 1e-9));
  }
  CHECK(compared > 100);
}

TEST_CASE("what says nothing of stages in a row is refused") {
  profile model;
  model.layers.resize(3);
  for (auto& layer : model.layers) layer.forward = 1;
  model.edges = {{2, 0}, {2, 1}};
  const auto told = [&](auto change) {
    plan_request request;
    request.devices = 2;
    request.microbatches = 4;
    request.schedule = schedule_kind::eager_one_forward_one_backward;
    change(request);
    return refusal<argument_error>([&] { static_cast<void>(make_plan(model, request)); });
  };
  CHECK(told([](plan_request& r) { r.objective = plan_objective::bottleneck; }) ==
        "stagecut::make_plan: objective = bottleneck, must be the makespan for a graph run as eager-1f1b");
  CHECK(told([](plan_request& r) { r.microbatches = 0; }) ==
        "stagecut::make_plan: objective = makespan, is not known: the number of microbatches is not known");
  CHECK(told([](plan_request& r) {
          r.kept_together = {{0, 2}};
        }) ==
        "stagecut::make_plan: kept_together = {…}, numbers layers, which are not in topological order: set groups");
  CHECK(told([](plan_request& r) { r.memory_accounting.checkpoint = checkpointing::always; }) ==
        "stagecut::make_plan: memory_accounting.checkpoint = always, is for chains only, and this is a graph");
  CHECK(told([](plan_request& r) { r.target = framework::torchgpipe; }) ==
        "stagecut::make_plan: target = torchgpipe, is for chains only, and this is a graph");
  model.edges = {{0, 1}, {0, 2}};
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.schedule = schedule_kind::eager_one_forward_one_backward;
  request.kept_together = {{0, 2}};
  const auto made = make_plan(model, request);
  REQUIRE(made);
  CHECK(made->cuts == cuts({0, 2, 3}));
}

TEST_CASE("stages in a row are planned for PyTorch, which runs some backward passes whole") {
  std::mt19937 random(57);
  int planned = 0;
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    profile model = random_graph(random, 5 + random() % 4, false);
    if (is_chain(model)) continue;
    for (auto& layer : model.layers) layer.whole_backward = random() % 6 == 0;
    plan_request request = request_of(random_run(random, true), random);
    request.target = framework::pytorch;
    const target_schedule* const known = find_schedule(entry_of(framework::pytorch), request.schedule);
    if (known == nullptr || !detail::target_obstacle(model, request).empty()) continue;
    const auto made = make_plan(model, request);
    if (!made) continue;
    ++planned;
    check_holds(model, *made);
    CHECK(detail::whole_obstacle(entry_of(framework::pytorch), *made).empty());
    CHECK(made->objective.bound <= made->objective.value);
    CHECK(*made->makespan == simulated(*made));
  }
  CHECK(planned > 50);
}

TEST_CASE("whose backward pass is whole is told of stages that are no intervals") {
  plan made;
  made.profile.layers.resize(4);
  for (auto& layer : made.profile.layers) layer.name = "x";
  made.profile.layers[2].whole_backward = true;
  made.stages.resize(2);
  made.schedule.name = "zb-h1";
  made.assignment = {1, 0, 0, 1};
  CHECK(detail::whole_obstacle(entry_of(framework::pytorch), made).empty());
  made.assignment = {1, 0, 1, 0};
  CHECK(detail::whole_obstacle(entry_of(framework::pytorch), made) ==
        "I and W of stage 1 cannot be run apart: layer 2 (\"x\") runs its backward pass whole");
}
