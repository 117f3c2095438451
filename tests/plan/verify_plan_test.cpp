// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "known_profile.hpp"
#include "random_requests.hpp"

using stagecut::check_result;
using stagecut::plan;
using stagecut::plan_verification;
using stagecut::profile;
using stagecut::verify_plan;

namespace {

/// What is broken, and where.
std::string broken(const plan_verification& all) {
  std::string text;
  for (const auto& each : all.checks) {
    if (each.result == check_result::broken) text += each.name + ": " + each.place + ": " + each.why + "\n";
  }
  return text;
}

bool breaks(const profile& model, const plan& made, const char* name) {
  const auto all = verify_plan(model, made);
  return all.find(name)->result == check_result::broken && !all.holds();
}

/// A profile in which every figure matters.
profile random_profile(random_requests::dice& dice, std::size_t layers) {
  profile model = dice.profile(layers);
  const bool resident = dice.up_to(2) == 0;
  for (auto& each : model.layers) {
    each.forward += 0.1 * dice.whole(9);
    each.backward += 0.01 * dice.whole(9);
    each.backward_input = each.backward - *each.backward_weight;
    each.parameters = 1 + dice.whole(50);
    each.activations = 1 + 0.3 * dice.whole(20);
    each.workspace = 1 + dice.whole(7);
    each.output = 1 + dice.whole(30);
    if (resident && dice.up_to(1) == 0) each.resident = 3.5 * each.parameters;
    if (dice.up_to(4) == 0) {
      stagecut::tied_parameters tied{"t", 10, std::nullopt};
      if (resident) tied.resident = 77;
      each.tied.push_back(tied);
    }
  }
  return model;
}

stagecut::plan_request random_request(random_requests::dice& dice, const profile& model) {
  using stagecut::plan_objective;
  stagecut::plan_request request;
  request.devices = 1 + dice.up_to(3);
  request.schedule = stagecut::schedules[dice.up_to(std::size(stagecut::schedules) - 1)].kind;
  if (dice.up_to(1) == 0) request.schedule = stagecut::schedule_kind::one_forward_one_backward;
  const std::size_t chunks = stagecut::entry_of(request.schedule).chunks;
  request.chunks = chunks == 0 ? 2 + dice.up_to(1) : dice.up_to(3) == 0 ? 2 : chunks;
  if (dice.up_to(7) != 0) request.microbatches = request.devices * (1 + dice.up_to(2));
  constexpr plan_objective objectives[] = {plan_objective::automatic, plan_objective::bottleneck,
                                           plan_objective::leximax, plan_objective::range, plan_objective::variance};
  request.objective = dice.up_to(1) == 0 ? plan_objective::automatic : objectives[dice.up_to(4)];
  if (dice.up_to(3) == 0) request.by = static_cast<stagecut::measure>(dice.up_to(4));
  if (request.by == stagecut::measure::weights) request.weights.assign(model.layers.size(), 1.5);
  request.memory.checkpoint = static_cast<stagecut::checkpointing>(dice.up_to(5) < 3 ? 0 : dice.up_to(2));
  if (dice.up_to(1) == 0) request.memory.boundary_buffers = 1;
  if (dice.up_to(2) == 0)
    request.memory.use_resident = false, request.memory.parameter_multiplier = 3, request.optimizer = "x";
  if (dice.up_to(1) == 0) request.memory_per_device = 300 + dice.whole(1200), request.buffer_fraction = 0.1;
  if (dice.up_to(2) == 0) request.speeds = dice.speeds(request.devices);
  if (dice.up_to(1) == 0) dice.add_links(request);
  dice.add_rules(request, model.layers.size());
  if (request.chunks == 1 && dice.up_to(5) == 0 &&
      request.schedule == stagecut::schedule_kind::one_forward_one_backward) {
    for (std::size_t s = 0; s < request.devices; ++s) request.in_flight.push_back(2 * (request.devices - s));
  }
  return request;
}

struct made_plan {
  profile model;
  plan made;
};

/// A plan of a random request; none where there is none.
std::optional<made_plan> random_plan(random_requests::dice& dice) {
  profile model = random_profile(dice, 3 + dice.up_to(7));
  const auto request = random_request(dice, model);
  try {
    auto found = stagecut::make_plan(model, request);
    if (!found) return std::nullopt;
    return made_plan{std::move(model), std::move(*found)};
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("plans that were made hold in every check") {
  random_requests::dice dice(1);
  std::size_t plans = 0;
  std::size_t checked[std::size(stagecut::plan_check_words)] = {};
  std::size_t schedules[std::size(stagecut::schedules)] = {};
  std::size_t kinds[4] = {};
  for (int round = 0; round < 6000; ++round) {
    const auto random = random_plan(dice);
    if (!random) continue;
    ++plans;
    const auto& [model, made] = *random;
    const auto all = verify_plan(model, made);
    INFO(round, " ", made.schedule.name, " ", made.objective.name, " of ", made.objective.of, "\n", broken(all));
    REQUIRE(all.holds());
    REQUIRE(all.checks.size() == std::size(stagecut::plan_check_words));
    for (std::size_t i = 0; i < all.checks.size(); ++i) {
      REQUIRE(all.checks[i].name == stagecut::plan_check_words[i].name);
      if (all.checks[i].result == check_result::holds) ++checked[i];
    }
    if (made.makespan) REQUIRE(all.find("makespan")->result == check_result::holds);
    if (!made.memory.optimizer.empty()) REQUIRE(all.find("memory")->result == check_result::holds);
    if (const auto* const entry = stagecut::find_schedule(made.schedule.name))
      ++schedules[static_cast<std::size_t>(entry->kind)];
    for (std::size_t k = 0; k < 4; ++k) {
      if (made.messages.kind == stagecut::transfer_kind_words[k].name) ++kinds[k];
    }
  }
  CHECK(plans > 1500);
  for (const std::size_t each : checked) CHECK(each > plans / 2);
  for (const auto& each : stagecut::schedules) {
    const bool planned = !stagecut::needs_more(each) && each.kind != stagecut::schedule_kind::gpipe_lifo;
    INFO(each.name);
    if (planned) CHECK(schedules[static_cast<std::size_t>(each.kind)] > 5);
  }
  for (const std::size_t each : kinds) CHECK(each > 50);
}
