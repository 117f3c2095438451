// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <algorithm>
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
  if (dice.up_to(7) == 0) {  // torchgpipe's default
    request.chunks = 1;
    request.schedule = stagecut::schedule_kind::gpipe;
    request.memory.checkpoint = stagecut::checkpointing::except_last;
    request.in_flight.clear();
    if (request.links.size() > 1) request.links.resize(1);
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
    INFO(std::string(each.name));
    if (planned) CHECK(schedules[static_cast<std::size_t>(each.kind)] > 5);
  }
  for (const std::size_t each : kinds) CHECK(each > 50);
}

namespace {

/// A plan, spoilt in one place.
struct spoilt {
  const char* how;
  const char* found_by;
  /// Spoils it; false: there is nothing of that kind.
  bool (*spoil)(profile& model, plan& made, random_requests::dice& dice);
};

std::size_t any_stage(const plan& made, random_requests::dice& dice) { return dice.up_to(made.stages.size() - 1); }
std::size_t any_layer(const plan& made, random_requests::dice& dice) {
  return dice.up_to(made.profile.layers.size() - 1);
}
bool ordered(const plan& made) { return made.makespan.has_value(); }
bool reckoned(const plan& made) { return !made.memory.optimizer.empty(); }
bool costed(const plan& made) {
  const std::string& of = made.objective.of;
  return of == "time" || of == "parameters" || of == "layers";
}
void more(double& figure) { figure = figure * 1.00001 + 1e-5; }

/// The cuts with one of them elsewhere; false: there is no room.
bool move_cut(plan& made, random_requests::dice& dice) {
  std::vector<std::size_t> points(made.cuts.points().begin(), made.cuts.points().end());
  if (points.size() < 3) return false;
  const std::size_t c = 1 + dice.up_to(points.size() - 3);
  points[c] += points[c + 1] > points[c] + 1 ? 1 : 0;
  if (points[c] == made.cuts[c] && points[c] == points[c - 1] + 1) return false;
  if (points[c] == made.cuts[c]) --points[c];
  made.cuts = stagecut::cuts(points);
  return true;
}

/// Two layers of different stages.
std::optional<std::pair<std::size_t, std::size_t>> parted_layers(const plan& made, random_requests::dice& dice) {
  if (made.stages.size() < 2) return std::nullopt;
  const std::size_t s = dice.up_to(made.stages.size() - 2);
  return std::pair(made.cuts[s], made.cuts[s + 1]);
}

template <class Change>
bool change_layer(profile& model, plan& made, std::size_t i, const Change& change) {
  change(model.layers[i]);
  change(made.profile.layers[i]);
  return true;
}

/// The edges of a chain of stages, as a plan may say them, too.
void say_edges(plan& made) {
  for (std::size_t s = 1; s < made.stages.size(); ++s) {
    made.edges.push_back({s - 1, s, made.profile.layers[made.cuts[s] - 1].output});
  }
}

using dice_t = random_requests::dice;
const spoilt all_spoilt[] = {
    {"a stage's forward", "loads",
     [](profile&, plan& made, dice_t& dice) {
       more(made.stages[any_stage(made, dice)].forward);
       return true;
     }},
    {"a stage's backward", "loads",
     [](profile&, plan& made, dice_t& dice) {
       more(made.stages[any_stage(made, dice)].backward);
       return true;
     }},
    {"the last microbatch's backward", "loads", [](profile&, plan& made, dice_t& dice) {
       auto& kept = made.stages[any_stage(made, dice)].backward_kept;
       if (kept) more(*kept);
       return kept.has_value();
     }},
    {"a last microbatch that is not alike", "loads", [](profile&, plan& made, dice_t& dice) {
       auto& stage = made.stages[any_stage(made, dice)];
       if (stage.backward_kept || !reckoned(made)) return false;
       stage.backward_kept = stage.backward;
       return true;
     }},
    {"a stage's weight gradient", "loads",
     [](profile&, plan& made, dice_t& dice) {
       more(*made.stages[any_stage(made, dice)].backward_weight);
       return true;
     }},
    {"a stage's cost", "loads",
     [](profile&, plan& made, dice_t& dice) {
       return more(made.stages[any_stage(made, dice)].cost), costed(made);
     }},
    {"a cut", "loads", [](profile&, plan& made, dice_t& dice) { return move_cut(made, dice); }},
    {"two stages' figures", "loads", [](profile&, plan& made, dice_t& dice) {
       if (made.stages.size() < 2) return false;
       const std::size_t s = dice.up_to(made.stages.size() - 2);
       std::swap(made.stages[s].forward, made.stages[s + 1].forward);
       return std::abs(made.stages[s].forward - made.stages[s + 1].forward) > 1e-6;
     }},
    {"a device's speed", "loads", [](profile&, plan& made, dice_t& dice) {
       if (made.speeds.empty()) made.speeds.assign(made.devices, 1);
       made.speeds[dice.up_to(made.devices - 1)] *= 1.01;
       return true;
     }},
    {"a variant that there is not", "loads", [](profile&, plan& made, dice_t& dice) {
       made.choices.resize(made.profile.layers.size());
       made.choices[any_layer(made, dice)].recomputation = "none such";
       return true;
     }},
    {"a layer's time in the profile", "loads",
     [](profile& model, plan& made, dice_t& dice) {
       model.layers[any_layer(made, dice)].forward += 1;
       return true;
     }},
    {"what is computed again", "loads", [](profile&, plan& made, dice_t&) {
       if (!reckoned(made)) return false;
       made.memory.checkpoint = made.memory.checkpoint == "always" ? "never" : "always";
       return true;
     }},
    {"what stays", "memory",
     [](profile&, plan& made, dice_t& dice) {
       more(made.stages[any_stage(made, dice)].memory.resident);
       return true;
     }},
    {"activations", "memory",
     [](profile&, plan& made, dice_t& dice) {
       more(made.stages[any_stage(made, dice)].memory.activations);
       return true;
     }},
    {"workspace", "memory",
     [](profile&, plan& made, dice_t& dice) {
       more(made.stages[any_stage(made, dice)].memory.workspace);
       return true;
     }},
    {"buffers", "memory",
     [](profile&, plan& made, dice_t& dice) {
       more(made.stages[any_stage(made, dice)].memory.buffers);
       return true;
     }},
    {"recomputed", "memory",
     [](profile&, plan& made, dice_t& dice) {
       more(made.stages[any_stage(made, dice)].memory.recomputed);
       return true;
     }},
    {"the multiplier", "memory", [](profile& model, plan& made, dice_t&) {
       bool used = false;
       for (const auto& each : model.layers) used = used || !each.resident;
       made.memory.parameter_multiplier += 0.5;
       return used && reckoned(made);
     }},
    {"the limit", "memory", [](profile& model, plan& made, dice_t&) {
       if (!reckoned(made)) return false;
       const auto most = verify_plan(model, made).find("memory")->recomputed;
       if (!most) return false;
       made.memory.per_device = *most * 0.9999 / (1 - made.memory.buffer_fraction);
       return true;
     }},
    {"microbatches in flight", "schedule", [](profile&, plan& made, dice_t& dice) {
       auto& here = made.stages[any_stage(made, dice)].in_flight;
       return here != 0 && ordered(made) && made.schedule.name != "in-flight" && ++here != 0;
     }},
    {"the schedule's name", "schedule", [](profile&, plan& made, dice_t&) {
       const bool had = made.schedule.microbatches != 0;
       made.schedule.name = "none such";
       return had;
     }},
    {"a stage's device", "schedule", [](profile&, plan& made, dice_t&) {
       if (!ordered(made) || made.devices < 2 || !made.speeds.empty()) return false;
       std::swap(made.stages[0].device, made.stages[1].device);
       return made.stages[0].device != made.stages[1].device;
     }},
    {"a missing pass", "schedule", [](profile&, plan& made, dice_t&) {
       if (!ordered(made) || made.chunks != 1) return false;
       made.schedule.name.clear();
       for (std::size_t s = 0; s < made.stages.size(); ++s) {
         auto& ops = made.schedule.orders.emplace_back();
         for (std::size_t k = 0; k < made.schedule.microbatches; ++k) {
           ops.push_back({stagecut::op_kind::forward, s, k});
           ops.push_back({stagecut::op_kind::backward, s, k});
         }
       }
       made.schedule.orders.back().pop_back();
       return true;
     }},
    {"an order that waits for itself", "schedule", [](profile&, plan& made, dice_t&) {
       if (!ordered(made) || made.chunks != 1 || made.schedule.microbatches < 2 || made.devices < 2) return false;
       made.schedule.name.clear();
       const std::size_t m = made.schedule.microbatches;
       for (std::size_t s = 0; s < made.stages.size(); ++s) {
         made.stages[s].in_flight = 0;
         auto& ops = made.schedule.orders.emplace_back();
         for (std::size_t k = 0; k < m; ++k) ops.push_back({stagecut::op_kind::forward, s, s == 0 ? k : m - 1 - k});
         for (std::size_t k = 0; k < m; ++k) ops.push_back({stagecut::op_kind::backward, s, k});
         if (s == 0) std::swap(ops[1], ops[m]);  // back before the other stages can have it
       }
       return true;
     }},
    {"the makespan", "makespan",
     [](profile&, plan& made, dice_t&) {
       return ordered(made) && (more(*made.makespan), true);
     }},
    {"a beginning", "makespan",
     [](profile&, plan& made, dice_t& dice) {
       return ordered(made) && (more(made.timeline[dice.up_to(made.timeline.size() - 1)].start), true);
     }},
    {"an end", "makespan",
     [](profile&, plan& made, dice_t& dice) {
       return ordered(made) && (more(made.timeline[dice.up_to(made.timeline.size() - 1)].end), true);
     }},
    {"a pass of another microbatch", "makespan",
     [](profile&, plan& made, dice_t& dice) {
       return ordered(made) && ++made.timeline[dice.up_to(made.timeline.size() - 1)].microbatch != 0;
     }},
    {"a timeline cut short", "makespan",
     [](profile&, plan& made, dice_t&) {
       return ordered(made) && (made.timeline.pop_back(), true);
     }},
    {"more microbatches", "makespan",
     [](profile&, plan& made, dice_t&) {
       made.schedule.microbatches += 12 * made.devices;
       return ordered(made) && !made.stages[0].backward_kept && made.stages[0].in_flight != 0 &&
              made.schedule.name.find("1f1b") == 0;
     }},
    {"a slow link", "makespan", [](profile&, plan& made, dice_t&) {
       if (!ordered(made) || made.devices < 2) return false;
       made.messages.kind = "link";
       made.messages.links = {{1000, 0}};
       return true;
     }},
    {"a number of links", "messages",
     [](profile&, plan& made, dice_t&) {
       made.messages.kind = "link";
       made.messages.links.resize(made.stages.size() + 1);
       return true;
     }},
    {"a kind of messages", "messages",
     [](profile&, plan& made, dice_t&) {
       made.messages.kind = "pigeons";
       return true;
     }},
    {"bytes of an edge", "messages", [](profile&, plan& made, dice_t& dice) {
       say_edges(made);
       if (!made.edges.empty()) more(made.edges[dice.up_to(made.edges.size() - 1)].bytes);
       return !made.edges.empty();
     }},
    {"an edge too few", "messages", [](profile&, plan& made, dice_t& dice) {
       say_edges(made);
       if (made.edges.size() < 2) return false;
       made.edges.erase(made.edges.begin() + static_cast<std::ptrdiff_t>(dice.up_to(made.edges.size() - 1)));
       return true;
     }},
    {"an edge too many", "messages", [](profile&, plan& made, dice_t&) {
       say_edges(made);
       if (made.stages.size() < 3) return false;
       made.edges.insert(made.edges.begin() + 1, {0, 2, 1});
       return true;
     }},
    {"the value", "objective", [](profile&, plan& made, dice_t&) { return more(made.objective.value), costed(made); }},
    {"the objective's name", "objective",
     [](profile&, plan& made, dice_t&) {
       made.objective.name = "happiness";
       return true;
     }},
    {"a bound above the value", "bound",
     [](profile&, plan& made, dice_t&) {
       more(made.objective.bound = made.objective.value);
       return true;
     }},
    {"an optimum below which there is more", "bound", [](profile&, plan& made, dice_t&) {
       const bool optimal = made.objective.state == stagecut::state::optimal && made.objective.value > 1;
       made.objective.bound *= 0.999;
       return optimal;
     }},
    {"a value too good to be true", "bound", [](profile&, plan& made, dice_t&) {
       made.objective.value *= 0.2 / static_cast<double>(made.stages.size());
       made.objective.bound = made.objective.value;
       return made.objective.name == "makespan" || (made.objective.name == "bottleneck" && costed(made));
     }},
    {"that there is no plan", "bound",
     [](profile&, plan& made, dice_t&) {
       made.objective.state = stagecut::state::infeasible;
       return true;
     }},
    {"a group", "groups", [](profile& model, plan& made, dice_t& dice) {
       const auto two = parted_layers(made, dice);
       if (!two) return false;
       const auto change = [](stagecut::layer& each) { each.group = "parted"; };
       return change_layer(model, made, two->first, change) && change_layer(model, made, two->second, change);
     }},
    {"tied parameters", "tied", [](profile& model, plan& made, dice_t& dice) {
       const auto two = parted_layers(made, dice);
       if (!two) return false;
       const auto change = [](stagecut::layer& each) {
         each.tied.push_back({"u", 1, std::nullopt, stagecut::tied_parameters::placement::colocated});
       };
       return change_layer(model, made, two->first, change) && change_layer(model, made, two->second, change);
     }},
    {"a layer that has to stand elsewhere", "fixed", [](profile& model, plan& made, dice_t& dice) {
       const std::size_t i = any_layer(made, dice);
       const std::size_t other = made.cuts.assignment()[i] + 1;
       return change_layer(model, made, i, [&](stagecut::layer& each) { each.stage = other; });
     }},
    {"a layer that runs on no accelerator", "devices",
     [](profile& model, plan& made, dice_t& dice) {
       return change_layer(model, made, any_layer(made, dice), [](stagecut::layer& each) { each.accelerator = false; });
     }},
    {"a stage on a CPU", "devices",
     [](profile&, plan& made, dice_t& dice) {
       made.stages[any_stage(made, dice)].on_cpu = true;
       return true;
     }},
    {"a device that there is not", "devices",
     [](profile&, plan& made, dice_t& dice) {
       made.stages[any_stage(made, dice)].device += made.devices;
       return true;
     }},
    {"the number of devices", "devices", [](profile&, plan& made, dice_t&) { return ++made.devices, true; }},
    {"chunks", "devices", [](profile&, plan& made, dice_t&) { return ++made.chunks, true; }},
    {"a number of speeds", "devices",
     [](profile&, plan& made, dice_t&) {
       made.speeds.resize(made.devices + 1, 1);
       return true;
     }},
    {"a layer without a stage", "assignment", [](profile&, plan& made, dice_t&) {
       made.assignment = made.cuts.assignment();
       made.assignment.pop_back();
       made.cuts = {};
       return true;
     }},
    {"a layer on no stage", "assignment", [](profile&, plan& made, dice_t& dice) {
       made.assignment = made.cuts.assignment();
       made.assignment[any_layer(made, dice)] = made.stages.size();
       made.cuts = {};
       return true;
     }},
    {"an empty stage", "assignment", [](profile&, plan& made, dice_t&) {
       if (made.stages.size() < 2) return false;
       made.assignment = made.cuts.assignment();
       for (auto& each : made.assignment) each = each == 1 ? 0 : each;
       made.cuts = {};
       return true;
     }},
    {"stages the other way round", "acyclic", [](profile&, plan& made, dice_t&) {
       if (made.stages.size() < 2) return false;
       made.assignment = made.cuts.assignment();
       for (auto& each : made.assignment) each = made.stages.size() - 1 - each;
       made.cuts = {};
       return true;
     }},
    {"a layer of the plan's profile", "profile",
     [](profile&, plan& made, dice_t& dice) {
       more(made.profile.layers[any_layer(made, dice)].output);
       return true;
     }},
    {"a layer too many", "profile",
     [](profile&, plan& made, dice_t&) {
       made.profile.layers.emplace_back();
       return true;
     }}};

}  // namespace

