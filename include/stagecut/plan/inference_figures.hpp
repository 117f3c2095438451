// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The speed of a plan of inference, in the unit of its profile's times.
struct inference_figures {
  double stages = 0;    ///< forward passes of a group of requests, in sequence
  double messages = 0;  ///< between the stages
  /// The heaviest stage, with the messages that occupy it: the period between groups, if there are enough groups.
  double heaviest = 0;

  /// The latency of a token.
  [[nodiscard]] double time_per_token() const noexcept { return stages + messages; }

  /// Member-wise equality.
  friend bool operator==(const inference_figures&, const inference_figures&) = default;
};

/// The time per token of a plan, and its heaviest stage: both passes count if there are two, messages in one direction.
///
/// Blocking messages are added to the stages at both their ends. With `latency` messages occupy no stage, but a token still
/// waits for them. With other kinds a stage takes the longest of computing and each message.
/// @pre  the stages of the plan are a chain, and it has one link for all boundaries or one for each
[[nodiscard]] STAGECUT_DECL inference_figures inference_figures_of(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/inference_figures.ipp>
#endif
