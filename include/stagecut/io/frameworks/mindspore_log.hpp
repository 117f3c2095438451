// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The memory of one rank according to its log, in bytes.
struct mindspore_memory {
  double peak = 0;                         ///< peak use, without fragments; above 0
  std::size_t line = 0;                    ///< its line in the log, from 1
  std::optional<double> with_fragments{};  ///< the peak including fragmentation
  std::optional<double> usable{};          ///< bytes of the device that MindSpore may use
  std::optional<double> device{};          ///< bytes of the device

  /// Equal in every part.
  friend bool operator==(const mindspore_memory&, const mindspore_memory&) = default;
};

/// Reads the peak memory of a rank from its log of MindSpore or MindFormers: the line `Used peak memory usage (without
/// fragments): 48874M` at the end of a run or dry run; the largest if there are several. M are 2^20 bytes. SAPP's dry-run
/// files use this figure.
///
/// @param source  the text's name in errors: its file name
/// @param limits  limits on the input
/// @throws        invalid_input with `SOURCE:LINE` for a figure that is no number of M, a peak of 0, and a run that ended
///                out of memory, whose peak is not the model's; with `SOURCE` if there is no such line, and beyond the
///                limit
///
/// Source: the tutorial on DryRun of MindSpore 2.6, and the documentation of SAPP's pipeline balance in MindFormers.
[[nodiscard]] STAGECUT_DECL mindspore_memory read_mindspore_log(std::string_view text, std::string_view source,
                                                                const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/mindspore_log.ipp>
#endif