TEST_CASE("whatever is spoilt in a plan is found, by the check that is about it") {
  random_requests::dice dice(2);
  std::size_t found[std::size(all_spoilt)] = {};
  for (int round = 0; round < 1200; ++round) {
    const auto random = random_plan(dice);
    if (!random) continue;
    for (std::size_t i = 0; i < std::size(all_spoilt); ++i) {
      auto [model, made] = *random;
      const spoilt& each = all_spoilt[i];
      if (std::string(each.found_by) == "memory" && !reckoned(made)) continue;
      if (!each.spoil(model, made, dice)) continue;
      INFO(round, " ", std::string(each.how), ", of ", made.schedule.name, " ", made.objective.name, " of ",
           made.objective.of, "\n", broken(verify_plan(model, made)));
      REQUIRE(breaks(model, made, each.found_by));
      ++found[i];
    }
  }
  for (std::size_t i = 0; i < std::size(all_spoilt); ++i) {
    INFO(std::string(all_spoilt[i].how));
    CHECK(found[i] >= 30);
  }
}

namespace {

/// A graph of operators in a random order of its own, of which some go back, and a plan of it by hand.
class graph_plan {
 public:
  explicit graph_plan(dice_t& dice) : dice_(dice) {
    add_layers();
    place();
    add_edges();
    describe();
    run();
  }

