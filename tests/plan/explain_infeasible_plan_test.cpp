// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/explain_infeasible_plan.hpp>

#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/stage_devices.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "known_profile.hpp"
#include "random_requests.hpp"

using stagecut::layer;
using stagecut::make_plan;
using stagecut::plan;
using stagecut::plan_objective;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::reason;
using stagecut::schedule_kind;

namespace {

using points_t = random_requests::points;

profile random_model(random_requests::dice& random, std::size_t layers, bool whole) {
  profile model = random.profile(layers);
  for (auto& layer : model.layers) {
    layer.parameters = random.whole(6);
    layer.activations = random.whole(6);
    layer.workspace = random.whole(4);
    layer.output = random.whole(3);
    if (whole) continue;
    layer.parameters /= 3;
    layer.activations /= 7;
  }
  return model;
}

/// What a stage takes, from the definition.
double bytes_of_stage(const profile& model, std::size_t first, std::size_t last, std::size_t in_flight) {
  double resident = 0;
  double activations = 0;
  double workspace = 0;
  for (std::size_t i = first; i < last; ++i) {
    resident += 4 * model.layers[i].parameters;
    activations += model.layers[i].activations;
    workspace = std::max(workspace, model.layers[i].workspace);
  }
  const double in = first == 0 ? 0 : model.layers[first - 1].output;
  const double out = last == model.layers.size() ? 0 : model.layers[last - 1].output;
  return resident + activations * static_cast<double>(in_flight) + workspace + 2 * (in + out);
}

/// A cut of that request as a plan, with the figures of its stages.
plan placed(const profile& model, const plan_request& request, const stagecut::schedule& order, const points_t& cut) {
  plan made;
  made.cuts = stagecut::cuts(cut);
  const stagecut::training_memory memory(model);
  stagecut::detail::describe(made, model, request, memory, order.rank_of, microbatches_in_flight(order));
  made.schedule = {order.name, request.microbatches};
  return made;
}

/// What every device holds at most.
std::vector<double> peaks(const plan& made) {
  std::vector<double> result;
  for (const auto& rank :
       memory_curve(stagecut::schedule_of(made), stagecut::simulation<double>{}, stagecut::bytes_of(made))) {
    result.push_back(rank.peak());
  }
  return result;
}

void check_limits(const plan& made, const plan_request& request) {
  CHECK(made.memory.memory_limit == request.memory_limit);
  for (std::size_t d = 0; d < request.devices; ++d) {
    CHECK(memory_limit_of(made, d) == request.memory_limit.of(d, 0) * (1 - request.buffer_fraction));
  }
  CHECK(stagecut::verify_plan(made.profile, made).holds());
}

void check_reason(const reason& why) {
  CHECK((why.what == reason::cause::memory || why.what == reason::cause::layer_too_large));
  CHECK(why.needed > why.available);
}

}  // namespace

TEST_CASE("by the heaviest stage each device keeps to its own memory, and no cut that does is better") {
  random_requests::dice random(11);
  int planned = 0;
  int infeasible = 0;
  int moved = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const std::size_t n = 2 + random.up_to(5);
    const bool whole = random.up_to(1) == 0;
    const profile model = random_model(random, n, whole);
    plan_request request;
    request.devices = 1 + random.up_to(3);
    if (request.devices > n) continue;
    const bool gpipe = random.up_to(1) == 0;
    request.objective = plan_objective::bottleneck;
    request.schedule = gpipe ? schedule_kind::gpipe : schedule_kind::one_forward_one_backward;
    request.microbatches = gpipe ? 1 + random.up_to(3) : random.up_to(3);
    if (random.up_to(2) != 0) request.speeds = random.speeds(request.devices);
    if (random.up_to(2) == 0) request.buffer_fraction = 0.25;
    random.add_rules(request, n);
    const double all = bytes_of_stage(model, 0, n, 1);
    std::vector<double> limits;
    for (std::size_t d = 0; d < request.devices; ++d) limits.push_back(1 + std::floor(all * (0.2 + random.whole(12) / 8)));
    request.memory_limit = limits;
    const auto in_flight = [&](std::size_t s) {
      const std::size_t m = request.microbatches;
      const std::size_t most = request.devices - s;
      return gpipe ? m : m == 0 || most < m ? most : m;
    };
    std::optional<double> best;
    std::optional<double> free;
    random_requests::each_cut(model, request, [&](const points_t& cut) {
      double heaviest = 0;
      bool fits = true;
      for (std::size_t s = 0; s < request.devices; ++s) {
        double time = 0;
        for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) time += model.layers[i].time();
        heaviest = std::max(heaviest, time / (request.speeds.empty() ? 1 : request.speeds[s]));
        const stagecut::training_memory memory(model);
        const double here = memory(cut[s], cut[s + 1], in_flight(s)).total();
        if (whole) REQUIRE(here == bytes_of_stage(model, cut[s], cut[s + 1], in_flight(s)));
        fits = fits && here <= request.memory_limit.of(s, 0) * (1 - request.buffer_fraction);
      }
      if (!free || heaviest < *free) free = heaviest;
      if (fits && (!best || heaviest < *best)) best = heaviest;
    });
    const auto found = make_plan(model, request);
    REQUIRE(found.has_value() == best.has_value());
    if (!found) {
      ++infeasible;
      if (free) check_reason(found.why());
      continue;
    }
    ++planned;
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->objective.value == *best);
    moved += *best > *free ? 1 : 0;
    check_limits(*found, request);
  }
  CHECK(planned > 1000);
  CHECK(infeasible > 500);
  CHECK(moved > 100);
}

