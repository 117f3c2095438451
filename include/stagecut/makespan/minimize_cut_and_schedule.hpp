// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/detail/cut_and_schedule_bound.hpp>
#include <stagecut/makespan/detail/cut_and_schedule_search.hpp>
#include <stagecut/makespan/detail/cut_of_order.hpp>
#include <stagecut/makespan/detail/in_flight_search.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `minimize_cut_and_schedule`.
struct minimize_cut_and_schedule_fn {
  /// See `minimize_cut_and_schedule`.
  /// @{
  template <pipeline_model Model>
  [[nodiscard]] outcome<cut_and_schedule> operator()(const Model& model,
                                                     const cut_and_schedule_request& request) const {
    return (*this)(model, request, detail::no_constraint{});
  }

  template <pipeline_model Model, stage_constraint Constraint>
  [[nodiscard]] outcome<cut_and_schedule> operator()(const Model& model, const cut_and_schedule_request& request,
                                                     const Constraint& allowed) const {
    check(request);
    if (request.rank_of.size() > model.size()) {
      return outcome<cut_and_schedule>::infeasible(
          {reason::cause::more_stages_than_layers, request.rank_of.size(), model.size()});
    }
    return detail::recorded(request, [&](const auto& asked) { return solved(model, asked, allowed); });
  }
  /// @}

 private:
  template <class Model, class Constraint>
  static outcome<cut_and_schedule> solved(const Model& model, const cut_and_schedule_request& request,
                                          const Constraint& allowed) {
    detail::cut_and_schedule_bound<Model, Constraint> bounds(model, request, allowed);
    detail::best_cut_and_schedule best(request, bounds());
    if (request.family == schedule_family::any) {
      return found(detail::cut_and_schedule_search<Model, Constraint>(model, request, allowed, bounds, best), best);
    }
    return found(detail::in_flight_search<Model, Constraint>(model, request, allowed, best), best);
  }

  template <class Search>
  static outcome<cut_and_schedule> found(Search search, const detail::best_cut_and_schedule& best) {
    using answer = outcome<cut_and_schedule>;
    if (const std::optional<reason> why = search.begin()) return answer::infeasible(*why);
    search.run();
    if (!best.get()) return answer::unknown({});
    cut_and_schedule made = *best.get();
    made.statistics.searches = search.rounds();
    if (!best.proved()) return answer::feasible(std::move(made));
    made.bound = made.value;
    return answer::optimal(std::move(made));
  }

  static void check(const cut_and_schedule_request& request);
  static void refuse(const std::string& argument, const std::string& value, const char* requirement);
};

/// Cuts a chain into stages and synthesizes the schedule that runs them, so that an iteration finishes as early as
/// possible. Alternates between cuts for a schedule (`minimize_makespan`) and schedules for a cut
/// (`synthesize_schedule`), from several starting cuts.
///
/// @param model    layer times, as for `minimize_makespan`; every microbatch in flight adds the same memory
/// @param request  the ranks of the stages, microbatches, links, memory, limits
/// @param allowed  optional: which items may form a stage
/// @return         feasible, with a bound for all cuts and schedules; optimal if they meet; infeasible, with what does
///                 not fit when one microbatch is in flight alone; unknown if a limit was reached before any schedule
///                 was found
/// @throws         as `minimize_makespan` and `synthesize_schedule`
///
/// No named schedule that fits is shorter at the returned cut, except those with overlapping passes. Deterministic
/// unless a limit other than `node_limit` is reached.
///
/// Source: docs/orders.md, With the cut.
inline constexpr minimize_cut_and_schedule_fn minimize_cut_and_schedule{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/minimize_cut_and_schedule.ipp>
#endif
