// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_order_request.hpp>
#include <stagecut/makespan/detail/cut_and_order_bound.hpp>
#include <stagecut/makespan/detail/cut_and_order_search.hpp>
#include <stagecut/makespan/detail/cut_rules.hpp>
#include <stagecut/makespan/detail/expects_pipeline_model.hpp>

namespace stagecut::inline v0 {

/// See `minimize_cut_and_order`.
struct minimize_cut_and_order_fn {
  /// See `minimize_cut_and_order`.
  /// @{
  template <pipeline_model Model>
  [[nodiscard]] outcome<cut_and_order> operator()(const Model& model, const cut_and_order_request& request) const {
    return (*this)(model, request, detail::no_constraint{});
  }

  template <pipeline_model Model, stage_constraint Constraint>
  [[nodiscard]] outcome<cut_and_order> operator()(const Model& model, const cut_and_order_request& request,
                                                  const Constraint& allowed) const {
    using answer = outcome<cut_and_order>;
    check(request);
    if (request.rank_of.size() > model.size()) {
      return answer::infeasible({reason::cause::more_stages_than_layers, request.rank_of.size(), model.size()});
    }
    detail::cut_and_order_search<Model, Constraint> search(model, request, allowed);
    if (const std::optional<reason> why = search.begin()) return answer::infeasible(*why);
    search.run();
    if (!search.best()) return answer::unknown({});
    cut_and_order made = *search.best();
    made.rounds = search.rounds();
    made.bound = detail::cut_and_order_bound<Model, Constraint>(model, request, allowed)();
    const bool proved = made.makespan - made.bound <= made.makespan * 0x1p-30;
    if (proved || made.bound > made.makespan) made.bound = made.makespan;
    return proved ? answer::optimal(std::move(made)) : answer::feasible(std::move(made));
  }
  /// @}

 private:
  static void check(const cut_and_order_request& request) {
    if (request.rank_of.empty()) refuse("rank_of", "{}", "must have the rank of every stage");
    if (request.microbatches == 0) refuse("microbatches", "0", "must be at least 1");
  }
  static void refuse(const char* argument, const std::string& value, const char* requirement) {
    detail::fail(argument_error("minimize_cut_and_order", argument, value, requirement));
  }
};

/// Cuts a chain into stages and makes the order that runs them, so that an iteration ends as early as possible: cuts for
/// orders (`minimize_makespan`) and orders for cuts (`synthesize_schedule`) in turn, from several cuts.
///
/// @param model    what layers take, as `minimize_makespan`; its memory grows with each microbatch in flight by the same
/// @param request  the ranks of the stages, microbatches, links, memory, limits
/// @param allowed  optional: which items may be a stage
/// @return         feasible, with a bound for all cuts and orders; optimal if they meet; infeasible, with what does not fit if a
///                 microbatch is on its way alone; unknown if a limit was reached before any order was found
/// @throws         as `minimize_makespan` and `synthesize_schedule`
///
/// Not longer than any named schedule that fits at the cut that is found for it. Deterministic if no limit but `node_limit`
/// is reached.
///
/// Source: docs/orders.md, With the cut.
inline constexpr minimize_cut_and_order_fn minimize_cut_and_order{};

}  // namespace stagecut::inline v0
