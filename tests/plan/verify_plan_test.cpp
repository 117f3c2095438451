// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "known_profile.hpp"
#include "plan_checks.hpp"
#include "random_made.hpp"
#include "random_requests.hpp"

using plan_checks::breaks;
using plan_checks::broken;
using plan_checks::more;
using plan_checks::plan_by_hand;
using plan_checks::said;
using random_made::random_plan;
using stagecut::check_result;
using stagecut::plan;
using stagecut::profile;
using stagecut::verify_plan;

TEST_CASE("plans that were made hold in every check") {
  random_requests::dice dice(1);
  std::size_t plans = 0;
  std::size_t checked[std::size(stagecut::plan_check_names)] = {};
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
    REQUIRE(all.checks.size() == std::size(stagecut::plan_check_names));
    for (std::size_t i = 0; i < all.checks.size(); ++i) {
      REQUIRE(all.checks[i].name == stagecut::plan_check_names[i].name);
      if (all.checks[i].result == check_result::holds) ++checked[i];
    }
    if (made.makespan) REQUIRE(all.find("makespan")->result == check_result::holds);
    if (!made.memory.optimizer.empty()) REQUIRE(all.find("memory")->result == check_result::holds);
    if (const auto* const entry = stagecut::find_schedule(made.schedule.name))
      ++schedules[static_cast<std::size_t>(entry->kind)];
    for (std::size_t k = 0; k < 4; ++k) {
      if (made.messages.kind == stagecut::transfer_kind_names[k].name) ++kinds[k];
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
    {"a stage's input gradient", "loads",
     [](profile&, plan& made, dice_t& dice) {
       auto& stage = made.stages[any_stage(made, dice)];
       if (!stage.backward_input) stage.backward_input = stage.backward - *stage.backward_weight;
       more(*stage.backward_input);
       return true;
     }},
    {"an input gradient that is missing", "loads",
     [](profile&, plan& made, dice_t& dice) {
       auto& stage = made.stages[any_stage(made, dice)];
       const bool there = stage.backward_input.has_value();
       stage.backward_input.reset();
       return there;
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
       for (const auto& layer : model.layers) used = used || !layer.resident;
       made.memory.parameter_multiplier += 0.5;
       return used && reckoned(made);
     }},
    {"the limit", "memory", [](profile& model, plan& made, dice_t&) {
       if (!reckoned(made)) return false;
       const auto most = verify_plan(model, made).find("memory")->recomputed;
       if (!most) return false;
       made.memory.memory_limit = *most * 0.9999 / (1 - made.memory.buffer_fraction);
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
       if (!ordered(made) || made.stages_per_rank != 1) return false;
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
       if (!ordered(made) || made.stages_per_rank != 1 || made.schedule.microbatches < 2 || made.devices < 2) return false;
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
       const auto change = [](stagecut::layer& layer) { layer.group = "parted"; };
       return change_layer(model, made, two->first, change) && change_layer(model, made, two->second, change);
     }},
    {"tied parameters", "tied", [](profile& model, plan& made, dice_t& dice) {
       const auto two = parted_layers(made, dice);
       if (!two) return false;
       const auto change = [](stagecut::layer& layer) {
         layer.tied.push_back({"u", 1, std::nullopt, stagecut::tied_parameters::placement::colocated});
       };
       return change_layer(model, made, two->first, change) && change_layer(model, made, two->second, change);
     }},
    {"a layer that has to stand elsewhere", "fixed", [](profile& model, plan& made, dice_t& dice) {
       const std::size_t i = any_layer(made, dice);
       const std::size_t other = made.cuts.assignment()[i] + 1;
       return change_layer(model, made, i, [&](stagecut::layer& layer) { layer.stage = other; });
     }},
    {"a layer that runs on no accelerator", "devices",
     [](profile& model, plan& made, dice_t& dice) {
       return change_layer(model, made, any_layer(made, dice), [](auto& layer) { layer.accelerator = false; });
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
    {"chunks", "devices", [](profile&, plan& made, dice_t&) { return ++made.stages_per_rank, true; }},
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

TEST_CASE("plans of nothing, and of another model, are answered") {
  CHECK(!verify_plan(known_profile::known, plan{}).holds());
  CHECK(verify_plan(profile{}, plan{}).checks.size() == std::size(stagecut::plan_check_names));
  plan made;
  made.profile = known_profile::known;
  CHECK(breaks(known_profile::known, made, "assignment"));
  made.stages.resize(2);
  CHECK(breaks(known_profile::known, made, "assignment"));
}

TEST_CASE("what a profile does not tell is not checked, with the reason") {
  plan made = plan_by_hand();
  const profile& model = made.profile;
  CHECK(verify_plan(model, made).holds());
  CHECK(said(model, made, "schedule") == "not checked: : it names no schedule");
  CHECK(said(model, made, "memory") == "not checked: : memory was not reckoned");
  CHECK(verify_plan(model, made).find("bound")->recomputed == 3 * 60.0 / 3);
  made.objective.of = "joules";
  CHECK(said(model, made, "loads") == "not checked: : the profile does not define \"joules\" of a layer");
  CHECK(said(model, made, "objective") ==
        "not checked: : it is computed from the costs of stages as given in the plan");
  made.objective.value = 64;
  CHECK(said(model, made, "objective") == "does not hold: : it does not follow from the stages' costs");
  made = plan_by_hand();
  made.stages[1].replicas = 2;
  CHECK(said(model, made, "loads") == "does not hold: stage 1: forward is not the sum over its layers");
  made.own_microbatches = true;
  CHECK(said(model, made, "loads") == "not checked: stage 1: the profile does not give what replicas exchange");
  made = plan_by_hand();
  made.stages[2].tensor_parallel = 4;
  CHECK(said(model, made, "loads") == "holds: : ");  // each of the devices runs it whole
  made.profile.layers.back().shardings = {stagecut::layer_variant{"row", 2}};
  CHECK(said(model, made, "loads") == "not checked: stage 2: it has a tensor-parallel degree for which its layers have no sharding");
  made = plan_by_hand();
  made.schedule = {"seq-1f1b", 4};
  CHECK(said(model, made, "schedule") == "not checked: : it does not give the number of slices of a sequence");
  made.schedule = {"seq-1f1b", 4};
  made.schedule.slices = std::size_t{1} << 40U;
  CHECK(said(model, made, "schedule") == "not checked: : it has more than 2^20 forward passes");
  made.schedule = {"1f1b", 4};
  made.schedule.slices = 2;
  CHECK(said(model, made, "schedule") == "does not hold: : \"1f1b\" does not cut sequences into slices");
  made.schedule = {"1f1b", std::size_t{1} << 40U};
  CHECK(said(model, made, "schedule") == "not checked: : it has more than 2^20 forward passes");
  made.schedule = {"1f1b", 4};
  CHECK(said(model, made, "makespan") == "not checked: : it predicts none");
  CHECK(said(model, made, "schedule") == "holds: : ");
  made.stages[0].memory.resident = 1;
  CHECK(said(model, made, "memory") ==
        "does not hold: stage 0: memory is given, and the plan does not give how it was computed");
}
