// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/parts/take_last_row.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// 1F1B with the best numbers of microbatches in flight, compared with schedules that take none.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a row is of 1F1B with one stage on each device, which may have other numbers in flight.
[[nodiscard]] inline bool may_choose_in_flight(const compared_plan& row) {
  return row.schedule == schedule_kind::one_forward_one_backward && row.stages_per_rank == 1 && row.pipelines != 0;
}

/// Adds a row with the best numbers in flight, of kind `in_flight`, for each row of 1F1B.
/// @param request  without open choices
/// @param end      when the time of `seconds_now` is over; 0: never
inline void add_in_flight_rows(const profile& model, plan_request request, double end, plan_comparison& all) {
  std::size_t left = 0;
  for (const compared_plan& each : all.compared) left += may_choose_in_flight(each) ? 1U : 0U;
  const std::size_t listed = all.compared.size();
  for (std::size_t i = 0; i < listed; ++i) {
    if (!may_choose_in_flight(all.compared[i])) continue;
    compared_plan row{all.compared[i].devices, 1, all.compared[i].microbatches, schedule_kind::in_flight};
    row.pipelines = all.compared[i].pipelines;
    request.devices = row.devices;
    request.microbatches = row.microbatches;
    const double now = end > 0 ? seconds_now() : 0;
    if (end > 0) request.search.time_limit = now < end ? (end - now) / static_cast<double>(left) : 0;
    --left;
    outcome<plan> found = outcome<plan>::infeasible({});
    try {
      found = make_plan(model, request);
      if (!found) row.why = found.why().text();
    } catch (const argument_error& error) {
      row.why = error.what();
    } catch (const not_representable& error) {
      row.why = error.what();
    }
    row.state = found.state();
    if (found) {
      row.makespan = found->objective.value;
      row.bound = found->objective.bound;
      row.per_microbatch = row.makespan / static_cast<double>(row.microbatches * row.pipelines);
    }
    all.compared.push_back(std::move(row));
    take_last_row(all, std::move(found));
  }
}

/// Compares open choices with the best numbers in flight where 1F1B is among them, each compared without otherwise.
/// @param compare  `compare(request)` compares the choices without these numbers
template <class Compare>
[[nodiscard]] plan_comparison compare_with_best_in_flight(const profile& model, plan_request request,
                                                          const Compare& compare) {
  const double limit = request.search.time_limit.value_or(0);
  const double end = request.search.time_limit ? seconds_now() + limit : 0;
  if (request.search.time_limit) request.search.time_limit = limit / 2;
  request.best_in_flight = false;
  plan_comparison all = compare(request);
  request.best_in_flight = true;
  request.schedule = schedule_kind::one_forward_one_backward;
  request.stages_per_rank = 1;
  request.group = 0;
  request.objective = plan_objective::makespan;
  request.start = {};
  add_in_flight_rows(model, std::move(request), end, all);
  return all;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
