// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Times of all ranges with one name, in seconds.
struct range_times {
  std::string name{};              ///< without the colon of the default domain
  std::size_t instances = 0;       ///< runs, at least 1
  double total = 0;                ///< of all of them
  std::optional<double> median{};  ///< unset: unknown
  std::optional<double> least{};   ///< unset: unknown
  std::optional<double> most{};    ///< unset: unknown
  std::vector<double> samples{};   ///< of every run, in the order of the table; none for a summary

  /// Mean of one run.
  [[nodiscard]] double mean() const noexcept { return total / static_cast<double>(instances); }

  /// Equal in every part.
  friend bool operator==(const range_times&, const range_times&) = default;
};

/// The ranges of a table.
struct nvtx_ranges {
  std::vector<range_times> ranges{};  ///< in the order of their first lines, each name once
  /// Whether times are of the range's device work; false: of the host, which may finish long before.
  bool on_device = false;

  /// The range of that name; null if there is none. O(ranges).
  [[nodiscard]] const range_times* find(std::string_view name) const noexcept;
};

/// Reads the times of NVTX ranges from the output of `nsys stats --format csv`: single runs from its reports
/// `nvtx_pushpop_trace`, `nvtx_startend_trace` and `nvtx_gpu_proj_trace`, summaries from `nvtx_sum`, `nvtx_pushpop_sum`,
/// `nvtx_startend_sum` and `nvtx_gpu_proj_sum`. A host range ends when all of its work is launched; the reports with
/// `gpu_proj` have the device time of that work.
///
/// @param text    lines before the column names are skipped; the first such table is read, up to a blank line
/// @param source  the text's name in errors: its file name
/// @param limits  limits on the input
/// @return        runs grouped by name, across threads, processes and styles; at least one range
/// @throws        invalid_input with `SOURCE:LINE` for a line with another number of fields than columns, a time that is
///                no number or negative, instances below 1; with `SOURCE` if there is no such table or it is empty, and
///                beyond the limit
///
/// Omits lines without a name, or without a time because nothing ran on the device. Units are those that the columns
/// name. O(n log n) for n lines.
///
/// Source: NVIDIA Nsight Systems, Post-Collection Analysis Guide, statistical reports.
[[nodiscard]] STAGECUT_DECL nvtx_ranges read_nvtx_ranges(std::string_view text, std::string_view source,
                                                         const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/nvtx_ranges.ipp>
#endif
