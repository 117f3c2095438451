// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/compare_plans.hpp>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "known_profile.hpp"

using known_profile::known;
using stagecut::layer;
using stagecut::compare_plans;
using stagecut::make_plan;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::schedule_kind;

TEST_CASE("the best of several shapes, with the table of what was compared") {
  stagecut::plan_choices open;
  open.devices = {2, 4, 8};
  open.stages_per_rank = {1, 2};
  open.schedules = {schedule_kind::one_forward_one_backward, schedule_kind::interleaved, schedule_kind::zbv};
  open.all_devices = 4;
  plan_request request{.microbatches = 8};
  request.search.time_limit = std::nullopt;
  const auto all = compare_plans(known, request, open);
  REQUIRE(all.compared.size() == 18);
  REQUIRE(all.best);
  double least = 1e300;
  std::size_t first = all.compared.size();
  for (std::size_t i = 0; i < all.compared.size(); ++i) {
    const auto& row = all.compared[i];
    CHECK(row.why.empty() == (row.makespan > 0));
    if (row.makespan == 0) continue;
    CHECK(row.pipelines == 4 / row.devices);
    CHECK(row.per_microbatch == row.makespan / static_cast<double>(8 * row.pipelines));
    CHECK(row.bound <= row.makespan);
    if (row.per_microbatch < least) least = row.per_microbatch, first = i;
  }
  CHECK(all.best->schedule.name == to_string(all.compared[first].schedule));
  CHECK(*all.best->makespan == all.compared[first].makespan);
  CHECK(all.compared[first].state == stagecut::state::optimal);
  CHECK(all.best.state() == stagecut::state::optimal);
  CHECK(all.compared[12].why == "needs more devices than there are");
  CHECK(all.compared[1].why.find(" does not run ") != std::string::npos);
  // Nobody else is as fast, as far as was looked.
  for (const auto& row : all.compared) {
    if (row.makespan == 0) continue;
    CHECK(row.bound / static_cast<double>(8 * row.pipelines) <= row.per_microbatch);
    if (row.state == stagecut::state::feasible) {
      CHECK(row.bound / static_cast<double>(8 * row.pipelines) >= least);
    }
  }
  open.all_devices = 0;
  open.devices = {4};
  CHECK(compare_plans(known, request, open).compared[0].per_microbatch == 573.0 / 8);
}

TEST_CASE("the best is the first with the least time, in any order of planning, and is what it is alone") {
  stagecut::detail::random_bits random(5);
  const auto backwards = [](std::size_t count, const stagecut::function_ref<void(std::size_t)>& call) {
    for (std::size_t i = count; i-- > 0;) call(i);
  };
  int ties = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<double> times;
    for (std::size_t i = 0; i < 10; ++i) times.push_back(static_cast<double>(1 + random.below(5)));
    const profile model = known_profile::chain_of(times);
    stagecut::plan_choices open;
    open.devices = {1, 2, 4};
    open.microbatches = {4, 8};
    open.schedules = {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::zb_h1};
    open.all_devices = 4;
    plan_request request;
    const auto all = compare_plans(model, request, open);
    REQUIRE(all.best);
    request.search.threads = backwards;
    CHECK(*compare_plans(model, request, open).best == *all.best);
    std::size_t best = all.compared.size();
    double least = 1e300;
    for (std::size_t i = 0; i < all.compared.size(); ++i) {
      const auto& row = all.compared[i];
      if (row.makespan == 0) continue;  // the schedule does not run that
      const auto alone = make_plan(model, {.devices = row.devices,
                                           .microbatches = row.microbatches,
                                           .schedule = row.schedule,
                                           .objective = stagecut::plan_objective::makespan});
      if (!alone) continue;
      const double time = alone->objective.value / static_cast<double>(row.microbatches * row.pipelines);
      ties += time == least ? 1 : 0;
      if (time < least) least = time, best = i;
      CHECK(row.bound <= alone->objective.value);
      CHECK(row.makespan >= alone->objective.value);
    }
    REQUIRE(best < all.compared.size());
    CHECK(all.best->schedule.name == to_string(all.compared[best].schedule));
    CHECK(all.best->devices == all.compared[best].devices);
    CHECK(all.compared[best].per_microbatch == least);
  }
  CHECK(ties > 0);
}

