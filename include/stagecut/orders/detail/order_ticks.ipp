// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/order_ticks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void check_order_limits(const synthesis_request& request) {
  const std::optional<double>& limit = request.search.time_limit;
  if (limit && (is_nan(*limit) || is_negative(*limit))) {
    refuse_order("search.time_limit", std::to_string(*limit), "must not be negative");
  }
}

STAGECUT_DECL schedule_problem placed_problem(std::size_t stages, const synthesis_request& request) {
  schedule_problem result;
  if (stages == 0 || stages > 20000) refuse_order("times.forward.size()", std::to_string(stages), "must be 1 to 20000");
  if (request.microbatches == 0) refuse_order("microbatches", "0", "must be at least 1");
  if (request.microbatches > std::numeric_limits<std::uint32_t>::max() / kinds_of_pass / stages) {
    refuse_order("microbatches", std::to_string(request.microbatches), "makes more than 2^32 passes");
  }
  result.microbatches = request.microbatches;
  result.split = request.split;
  result.rank_of = request.rank_of;
  for (std::size_t s = 0; request.rank_of.empty() && s < stages; ++s) result.rank_of.push_back(s);
  if (result.rank_of.size() != stages) {
    refuse_order("rank_of.size()", std::to_string(result.rank_of.size()),
                 joined({"must be the number of stages, ", stages}));
  }
  for (std::size_t s = 0; s < stages; ++s) {
    if (result.rank_of[s] >= stages) {
      refuse_order(joined({"rank_of[", s, "]"}).c_str(), std::to_string(result.rank_of[s]),
                   joined({"must be below the number of stages, ", stages}));
    }
    result.ranks = std::max(result.ranks, result.rank_of[s] + 1);
  }
  result.whole = request.whole;
  if (result.whole.empty()) result.whole.assign(stages, false);
  if (result.whole.size() != stages) {
    refuse_order("whole.size()", std::to_string(result.whole.size()),
                 joined({"must be the number of stages, ", stages}));
  }
  result.stages_of.resize(result.ranks);
  for (std::size_t s = 0; s < stages; ++s) result.stages_of[result.rank_of[s]].push_back(s);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
