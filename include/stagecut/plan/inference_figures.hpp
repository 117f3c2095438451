// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How fast a plan of inference is, in the unit of its profile's times.
struct inference_figures {
  double stages = 0;    ///< forward passes of a group of requests, one after the other
  double messages = 0;  ///< between them
  /// Stage, with the messages that hold it: a group comes out each time if there are enough of them.
  double heaviest = 0;

  /// What a token waits for.
  [[nodiscard]] double time_per_token() const noexcept { return stages + messages; }

  /// Equal in every part.
  friend bool operator==(const inference_figures&, const inference_figures&) = default;
};

/// The time per token of a plan, and its heaviest stage: both passes count where there are two, messages in one direction.
///
/// Messages that block are added to the stages at both their ends; where they have links to themselves a stage takes what
/// is longest, computing or a message; with `latency` they hold nobody, and a token waits for them all the same.
/// @pre  the stages of the plan are a chain, and its links one for all or one for each boundary
[[nodiscard]] inline inference_figures inference_figures_of(const plan& made) {
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
    result.heaviest = result.heaviest < here ? here : result.heaviest;
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
