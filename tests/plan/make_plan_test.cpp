// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/make_plan.hpp>

#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/search/constrained_cost.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "known_profile.hpp"
#include "random_requests.hpp"

using known_profile::chain_of;
using known_profile::known;
using stagecut::checkpointing;
using stagecut::compare_plans;
using stagecut::layer;
using stagecut::make_plan;
using stagecut::measure;
using stagecut::plan;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::schedule_kind;

namespace {

std::string refusal(const profile& model, const plan_request& request) {
  try {
    (void)make_plan(model, request);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// The peak of every device of a plan, as its schedule runs.
double peak(const plan& made) {
  const auto order = stagecut::schedule_of(made);
  double most = 0;
  for (const auto& rank : memory_curve(order, stagecut::simulation<double>{}, stagecut::bytes_of(made))) {
    most = std::max(most, rank.peak());
  }
  return most;
}

}  // namespace

TEST_CASE("a profile is planned for the makespan, which is what simulation says of the plan") {
  const auto best = make_plan(known, {.devices = 4, .microbatches = 8});
  REQUIRE(best.state() == stagecut::state::optimal);
  CHECK(best->cuts == stagecut::cuts{0, 3, 5, 6, 8});
  CHECK(best->objective == stagecut::objective_value{"makespan", "time", 573, 573, stagecut::state::optimal});
  CHECK(best->makespan == 573);
  CHECK(best->schedule == stagecut::schedule_choice{"1f1b", 8});
  CHECK(best->timeline.size() == 2 * 4 * 8);
  CHECK(best->stages[0].cost == 63);
  CHECK(best->stages[2].device == 2);
  CHECK(best->stages[0].in_flight == 4);
  CHECK(stagecut::plan_chain(known, {.devices = 4, .microbatches = 8})->makespan == 600);
}

TEST_CASE("a device or a link so slow that no good cut uses it does not hide the best plan") {
  profile model;
  for (const double forward : {.011, .019, .012, .031, .007, .016, .022, .013, 0.0}) {
    layer each;
    each.forward = forward;
    each.backward = 2 * forward;
    each.output = model.layers.empty() ? 1e15 : 1;
    model.layers.push_back(each);
  }
  plan_request request{.devices = 3, .microbatches = 8, .speeds = {1, 1, 3e-14}};
  const auto slow = make_plan(model, request);
  REQUIRE(slow.state() == stagecut::state::optimal);
  CHECK(slow->cuts == stagecut::cuts{0, 4, 8, 9});
  CHECK(slow->objective.value == doctest::Approx(1.881).epsilon(1e-12));
  CHECK(slow->objective.bound == doctest::Approx(1.881).epsilon(1e-12));
  CHECK(slow->objective.bound <= slow->objective.value);
  request.speeds = {1, 1, 1e-320};
  CHECK(refusal(model, request).find("speeds[2] = ") != std::string::npos);
  CHECK(refusal(model, request).find("must run the model in a finite time") != std::string::npos);
  request.speeds.clear();
  request.links = {{0, 1000}};
  const auto linked = make_plan(model, request);
  REQUIRE(linked.state() == stagecut::state::optimal);
  CHECK(linked->cuts == stagecut::cuts{0, 2, 5, 9});
  CHECK(linked->objective.value == doctest::Approx(1.468).epsilon(1e-12));
}

TEST_CASE("every schedule has a plan that its own name runs") {
  int planned = 0;
  for (const auto& entry : stagecut::schedules) {
    for (const std::size_t v : {1U, 2U}) {
      if (!stagecut::has_shape(entry.kind, 2, v, 4)) continue;
      const auto best =
          make_plan(known, {.devices = 2, .microbatches = 4, .schedule = entry.kind, .stages_per_rank = v});
      REQUIRE_MESSAGE(best.state() == stagecut::state::optimal, entry.name);
      ++planned;
      const auto order = stagecut::schedule_of(*best);
      CHECK(best->schedule.name == entry.name);
      const auto run = stagecut::simulate(order, stagecut::times_of(*best, entry.splits_backward));
      CHECK(run.makespan == *best->makespan);
      CHECK(best->objective.bound == *best->makespan);
    }
  }
  CHECK(planned == 13);
  const auto interleaved = make_plan(known, {.devices = 2, .microbatches = 8, .stages_per_rank = 2});
  CHECK(interleaved->schedule.name == "interleaved");
  CHECK(interleaved->makespan == 776);
  const auto told = make_plan(known, {.devices = 4, .microbatches = 8, .in_flight = {2, 2, 2, 1}});
  CHECK(told->schedule.name == "in-flight");
  CHECK(told->makespan == 960);
}

TEST_CASE("interleaved in groups of microbatches: the best of all cuts, and its plan says the group") {
  random_requests::dice random(77);
  int planned = 0;
  int fewer = 0;  // microbatches than devices
  for (int round = 0; round < 250; ++round) {
    CAPTURE(round);
    const profile model = random.profile(6 + random.up_to(2));
    plan_request request{.devices = 2 + random.up_to(1), .microbatches = 1 + random.up_to(8), .stages_per_rank = 2};
    request.group = random.up_to(2) == 0 ? request.microbatches : 1 + random.up_to(8);
    request.search.time_limit.reset();
    const bool fits =
        stagecut::has_shape(schedule_kind::interleaved, request.devices, 2, request.microbatches, request.group);
    if (!fits) {
      REQUIRE_THROWS_AS((void)make_plan(model, request), stagecut::argument_error);
      continue;
    }
    std::optional<double> best;
    const auto order =
        stagecut::interleaved_one_forward_one_backward(request.devices, 2, request.microbatches, request.group);
    random_requests::each_cut(model, request, [&](const random_requests::points& cut) {
      stagecut::pass_times<double> times;
      for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
        times.forward.push_back(0);
        times.backward.push_back(0);
        for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) {
          times.forward.back() += model.layers[i].forward;
          times.backward.back() += model.layers[i].backward;
        }
      }
      const double here = stagecut::simulate(order, times).makespan;
      if (!best || here < *best) best = here;
    });
    const auto made = make_plan(model, request);
    REQUIRE(made.has_value() == best.has_value());
    if (!made) continue;
    ++planned;
    fewer += request.microbatches < request.devices ? 1 : 0;
    CHECK(made->makespan == best);
    CHECK(made->objective.bound == *best);
    CHECK(made->schedule.group == request.group);
    CHECK(stagecut::schedule_of(*made) == order);
  }
  CHECK(planned > 40);
  CHECK(fewer > 2);
}