TEST_CASE("a plan is the best of several only if none was left with a lower bound") {
  profile model;
  model.layers.resize(40);
  for (std::size_t i = 0; i < 40; ++i) {
    model.layers[i].forward = 1 + static_cast<double>(i * i * 37 % 101);
    model.layers[i].backward = 2 + static_cast<double>(i * 53 % 97);
  }
  stagecut::plan_choices open;
  open.stages_per_rank = {1, 2};
  open.schedules = {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::interleaved};
  plan_request request{.devices = 8, .microbatches = 16};
  request.search.time_limit = std::nullopt;
  int weak = 0;
  for (const std::size_t nodes : {1U, 1000U, 4000U, 1000000U}) {
    request.search.node_limit = nodes;
    const auto all = compare_plans(model, request, open);
    REQUIRE(all.best);
    double bound = all.best->objective.value;
    for (const auto& row : all.compared) {
      if (row.makespan == 0 || row.state == stagecut::state::optimal) continue;
      bound = row.bound < bound ? row.bound : bound;
    }
    const bool proved = bound == all.best->objective.value;
    weak += proved ? 0 : 1;
    CHECK(all.best.state() == (proved ? stagecut::state::optimal : stagecut::state::feasible));
    CHECK(all.best->objective.state == all.best.state());
    if (!proved) CHECK(all.best->objective.bound == doctest::Approx(bound).epsilon(1e-12));
  }
  CHECK(weak > 0);
}

TEST_CASE("links and memory that the request does not tell are those of the profile's machine") {
  const plan_request request{.devices = 2, .microbatches = 4};
  const auto free = make_plan(known, request);
  REQUIRE(free);
  int denied = 0;
  int others = 0;
  for (double memory = 1; memory < 1e6; memory *= 1.2) {
    profile model = known;
    model.machine.memory = memory;
    model.machine.link = stagecut::link_speed{3, 0.5};
    const auto one = make_plan(model, request);
    const auto several = compare_plans(model, request, stagecut::plan_choices{});
    REQUIRE(several.best.state() == one.state());
    denied += one ? 0 : 1;
    if (!one) continue;
    CHECK(*several.best == *one);
    others += *one == *free ? 0 : 1;
  }
  CHECK(denied > 0);
  CHECK(others > 0);
}

TEST_CASE("if none of several shapes has a plan, the first says why") {
  stagecut::plan_choices open;
  open.devices = {9, 10};
  const auto none = compare_plans(known, {.microbatches = 9}, open);
  CHECK(none.best.state() == stagecut::state::infeasible);
  CHECK(none.best.why().text() == "none of 2 combinations: 9 stages need at least 9 layers, and there are 8");
}

