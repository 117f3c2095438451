// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/minimize_makespan.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/parts/check_links.hpp>
#include <stagecut/makespan/detail/makespan_search.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<makespan_cut> minimize_makespan_fn::search_ticks(engine::chain_ticks& chain,
                                                                       const makespan_request& request,
                                                                       const engine::cut_rules& rules) {
  return detail::recorded(request, [&](const makespan_request& asked) {
    return detail::makespan_search(chain, asked, rules).run();
  });
}

STAGECUT_DECL std::optional<double> minimize_makespan_fn::greatest_memory(const makespan_request& request) {
  std::optional<double> most = request.memory_limit.for_all();
  for (const double limit : request.memory_limit.of_ranks()) most = most && *most > limit ? *most : limit;
  return most;
}

STAGECUT_DECL void minimize_makespan_fn::check_memory_of_ranks(const makespan_request& request, bool knows_memory) {
  const std::vector<double>& of_ranks = request.memory_limit.of_ranks();
  if (of_ranks.empty()) return;
  if (of_ranks.size() != request.schedule.ranks()) {
    refuse("memory_limit.size()", std::to_string(of_ranks.size()),
           detail::joined({"must be the number of ranks, ", request.schedule.ranks()}));
  }
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    if (is_finite(of_ranks[r]) && of_ranks[r] > 0) continue;
    refuse(detail::joined({"memory_limit[", r, "]"}), std::to_string(of_ranks[r]), "must be finite and above 0");
  }
  if (!knows_memory) refuse("memory_limit", "{…}", "needs a model with memory");
}

STAGECUT_DECL void minimize_makespan_fn::check(std::size_t items, const makespan_request& request, bool knows_memory) {
  const std::size_t stages = request.schedule.stages();
  const std::size_t boundaries = stages - 1;
  if (!request.schedule.edges.empty()) refuse("schedule.edges", "{…}", "must be empty: stages that are cut are a chain");
  if (request.links.size() > 1 && request.links.size() != boundaries) {
    refuse("links.size()", std::to_string(request.links.size()),
           detail::joined({"must be 1 or the number of boundaries, ", boundaries}));
  }
  detail::check_links("minimize_makespan", "links", request.links);
  if (request.memory_limit.for_all()) {
    const double bytes = *request.memory_limit.for_all();
    if (is_nan(bytes) || is_negative(bytes)) {
      refuse("memory_limit", std::to_string(bytes), "must not be negative");
    }
    if (!knows_memory) refuse("memory_limit", std::to_string(bytes), "needs a model with memory");
  }
  check_memory_of_ranks(request, knows_memory);
  if (request.within && !(is_finite(*request.within) && *request.within >= 0)) {
    refuse("within", std::to_string(*request.within), "must be finite and not negative");
  }
  const auto& limit = request.search.time_limit;
  if (limit && (is_nan(*limit) || is_negative(*limit))) {
    refuse("search.time_limit", std::to_string(*limit), "must not be negative");
  }
  if (!request.start) return;
  if (request.start->stages() != stages || request.start->items() != items) {
    refuse("start", detail::joined({request.start->stages(), " stages of ", request.start->items(), " items"}),
           "must have the stages of the schedule and the items of the model");
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