TEST_CASE("messages over links are part of the makespan") {
  plan_request request{.devices = 4, .microbatches = 8};
  request.links = {{2, 0}};
  request.transfers = stagecut::transfer_kind::latency;
  CHECK(make_plan(known, request)->makespan == 589);
  request.links = {{2, 0}, {2, 0}, {2, 0}};
  CHECK(make_plan(known, request)->makespan == 589);
  request.links = {{1, 1}};  // one byte by one byte in a unit of time
  CHECK(make_plan(known, request)->makespan == 589);
  CHECK(*stagecut::plan_chain(known, request)->makespan > 600);
}

TEST_CASE(
    "gradients run apart cost what they take, and a check takes them as exactly however long both take together") {
  profile model;
  for (int i = 0; i < 4; ++i) {
    stagecut::layer each;
    each.forward = 1;
    each.backward = 1e9;
    each.backward_input = 2;
    each.backward_weight = 0.25;
    model.layers.push_back(each);
  }
  for (const auto kind : {schedule_kind::zb_h1, schedule_kind::one_forward_one_backward}) {
    const auto made = make_plan(model, {.devices = 2, .microbatches = 4, .schedule = kind});
    const bool apart = kind == schedule_kind::zb_h1;
    for (const auto& stage : made->stages) CHECK(stage.cost == (apart ? 6.5 : 2 + 2e9));
    CHECK(stagecut::verify_plan(model, *made).holds());
  }
}

