// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/least_time_per_token.hpp>

#include <stagecut/makespan/detail/gpipe_cut.hpp>
#include <stagecut/plan/inference_figures.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/as_inference.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "random_requests.hpp"

using stagecut::layer;
using stagecut::make_plan;
using stagecut::plan_objective;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::transfer_kind;

namespace {

using points_t = random_requests::points;

/// Of inference, or of training where `as_inference` is to make it so.
profile random_model(random_requests::dice& random, std::size_t layers, bool inference) {
  profile model = random.profile(layers);
  for (auto& layer : model.layers) {
    layer.parameters = random.whole(6);
    layer.activations = random.whole(6);
    layer.workspace = random.whole(4);
    if (inference) {
      layer.backward = 0;
      layer.backward_input.reset(), layer.backward_weight.reset();
      layer.resident = layer.parameters;
    } else {
      layer.resident = 100 * layer.parameters;
    }
  }
  model.inference = inference;
  return model;
}

double bytes_of_stage(const profile& model, std::size_t first, std::size_t last, std::size_t groups) {
  double sum = 0;
  double workspace = 0;
  for (std::size_t i = first; i < last; ++i) {
    sum += model.layers[i].parameters + static_cast<double>(groups) * model.layers[i].activations;
    workspace = std::max(workspace, model.layers[i].workspace);
  }
  const double in = first == 0 ? 0 : model.layers[first - 1].output;
  const double out = last == model.layers.size() ? 0 : model.layers[last - 1].output;
  return sum + workspace + 2 * (in + out);
}

/// What there is to be said of a cut.
struct figures {
  double per_token = 0;
  double heaviest = 0;  ///< stage with the message it sends
  double slowest = 0;   ///< what the rate of the pipeline is one through
  bool fits = true;
};

figures figures_of(const profile& model, const plan_request& request, const points_t& cut, std::size_t groups) {
  const std::size_t p = request.devices;
  const bool links = p > 1 && (!request.links.empty() || request.topology);
  std::vector<double> sent(p + 1);  // into stage s
  for (std::size_t s = 1; s < p && links; ++s) {
    sent[s] = random_requests::message(model, request, s - 1, cut[s], s - 1, s);
  }
  figures result;
  for (std::size_t s = 0; s < p; ++s) {
    double own = 0;
    for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) own += model.layers[i].forward;
    own /= request.speeds.empty() ? 1 : request.speeds[s];
    result.per_token += own + sent[s];
    result.heaviest = std::max(result.heaviest, own + sent[s + 1]);
    double here = own;
    if (request.transfers == transfer_kind::blocking) here = own + sent[s] + sent[s + 1];
    if (request.transfers == transfer_kind::link || request.transfers == transfer_kind::stream) {
      here = std::max({own, sent[s], sent[s + 1]});
    }
    result.slowest = std::max(result.slowest, here);
    if (request.memory_limit) {
      result.fits = result.fits && bytes_of_stage(model, cut[s], cut[s + 1], groups) <= request.memory_limit.of(s, 0);
    }
  }
  return result;
}

std::string refusal(const profile& model, const plan_request& request) {
  try {
    (void)make_plan(model, request);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("no cut that fits has less time per token, or of as much a lighter heaviest stage; nor a better throughput") {
  random_requests::dice random(21);
  int planned = 0;
  int infeasible = 0;
  int differ = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const std::size_t n = 1 + random.up_to(6);
    const bool inference = random.up_to(1) == 0;
    const profile given = random_model(random, n, inference);
    const profile model = as_inference(given);
    plan_request request;
    request.devices = 1 + random.up_to(3);
    if (request.devices > n) continue;
    if (random.up_to(2) != 0) request.speeds = random.speeds(request.devices);
    random.add_links(request);
    random.add_rules(request, n);
    std::size_t groups = 1;
    if (random.up_to(2) == 0) {
      groups = 1 + random.up_to(3);
      request.in_flight.assign(request.devices, groups);
    }
    const double all = bytes_of_stage(model, 0, n, groups);
    std::vector<double> limits;
    for (std::size_t d = 0; d < request.devices && random.up_to(9) != 0; ++d) {
      limits.push_back(1 + std::floor(all * (0.2 + random.whole(12) / 8)));
    }
    if (limits.size() == request.devices) request.memory_limit = limits;
    std::optional<figures> best;
    points_t first;
    std::optional<double> slowest;
    random_requests::each_cut(model, request, [&](const points_t& cut) {
      const figures here = figures_of(model, request, cut, groups);
      if (!here.fits) return;
      if (!slowest || here.slowest < *slowest) slowest = here.slowest;
      const bool less = !best || here.per_token < best->per_token ||
                        (here.per_token == best->per_token && here.heaviest < best->heaviest);
      if (less) best = here, first = cut;
    });
    const auto unsaid = make_plan(model, request);  // by throughput
    request.objective = plan_objective::time_per_token;
    const auto found = make_plan(model, request);
    REQUIRE(found.has_value() == best.has_value());
    REQUIRE(unsaid.has_value() == best.has_value());
    if (!found) {
      ++infeasible;
      continue;
    }
    ++planned;
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->objective.name == "time-per-token");
    CHECK(found->objective.value == best->per_token);
    CHECK(found->objective.bound == best->per_token);
    CHECK(points_t(found->cuts.points().begin(), found->cuts.points().end()) == first);
    CHECK(unsaid->objective.name == "bottleneck");
    CHECK(unsaid->objective.value == *slowest);
    CHECK(inference_figures_of(*found).time_per_token() == best->per_token);
    CHECK(inference_figures_of(*unsaid).heaviest == *slowest);
    differ += inference_figures_of(*unsaid).time_per_token() > best->per_token ? 1 : 0;
    for (const auto& made : {*found, *unsaid}) {
      CHECK(made.memory.optimizer == "inference");
      CHECK(made.memory.parameter_multiplier == 1);
      CHECK(stagecut::verify_plan(given, made).holds());
      CHECK(made.stages[0].in_flight == groups);
      CHECK(!made.makespan);
      for (std::size_t s = 0; s < request.devices; ++s) {
        CHECK(made.stages[s].backward == 0);
        CHECK(made.stages[s].total_memory() == bytes_of_stage(model, made.cuts[s], made.cuts[s + 1], groups));
      }
    }
  }
  CHECK(planned > 1000);
  CHECK(infeasible > 200);
  CHECK(differ > 80);
}

