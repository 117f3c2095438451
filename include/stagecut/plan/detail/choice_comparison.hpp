// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/plan/detail/combinations.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects errors common to all choices; errors of some choices are reported in their lines.
/// @param function  the called function
/// @param argument  the one that holds the lists
inline void check_choices(std::string_view function, std::string_view argument, const profile& model,
                          const plan_request& request, const plan_choices& choices) {
  const auto check = [&](const char* name, const std::vector<std::size_t>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] != 0) continue;
      fail(argument_error(function, joined({argument, ".", name, "[", i, "]"}), "0", "must be at least 1"));
    }
  };
  check("devices", choices.devices);
  check("stages_per_rank", choices.stages_per_rank);
  check("microbatches", choices.microbatches);
  plan_request asked = request;
  asked.microbatches = 0;
  // With several device counts, speeds and links may belong to any of them; with several chunks, so may links.
  const bool any_devices = choices.devices.size() > 1;
  if (any_devices) {
    asked.in_flight.clear();
    asked.speeds.clear();
    asked.memory_limit = {};
    asked.topology.reset();
  }
  if ((any_devices || choices.stages_per_rank.size() > 1) && asked.links.size() > 1) asked.links.clear();
  if (!choices.devices.empty()) asked.devices = choices.devices[0];
  if (!choices.stages_per_rank.empty()) asked.stages_per_rank = choices.stages_per_rank[0];
  // Numbers in flight require one chunk and a schedule that accepts them, if those are among the choices.
  for (const std::size_t v : choices.stages_per_rank) asked.stages_per_rank = v == 1 ? 1 : asked.stages_per_rank;
  if (!choices.schedules.empty()) asked.schedule = choices.schedules[0];
  for (const schedule_kind kind : choices.schedules) {
    if (may_limit_in_flight(entry_of(kind))) asked.schedule = kind;
  }
  asked.group = 0;
  check_target_model(model, request);
  check_request(function, model, asked);
  bool grouped = request.group == 0;
  for (const auto& each : combinations(request, {{}, choices.stages_per_rank, {}, choices.schedules}))
    grouped |= each.group != 0;
  if (!grouped)
    fail(
        argument_error(function, "group", std::to_string(request.group), "is of several stages per rank, interleaved"));
  const auto refuse = [&](const std::string& value, const std::string& requirement) {
    fail(argument_error(function, "objective", value, requirement));
  };
  if (request.objective != plan_objective::automatic && request.objective != plan_objective::makespan) {
    refuse(to_string(request.objective), "must be the makespan, by which plans are compared");
  }
  asked.microbatches = choices.microbatches.empty() ? request.microbatches : choices.microbatches[0];
  if (const std::string why = makespan_obstacle(model, asked); !why.empty()) {
    refuse("makespan", joined({"is not known: ", why}));
  }
}

/// Plans every combination of the open choices, and keeps the best.
class choice_comparison {
 public:
  choice_comparison(const profile& model, const plan_request& request, const plan_choices& choices)
      : model_(model), request_(request), choices_(choices), open_(combinations(request, choices)) {}

