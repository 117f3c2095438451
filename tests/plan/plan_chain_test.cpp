// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan_chain.hpp>

#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "random_requests.hpp"

using stagecut::checkpointing;
using stagecut::layer;
using stagecut::measure;
using stagecut::plan_chain;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::schedule_kind;

namespace {

layer of(std::string name, double forward, double parameters = 0, double activations = 0, double output = 0) {
  layer result;
  result.name = std::move(name);
  result.forward = forward;
  result.backward = 2 * forward;
  result.parameters = parameters;
  result.activations = activations;
  result.output = output;
  return result;
}

profile equal_layers(std::size_t n) {
  profile model;
  for (std::size_t i = 0; i < n; ++i) model.layers.push_back(of(stagecut::detail::joined({"l", i}), 1, 10, 5, 1));
  return model;
}

std::string refusal(const profile& model, const plan_request& request) {
  try {
    (void)plan_chain(model, request);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a plan says all of its stages") {
  const profile model = equal_layers(6);
  const auto answer = plan_chain(model, {.devices = 3, .microbatches = 4});
  REQUIRE(answer.state() == stagecut::state::optimal);
  CHECK(answer->profile == model);
  CHECK(answer->cuts == stagecut::cuts{0, 2, 4, 6});
  CHECK(answer->devices == 3);
  CHECK(answer->stages_per_rank == 1);
  CHECK(answer->objective == stagecut::objective_value{"bottleneck", "time", 6, 6, stagecut::state::optimal});
  CHECK(answer->schedule == stagecut::schedule_choice{"1f1b", 4});
  CHECK(answer->memory == stagecut::memory_model{"adam", 4, "never", 2, {}, 0});
  REQUIRE(answer->stages.size() == 3);
  CHECK(answer->stages[1] == stagecut::planned_stage{1, 6, 2, 4, 2, {80, 10, 0, 4}});
  CHECK(answer->stages[0].in_flight == 3);
  CHECK(answer->makespan == (4 + 3 - 1) * 6.0);
  CHECK(answer->timeline.size() == 2 * 3 * 4);
}

TEST_CASE("without microbatches there is no prediction; GPipe's memory is then not known") {
  const auto plan = plan_chain(equal_layers(4), {.devices = 2});
  CHECK_FALSE(plan->makespan);
  CHECK_FALSE(plan_chain(equal_layers(4), {.devices = 2, .microbatches = (std::size_t{1} << 19U) + 1})->makespan);
  CHECK(plan->schedule.name.empty());
  CHECK(plan->stages[0].in_flight == 2);
  const auto gpipe = plan_chain(equal_layers(4), {.devices = 2, .schedule = schedule_kind::gpipe});
  CHECK(gpipe->stages[0].in_flight == 0);
  CHECK(gpipe->memory.optimizer.empty());
  CHECK(plan_chain(equal_layers(4), {.devices = 2, .microbatches = 8, .schedule = schedule_kind::gpipe})
            ->stages[1]
            .in_flight == 8);
}

TEST_CASE("chunks stand in turn on the devices") {
  const auto plan = plan_chain(equal_layers(8), {.devices = 2, .microbatches = 4, .stages_per_rank = 2});
  CHECK(plan->cuts == stagecut::cuts{0, 2, 4, 6, 8});
  std::vector<std::size_t> devices;
  for (const auto& stage : plan->stages) devices.push_back(stage.device);
  CHECK(devices == std::vector<std::size_t>{0, 1, 0, 1});
  CHECK(plan->schedule.name == "interleaved");
  CHECK(*plan->makespan == 4 * 12 + 6);  // m (F + B) + (p - 1)(F + B) / v, of a device's F and B
  const auto many =
      plan_chain(equal_layers(8), {.devices = 2, .microbatches = std::size_t{1} << 19U, .stages_per_rank = 2});
  CHECK_FALSE(many->makespan);  // too many passes to be predicted
  CHECK(many->schedule.name == "interleaved");
  std::vector<std::size_t> in_flight;
  for (const auto& stage : plan->stages) in_flight.push_back(stage.in_flight);
  CHECK(in_flight == std::vector<std::size_t>{4, 3, 2, 1});
  CHECK(*plan_chain(equal_layers(8),
                    {.devices = 2, .microbatches = 4, .schedule = schedule_kind::interleaved, .stages_per_rank = 2}) ==
        *plan);
}

TEST_CASE("what the stages are cut by") {
  profile model;
  model.layers = {of("embedding", 1, 100), of("a", 4, 10), of("b", 4, 10), of("c", 4, 10), of("head", 1, 50)};
  const auto cut = [&](plan_request request) {
    request.devices = 2;
    const auto answer = plan_chain(model, request);
    return answer->objective.of + " " + std::to_string(answer->cuts[1]);
  };
  CHECK(cut({}) == "time 2");
  CHECK(cut({.by = measure::parameters}) == "parameters 1");
  CHECK(cut({.by = measure::layers}) == "layers 3");
  CHECK(cut({.by = measure::weights, .weights = {0, 1, 1, 1, 0}, .weights_name = "kind:[abc]"}) == "kind:[abc] 2");
  CHECK(cut({.by = measure::time_and_memory, .time_weight = 1}) == "time and memory 2");
  CHECK(cut({.by = measure::time_and_memory, .time_weight = 0}) == "time and memory 1");
  const auto weighted = plan_chain(model, {.devices = 1, .by = measure::time_and_memory});
  CHECK(weighted->objective.value == doctest::Approx(1));
  for (auto& layer : model.layers) layer.forward = layer.backward = 0;
  CHECK(cut({}) == "parameters 1");
  for (auto& layer : model.layers) layer.parameters = 0;
  CHECK(refusal(model, {}) == "model: no layer has a time, and none has parameters");
  CHECK(refusal(model, {.by = measure::parameters}) == "model: no layer has parameters");
}

TEST_CASE("layers that share a stage are not parted") {
  profile model = equal_layers(6);
  model.layers[4].group = model.layers[5].group = "end";
  const auto plan = plan_chain(model, {.devices = 5});
  CHECK(plan->cuts == stagecut::cuts{0, 1, 2, 3, 4, 6});
  const auto none = plan_chain(model, {.devices = 6});
  CHECK(none.why().text() ==
        "6 stages need at least 6 layers, and there are 5; layers that must share a stage count as one");
}

TEST_CASE("memory caps the stages with what is in flight on each, and a plan within it is the best there is") {
  std::mt19937 random(17);
  int changed = 0;
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 2 + random() % 8;
    const std::size_t p = 1 + random() % std::min<std::size_t>(n, 4);
    profile model;
    for (std::size_t i = 0; i < n; ++i) {
      const auto number = [&](unsigned most) { return static_cast<double>(random() % most); };
      model.layers.push_back(of("l", 1 + number(9), number(9), number(9), number(9)));
    }
    plan_request request{.devices = p, .microbatches = 1 + random() % 6};
    if (random() % 2 == 0) request.schedule = schedule_kind::gpipe;
    request.memory_limit = 20 + static_cast<double>(random() % 200);
    request.buffer_fraction = random() % 2 == 0 ? 0.25 : 0;
    request.memory_accounting.checkpoint = random() % 2 == 0 ? checkpointing::never : checkpointing::always;
    const double bytes = *request.memory_limit.for_all() * (1 - request.buffer_fraction);
    const stagecut::training_memory memory(model, request.memory_accounting);
    const auto in_flight = stagecut::microbatches_in_flight(request.schedule, p, request.microbatches);
    std::optional<double> best;
    std::vector<std::size_t> points{0};
    const std::function<void(double)> extend = [&](double heaviest) {
      const std::size_t s = points.size() - 1;
      for (std::size_t last = s + 1 == p ? n : points.back() + 1; last + (p - 1 - s) <= n; ++last) {
        if (memory(points.back(), last, in_flight[s]).total() > bytes) continue;
        double time = 0;
        for (std::size_t i = points.back(); i < last; ++i) {
          time += model.layers[i].forward * (request.memory_accounting.checkpoint == checkpointing::always ? 4 : 3);
        }
        points.push_back(last);
        if (s + 1 < p) {
          extend(std::max(heaviest, time));
        } else if (const double all = std::max(heaviest, time); !best || all < *best) {
          best = all;
        }
        points.pop_back();
      }
    };
    extend(0);
    const auto answer = plan_chain(model, request);
    REQUIRE(answer.has_value() == best.has_value());
    if (!answer) {
      ++refused;
      continue;
    }
    REQUIRE(answer->objective.value == *best);
    for (std::size_t s = 0; s < p; ++s) {
      REQUIRE(answer->stages[s].total_memory() <= bytes);
      REQUIRE(answer->stages[s].in_flight == in_flight[s]);
    }
    request.memory_limit = {};
    if (plan_chain(model, request)->cuts != answer->cuts) ++changed;
  }
  CHECK(changed > 50);
  CHECK(refused > 300);
}

TEST_CASE("a uniform cut that does not fit is refused with its stage") {
  const auto answer = plan_chain(equal_layers(4), {.devices = 2, .memory_limit = 100.0, .by = measure::layers});
  CHECK(answer.why().text() ==
        "stage 0 needs at least 102 bytes, and a device has 100 bytes; cut by time or parameters instead, it may fit");
  CHECK(plan_chain(equal_layers(4), {.devices = 2, .memory_limit = 102.0, .by = measure::layers}));
}

TEST_CASE("a vector of microbatches in flight takes the place of the schedule's, up to their number") {
  plan_request request{.devices = 3, .microbatches = 4};
  request.in_flight = {5, 3, 1};
  const auto plan = plan_chain(equal_layers(3), request);
  CHECK(plan->stages[0].in_flight == 4);
  CHECK(plan->stages[1].in_flight == 3);
  CHECK(plan->schedule.name == "in-flight");
}

TEST_CASE("a limit on what takes no bytes, and bytes that nobody has, are refused") {
  profile model;
  model.layers.resize(2);
  model.layers[0].forward = 1;
  CHECK(refusal(model, {.memory_limit = 1.0}) == "model: no layer takes any bytes: a memory limit has no effect");
  model.layers[0].output = 1;
  CHECK(refusal(model, {.devices = 2, .memory_limit = 1.0}).empty());
  model.layers[0].activations = 1e17;
  CHECK(refusal(model, {.devices = 1}).empty());
  CHECK(refusal(model, {.devices = 1, .microbatches = 20, .schedule = schedule_kind::gpipe}) ==
        "model: its layers take more than 10^18 bytes");
  model.layers[0].activations = 0;
  model.layers[0].output = 1e308;
  CHECK(refusal(model, {.devices = 2}) == "model: its layers take more than 10^18 bytes");
  model.layers[0].output = 0;
  model.layers[0].activations = 0.0 / 0.0;
  CHECK(refusal(model, {}).find("activations = NaN") != std::string::npos);
  model.layers[0].activations = 0;
  model.layers[1].output = 0.0 / 0.0;
  CHECK(refusal(model, {.devices = 2, .memory_limit = 10.0}).find("layer 1: output = NaN") != std::string::npos);
}

TEST_CASE("checkpointing costs time: all microbatches, or all but the last") {
  const profile model = equal_layers(2);
  plan_request request{.devices = 1, .microbatches = 4, .schedule = schedule_kind::gpipe};
  CHECK(plan_chain(model, request)->stages[0].backward == 4);
  request.memory_accounting.checkpoint = checkpointing::always;
  CHECK(plan_chain(model, request)->stages[0].backward == 6);
  CHECK(plan_chain(model, request)->objective.value == 8);
  request.memory_accounting.checkpoint = checkpointing::except_last;
  CHECK(plan_chain(model, request)->stages[0].backward == 6);
  CHECK(plan_chain(model, request)->stages[0].backward_kept == 4);
  CHECK(plan_chain(model, request)->stages[0].mean_backward(4) == 5.5);
  CHECK(*plan_chain(model, request)->makespan == 4 * 2 + 3 * 6 + 4);
  request.in_flight = {4};
  CHECK(refusal(model, request).find("must be 1f1b for numbers in flight") != std::string::npos);
  CHECK(refusal(model, {.schedule = schedule_kind::gpipe, .stages_per_rank = 2}).find("schedule = gpipe") !=
        std::string::npos);
}

TEST_CASE("what cannot be planned is refused at the door") {
  const profile model = equal_layers(4);
  CHECK(refusal(model, {.devices = 0}) == "stagecut::plan_chain: devices = 0, must be at least 1");
  CHECK(refusal(model, {.memory_limit = 1.0, .schedule = schedule_kind::gpipe}).find("microbatches = 0") !=
        std::string::npos);
}

namespace {

/// Seconds of the heaviest stage of a cut, with what its messages take if that is more; a turn sends nothing.
double heaviest_of(const profile& model, const plan_request& request, const std::vector<std::size_t>& rank_of,
                   const random_requests::points& cut) {
  double most = 0;
  for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
    double all = 0;
    for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) all += model.layers[i].forward + model.layers[i].backward;
    const auto message = [&](std::size_t b) {
      if (request.links.empty() || rank_of[b - 1] == rank_of[b]) return 0.0;
      return request.links[0](model.layers[cut[b] - 1].output);
    };
    double ends = s == 0 ? 0 : message(s);
    if (s + 2 < cut.size() && message(s + 1) > ends) ends = message(s + 1);
    most = std::max(most, std::max(all, ends));
  }
  return most;
}

}  // namespace

