// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/detail/cut_of_order.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/makespan/cut_and_order_request.hpp>
#include <stagecut/schedule/search_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool best_cut_and_order::over() const {
  const search_limits& all = request_.limits;
  if (all.node_limit && searches_ >= searches_at_least + *all.node_limit / nodes_of_search) return true;
  return proved() || (all.stop && all.stop()) || (all.time_limit && seconds_now() - began_ >= *all.time_limit);
}

STAGECUT_DECL search_limits best_cut_and_order::limits(double share, double most_seconds) {
  ++searches_;
  search_limits result = request_.limits;
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

STAGECUT_DECL void best_cut_and_order::keep(cut_and_order found) {
  if (best_ && best_->makespan <= found.makespan) return;
  best_ = std::move(found);
  best_->bound = std::min(bound_, best_->makespan);
  if (!request_.limits.progress) return;
  makespan_progress now;
  now.seconds = seconds_now() - began_;
  now.makespan = best_->makespan;
  now.bound = best_->bound;
  request_.limits.progress(now);
}

STAGECUT_DECL void best_cut_and_order::raise(double bound) {
  bound_ = std::max(bound_, bound);
  if (best_) best_->bound = std::min(bound_, best_->makespan);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