  profile model;
  plan made;

 private:
  void add_layers() {
    forwards_ = 3 + dice_.up_to(5);
    const std::size_t n = dice_.up_to(1) == 0 ? forwards_ : 2 * forwards_;
    for (std::size_t i = 0; i < n; ++i) {
      stagecut::layer each;
      each.name = "v" + std::to_string(i);
      each.is_backward = i >= forwards_;
      each.forward = each.is_backward ? 0 : 1 + dice_.whole(9);
      each.backward = n == forwards_ || each.is_backward ? 2 + dice_.whole(9) : 0;
      each.parameters = dice_.whole(20);
      each.activations = dice_.whole(9);
      each.workspace = dice_.whole(5);
      each.output = 1 + dice_.whole(12);
      each.cpu = 30;
      model.layers.push_back(each);
    }
    for (std::size_t to = 1; to < forwards_; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (from + 1 != to && dice_.up_to(2) != 0) continue;
        if (from + 1 == to && dice_.up_to(3) == 0 && to > 1) continue;
        model.edges.push_back({from, to});
        if (n > forwards_) model.edges.push_back({forwards_ + to, forwards_ + from});
      }
    }
    for (std::size_t i = 0; i < forwards_ && n > forwards_; ++i) model.edges.push_back({i, forwards_ + i});
  }

