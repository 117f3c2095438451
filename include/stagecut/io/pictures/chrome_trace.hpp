// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Writes pipelines as a trace for Perfetto or Chrome: a process per rank, with one thread each for computing, sending
/// and updates, and more for concurrent messages; arrows from every pass to the pass on another rank that waits for it;
/// and the rank's memory.
///
/// Times without a unit are written as microseconds. With several pictures, the ranks are numbered consecutively, with
/// the titles in their names.
///
/// @param write  receives the text in consecutive parts, and none if the pictures are rejected
/// @throws       argument_error if the parts of a picture contradict each other, or for a makespan from 1e280 on;
///               whatever `write` throws
///
/// Memory does not grow with the number of passes. An event takes at most 150 bytes, except for long titles and times.
///
/// Format: Trace Event Format, JSON object form.
STAGECUT_DECL void write_chrome_trace(view<const pipeline_picture> pictures,
                                      function_ref<void(std::string_view)> write);

/// The trace as one text; see `write_chrome_trace`.
/// @throws argument_error as `write_chrome_trace`
[[nodiscard]] STAGECUT_DECL std::string as_chrome_trace(view<const pipeline_picture> pictures);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/chrome_trace.ipp>
#endif