  [[nodiscard]] plan_comparison run() {
    const double end = request_.search.time_limit ? seconds_now() + *request_.search.time_limit : 0;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const double share = static_cast<double>(open_.size() - i);
      if (request_.search.time_limit) {
        const double left = end - seconds_now();
        open_[i].search.time_limit = left > 0 ? left / share : 0;
      }
      result_.compared.push_back(tried(open_[i]));
    }
    if (result_.best) {
      weaken();
    } else if (result_.compared.size() > 1 || result_.best.why().what == reason::cause::limit_reached) {
      tell_why();
    }
    if (!choices_.list_impossible) leave_out_impossible();
    return std::move(result_);
  }

 private:
  /// The result of one combination.
  [[nodiscard]] compared_plan tried(plan_request& asked) {
    compared_plan row{asked.devices, asked.stages_per_rank, asked.microbatches, asked.schedule};
    row.group = asked.group;
    if (choices_.all_devices != 0) row.pipelines = choices_.all_devices / asked.devices;
    row.why = row.pipelines == 0 ? "needs more devices than there are" : shape_obstacle(model_, asked);
    if (!row.why.empty()) {
      row.state = state::infeasible;
      return row;
    }
    row.why = makespan_obstacle(model_, asked);  // for example of more stages than were requested
    if (row.why.empty()) solve(asked, row);
    if (told_.empty()) told_ = row.why;
    return row;
  }

  /// Plans one combination, and keeps its plan if it is the best so far.
  void solve(plan_request& asked, compared_plan& row) {
    const auto all = static_cast<double>(asked.microbatches * row.pipelines);
    // A search that can no longer win may stop.
    bool hopeless = false;
    const auto watch = [&](const search_progress& now) {
      hopeless = least_ != 0 && now.bound / all >= least_;
      if (request_.search.progress) request_.search.progress(now);
    };
    const auto stop = [&] { return hopeless || (request_.search.stop && request_.search.stop()); };
    asked.search.progress = watch;
    asked.search.stop = stop;
    outcome<plan> found = plan_makespan(model_, with_usable_start(model_, asked));
    row.state = found.state();
    if (found) {
      // By how much it was worse when it stopped is chance; rounding below the best proves nothing.
      const double enough = least_ * all;
      keep(row, std::move(found), all);
      if (hopeless && enough < row.bound && enough / all >= least_) row.bound = enough;
    } else {
      row.why = found.why().text();
      if (!result_.best) result_.best = std::move(found);
    }
  }

  /// Reports a plan, and keeps it if it is the best so far.
  void keep(compared_plan& row, outcome<plan> found, double microbatches) {
    row.makespan = found->objective.value;
    row.bound = found->objective.bound;
    row.per_microbatch = row.makespan / microbatches;
    if (result_.best && !(row.per_microbatch < least_)) return;
    least_ = row.per_microbatch;
    result_.best = std::move(found);
  }

  /// The best plan is not proved best of all if another combination has a lower bound.
  void weaken() {
    double open = least_;  // no plan of any combination takes less per microbatch
    for (const compared_plan& row : result_.compared) {
      const bool none = row.state == state::infeasible || row.pipelines == 0;
      if (none || row.state == state::optimal) continue;
      const double here = row.bound / static_cast<double>(row.microbatches * row.pipelines);
      open = std::min(open, here);
    }
    if (!(open < least_)) return;
    plan best = *std::move(result_.best);
    best.objective.bound = best.objective.value * (open / least_);
    best.objective.state = state::feasible;
    result_.best = outcome<plan>::feasible(std::move(best));
  }

  /// Why none has a plan: the reason of the first that was tried.
  void tell_why() {
    bool unknown = false;
    for (const compared_plan& each : result_.compared) unknown = unknown || each.state == state::unknown;
    const reason why{reason::cause::none_of_several, result_.compared.size(), 0,
                     told_.empty() ? result_.compared[0].why : told_, ""};
    result_.best = unknown ? outcome<plan>::unknown(why) : outcome<plan>::infeasible(why);
  }

  void leave_out_impossible() {
    std::vector<compared_plan> possible;
    for (compared_plan& each : result_.compared) {
      plan_request asked = request_;
      asked.devices = each.devices, asked.stages_per_rank = each.stages_per_rank,
      asked.microbatches = each.microbatches;
      asked.schedule = each.schedule, asked.group = each.group;
      const bool has = has_shape(each.schedule, each.devices, each.stages_per_rank, each.microbatches, each.group);
      if (has && target_obstacle(model_, asked).empty()) possible.push_back(std::move(each));
    }
    result_.compared = std::move(possible);
  }

  const profile& model_;
  const plan_request& request_;
  const plan_choices& choices_;
  std::vector<plan_request> open_;
  plan_comparison result_{};
  double least_ = 0;    // per microbatch, so far
  std::string told_{};  // why the first that was tried has no plan
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