  /// Each layer on the stage of what it needs, or a later one; the backward pass with the forward pass.
  void place() {
    std::vector<std::size_t> stage(model.layers.size());
    std::size_t stages = 1;
    for (std::size_t i = 0; i < forwards_; ++i) {
      for (const auto& each : model.edges) {
        if (each.to == i && stage[each.from] > stage[i]) stage[i] = stage[each.from];
      }
      const std::size_t up = dice_.up_to(1);
      stage[i] = stage[i] + up < stages + 1 && stage[i] + up < 4 ? stage[i] + up : stage[i];
      if (stage[i] == stages) ++stages;
    }
    std::vector<bool> used(stages);
    for (std::size_t i = 0; i < forwards_; ++i) used[stage[i]] = true;
    for (std::size_t s = stages; s-- > 0;) {
      for (std::size_t i = 0; i < forwards_ && !used[s]; ++i) stage[i] -= stage[i] > s ? 1 : 0;
    }
    for (std::size_t i = forwards_; i < stage.size(); ++i) stage[i] = stage[i - forwards_];
    for (const std::size_t each : stage) stages_ = each < stages_ ? stages_ : each + 1;
    stage_ = stage;
    made.profile = model;
    made.assignment = stage;
    made.stages.resize(stages_);
    made.devices = stages_;
  }