TEST_CASE("on devices of different speeds, over links, without some cuts: the best of all cuts") {
  random_requests::dice random(31);
  int infeasible = 0;
  int planned = 0;
  int above = 0;
  double worst = 1;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const std::size_t n = 2 + random.up_to(6);
    const profile model = random.profile(n);
    const auto& entry = stagecut::schedules[random.up_to(stagecut::schedules_made_by_shape - 1)];
    plan_request request{
        .devices = 1 + random.up_to(2), .schedule = entry.kind, .stages_per_rank = 1 + random.up_to(1)};
    request.microbatches = request.devices * (2 + random.up_to(1));
    if (!stagecut::has_shape(entry.kind, request.devices, request.stages_per_rank, request.microbatches)) continue;
    if (random.up_to(2) != 0) request.speeds = random.speeds(request.devices);
    random.add_links(request);
    random.add_rules(request, n);
    request.search.time_limit.reset();

    const auto order = stagecut::detail::schedule_of_request(request);
    const bool mixed = stagecut::detail::mixes_backward(order);
    const bool parts_alone = entry.splits_backward && !mixed;
    std::optional<double> best;
    double lightest = 0;  // of their heaviest stages
    random_requests::points first;
    random_requests::each_cut(model, request, [&](const random_requests::points& cut) {
      stagecut::pass_times<double> times;
      stagecut::transfer_times<double> transfers{request.transfers, {}, {}};
      double heaviest = 0;
      for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
        const std::size_t device = order.rank_of[s];
        const double speed = request.speeds.empty() ? 1 : request.speeds[device];
        double forward = 0, backward = 0, input = 0, weight = 0;
        for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) {
          forward += model.layers[i].forward;
          backward += model.layers[i].backward;
          input += *model.layers[i].backward_input;
          weight += *model.layers[i].backward_weight;
        }
        heaviest = std::max(heaviest, forward / speed + (parts_alone ? input + weight : backward) / speed);
        times.forward.push_back(forward / speed);
        times.backward.push_back(backward / speed);
        times.backward_input.push_back(input / speed);
        times.backward_weight.push_back(weight / speed);
        if (s + 2 == cut.size() || (request.links.empty() && !request.topology)) continue;
        const std::size_t to = order.rank_of[s + 1];
        transfers.forward.push_back(random_requests::message(model, request, s, cut[s + 1], device, to));
      }
      transfers.backward = transfers.forward;
      const double makespan = stagecut::simulate(order, times, transfers).makespan;
      if (best && (makespan > *best || (makespan == *best && heaviest >= lightest))) return;
      best = makespan;
      lightest = heaviest;
      first = cut;
    });
    const auto found = make_plan(model, request);
    REQUIRE(found.has_value() == best.has_value());
    if (!found) {
      ++infeasible;
      continue;
    }
    ++planned;
    CHECK(found->speeds == request.speeds);
    CHECK(stagecut::simulate(stagecut::schedule_of(*found), stagecut::times_of(*found, entry.splits_backward),
                             stagecut::transfers_of(*found))
              .makespan == *found->makespan);
    if (mixed && found.state() != stagecut::state::optimal) {  // unsplit backward passes next to slower split ones
      CHECK(stagecut::detail::least_gradients(model) != model);
      CHECK(*found->makespan >= *best);
      CHECK(found->objective.bound <= *best);
      ++above;
      worst = std::max(worst, *found->makespan / *best);
      continue;
    }
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->makespan == *best);
    if (!mixed) CHECK(random_requests::points(found->cuts.points().begin(), found->cuts.points().end()) == first);
  }
  MESSAGE(above << " plans of whole backward passes beside parts, at worst " << worst << " times the best");
  CHECK(infeasible > 10);
  CHECK(planned > 100);
}

