// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/objective_cut.hpp>

#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/schedule/in_flight.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "random_requests.hpp"

using random_requests::dice;
using random_requests::points;
using stagecut::plan_chain;
using stagecut::plan_objective;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::transfer_kind;

namespace {

/// An objective of the stages' costs.
plan_objective of_stages(dice& random) {
  using enum plan_objective;
  constexpr plan_objective all[] = {bottleneck, leximax, range, variance};
  return all[random.up_to(3)];
}

/// What a stage of a cut costs, from the definition.
std::vector<double> prices(const profile& model, const plan_request& request, const points& cut) {
  std::vector<double> result;
  const std::size_t stages = cut.size() - 1;
  const auto over = [&](std::size_t b) {
    return random_requests::message(model, request, b, cut[b + 1], b % request.devices, (b + 1) % request.devices);
  };
  for (std::size_t s = 0; s < stages; ++s) {
    double time = 0;
    for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) time += model.layers[i].forward + model.layers[i].backward;
    if (!request.speeds.empty()) time /= request.speeds[s % request.devices];
    const double in = s == 0 ? 0 : over(s - 1);
    const double out = s + 1 == stages ? 0 : over(s);
    if (request.transfers == transfer_kind::blocking) time += 2 * in + 2 * out;
    const bool waits = request.transfers == transfer_kind::link || request.transfers == transfer_kind::stream;
    result.push_back(waits ? std::max({time, in, out}) : time);
  }
  return result;
}

std::vector<double> measured(plan_objective objective, std::vector<double> costs) {
  std::sort(costs.begin(), costs.end(), std::greater<>());
  double mean = 0;
  for (const double cost : costs) mean += cost / static_cast<double>(costs.size());
  double squares = 0;
  for (const double cost : costs) squares += (cost - mean) * (cost - mean) / static_cast<double>(costs.size());
  switch (objective) {
    case plan_objective::leximax: return costs;
    case plan_objective::range: return {costs.front() - costs.back()};
    case plan_objective::variance: return {squares};
    default: break;
  }
  return {costs.front()};
}

}  // namespace

TEST_CASE("every objective, with speeds, links and cuts that may not be: the best of all cuts") {
  dice random(11);
  int infeasible = 0;
  int moved = 0;
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    const std::size_t n = 1 + random.up_to(8);
    const profile model = random.profile(n);
    plan_request request{.devices = 1 + random.up_to(3), .stages_per_rank = 1 + (random.up_to(3) == 0 ? 1U : 0U)};
    request.objective = of_stages(random);
    const bool even = request.objective == plan_objective::range || request.objective == plan_objective::variance;
    if (!even && random.up_to(1) == 0) request.speeds = random.speeds(request.devices);
    if (!even) random.add_links(request);
    random.add_rules(request, n);

    std::optional<std::vector<double>> best;
    points first;
    random_requests::each_cut(model, request, [&](const points& cut) {
      const auto here = measured(request.objective, prices(model, request, cut));
      if (best && !(here < *best)) return;
      best = here;
      first = cut;
    });
    const auto found = plan_chain(model, request);
    REQUIRE(found.has_value() == best.has_value());
    if (!found) {
      CHECK(found.why().what == stagecut::reason::cause::more_stages_than_layers);
      ++infeasible;
      continue;
    }
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->objective.name == to_string(request.objective));
    const points cut(found->cuts.points().begin(), found->cuts.points().end());
    const auto costs = prices(model, request, cut);
    for (std::size_t s = 0; s < costs.size(); ++s) CHECK(found->stages[s].cost == costs[s]);
    if (request.objective == plan_objective::variance) {
      CHECK(found->objective.value == doctest::Approx((*best)[0]));
      CHECK(measured(request.objective, costs)[0] == doctest::Approx((*best)[0]));
      continue;
    }
    CHECK(found->objective.value == (*best)[0]);
    CHECK(found->objective.bound == (*best)[0]);
    CHECK(measured(request.objective, costs) == *best);
    CHECK(cut == first);
    plan_request plain{.devices = request.devices, .stages_per_rank = request.stages_per_rank};
    const auto free = plan_chain(model, plain);
    if (free->cuts != found->cuts) ++moved;
  }
  CHECK(infeasible > 300);
  CHECK(moved > 300);
}