  /// Each producer's bytes once for each stage that needs them.
  void add_edges() {
    for (std::size_t a = 0; a < stages_; ++a) {
      for (std::size_t b = a + 1; b < stages_; ++b) {
        double bytes = 0;
        for (std::size_t u = 0; u < forwards_; ++u) {
          bool needed = false;
          for (const auto& each : model.edges)
            needed = needed || (each.from == u && stage_[u] == a && stage_[each.to] == b);
          if (needed) bytes += model.layers[u].output;
        }
        if (bytes > 0) made.edges.push_back({a, b, bytes});
      }
    }
  }

  void describe() {
    const std::size_t m = 1 + dice_.up_to(5);
    made.schedule = {"1f1b", m};
    made.memory = {"adam", 4, "never", 2, {}, 0};
    if (dice_.up_to(2) == 0) made.speeds = dice_.speeds(stages_);
    const bool cpu = dice_.up_to(2) == 0;
    for (std::size_t s = 0; s < stages_; ++s) {
      auto& stage = made.stages[s];
      stage.device = s;
      stage.in_flight = stages_ - s < m ? stages_ - s : m;
      stage.on_cpu = cpu && s + 1 == stages_;
      const double speed = made.speeds.empty() ? 1 : made.speeds[s];
      double count = 0;
      for (std::size_t i = 0; i < stage_.size(); ++i) {
        if (stage_[i] != s) continue;
        const auto& each = model.layers[i];
        count += 1;
        stage.forward += each.forward / speed;
        stage.backward += each.backward / speed;
        stage.memory.resident += 4 * each.parameters;
        stage.memory.activations += each.activations;
        stage.memory.workspace = std::max(stage.memory.workspace, each.workspace);
      }
      if (stage.on_cpu) stage.forward = 10 * count / speed, stage.backward = 20 * count / speed;
      for (const auto& each : made.edges) {
        if (each.from == s || each.to == s) stage.memory.buffers += 2 * each.bytes;
      }
      stage.cost = stage.forward + stage.backward;
    }
    constexpr const char* kinds[] = {"link", "latency", "stream", "blocking"};
    if (dice_.up_to(1) == 0 || made.edges.empty()) return;
    made.messages.kind = kinds[dice_.up_to(3)];
    made.messages.links.resize(dice_.up_to(1) == 0 ? 1 : made.edges.size());
    for (auto& each : made.messages.links) each = dice_.link();
  }