TEST_CASE("within the memory of a device, of all its stages at the same time, the plan is the best there is") {
  std::mt19937 random(5);
  int constrained = 0;
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    profile model = chain_of({1, 1, 1, 1, 1, 1, 1});
    for (auto& layer : model.layers) {
      layer.forward = 1 + static_cast<double>(random() % 9);
      layer.backward = 2 * layer.forward;
      layer.parameters = static_cast<double>(random() % 9);
      layer.activations = static_cast<double>(random() % 9);
      layer.output = static_cast<double>(random() % 3);
    }
    const std::size_t v = 1 + random() % 2;
    plan_request request{.devices = 2, .microbatches = 4, .stages_per_rank = v};
    const auto free = make_plan(model, request);
    REQUIRE(free);
    request.memory_limit = peak(*free) * (0.6 + 0.4 * static_cast<double>(random() % 100) / 100);
    const auto best = make_plan(model, request);
    // Enumerated: all cuts, their peaks as their schedule runs, and their makespans.
    std::optional<double> least;
    std::vector<std::size_t> points(2 * v + 1);
    const auto visit = [&](auto&& self, std::size_t s) -> void {
      if (s == 2 * v) {
        points[s] = 7;
        plan made = *free;
        made.cuts = stagecut::cuts(points);
        const stagecut::training_memory memory(model);
        for (std::size_t k = 0; k < s; ++k) {
          auto& stage = made.stages[k];
          stage.forward = stage.backward = 0;
          for (std::size_t i = points[k]; i < points[k + 1]; ++i) {
            stage.forward += model.layers[i].forward;
            stage.backward += model.layers[i].backward;
          }
          stage.memory = stagecut::detail::memory_of(memory, model, made.cuts.stage(k), request.memory_accounting.checkpoint);
        }
        if (peak(made) > *request.memory_limit.for_all()) return;
        const double end = stagecut::simulate(stagecut::schedule_of(made), stagecut::times_of(made, false)).makespan;
        if (!least || end < *least) least = end;
        return;
      }
      for (points[s] = points[s - 1] + 1; points[s] < 7; ++points[s]) self(self, s + 1);
    };
    visit(visit, 1);
    REQUIRE(best.has_value() == least.has_value());
    if (!best) {
      ++refused;
      CHECK(best.state() == stagecut::state::infeasible);
      CHECK(best.why().what != stagecut::reason::cause::constraint);
      CHECK(best.why().needed > best.why().available);
      continue;
    }
    CHECK(best.state() == stagecut::state::optimal);
    CHECK(*best->makespan == *least);
    CHECK(peak(*best) <= *request.memory_limit.for_all());
    constrained += *best->makespan > *free->makespan ? 1 : 0;
  }
  CHECK(constrained > 40);
  CHECK(refused > 20);
}

TEST_CASE("what has no makespan to be minimised is cut by its stages, unless that was asked for") {
  const auto makespan = stagecut::plan_objective::makespan;
  CHECK(refusal(known, {.devices = 2, .objective = makespan}) ==
        "stagecut::make_plan: objective = makespan, is not known: the number of microbatches is not known");
  CHECK(refusal(known, {.devices = 2, .microbatches = 4, .by = measure::parameters, .objective = makespan}) ==
        "stagecut::make_plan: objective = makespan, is not known: stages are measured by something else than time");
  CHECK(make_plan(known, {.devices = 4, .microbatches = 8, .objective = makespan})->makespan == 573);
  CHECK(make_plan(known, {.devices = 4})->objective.name == "bottleneck");
  CHECK(refusal(known, {.devices = 0}) == "stagecut::make_plan: devices = 0, must be at least 1");
  CHECK(refusal(known, {.devices = 2, .microbatches = 4, .schedule = schedule_kind::sliced}).find("seq-1f1b") !=
        std::string::npos);
  CHECK(refusal(known, {.devices = 2, .microbatches = 2, .schedule = schedule_kind::zb_h1}).find("twice the number") !=
        std::string::npos);
  profile whole = known;
  whole.layers[3].backward_input.reset(), whole.layers[3].backward_weight.reset();
  CHECK(refusal(whole, {.devices = 2, .microbatches = 4, .schedule = schedule_kind::zb_h1}) ==
        stagecut::detail::layer_text(whole, 3) +
            ": has no backward_weight: the schedule runs the gradients of input and weights apart");
  const auto none = make_plan(known, {.devices = 9, .microbatches = 9});
  CHECK(none.why().text() == "9 stages need at least 9 layers, and there are 8");
}

TEST_CASE("layers that share a stage are not parted") {
  profile model = known;
  model.layers[4].group = model.layers[5].group = "together";
  const auto best = make_plan(model, {.devices = 4, .microbatches = 8});
  REQUIRE(best.state() == stagecut::state::optimal);
  for (std::size_t s = 0; s <= 4; ++s) CHECK(best->cuts[s] != 5);
}

