// SPDX-License-Identifier: BSL-1.0
// What checkpointed stages hold while they go back, by the order of passes: the search, the plan and `verify` agree with
// enumeration, with one stage a device and with several.
#include <stagecut/engine/model_rules.hpp>

#include <stagecut/plan/chain_model.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "../cases.hpp"
#include "random_requests.hpp"

using stagecut::checkpointing;
using stagecut::layer;
using stagecut::op;
using stagecut::op_kind;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::state;

namespace {

using points = random_requests::points;

struct stage_figures {
  double stays = 0;
  double whole = 0;  // more, while B runs
  double apart = 0;  // more, from I to W
  double input = 0;
  double inner = 0;
  double forward = 0;
  double backward = 0;
  double backward_input = 0;
  double backward_weight = 0;
};

stage_figures figures_of(const profile& model, std::size_t first, std::size_t last) {
  stage_figures result;
  double workspace = 0;
  double peak = 0;
  for (std::size_t i = first; i < last; ++i) {
    const layer& each = model.layers[i];
    result.stays += 4 * each.parameters;
    workspace = std::max(workspace, each.workspace);
    peak = std::max(peak, each.workspace + each.recomputed);
    result.apart += each.recomputed;
    result.inner += each.activations;
    result.forward += each.forward;
    result.backward += each.backward + each.forward;
    result.backward_input += *each.backward_input + each.forward;
    result.backward_weight += *each.backward_weight;
  }
  const double out = last == model.layers.size() ? 0 : model.layers[last - 1].output;
  result.input = first == 0 ? 0 : model.layers[first - 1].output;
  result.stays += workspace + 2 * (result.input + out);
  result.whole = peak - workspace;
  return result;
}

/// The same of layers that compute themselves again, in a stage that is not checkpointed.
stage_figures layerwise(const profile& model, std::size_t first, std::size_t last) {
  stage_figures result = figures_of(model, first, last);
  result.backward -= result.forward;
  result.backward_input -= result.forward;
  result.input = result.inner;
  result.inner = 0;
  return result;
}

/// The most that a device holds: inputs from F on, the rest from the begin of its backward pass on.
double fullest(const schedule& order, const std::vector<stage_figures>& stages, std::size_t rank) {
  double held = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) held += order.rank_of[s] == rank ? stages[s].stays : 0;
  double most = held;
  for (const auto& op : order.orders[rank]) {
    const stage_figures& stage = stages[op.stage];
    if (op.kind == op_kind::forward) held += stage.input;
    if (op.kind == op_kind::backward) held += stage.inner + stage.whole;
    if (op.kind == op_kind::backward_input) held += stage.inner + stage.apart;
    most = std::max(most, held);
    if (op.kind == op_kind::backward) held -= stage.input + stage.inner + stage.whole;
    if (op.kind == op_kind::backward_weight) held -= stage.input + stage.inner + stage.apart;
  }
  return most;
}

double iteration(const schedule& order, const std::vector<stage_figures>& stages) {
  stagecut::pass_times<double> times;
  for (const stage_figures& stage : stages) {
    times.forward.push_back(stage.forward);
    times.backward.push_back(stage.backward);
    times.backward_input.push_back(stage.backward_input);
    times.backward_weight.push_back(stage.backward_weight);
  }
  return stagecut::simulate(order, times).makespan;
}

struct enumerated {
  std::optional<double> best;  // of the cuts that fit
  double least = 1e300;        // bytes that a cut needs
};

enumerated enumerate(const profile& model, const plan_request& request, double limit) {
  const schedule order = stagecut::detail::schedule_of_request(request);
  enumerated result;
  random_requests::each_cut(model, request, [&](const points& cut) {
    std::vector<stage_figures> stages;
    const bool checkpointed = request.memory_accounting.checkpoint == checkpointing::always;
    for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
      stages.push_back((checkpointed ? figures_of : layerwise)(model, cut[s], cut[s + 1]));
    }
    double bytes = 0;
    for (std::size_t r = 0; r < request.devices; ++r) bytes = std::max(bytes, fullest(order, stages, r));
    result.least = std::min(result.least, bytes);
    if (bytes > limit) return;
    const double here = iteration(order, stages);
    if (!result.best || here < *result.best) result.best = here;
  });
  return result;
}