TEST_CASE("by the makespan each device keeps to its own memory, whatever number of stages it has") {
  random_requests::dice random(12);
  int planned = 0;
  int infeasible = 0;
  int moved = 0;
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    plan_request request;
    request.devices = 2 + random.up_to(1);
    request.stages_per_rank = 1 + random.up_to(1);
    const std::size_t stages = request.devices * request.stages_per_rank;
    const std::size_t n = stages + random.up_to(3);
    const profile model = random_model(random, n, random.up_to(1) == 0);
    const bool gpipe = request.stages_per_rank == 1 && random.up_to(1) == 0;
    request.schedule = gpipe ? schedule_kind::gpipe : schedule_kind::one_forward_one_backward;
    request.microbatches = request.devices * (1 + random.up_to(1));
    if (random.up_to(2) != 0) request.speeds = random.speeds(request.devices);
    if (random.up_to(2) == 0) request.buffer_fraction = 0.25;
    request.search.time_limit.reset();
    const auto order = stagecut::detail::schedule_of_request(request);
    const double all = bytes_of_stage(model, 0, n, 2);
    std::vector<double> limits;
    for (std::size_t d = 0; d < request.devices; ++d) limits.push_back(1 + std::floor(all * (0.2 + random.whole(12) / 10)));
    request.memory_limit = limits;
    std::optional<double> best;
    std::optional<double> free;
    random_requests::each_cut(model, request, [&](const points_t& cut) {
      const plan made = placed(model, request, order, cut);
      const double end = stagecut::simulate(order, stagecut::times_of(made, false)).makespan;
      if (!free || end < *free) free = end;
      const std::vector<double> most = peaks(made);
      for (std::size_t d = 0; d < request.devices; ++d) {
        if (most[d] > request.memory_limit.of(d, 0) * (1 - request.buffer_fraction)) return;
      }
      if (!best || end < *best) best = end;
    });
    const auto found = make_plan(model, request);
    REQUIRE(found.has_value() == best.has_value());
    if (!found) {
      ++infeasible;
      CHECK(found.state() == stagecut::state::infeasible);
      if (free) check_reason(found.why());
      continue;
    }
    ++planned;
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->makespan == *best);
    moved += *best > *free ? 1 : 0;
    check_limits(*found, request);
  }
  CHECK(planned > 800);
  CHECK(infeasible > 300);
  CHECK(moved > 100);
}

TEST_CASE("equal limits of each device are as one for all") {
  random_requests::dice random(13);
  for (int round = 0; round < 100; ++round) {
    const profile model = random_model(random, 8, true);
    plan_request request{.devices = 2, .microbatches = 4, .stages_per_rank = 1 + random.up_to(1)};
    request.memory_limit = 20 + random.whole(100);
    const auto one = make_plan(model, request);
    request.memory_limit = std::vector<double>(2, *request.memory_limit.for_all());
    const auto each = make_plan(model, request);
    REQUIRE(one.has_value() == each.has_value());
    if (one) CHECK(one->cuts == each->cuts);
  }
}

TEST_CASE("why nothing fits names the layer, the device and the memory that would do") {
  profile model = known_profile::chain_of({1, 1, 1, 1});
  for (auto& layer : model.layers) layer.activations = 0;
  plan_request request{.devices = 2};
  request.memory_accounting.boundary_buffers = 0;
  request.memory_limit = {100, 50};
  CHECK(make_plan(model, request).why().text() ==
        "layer 3 (\"l\") finds no place: the fullest of 2 stages, counted as on the device with most memory, needs at "
        "least 120 bytes, and a device has 100 bytes; 120 % of the memory of every device would do");
  request.memory_limit = {120, 60};
  CHECK(make_plan(model, request)->cuts.points()[1] == 3);
  request.memory_limit = {30, 60};
  const auto why = make_plan(model, request).why();
  CHECK(why.what == reason::cause::layer_too_large);
  CHECK(
      why.text().find("layer 0 (\"l\") fits on no device; on device 0 it needs at least 40 bytes, and a device has 30 "
                      "bytes; ") == 0);
  request.memory_limit = {80, 79};
  request.by = stagecut::measure::layers;
  CHECK(make_plan(model, request).why().text() ==
        "stage 1 needs at least 80 bytes, and a device has 79 bytes; cut by time or parameters instead, it may fit");
}

TEST_CASE("limits of other devices are refused, with both numbers") {
  const profile& model = known_profile::known;
  const auto refusal = [&](const plan_request& request) -> std::string {
    try {
      (void)make_plan(model, request);
    } catch (const stagecut::argument_error& error) {
      return error.what();
    }
    return "";
  };
  plan_request request{.devices = 2};
  request.memory_limit = {1, 2, 3};
  CHECK(refusal(request) == "stagecut::make_plan: memory_limit.size() = 3, must be the number of devices, 2");
  request.memory_limit = {1, 0};
  CHECK(refusal(request).find("memory_limit[1] = 0.000000, must be finite and above 0") != std::string::npos);
  request.memory_limit = {1, 2};
  request.stages_per_rank = 2;
  CHECK(refusal(request).find("memory_limit = {…}, limits what the order of interleaved keeps") !=
        std::string::npos);
  CHECK_THROWS_AS((void)stagecut::plan_chain(model, request), stagecut::argument_error);
}

TEST_CASE("of several numbers of devices those are compared that the limits are of") {
  plan_request request{.devices = 2, .microbatches = 4};
  request.memory_limit = {1e9, 1e9};
  profile model = known_profile::known;
  for (auto& layer : model.layers) layer.parameters = 1;
  const auto all = stagecut::compare_plans(model, request, {.devices = {2, 3}});
  REQUIRE(all.compared.size() == 2);
  CHECK(all.best.has_value());
  CHECK(all.compared[1].why == "the memory is given for another number of devices");
}
