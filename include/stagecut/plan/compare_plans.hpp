// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/plan/detail/plan_makespan.hpp>
#include <stagecut/plan/detail/profile_makespan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline v0 {

/// What is open when a plan is made: `compare_plans` tries every combination. A list that is empty leaves what the
/// request says.
struct plan_choices {
  std::vector<std::size_t> devices{};       ///< pipeline ranks p
  std::vector<std::size_t> chunks{};        ///< stages of every rank
  std::vector<std::size_t> microbatches{};  ///< of an iteration
  std::vector<schedule_kind> schedules{};   ///< which
  /// Devices there are, for as many pipelines side by side as fit, each with its own microbatches; 0: one pipeline,
  /// however small.
  std::size_t all_devices = 0;
};

/// One combination that was tried.
struct compared_plan {
  std::size_t devices = 0;                           ///< of a pipeline
  std::size_t chunks = 1;                            ///< stages of every device
  std::size_t microbatches = 0;                      ///< of a pipeline
  schedule_kind schedule = schedule_kind::gpipe;     ///< which
  std::size_t pipelines = 1;                         ///< side by side
  stagecut::state state = stagecut::state::unknown;  ///< of its makespan
  double makespan = 0;                               ///< of its best plan; 0 if there is none
  double bound = 0;                                  ///< no cut ends earlier; 0 if there is none
  double per_microbatch = 0;  ///< makespan by microbatches of all pipelines, by which plans are compared
  std::string why{};          ///< why there is no plan

  /// Equal in every part.
  friend bool operator==(const compared_plan&, const compared_plan&) = default;
};

/// The best plan of several, and what it was compared with.
struct plan_comparison {
  /// Least time for a microbatch; of equal ones the first. Optimal if no combination can have a better plan, else feasible
  /// with a bound that none of them is below.
  outcome<plan> best{};
  std::vector<compared_plan> compared{};  ///< in the order of devices, chunks, microbatches, schedules
};

namespace detail {

/// Plans every combination of what is open, and keeps the best.
class choice_comparison {
 public:
  choice_comparison(const profile& model, const plan_request& request, const plan_choices& choices)
      : model_(model), request_(request), choices_(choices) {}

  /// @param solve  `solve(model, request)`, an outcome of a plan
  template <class Solve>
  [[nodiscard]] plan_comparison run(const Solve& solve) const {
    plan_comparison result;
    std::vector<plan_request> open = combinations();
    const double end = request_.limits.time_limit ? seconds_now() + *request_.limits.time_limit : 0;
    double least = 0;  // of a microbatch, so far
    std::string told;  // why the first that was tried has no plan
    for (std::size_t i = 0; i < open.size(); ++i) {
      plan_request& asked = open[i];
      compared_plan row{asked.devices, asked.chunks, asked.microbatches, asked.schedule};
      if (choices_.all_devices != 0) row.pipelines = choices_.all_devices / asked.devices;
      row.why = row.pipelines == 0 ? "needs more devices than there are" : shape_obstacle(model_, asked);
      if (!row.why.empty()) {
        row.state = state::infeasible;
      } else {
        const auto all = static_cast<double>(asked.microbatches * row.pipelines);
        // Whatever cannot be the best any more may stop.
        bool hopeless = false;
        const auto watch = [&](const makespan_progress& now) {
          hopeless = least != 0 && now.bound / all >= least;
          if (request_.limits.progress) request_.limits.progress(now);
        };
        const auto stop = [&] { return hopeless || (request_.limits.stop && request_.limits.stop()); };
        asked.limits.progress = watch;
        asked.limits.stop = stop;
        if (request_.limits.time_limit) {
          const double left = end - seconds_now();
          asked.limits.time_limit = left > 0 ? left / static_cast<double>(open.size() - i) : 0;
        }
        compare(solve, asked, all, row, least, result.best);
        if (told.empty()) told = row.why;
      }
      result.compared.push_back(std::move(row));
    }
    if (result.best) weaken(result, least);
    if (result.best || (result.compared.size() == 1 && result.best.why().what != reason::cause::limit_reached)) {
      return result;
    }
    bool unknown = false;
    for (const compared_plan& each : result.compared) unknown = unknown || each.state == state::unknown;
    const reason why{reason::cause::none_of_several, result.compared.size(), 0,
                     told.empty() ? result.compared[0].why : told, ""};
    result.best = unknown ? outcome<plan>::unknown(why) : outcome<plan>::infeasible(why);
    return result;
  }

