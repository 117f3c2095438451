// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/detail/cut_of_order.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/search_end.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool best_cut_and_schedule::over() const {
  const search_options& all = request_.search;
  if (all.node_limit && searches_ >= searches_at_least + *all.node_limit / nodes_of_search) {
    record_end(all.ended, search_end::node_limit);
    return true;
  }
  constexpr double counted_above = -1;
  return proved() || is_over(all, counted_above, seconds_now() - began_);
}

STAGECUT_DECL search_options best_cut_and_schedule::limits(double share, double most_seconds) {
  ++searches_;
  search_options result = request_.search;
  result.progress = {};
  if (result.time_limit) {
    const double left = *result.time_limit - (seconds_now() - began_);
    result.time_limit =
        std::max(0.0, std::min(left, std::min(most_seconds, share * *result.time_limit)));
  }
  if (result.node_limit) {
    result.node_limit = static_cast<std::size_t>(share * static_cast<double>(*result.node_limit)) + 1;
  }
  return result;
}

STAGECUT_DECL void best_cut_and_schedule::keep(cut_and_schedule found) {
  if (best_ && best_->value <= found.value) return;
  best_ = std::move(found);
  best_->bound = std::min(bound_, best_->value);
  if (!request_.search.progress) return;
  search_progress now;
  now.seconds = seconds_now() - began_;
  now.value = best_->value;
  now.bound = best_->bound;
  request_.search.progress(now);
}

STAGECUT_DECL void best_cut_and_schedule::raise(double bound) {
  bound_ = std::max(bound_, bound);
  if (best_) best_->bound = std::min(bound_, best_->value);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