struct shape {
  schedule_kind kind;
  std::size_t chunks;
};
const shape shapes[] = {{schedule_kind::one_forward_one_backward, 1},
                        {schedule_kind::gpipe, 1},
                        {schedule_kind::eager_one_forward_one_backward, 1},
                        {schedule_kind::interleaved, 2},
                        {schedule_kind::interleaved, 3},
                        {schedule_kind::looped_bfs, 2},
                        {schedule_kind::looped_bfs, 3},
                        {schedule_kind::sapp_big, 2},
                        {schedule_kind::sapp_less_memory, 2}};

profile drawn_model(random_requests::dice& random, std::size_t layers) {
  profile model = random.profile(layers);
  for (auto& layer : model.layers) {
    layer.backward = *layer.backward_input + *layer.backward_weight;
    layer.parameters = random.whole(3);
    layer.activations = random.whole(9);
    layer.workspace = random.whole(3);
    layer.output = random.whole(2);
    layer.group.clear();
  }
  model.layers[0].activations += 1;
  return model;
}

const shape apart[] = {{schedule_kind::one_forward_one_backward, 1},
                       {schedule_kind::zb_h1, 1},
                       {schedule_kind::zb_h2, 1},
                       {schedule_kind::zbv, 2},
                       {schedule_kind::interleaved, 2}};

}  // namespace

TEST_CASE("layers that compute themselves again: of one at a time in B, of all of a stage from I to W") {
  random_requests::dice random(53);
  int planned = 0;
  int infeasible = 0;
  for (std::size_t round = 0; round < cases(1000); ++round) {
    CAPTURE(round);
    const shape& of = apart[random.up_to(std::size(apart) - 1)];
    plan_request request;
    request.devices = 2;
    request.stages_per_rank = of.chunks;
    request.schedule = of.kind;
    request.microbatches = 4 + 2 * random.up_to(1);
    request.objective = stagecut::plan_objective::makespan;
    profile model = drawn_model(random, request.devices * request.stages_per_rank + random.up_to(4));
    for (auto& layer : model.layers) layer.recomputed = random.up_to(2) == 0 ? 0 : random.whole(9);
    const double free = enumerate(model, request, 0).least;
    request.memory_limit = std::max(1.0, std::floor(free * (0.9 + random.whole(4) / 10)));
    const enumerated found = enumerate(model, request, *request.memory_limit.for_all());
    const auto made = stagecut::make_plan(model, request);
    CHECK(made.has_value() == found.best.has_value());
    if (!made) {
      REQUIRE(made.state() == state::infeasible);
      CHECK(static_cast<double>(made.why().needed) > *request.memory_limit.for_all());
      CHECK(static_cast<double>(made.why().needed) <= std::ceil(found.least));
      ++infeasible;
      continue;
    }
    REQUIRE(found.best);
    REQUIRE(made.state() == state::optimal);
    CHECK(made->objective.value == *found.best);
    CHECK(stagecut::fullest_device(*made) <= *request.memory_limit.for_all());
    CHECK(stagecut::verify_plan(model, *made).holds());
    if (request.stages_per_rank == 1) {
      double most = 0;
      for (const double memory : stagecut::stage_memories(*made)) most = std::max(most, memory);
      CHECK(most == stagecut::fullest_device(*made));
    }
    ++planned;
  }
  CHECK(planned > 400);
  CHECK(infeasible > 80);
}