  void run() {
    const auto order = stagecut::schedule_of(made);
    const auto found = stagecut::simulate(order, stagecut::times_of(made, false), stagecut::transfers_of(made));
    made.makespan = found.makespan;
    for (const auto& rank : found.ops) {
      for (const auto& each : rank) {
        made.timeline.push_back({each.what.stage, each.what.microbatch, each.what.kind, each.start, each.end});
      }
    }
    made.objective = {"makespan", "time", found.makespan, 0, stagecut::state::feasible};
  }

  dice_t& dice_;
  std::size_t forwards_ = 0;
  std::size_t stages_ = 1;
  std::vector<std::size_t> stage_;
};

}  // namespace

TEST_CASE("plans of graphs hold, and what is spoilt in them is found") {
  dice_t dice(3);
  std::size_t several = 0;
  std::size_t moved = 0;
  std::size_t bytes = 0;
  for (int round = 0; round < 3000; ++round) {
    const graph_plan random(dice);
    const auto& [model, made] = std::pair(random.model, random.made);
    if (made.edges.empty()) continue;
    const auto all = verify_plan(model, made);
    INFO(round, " ", made.messages.kind, "\n", broken(all));
    REQUIRE(all.holds());
    REQUIRE(all.find("messages")->result == check_result::holds);
    REQUIRE(all.find("makespan")->recomputed);
    several += made.edges.size() > 2 ? 1 : 0;

    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      plan other = made;
      other.assignment[i] = (other.assignment[i] + 1 + dice.up_to(made.stages.size() - 2)) % made.stages.size();
      REQUIRE(!verify_plan(model, other).holds());
      bool back = false;
      for (const auto& [from, to] : model.edges) {
        const bool of_back = model.layers[from].is_backward;
        if (model.layers[from].is_backward != model.layers[to].is_backward) continue;
        back = back || (of_back ? other.assignment[from] < other.assignment[to]
                                : other.assignment[from] > other.assignment[to]);
      }
      REQUIRE(breaks(model, other, "acyclic") == back);
      moved += back ? 1 : 0;
    }
    for (std::size_t e = 0; e < made.edges.size(); ++e) {
      plan other = made;
      more(other.edges[e].bytes);
      REQUIRE(breaks(model, other, "messages"));
      other = made;
      other.edges.erase(other.edges.begin() + static_cast<std::ptrdiff_t>(e));
      other.messages = {};
      REQUIRE(breaks(model, other, "messages"));
      ++bytes;
    }
    for (std::size_t s = 0; s < made.stages.size(); ++s) {
      plan other = made;
      more(other.stages[s].backward);
      REQUIRE(breaks(model, other, "loads"));
      other = made;
      more(other.stages[s].memory.buffers);
      REQUIRE(breaks(model, other, "memory"));
    }
    plan other = made;
    more(*other.makespan);
    REQUIRE(breaks(model, other, "makespan"));
    other = made;
    other.edges.clear();
    other.messages = {};
    REQUIRE(breaks(model, other, "messages"));
  }
  CHECK(several > 300);
  CHECK(moved > 1000);
  CHECK(bytes > 1000);
}

