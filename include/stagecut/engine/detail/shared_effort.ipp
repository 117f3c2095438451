// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/shared_effort.hpp>

#include <algorithm>
#include <cstddef>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/schedule/search_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL shared_effort::shared_effort(const search_limits& limits)
    : limits_(limits),
      begin_(detail::seconds_now()),
      spent_(limits.nodes_spent != nullptr ? limits.nodes_spent : __builtin_addressof(own_)),
      before_(*spent_) {}

STAGECUT_DECL search_limits shared_effort::share(double part, double least) const {
  search_limits result = limits_;
  result.nodes_spent = spent_;
  if (const auto& all = limits_.time_limit) {
    result.time_limit = std::max({(*all - seconds()) * part, *all * least, 0.0});
  }
  if (const auto& all = limits_.node_limit) {
    const double whole = static_cast<double>(*all);
    const double left = nodes() < *all ? static_cast<double>(*all - nodes()) : 0;
    result.node_limit = static_cast<std::size_t>(std::max(left * part, whole * least));
  }
  return result;
}

STAGECUT_DECL double shared_effort::left() const {
  if (!is_limited() || (limits_.stop && limits_.stop())) return 0;
  double result = 1;
  if (const auto& all = limits_.time_limit) result = *all > 0 ? 1 - seconds() / *all : 0;
  if (const auto& all = limits_.node_limit) {
    const double nodes_left = *all > 0 ? 1 - static_cast<double>(nodes()) / static_cast<double>(*all) : 0;
    result = std::min(result, nodes_left);
  }
  return std::max(result, 0.0);
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
