// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/search_end.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a search reached its limit of nodes, which is then what ended it.
[[nodiscard]] inline bool spent_all(const search_options& limits, std::size_t nodes) noexcept {
  if (!limits.node_limit || nodes < *limits.node_limit) return false;
  record_end(limits.ended, search_end::node_limit);
  return true;
}

/// Whether a search must end; records which limit it reached.
/// @param nodes    so far
/// @param seconds  since it began
/// @param part     of the limits that it may use
[[nodiscard]] inline bool is_over(const search_options& limits, double nodes, double seconds, double part = 1) {
  search_end why = search_end::complete;
  if (limits.node_limit && nodes >= part * static_cast<double>(*limits.node_limit)) why = search_end::node_limit;
  if (limits.time_limit && seconds >= part * *limits.time_limit) why = search_end::time_limit;
  if (limits.stop && limits.stop()) why = search_end::stopped;
  record_end(limits.ended, why);
  return why != search_end::complete;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
