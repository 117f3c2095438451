// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/graph/detail/stage_simulator.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects what no simulator of stages runs.
inline void check_pipeline(const char* function, const stage_pipeline& of, std::size_t microbatches,
                           transfer_kind transfers) {
  const auto refuse = [&](const char* argument, const std::string& value, const char* requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  const std::size_t k = of.stages();
  if (k == 0) refuse("of.stages()", "0", "must be at least 1");
  if (microbatches == 0) refuse("microbatches", "0", "must be at least 1");
  if (transfers != transfer_kind::link && transfers != transfer_kind::latency) {
    refuse("transfers", to_string(transfers), "must be latency or link");
  }
  refuse_length("backward", of.backward.size(), k);
  refuse_length("send_forward", of.send_forward.size(), of.edges.size());
  refuse_length("send_backward", of.send_backward.size(), of.edges.size());
  detail::check_durations("forward", of.forward);
  detail::check_durations("backward", of.backward);
  detail::check_durations("send_forward", of.send_forward);
  detail::check_durations("send_backward", of.send_backward);
  for (const auto& [from, to] : of.edges) {
    if (to < k && from < to) continue;
    refuse("of.edges", joined({from, " -> ", to}), "must lead from a lower to a higher stage that there is");
  }
}

/// Loads the stages of a pipeline into a simulator.
inline void load_pipeline(stage_simulator& to, const stage_pipeline& of) {
  to.clear(of.stages());
  to.forward = of.forward;
  to.backward = of.backward;
  for (std::size_t s = 0; s < of.stages(); ++s) {
    for (std::size_t e = 0; e < of.edges.size(); ++e) {
      const auto& [from, behind] = of.edges[e];
      if (behind == s) to.arriving.push_back({static_cast<std::uint32_t>(from), of.send_forward[e]});
      if (from == s) to.returning.push_back({static_cast<std::uint32_t>(behind), of.send_backward[e]});
    }
    to.arriving_end.push_back(to.arriving.size());
    to.returning_end.push_back(to.returning.size());
  }
  to.end_of_load();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