TEST_CASE("what is computed again between I and W is not planned for") {
  plan_request request{.devices = 2, .microbatches = 8, .schedule = schedule_kind::zb_h1};
  request.memory_accounting.checkpoint = checkpointing::always;
  CHECK(refusal(known, request) ==
        "stagecut::make_plan: memory_accounting.checkpoint = always, needs a schedule that runs B as one, not zb-h1");
  stagecut::plan_choices open;
  open.schedules = {schedule_kind::zb_h1, schedule_kind::one_forward_one_backward};
  const auto all = compare_plans(known, request, open);
  CHECK(all.compared[0].why.find("recomputed activations would be held") != std::string::npos);
  CHECK(all.best->schedule.name == "1f1b");
}

TEST_CASE("an objective of the stages is what is minimised, whatever is known of the makespan") {
  using enum stagecut::plan_objective;
  for (const auto objective : {bottleneck, leximax, range, variance}) {
    const plan_request request{.devices = 4, .microbatches = 8, .objective = objective};
    const auto made = make_plan(known, request);
    REQUIRE(made.state() == stagecut::state::optimal);
    CHECK(*made == *stagecut::plan_chain(known, request));
    CHECK(made->objective.name == to_string(objective));
  }
  CHECK(refusal(known, {.devices = 2, .speeds = {1, 1e-320}}).starts_with("stagecut::make_plan: speeds[1] = "));
}

TEST_CASE("memory that only the order of a schedule tells is not limited where it cannot be made") {
  const auto order_of = [](const char* name) {
    return std::string("limits what the order of ") + name +
           " keeps, and that is not known: the number of microbatches is not known";
  };
  CHECK(refusal(known, {.devices = 2, .memory_limit = 1e9, .stages_per_rank = 2}) ==
        "stagecut::make_plan: memory_limit = 1000000000.000000, " + order_of("interleaved"));
  CHECK(refusal(known, {.devices = 2, .memory_limit = 1e9, .schedule = schedule_kind::zb_h1}) ==
        "stagecut::make_plan: memory_limit = 1000000000.000000, " + order_of("zb-h1"));
  CHECK(refusal(known, {.devices = 2, .schedule = schedule_kind::zb_h1}) == "");
}

TEST_CASE("a graph is planned as the chain that it is") {
  profile graph = known;
  std::swap(graph.layers[1], graph.layers[6]);
  graph.edges = {{0, 6}, {6, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 1}, {1, 7}};
  const plan_request request{.devices = 4, .microbatches = 8};
  const auto made = make_plan(graph, request);
  REQUIRE(made);
  CHECK(*made == *make_plan(stagecut::as_chain(graph), request));
  CHECK(made->profile.edges.empty());
  CHECK(made->cuts == stagecut::cuts{0, 3, 5, 6, 8});
  stagecut::plan_choices open;
  open.devices = {2, 4};
  CHECK(*compare_plans(graph, request, open).best == *compare_plans(stagecut::as_chain(graph), request, open).best);
  // Numbers of layers are those of a chain.
  CHECK(
      refusal(graph, {.devices = 2, .forbidden_cuts = {1}}) ==
      "stagecut::make_plan: model.edges = 7 edges, must be empty where a request numbers layers: call as_chain first, "
      "which puts them into order");
  CHECK(refusal(graph, {.devices = 2, .kept_together = {{0, 2}}}).find("call as_chain first") != std::string::npos);
  CHECK(refusal(graph, {.devices = 2, .by = measure::weights, .weights = {1}}).find("call as_chain first") !=
        std::string::npos);
  graph.edges.pop_back();
  CHECK(refusal(graph, request).find("not a chain") != std::string::npos);
  profile tree = known;
  tree.layers[1].children = {2, 3};
  CHECK(refusal(tree, request).find("module tree") != std::string::npos);
}

