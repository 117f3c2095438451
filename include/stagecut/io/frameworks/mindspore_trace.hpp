// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/sapp_init.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Seconds of the forward pass of one microbatch, as the trace of a rank has them.
struct mindspore_times {
  std::optional<double> head{};  ///< of all cells before the body; unset: the rank ran none
  std::optional<double> body{};  ///< of one layer of the body, the mean of those that the rank ran; unset: it ran none
  std::optional<double> tail{};  ///< of all cells behind the body; unset: it ran none
  std::size_t layers = 0;        ///< of the body, that the rank ran
  std::size_t steps = 0;         ///< that were counted

  /// Equal in every part.
  friend bool operator==(const mindspore_times&, const mindspore_times&) = default;
};

/// Reads how long cells of a model took from a trace of MindSpore's profiler, `trace_view.json` or `msprof*.json`: JSON of
/// Chrome's events, a list or `traceEvents`. A cell counts where it lies within a forward scope of a step that counts: all
/// but the first two, where there are enough of them. What is summed up is divided by these steps and the microbatches.
///
/// @param cells   names of the cells, which those of events hold, and how many microbatches a step has. A cell of head and
///                body, or of tail and body, counts for the former
/// @param source  what errors call the text: the name of its file
/// @param limits  how much is read
/// @throws        argument_error for no microbatches; invalid_input at `SOURCE:LINE` where it is no JSON, else at
///                `SOURCE#POINTER`: a trace without events of steps, of forward scopes or of any of the cells, an event of
///                these without its times, or with a negative one
///
/// O(n log n) for n events.
///
/// Source: the rules of SAPP's pipeline balance, MindFormers 0b3a3b55. It takes the traces of several ranks together; here
/// each is read by itself.
[[nodiscard]] STAGECUT_DECL mindspore_times read_mindspore_trace(std::string_view text, std::string_view source,
                                                                 const sapp_traces& cells,
                                                                 const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/mindspore_trace.ipp>
#endif
