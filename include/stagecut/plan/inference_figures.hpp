// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>

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
[[nodiscard]] STAGECUT_DECL inference_figures inference_figures_of(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/inference_figures.ipp>
#endif