 private:
  static void refuse(const char* argument, const char* requirement) {
    fail(argument_error("compare_plans", argument, "0", requirement));
  }

  /// Everything that a list of choices leaves open, in its order.
  [[nodiscard]] std::vector<plan_request> combinations() const {
    const auto or_one = [](const auto& list, auto one) {
      auto result = list;
      if (result.empty()) result.push_back(one);
      return result;
    };
    for (const auto* list : {&choices_.devices, &choices_.chunks, &choices_.microbatches}) {
      for (const std::size_t each : *list) {
        if (each == 0) refuse("choices", "must hold numbers of at least 1");
      }
    }
    if (choices_.microbatches.empty() && request_.microbatches == 0) refuse("microbatches", "must be at least 1");
    std::vector<plan_request> result;
    for (const std::size_t p : or_one(choices_.devices, request_.devices)) {
      for (const std::size_t v : or_one(choices_.chunks, request_.chunks)) {
        for (const std::size_t m : or_one(choices_.microbatches, request_.microbatches)) {
          for (const schedule_kind kind : or_one(choices_.schedules, request_.schedule)) {
            result.push_back(request_);
            result.back().devices = p;
            result.back().chunks = v;
            result.back().microbatches = m;
            result.back().schedule = kind;
            // What a request means by it; a list of schedules says what it means.
            if (choices_.schedules.empty() && v > 1) result.back().schedule = entry_of(kind).with_chunks;
          }
        }
      }
    }
    return result;
  }

  /// Plans one of them, and keeps it if it is the best so far.
  template <class Solve>
  void compare(const Solve& solve, const plan_request& asked, double microbatches, compared_plan& row, double& least,
               outcome<plan>& best) const {
    outcome<plan> found = solve(model_, asked);
    row.state = found.state();
    if (!found) {
      row.why = found.why().text();
      if (!best) best = std::move(found);
      return;
    }
    row.makespan = found->objective.value;
    row.bound = found->objective.bound;
    row.per_microbatch = row.makespan / microbatches;
    if (best && !(row.per_microbatch < least)) return;
    least = row.per_microbatch;
    best = std::move(found);
  }

  /// The best plan is not proved to be the best of all where another combination was left with a lower bound.
  static void weaken(plan_comparison& result, double least) {
    double open = least;  // no plan of any combination takes less for a microbatch
    for (const compared_plan& row : result.compared) {
      const bool none = row.state == state::infeasible || row.pipelines == 0;
      if (none || row.state == state::optimal) continue;
      const double here = row.bound / static_cast<double>(row.microbatches * row.pipelines);
      open = here < open ? here : open;
    }
    if (!(open < least)) return;
    plan best = *std::move(result.best);
    best.objective.bound = best.objective.value * (open / least);
    best.objective.state = state::feasible;
    result.best = outcome<plan>::feasible(std::move(best));
  }

  const profile& model_;
  const plan_request& request_;
  const plan_choices& choices_;
};

}  // namespace detail

/// See `compare_plans`.
struct compare_plans_fn {
  /// See `compare_plans`.
  [[nodiscard]] plan_comparison operator()(const profile& model, const plan_request& request,
                                           const plan_choices& choices) const {
    return detail::choice_comparison(model, request, choices).run(detail::plan_makespan);
  }
};

/// Plans every combination of what is open, each by its makespan, and keeps the plan that takes least for a microbatch.
///
/// @param model    a chain, which `as_chain` makes of a graph
/// @param request  as of `make_plan`, with a makespan
/// @param choices  what is open
/// @return         the best plan, and a line for each combination
/// @throws         as `make_plan`, for what is wrong in every combination
inline constexpr compare_plans_fn compare_plans{};

}  // namespace stagecut::inline v0