TEST_CASE("within memory, too") {
  dice random(12);
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const std::size_t n = 2 + random.up_to(6);
    profile model = random.profile(n);
    for (auto& layer : model.layers) layer.parameters = random.whole(9), layer.activations = random.whole(9);
    plan_request request{.devices = 1 + random.up_to(3), .microbatches = 4};
    request.objective = of_stages(random);
    const bool even = request.objective == plan_objective::range || request.objective == plan_objective::variance;
    if (!even && random.up_to(1) == 0) request.speeds = random.speeds(request.devices);
    if (!even) random.add_links(request);
    random.add_rules(request, n);
    request.memory_limit = 40 + random.whole(200);
    const stagecut::training_memory memory(model, request.memory_accounting);
    const auto in_flight = stagecut::microbatches_in_flight(request.schedule, request.devices, request.microbatches);
    std::optional<std::vector<double>> best;
    random_requests::each_cut(model, request, [&](const points& cut) {
      for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
        if (memory(cut[s], cut[s + 1], in_flight[s]).total() > *request.memory_limit.for_all()) return;
      }
      const auto here = measured(request.objective, prices(model, request, cut));
      if (!best || here < *best) best = here;
    });
    const auto found = plan_chain(model, request);
    REQUIRE(found.has_value() == best.has_value());
    if (!found) {
      ++refused;
      continue;
    }
    CHECK(found->objective.value == doctest::Approx((*best)[0]));
    for (const auto& stage : found->stages) CHECK(stage.total_memory() <= *request.memory_limit.for_all());
  }
  CHECK(refused > 200);
  CHECK(refused < 1300);
}

TEST_CASE("speeds and links are of times, not of bytes or counts") {
  profile model;
  model.layers.resize(6);
  for (auto& layer : model.layers) layer.forward = 1, layer.parameters = 1, layer.output = 8;
  plan_request request{.devices = 2, .speeds = {2, 1}, .links = {{1, 0}}};
  CHECK(plan_chain(model, request)->cuts == stagecut::cuts{0, 4, 6});
  for (const auto by : {stagecut::measure::parameters, stagecut::measure::layers}) {
    request.by = by;
    const auto made = plan_chain(model, request);
    CHECK(made->cuts == stagecut::cuts{0, 3, 6});
    CHECK(made->objective.value == 3);
    CHECK(made->stages[0].forward == 1.5);
    CHECK(made->stages[1].forward == 3);
  }
  // Layers that share a stage count one by one.
  request.forbidden_cuts = {1, 2};
  CHECK(plan_chain(model, request)->cuts == stagecut::cuts{0, 3, 6});
  CHECK(plan_chain(model, request)->objective.value == 3);
  request.forbidden_cuts = {1, 2, 3};
  CHECK(plan_chain(model, request)->cuts == stagecut::cuts{0, 4, 6});
  CHECK(plan_chain(model, request)->objective.value == 4);
}

TEST_CASE("stages of one device send nothing") {
  profile model;
  model.layers.resize(3);
  for (auto& layer : model.layers) layer.forward = 2, layer.output = 80;
  for (const auto kind :
       {transfer_kind::link, transfer_kind::latency, transfer_kind::stream, transfer_kind::blocking}) {
    plan_request request{.devices = 1, .links = {{5, 1}}, .transfers = kind};
    CHECK(plan_chain(model, request)->objective.value == 6);
    request.stages_per_rank = 3;  // all on one device
    CHECK(plan_chain(model, request)->objective.value == 2);
    request.links.clear();
    request.topology = stagecut::topology({1}, {{5, 1}});
    CHECK(plan_chain(model, request)->objective.value == 2);
    request.stages_per_rank = 1;
    CHECK(plan_chain(model, request)->messages == stagecut::message_model{});
  }
}

TEST_CASE("leximax and range keep the limits of the request: a plan that may not be the best, and its bound") {
  profile model;
  model.layers.resize(60);
  for (std::size_t i = 0; i < 60; ++i) model.layers[i].forward = 1 + static_cast<double>(i * 37 % 11);
  for (const auto objective : {plan_objective::leximax, plan_objective::range}) {
    plan_request request{.devices = 7, .objective = objective};
    const auto best = plan_chain(model, request);
    REQUIRE(best.state() == stagecut::state::optimal);
    int asked = 0;
    const auto stop = [&] { return ++asked > 0; };
    request.search.stop = stop;
    const auto stopped = plan_chain(model, request);
    CHECK(asked > 0);
    REQUIRE(stopped.state() == stagecut::state::feasible);
    CHECK(stopped->objective.state == stagecut::state::feasible);
    CHECK(stopped->objective.bound <= best->objective.value);
    CHECK(best->objective.value <= stopped->objective.value);
  }
}