TEST_CASE("the bottleneck, and orders that are made, keep to what layers compute again") {
  random_requests::dice random(54);
  int planned = 0;
  for (std::size_t round = 0; round < cases(200); ++round) {
    CAPTURE(round);
    plan_request request;
    request.devices = 2;
    request.microbatches = 4;
    const bool bottleneck = round % 2 == 0;
    request.schedule = bottleneck ? schedule_kind::zb_h1 : schedule_kind::synthesized;
    if (bottleneck) request.objective = stagecut::plan_objective::bottleneck;
    request.search.time_limit.reset();
    request.search.node_limit = 200;
    profile model = drawn_model(random, 3 + random.up_to(2));
    for (auto& layer : model.layers) layer.recomputed = random.whole(20);
    plan_request whole = request;
    whole.schedule = bottleneck ? schedule_kind::zb_h1 : schedule_kind::one_forward_one_backward;
    const double least = enumerate(model, whole, 0).least;
    request.memory_limit = least;
    const auto made = stagecut::make_plan(model, request);
    REQUIRE(made);  // as 1F1B, whole, fits
    CHECK(stagecut::fullest_device(*made) <= least);
    CHECK(stagecut::verify_plan(model, *made).holds());
    if (!bottleneck) {
      whole.memory_limit = least;
      CHECK(*made->makespan <= *enumerate(model, whole, least).best);
    }
    request.memory_limit = least - 1;
    const auto less = stagecut::make_plan(model, request);
    if (less) CHECK(stagecut::fullest_device(*less) < least);
    if (bottleneck) CHECK(less.state() == state::infeasible);
    planned += made ? 1 : 0;
  }
  CHECK(planned > 150);
}

TEST_CASE("the best cut that fits is found, and none is called impossible that does, on checkpointed stages") {
  random_requests::dice random(52);
  int planned = 0;
  int infeasible = 0;
  for (std::size_t round = 0; round < cases(1200); ++round) {
    CAPTURE(round);
    const shape& of = shapes[random.up_to(std::size(shapes) - 1)];
    plan_request request;
    request.devices = 2;
    request.stages_per_rank = of.chunks;
    request.schedule = of.kind;
    request.microbatches = 2 + 2 * random.up_to(2);
    request.memory_accounting.checkpoint = checkpointing::always;
    request.objective = stagecut::plan_objective::makespan;
    const std::size_t stages = request.devices * request.stages_per_rank;
    const profile model = drawn_model(random, stages + random.up_to(4));
    const double free = enumerate(model, request, 0).least;
    request.memory_limit = std::max(1.0, std::floor(free * (0.9 + random.whole(4) / 10)));
    const enumerated found = enumerate(model, request, *request.memory_limit.for_all());
    const auto made = stagecut::make_plan(model, request);
    CHECK(made.has_value() == found.best.has_value());
    if (!made) {
      REQUIRE(made.state() == state::infeasible);
      CHECK(static_cast<double>(made.why().needed) > *request.memory_limit.for_all());
      CHECK(static_cast<double>(made.why().needed) <= std::ceil(found.least));
      ++infeasible;
      continue;
    }
    REQUIRE(found.best);
    REQUIRE(made.state() == state::optimal);
    CHECK(made->objective.value == *found.best);
    CHECK(made->objective.bound <= *found.best);
    CHECK(stagecut::fullest_device(*made) <= *request.memory_limit.for_all());
    CHECK(stagecut::verify_plan(model, *made).holds());
    ++planned;
  }
  CHECK(planned > 500);
  CHECK(infeasible > 100);
}

TEST_CASE("several stages a device: what one of them computes again, no other does at that moment") {
  profile model;
  for (int i = 0; i < 12; ++i) {
    layer each;
    each.name = "l" + std::to_string(i);
    each.forward = 1;
    each.backward = 2;
    each.activations = 10;
    each.output = 1;
    model.layers.push_back(each);
  }
  plan_request request;
  request.devices = 2;
  request.stages_per_rank = 3;
  request.microbatches = 4;
  request.memory_accounting.checkpoint = checkpointing::always;
  request.memory_accounting.boundary_buffers = 0;
  request.memory_limit = 35;
  request.objective = stagecut::plan_objective::makespan;
  const auto made = stagecut::make_plan(model, request);
  REQUIRE(made);
  CHECK(made.state() == state::optimal);
  CHECK(stagecut::fullest_device(*made) <= 35);
}
