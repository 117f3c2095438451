// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/inference_figures.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL inference_figures inference_figures_of(const plan& made) {
  const std::size_t stages = made.stages.size();
  const std::vector<link_speed>& links = made.messages.links;
  std::vector<double> sent(stages + 1);  // into stage s
  for (std::size_t s = 1; s < stages && made.devices > 1 && !links.empty(); ++s) {
    const std::size_t last = made.assignment.empty() ? made.cuts[s] - 1 : layers_of(made, s - 1).back();
    sent[s] = links[links.size() == 1 ? 0 : s - 1](output_of(made, last));
  }
  const bool blocking = made.messages.kind == to_string(transfer_kind::blocking);
  const bool latency = made.messages.kind == to_string(transfer_kind::latency);
  inference_figures result;
  for (std::size_t s = 0; s < stages; ++s) {
    const double own = made.stages[s].forward + made.stages[s].backward;
    const double longer = sent[s] < sent[s + 1] ? sent[s + 1] : sent[s];
    double here = blocking ? own + (sent[s] + sent[s + 1]) : own;
    if (!blocking && !latency && here < longer) here = longer;
    result.stages += own;
    result.messages += sent[s];
    result.heaviest = std::max(result.heaviest, here);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
