// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/search_limits.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>

/// What a search looks for, each of which takes another time for a node.
enum class counted_search { cuts, schedules, recomputation };

/// How long to search, as it is said: seconds, nodes, or both.
struct effort_words {
  static constexpr double usual_seconds = 10;  ///< of searches that count no nodes: of graphs, of stages on several devices
  std::optional<double> time_limit;
  std::optional<std::size_t> node_limit;

  /// Seconds, of a search that counts no nodes.
  [[nodiscard]] double seconds() const { return time_limit.value_or(usual_seconds); }

  /// Limits of a search that counts nodes: where nothing was said by these alone, so that the same input has the same plan on
  /// every machine, however loaded. There are so many as took about ten seconds on a core of 2024.
  void ask(counted_search what, stagecut::plan_request& request) const {
    request.limits.time_limit = time_limit;
    request.limits.node_limit = node_limit;
    if (!time_limit && !node_limit) request.limits.node_limit = usual_nodes(what, request);
  }

  /// Whether a search is limited by seconds, so that it is known how many are left.
  [[nodiscard]] static bool is_timed(const stagecut::plan_request& request) { return request.limits.time_limit.has_value(); }

 private:
  static std::size_t usual_nodes(counted_search what, const stagecut::plan_request& request) {
    if (what == counted_search::recomputation) return 5'000'000;
    // A node of a pipeline with many passes takes longer: a cut is simulated in time that grows with them.
    const double passes = static_cast<double>(request.devices) * static_cast<double>(request.chunks) *
                          static_cast<double>(request.microbatches);
    const bool orders = request.schedule == stagecut::schedule_kind::synthesized;
    const double nodes = 1e6 / (1.5 + passes / 430) / (what == counted_search::schedules || orders ? 10 : 1);
    return std::max<std::size_t>(1000, static_cast<std::size_t>(nodes));
  }
};
