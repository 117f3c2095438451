// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Writes pipelines as a trace for Perfetto or for Chrome: a process a rank, with a thread each for what it computes,
/// what it sends and its updates, and more for messages that are under way at once; arrows from every pass to the one on
/// another rank that waits for it; and its memory.
///
/// Times without a unit are written as microseconds. With several pictures, the ranks of the next follow those of the
/// one before, and the titles stand in their names.
///
/// @param write  is given the text in parts, one after the other, and none if the pictures are refused
/// @throws       argument_error if the parts of a picture do not belong together, or for a makespan from 1e280 on;
///               whatever `write` throws
///
/// Needs no memory that grows with the number of passes. An event takes at most 150 bytes, but for long titles and times.
///
/// Format: Trace Event Format, JSON object form.
STAGECUT_DECL void write_chrome_trace(view<const pipeline_picture> pictures,
                                      function_ref<void(std::string_view)> write);

/// The trace as one text; see `write_chrome_trace`.
/// @throws argument_error likewise
[[nodiscard]] STAGECUT_DECL std::string as_chrome_trace(view<const pipeline_picture> pictures);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/chrome_trace.ipp>
#endif