TEST_CASE("the load of a stage of a graph counts what it sends and receives") {
  // 0 feeds 1 and 2, 1 feeds 2; one layer a stage; the tensors take 3, 5 and 7.
  profile model = known_profile::chain_of({8, 11, 2});
  for (std::size_t i = 0; i < 3; ++i) model.layers[i].output = 3 + 2 * static_cast<double>(i);
  model.edges = {{0, 1}, {0, 2}, {1, 2}};
  plan made;
  made.profile = model;
  made.cuts = {0, 1, 2, 3};
  made.devices = 3;
  made.stages.resize(3);
  made.edges = {{0, 1, 3}, {0, 2, 3}, {1, 2, 5}};
  made.messages = {"blocking", {{0, 1}}};
  for (std::size_t s = 0; s < 3; ++s) {
    made.stages[s].device = s;
    made.stages[s].forward = model.layers[s].forward;
    made.stages[s].backward = model.layers[s].backward;
  }
  const auto costs = [&](double a, double b, double c) {
    made.stages[0].cost = a, made.stages[1].cost = b, made.stages[2].cost = c;
    made.objective = {"bottleneck", "time", std::max({a, b, c}), 0, stagecut::state::feasible};
    return verify_plan(model, made);
  };
  CHECK(costs(24 + 2 * 6, 33 + 2 * 8, 6 + 2 * 8).holds());  // along the edges
  CHECK(costs(24 + 2 * 3, 33 + 2 * 8, 6 + 2 * 8).holds());  // tensors, of which 0 hands out one
  CHECK(costs(24 + 3, 33 + 2 * 8, 6 + 2 * 8).find("loads")->place == "stage 0");
  CHECK(costs(24 + 2 * 3, 33 + 2 * 8, 6).find("loads")->recomputed == 6 + 2 * 8.0);
  made.messages.kind = "link";
  CHECK(costs(24, 33, 8).holds());
  CHECK(costs(24, 33, 16).holds());
  CHECK(costs(24, 33, 6).find("loads")->place == "stage 2");
  made.messages.kind = "latency";
  CHECK(costs(24, 33, 6).holds());
}

