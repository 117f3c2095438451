// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// What the log of one rank tells of its memory, in bytes.
struct mindspore_memory {
  double peak = 0;                         ///< what was used at most, without fragments; above 0
  std::size_t line = 0;                    ///< where the log says that, from 1
  std::optional<double> with_fragments{};  ///< the same with what the allocator loses
  std::optional<double> usable{};          ///< what MindSpore may use of the device
  std::optional<double> device{};          ///< what the device has

  /// Equal in every part.
  friend bool operator==(const mindspore_memory&, const mindspore_memory&) = default;
};

/// Reads the peak memory of a rank from its log of MindSpore or MindFormers: the line `Used peak memory usage (without
/// fragments): 48874M`, as a run ends, or a dry run; of several the largest. M are 2^20 bytes. SAPP's files of dry runs
/// take this figure.
///
/// @param source  what errors call the text: the name of its file
/// @param limits  how much is read
/// @throws        invalid_input with `SOURCE:LINE` for a figure that is no number of M, a peak of 0, and a run that ended
///                out of memory: its peak is not that of the model; with `SOURCE` if no such line is there, and beyond the
///                limit
///
/// Source: the tutorial on DryRun of MindSpore 2.6, and the documentation of SAPP's pipeline balance in MindFormers.
[[nodiscard]] STAGECUT_DECL mindspore_memory read_mindspore_log(std::string_view text, std::string_view source,
                                                                const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/mindspore_log.ipp>
#endif