TEST_CASE("what an iteration ends with is predicted behind the passes, and not minimised") {
  profile model = known;
  double seconds = 1;
  for (auto& layer : model.layers) layer.update = seconds++;
  for (const plan_request& request :
       {plan_request{.devices = 4, .microbatches = 8},
        plan_request{.devices = 2, .microbatches = 8, .stages_per_rank = 2},
        plan_request{.devices = 4, .microbatches = 8, .schedule = schedule_kind::zb_h1},
        plan_request{.devices = 2, .microbatches = 4, .objective = stagecut::plan_objective::bottleneck},
        plan_request{.devices = 4, .microbatches = 8, .speeds = {1, 0.5, 1, 2}}}) {
    const auto made = make_plan(model, request);
    const auto without = make_plan(known, request);
    REQUIRE(made);
    CHECK(made->cuts == without->cuts);
    CHECK(made->objective == without->objective);
    CHECK(*made->makespan > *without->makespan);
    for (std::size_t s = 0; s < made->stages.size(); ++s) {
      double sum = 0;
      for (const std::size_t i : stagecut::layers_of(*made, s)) sum += model.layers[i].update;
      CHECK(made->stages[s].all_reduce == sum / (request.speeds.empty() ? 1 : request.speeds[made->stages[s].device]));
    }
    // a rank's last pass, and what its stages do behind it: of several one after the other, from when each is through
    double least = 0;
    for (const auto& pass : made->timeline) least = std::max(least, pass.end);
    CHECK(*made->makespan >= least);
    CHECK(*made->makespan == stagecut::simulate(stagecut::schedule_of(*made),
                                                stagecut::times_of(*made, request.schedule == schedule_kind::zb_h1),
                                                stagecut::transfers_of(*made))
                                 .makespan);
    const auto checked = stagecut::verify_plan(model, *made);
    CHECK(checked.holds());
    stagecut::plan wrong = *made;
    wrong.stages[0].all_reduce *= 2;
    CHECK(!stagecut::verify_plan(model, wrong).holds());
  }
}

TEST_CASE("what does not fit in inference says the number of devices that would do") {
  profile model;
  model.inference = true;
  for (int i = 0; i < 24; ++i) {
    stagecut::layer& each = model.layers.emplace_back();
    each.name = std::to_string(i);
    each.forward = 1;
    each.parameters = 10;
    each.resident = 10;
    each.activations = 5;
  }
  for (const double memory : {40., 55., 100., 200.}) {
    for (const std::size_t groups : {1U, 3U}) {
      plan_request request{.devices = 1, .memory_limit = memory};
      request.in_flight = {groups};
      const auto made = make_plan(model, request);
      REQUIRE(made.state() == stagecut::state::infeasible);
      std::size_t least = 2;
      const auto fits = [&](std::size_t devices) {
        plan_request asked = request;
        asked.devices = devices;
        asked.in_flight.assign(devices, groups);
        return make_plan(model, asked).has_value();
      };
      while (!fits(least)) ++least;
      CAPTURE(made.why().text());
      CHECK(made.why().text().find(std::to_string(least) + " devices would do") != std::string::npos);
    }
  }
}

TEST_CASE("a leximax plan of stages that share devices is optimal only if no list of costs is less") {
  profile model;
  const double times[] = {4, 3, 1, 2, 2};
  const double kept[] = {3, 2, 3, 2, 0};
  for (std::size_t i = 0; i < 5; ++i) {
    stagecut::layer one;
    one.name = "l" + std::to_string(i);
    one.forward = times[i];
    one.activations = kept[i];
    model.layers.push_back(one);
  }
  plan_request request{.devices = 2,
                       .microbatches = 2,
                       .memory_limit = 14.0,
                       .schedule = schedule_kind::looped_bfs,
                       .stages_per_rank = 2,
                       .objective = stagecut::plan_objective::leximax};
  const auto falling = [](const stagecut::plan& made) {
    std::vector<double> costs;
    for (const auto& stage : made.stages) costs.push_back(stage.cost);
    std::sort(costs.rbegin(), costs.rend());
    return costs;
  };
  const std::vector<double> least{4, 4, 2, 2};  // of the cut 0 1 3 4 5, which fits
  const auto alone = make_plan(model, request);
  REQUIRE(alone);
  CHECK((alone.state() != stagecut::state::optimal || falling(*alone) <= least));
  request.start = stagecut::cuts({0, 1, 3, 4, 5});
  const auto begun = make_plan(model, request);
  REQUIRE(begun);
  CHECK(falling(*begun) <= least);
}