TEST_CASE("the chain that is made of a graph is one") {
  dice_t dice(4);
  std::size_t plans = 0;
  for (int round = 0; round < 400; ++round) {
    profile graph = random_profile(dice, 4 + dice.up_to(5));
    const std::size_t n = graph.layers.size();
    for (std::size_t i = 0; i < n; ++i) {
      graph.layers[i].name = "v" + std::to_string(i);
      graph.layers[i].group = std::string();
      if (i > 0) graph.edges.push_back({i - 1, i});
      if (i > 1 && dice.up_to(1) == 0) graph.edges.push_back({dice.up_to(i - 2), i});
    }
    const std::size_t other = dice.up_to(n - 1);  // in an order of its own
    std::swap(graph.layers[0], graph.layers[other]);
    for (auto& each : graph.edges) {
      for (std::size_t* end : {&each.from, &each.to}) *end = *end == 0 ? other : *end == other ? 0 : *end;
    }
    const auto found = stagecut::make_plan(graph, {.devices = 2 + dice.up_to(2), .microbatches = 4});
    if (!found) continue;
    ++plans;
    plan made = *found;
    REQUIRE(made.profile.edges.empty());
    INFO(round, "\n", broken(verify_plan(graph, made)));
    REQUIRE(verify_plan(graph, made).holds());
    const std::size_t i = dice.up_to(n - 1);
    more(made.profile.layers[i].output);
    CHECK(breaks(graph, made, "profile"));
    made = *found;
    std::swap(made.profile.layers[0], made.profile.layers[n - 1]);
    CHECK(breaks(graph, made, "profile"));
    profile wider = graph;
    for (std::size_t v = 0; v < n; ++v) {
      if (wider.layers[v].name == "v1") wider.edges.push_back({v, wider.edges.back().to});
    }
    wider.edges.push_back({graph.edges[0].to, graph.edges[0].from});
    CHECK(breaks(wider, *found, "profile"));
  }
  CHECK(plans > 300);
}

TEST_CASE("a device holds what its stages hold at the same time") {
  // Interleaved: stages 0 and 2 on device 0, of activations 3 a layer.
  profile model = known_profile::known;
  const auto found =
      stagecut::make_plan(model, {.devices = 2, .chunks = 2, .microbatches = 4, .memory_per_device = 1e6});
  REQUIRE(found);
  plan made = *found;
  const auto memory = verify_plan(model, made).find("memory")->recomputed;
  REQUIRE(memory);
  made.memory.per_device = *memory;
  CHECK(verify_plan(model, made).holds());
  made.memory.per_device = *memory - 1;
  CHECK(breaks(model, made, "memory"));
}

TEST_CASE("an assignment alone is checked for its place") {
  const profile model = known_profile::known;
  const auto all = verify_plan(model, std::vector<std::size_t>{0, 0, 0, 1, 1, 2, 2, 2});
  CHECK(all.holds());
  CHECK(all.find("acyclic")->result == check_result::holds);
  CHECK(all.find("loads")->result == check_result::not_checked);
  CHECK(all.find("loads")->recomputed == 3 * 21.0);
  const auto back = verify_plan(model, std::vector<std::size_t>{0, 0, 1, 0, 1, 2, 2, 2});
  CHECK(back.find("acyclic")->result == check_result::broken);
  CHECK(back.find("acyclic")->place == "edge 2 from layer 2 (\"l\") to layer 3 (\"l\")");
  CHECK(back.find("acyclic")->why == "leads to an earlier stage (1 to 0)");
  CHECK(verify_plan(model, std::vector<std::size_t>{0, 0, 0}).find("assignment")->result == check_result::broken);
  CHECK(verify_plan(model, std::vector<std::size_t>{0, 0, 0, 2, 2, 2, 2, 2}).find("assignment")->place == "stage 1");
  CHECK(verify_plan(model, std::vector<std::size_t>{}).find("assignment")->result == check_result::broken);
  CHECK(!verify_plan(model, std::vector<std::size_t>{0, 0, 0, ~std::size_t{0}, 0, 0, 0, 0}).holds());
}

TEST_CASE("plans of nothing, and of another model, are answered") {
  CHECK(!verify_plan(known_profile::known, plan{}).holds());
  CHECK(verify_plan(profile{}, plan{}).checks.size() == std::size(stagecut::plan_check_words));
  plan made;
  made.profile = known_profile::known;
  CHECK(breaks(known_profile::known, made, "assignment"));
  made.stages.resize(2);
  CHECK(breaks(known_profile::known, made, "assignment"));
}
