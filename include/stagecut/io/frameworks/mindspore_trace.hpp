// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/sapp_init.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Seconds of the forward pass of one microbatch, from the trace of a rank.
struct mindspore_times {
  std::optional<double> head{};  ///< of all cells before the body; unset: the rank ran none
  std::optional<double> body{};  ///< of one layer of the body, averaged over the rank's; unset: it ran none
  std::optional<double> tail{};  ///< of all cells after the body; unset: it ran none
  std::size_t layers = 0;        ///< layers of the body that the rank ran
  std::size_t steps = 0;         ///< steps that were evaluated

  /// Equal in every part.
  friend bool operator==(const mindspore_times&, const mindspore_times&) = default;
};

/// Reads the times of a model's cells from a trace of MindSpore's profiler, `trace_view.json` or `msprof*.json`: JSON of
/// Chrome's events, a list or `traceEvents`. A cell counts if it lies within a forward scope of an evaluated step: all
/// steps but the first two, if there are enough. Sums are divided by these steps and the microbatches.
///
/// @param cells   names of the cells, as substrings of the events' names, and the number of microbatches per step. A cell
///                of head and body, or of tail and body, does not count for the body
/// @param source  the text's name in errors: its file name
/// @param limits  limits on the input
/// @throws        argument_error for no microbatches; invalid_input at `SOURCE:LINE` for invalid JSON, else at
///                `SOURCE#POINTER`: a trace without step events, forward scopes or any of the cells; such an event
///                without its times, or with a negative one
///
/// O(n log n) for n events.
///
/// Source: the rules of SAPP's pipeline balance, MindFormers 0b3a3b55, which evaluates the traces of several ranks
/// together; here each is read separately.
[[nodiscard]] STAGECUT_DECL mindspore_times read_mindspore_trace(std::string_view text, std::string_view source,
                                                                 const sapp_traces& cells,
                                                                 const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/mindspore_trace.ipp>
#endif