TEST_CASE("combinations that make no sense are refused, those that cannot be are told") {
  const auto refused = [](const plan_request& request, const stagecut::plan_choices& open) {
    try {
      (void)compare_plans(known, request, open);
    } catch (const stagecut::argument_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused({.microbatches = 4}, {.devices = {0, 2}, .all_devices = 8}) ==
        "stagecut::compare_plans: choices.devices[0] = 0, must be at least 1");
  CHECK(refused({.devices = 2, .microbatches = 4}, {.stages_per_rank = {1, 0}}) ==
        "stagecut::compare_plans: choices.stages_per_rank[1] = 0, must be at least 1");
  CHECK(refused({.devices = 2}, {.microbatches = {0}}) ==
        "stagecut::compare_plans: choices.microbatches[0] = 0, must be at least 1");
  // A list that is empty leaves what the request says, which is then what is refused.
  CHECK(refused({.devices = 0, .microbatches = 4}, {}) == "stagecut::compare_plans: devices = 0, must be at least 1");
  CHECK(refused({.devices = 2}, {}) ==
        "stagecut::compare_plans: objective = makespan, is not known: the number of microbatches is not known");
  CHECK(refused({.devices = 2, .microbatches = 4, .objective = stagecut::plan_objective::range}, {}) ==
        "stagecut::compare_plans: objective = range, must be the makespan, by which plans are compared");
  // Wrong in every combination.
  CHECK(refused({.devices = 2, .microbatches = 4, .speeds = {1}}, {.stages_per_rank = {1, 2}}) ==
        "stagecut::compare_plans: speeds.size() = 1, must be the number of devices");
  CHECK(refused({.devices = 2, .microbatches = 4, .in_flight = {1}}, {.stages_per_rank = {2, 1}}) ==
        "stagecut::compare_plans: in_flight.size() = 1, must be the number of stages, 2");
  CHECK(refused({.devices = 2, .microbatches = 4, .in_flight = {2, 1}}, {.stages_per_rank = {2}}) ==
        "stagecut::compare_plans: in_flight = {…}, is of one stage on each device: stages_per_rank must be 1");
  CHECK(refused({.devices = 2, .microbatches = 4, .in_flight = {2, 1}}, {.schedules = {schedule_kind::gpipe}}) ==
        "stagecut::compare_plans: schedule = gpipe, must be 1f1b for numbers in flight");
  CHECK(refused({.devices = 2, .microbatches = 4, .links = {{-1, 1}}}, {.stages_per_rank = {1, 2}})
            .starts_with("stagecut::compare_plans: links[0].latency = -1"));
  // One alone is what it is without choices.
  const auto alone =
      compare_plans(known, {.devices = 2, .microbatches = 4, .stages_per_rank = 2}, stagecut::plan_choices{});
  REQUIRE(alone.best.state() == stagecut::state::optimal);
  CHECK(*alone.best == *make_plan(known, {.devices = 2, .microbatches = 4, .stages_per_rank = 2}));
  const auto small =
      compare_plans(known, {.devices = 2, .microbatches = 4, .memory_limit = 10.0}, stagecut::plan_choices{});
  CHECK(small.best.why().what == stagecut::reason::cause::layer_too_large);
  // What one cannot have does not harm the others.
  profile whole = known;
  for (auto& layer : whole.layers) layer.backward_input.reset(), layer.backward_weight.reset();
  stagecut::plan_choices open;
  open.schedules = {schedule_kind::zb_h1, schedule_kind::gpipe};
  const auto some = compare_plans(whole, {.devices = 2, .microbatches = 4}, open);
  CHECK(some.compared[0].why.find("has no time for the gradient of the weights alone") != std::string::npos);
  REQUIRE(some.best);
  CHECK(some.best->schedule.name == "gpipe");
  plan_request linked{.devices = 2, .microbatches = 4};
  linked.links = {{1, 0}, {1, 0}};
  open = {};
  open.devices = {2, 3};
  const auto links = compare_plans(known, linked, open);
  CHECK(links.compared[0].why == "the links are those of another number of stages");
  CHECK(links.best->devices == 3);
  plan_request fast{.devices = 2, .microbatches = 4, .speeds = {1, 2, 1}};
  const auto speeds = compare_plans(known, fast, open);
  CHECK(speeds.compared[0].why == "the speeds are those of another number of devices");
  CHECK(speeds.best->speeds == fast.speeds);
  plan_request near{.devices = 2, .microbatches = 4, .topology = stagecut::topology({2}, {{1, 0}})};
  const auto small_node = compare_plans(known, near, open);
  CHECK(small_node.compared[1].why == "the topology has fewer devices");
  CHECK(small_node.best->devices == 2);
  plan_request told{.devices = 2, .microbatches = 4, .in_flight = {2, 1}};
  const auto numbers = compare_plans(known, told, open);
  CHECK(numbers.compared[1].why == "the numbers in flight are for another schedule or other devices");
  CHECK(numbers.best->devices == 2);
}

TEST_CASE("a combination that cannot win is left as soon as its bound says so, and callers are told of all") {
  stagecut::plan_choices open;
  open.schedules = {schedule_kind::zb_h2, schedule_kind::gpipe};
  std::size_t told = 0;
  std::size_t asked = 0;
  const auto progress = [&](const stagecut::search_progress&) { ++told; };
  const auto stop = [&] { return ++asked == 0; };
  plan_request request{.devices = 4, .microbatches = 8};
  request.search.progress = progress;
  request.search.stop = stop;
  const auto all = compare_plans(known, request, open);
  REQUIRE(all.compared.size() == 2);
  CHECK(all.compared[0].makespan == 504);
  CHECK(all.compared[1].bound == 504);  // that was enough
  CHECK(told > 2);
  CHECK(asked > 2);
}

TEST_CASE("a combination whose makespan is not known leaves open whether it would be the best") {
  stagecut::plan_choices open;
  open.microbatches = {4, (std::size_t{1} << 19U) + 1};
  const auto all = compare_plans(known, {.devices = 2}, open);
  REQUIRE(all.best.state() == stagecut::state::feasible);
  CHECK(all.best->objective.bound == 0);
  CHECK(all.compared[0].state == stagecut::state::optimal);
  CHECK(all.compared[1].state == stagecut::state::unknown);
  CHECK(all.compared[1].why == "there are more than 2^20 forward passes");
}

TEST_CASE("a group of microbatches is of those choices that take one") {
  stagecut::plan_choices open;
  open.stages_per_rank = {1, 2};
  open.schedules = {schedule_kind::one_forward_one_backward, schedule_kind::interleaved, schedule_kind::looped_bfs};
  open.list_impossible = false;
  plan_request request{.devices = 3, .microbatches = 4, .group = 4};
  request.search.time_limit = std::nullopt;
  const auto all = compare_plans(known, request, open);
  REQUIRE(all.compared.size() == 3);
  CHECK(all.compared[1].schedule == schedule_kind::interleaved);
  CHECK(all.compared[1].group == 4);
  CHECK(all.compared[1].makespan ==
        *make_plan(known, {.devices = 3, .microbatches = 4, .stages_per_rank = 2, .group = 4})->makespan);
  CHECK(all.compared[0].group == 0);
  CHECK(all.compared[2].group == 0);
  request.group = 2;  // not one that interleaved can have
  CHECK(compare_plans(known, request, open).compared.size() == 2);
  request.group = 0;
  CHECK(compare_plans(known, request, open).compared.size() == 2);  // 4 is no multiple of 3
  request.group = 4;
  open.stages_per_rank = {1};
  CHECK_THROWS_WITH_AS((void)compare_plans(known, request, open),
                       "stagecut::compare_plans: group = 4, is of several stages per rank, interleaved", stagecut::argument_error);
}
