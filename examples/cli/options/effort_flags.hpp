// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>

/// The default number of schedules to evaluate: about two seconds on a core of 2024.
/// @param passes  forward passes per schedule
[[nodiscard]] inline std::size_t usual_orders(std::size_t passes) {
  return std::max<std::size_t>(2000, 90'000'000 / std::max<std::size_t>(passes, 1));
}

/// The search limits as options: seconds, nodes, or both.
struct effort_flags {
  std::optional<double> time_limit;
  std::optional<std::size_t> node_limit;
  bool counts = false;  // reports at the end, on stderr, the nodes of all searches

  effort_flags() = default;
  effort_flags(const effort_flags&) = delete;
  effort_flags& operator=(const effort_flags&) = delete;
  ~effort_flags() {
    if (counts) fmt::print(stderr, "{} nodes\n", spent_);
  }

  /// Sets the limits of a search. Without one the library's usual limit holds, a number of nodes: the same input gives the
  /// same plan on every machine, whatever its load.
  void ask(stagecut::plan_request& request) {
    if (counts) request.search.nodes_spent = &spent_;
    request.search.time_limit = time_limit;
    request.search.node_limit = node_limit;
  }

  /// Whether a search has a time limit, so that the remaining seconds are known.
  [[nodiscard]] static bool is_timed(const stagecut::plan_request& request) { return request.search.time_limit.has_value(); }

 private:
  std::size_t spent_ = 0;
};
