// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/minimize_pipeline_latency.hpp>

#include <utility>

#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/latency_program.hpp>
#include <stagecut/joint/detail/latency_search.hpp>
#include <stagecut/joint/detail/explain_infeasible_hybrid.hpp>
#include <stagecut/joint/hybrid_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<hybrid_cut> minimize_pipeline_latency_fn::search(const detail::any_stage_options& model,
                                                                      const hybrid_request& request,
                                                                      const latency_options& options) {
  using answer = outcome<hybrid_cut>;
  detail::check_hybrid_request("minimize_pipeline_latency", model.size(), model.period(), request);
  if (const auto why = detail::too_few_points(model.size(), request)) return answer::infeasible(*why);
  return detail::recorded(request,
                          [&](const hybrid_request& asked) { return solved(model, asked, options); });
}

STAGECUT_DECL outcome<hybrid_cut> minimize_pipeline_latency_fn::solved(const detail::any_stage_options& model,
                                                                      const hybrid_request& request,
                                                                      const latency_options& options) {
  using answer = outcome<hybrid_cut>;
  const detail::hybrid_rules rules(request, model.period());
  const detail::length_terms terms{options.messages, options.all_reduce};
  engine::search_clock clock(request.search);
  detail::latency_program program(model, rules, terms, clock);
  const double even = model.least_work(model.size()) / static_cast<double>(request.devices);
  detail::latency_search search(program, terms, request.microbatches, even, clock);
  search.run();
  if (!search.has_cut()) {
    return search.is_proved() ? answer::infeasible(detail::explain_infeasible_hybrid(model, request))
                              : answer::unknown({reason::cause::limit_reached});
  }
  hybrid_cut cut{{search.cost(), search.bound(), {.searches = search.searches()}}, std::move(search.best())};
  return search.is_proved() ? answer::optimal(std::move(cut)) : answer::feasible(std::move(cut));
}

}  // namespace stagecut::inline STAGECUT_ABI