TEST_CASE("cuts by the heaviest stage can be made for every schedule: the best of all cuts, and its makespan") {
  random_requests::dice random(5);
  int limited = 0;
  int open = 0;  // feasible within memory
  std::vector<int> planned(std::size(stagecut::schedules));
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const auto& entry = stagecut::schedules[random.up_to(stagecut::schedules_made_by_shape - 1)];
    plan_request request{.devices = 2 + random.up_to(1), .schedule = entry.kind};
    request.stages_per_rank = entry.stages_per_rank == 0 ? 2 : entry.stages_per_rank;
    request.microbatches = request.devices * (2 + random.up_to(1));
    if (!stagecut::has_shape(entry.kind, request.devices, request.stages_per_rank, request.microbatches)) continue;
    profile model = random.profile(6 + random.up_to(2));
    for (auto& layer : model.layers) layer.parameters = 1 + random.whole(9), layer.activations = 1 + random.whole(5);
    request.objective = stagecut::plan_objective::bottleneck;
    if (random.up_to(1) == 0) request.links = {random.link()};
    request.transfers = stagecut::transfer_kind::link;
    if (random.up_to(2) == 0) request.memory_limit = 60 + random.whole(200);
    const auto order = stagecut::detail::schedule_of_request(request);
    const auto answer = plan_chain(model, request);
    std::optional<double> best;
    random_requests::each_cut(model, request, [&](const random_requests::points& cut) {
      if (request.memory_limit.for_all()) {
        // A plan of that cut, by keeping its layers together, whose devices are looked at.
        plan_request only = request;
        only.memory_limit = {};
        for (std::size_t c = 1; c < model.layers.size(); ++c) {
          if (std::find(cut.begin(), cut.end(), c) == cut.end()) only.forbidden_cuts.push_back(c);
        }
        if (stagecut::fullest_device(*plan_chain(model, only)) > *request.memory_limit.for_all()) return;
      }
      const double here = heaviest_of(model, request, order.rank_of, cut);
      if (!best || here < *best) best = here;
    });
    if (!answer) {
      if (answer.state() == stagecut::state::infeasible) CHECK_FALSE(best);
      continue;
    }
    REQUIRE(best);
    CHECK(answer->objective.bound <= *best);
    CHECK(answer->objective.value >= *best);
    if (answer.state() == stagecut::state::optimal) CHECK(answer->objective.value == *best);
    if (answer.state() != stagecut::state::optimal) ++open;
    if (request.memory_limit.for_all()) ++limited;
    if (!request.memory_limit.for_all()) REQUIRE(answer.state() == stagecut::state::optimal);
    ++planned[static_cast<std::size_t>(entry.kind)];
    for (std::size_t s = 0; s < order.stages(); ++s) CHECK(answer->stages[s].device == order.rank_of[s]);
    CHECK(stagecut::schedule_of(*answer) == order);
    const auto run =
        stagecut::simulate(order, stagecut::times_of(*answer, entry.splits_backward), stagecut::transfers_of(*answer));
    CHECK(answer->makespan == run.makespan);
    CHECK((!request.memory_limit.for_all() || stagecut::fullest_device(*answer) <= *request.memory_limit.for_all()));
    CHECK(stagecut::verify_plan(model, *answer).holds());
  }
  CHECK(limited > 20);
  CHECK(open > 0);
  for (const auto& entry : stagecut::schedules) {
    if (!needs_more(entry)) CHECK_MESSAGE(planned[static_cast<std::size_t>(entry.kind)] > 5, entry.name);
  }
}

TEST_CASE("without microbatches stages stand where the schedule will have them") {
  const profile model = equal_layers(8);
  const auto turned = plan_chain(model, {.devices = 2, .schedule = schedule_kind::zbv, .stages_per_rank = 2});
  REQUIRE(turned.state() == stagecut::state::optimal);
  CHECK(turned->stages[2].device == 1);
  CHECK(turned->stages[3].device == 0);
  CHECK_FALSE(turned->makespan);
}