TEST_CASE("on equal devices without messages, where all cuts tie, the plan is the one with the best throughput") {
  random_requests::dice random(22);
  for (int round = 0; round < 50; ++round) {
    profile model;
    for (std::size_t i = 0; i < 40; ++i) {
      layer each;
      each.forward = (1 + random.whole(1000)) / 7e5;
      model.layers.push_back(each);
    }
    model.inference = true;
    plan_request request{.devices = 5};
    const auto lightest = make_plan(model, request);
    request.objective = plan_objective::time_per_token;
    const auto found = make_plan(model, request);
    CHECK(inference_figures_of(*found).heaviest == doctest::Approx(lightest->objective.value).epsilon(1e-12));
  }
}

TEST_CASE("what is of training is refused in inference, and the other way round") {
  profile model;
  model.layers.resize(4);
  for (layer& each : model.layers) each.forward = 1;
  plan_request request{.devices = 2, .objective = plan_objective::time_per_token};
  CHECK(refusal(model, request) ==
        "stagecut::make_plan: objective = time-per-token, is of inference, and the profile is of training");
  model.inference = true;
  CHECK(refusal(model, request).empty());
  request.by = stagecut::measure::layers;
  CHECK(refusal(model, request) == "stagecut::make_plan: objective = time-per-token, is a time: cut by time");
  request.by = stagecut::measure::time;
  request.microbatches = 4;
  CHECK(refusal(model, request) == "stagecut::make_plan: microbatches = 4, is of training: inference has no iteration");
  request.microbatches = 0;
  request.stages_per_rank = 2;
  CHECK(refusal(model, request) ==
        "stagecut::make_plan: stages_per_rank = 2, is of training: in inference a device has one stage");
  request.stages_per_rank = 1;
  request.schedule = stagecut::schedule_kind::gpipe;
  CHECK(refusal(model, request) ==
        "stagecut::make_plan: schedule = gpipe, is of training: in inference nothing goes back");
  request.schedule = plan_request{}.schedule;
  request.memory_accounting.checkpoint = stagecut::checkpointing::always;
  CHECK(refusal(model, request) ==
        "stagecut::make_plan: memory_accounting.checkpoint = always, is of training: in inference nothing is computed again");
  request.memory_accounting.checkpoint = stagecut::checkpointing::never;
  request.optimizer = "adam";
  CHECK(refusal(model, request) ==
        "stagecut::make_plan: optimizer = adam, is of training: in inference parameters alone stay");
  request.optimizer.clear();
  model.layers[2].backward = 1;
  CHECK(refusal(model, request) == "layer 2: has a backward pass, and the profile is of inference");
  model.layers[2].backward = 0;
  request.objective = plan_objective::makespan;
  CHECK(refusal(model, request).find("is not known: the profile is of inference") != std::string::npos);
  request.objective = plan_objective::time_per_token;
  for (layer& each : model.layers) each.forward = 0, each.parameters = 1;
  CHECK(refusal(model, request) == "model: no layer has a time");
  model.weights_only = true;
  CHECK(stagecut::plan_chain(model, request)->objective.value == 0);
}

TEST_CASE("times of any size are told apart") {
  for (const double unit : {0x1p-900, 1.0, 0x1p1000}) {
    profile model;
    model.inference = true;
    for (std::size_t i = 0; i < 4; ++i) {
      layer each;
      each.forward = static_cast<double>(i + 1) * unit;
      model.layers.push_back(each);
    }
    const plan_request request{.devices = 2, .speeds = {2, 1}, .objective = plan_objective::time_per_token};
    const auto found = make_plan(model, request);
    CHECK(found->cuts[1] == 3);
    CHECK(found->objective.value == 7 * unit);
  }
}
