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

/// What the runs of a range of one name took, in seconds.
struct range_times {
  std::string name{};              ///< without the colon of the domain that is there by default
  std::size_t instances = 0;       ///< runs, at least 1
  double total = 0;                ///< of all of them
  std::optional<double> median{};  ///< unset: not told
  std::optional<double> least{};   ///< likewise
  std::optional<double> most{};    ///< likewise
  std::vector<double> samples{};   ///< of every run, in the order of the table; none: a summary was read

  /// Of one run.
  [[nodiscard]] double mean() const noexcept { return total / static_cast<double>(instances); }

  /// Equal in every part.
  friend bool operator==(const range_times&, const range_times&) = default;
};

/// The ranges of a table.
struct nvtx_ranges {
  std::vector<range_times> ranges{};  ///< in the order of their first lines, each name once
  /// Whether times are those of what ran on the device for a range; false: of the host, which may be done long before.
  bool on_device = false;

  /// The range of that name; null: there is none. O(ranges).
  [[nodiscard]] const range_times* find(std::string_view name) const noexcept;
};

/// Reads how long NVTX ranges took, from what `nsys stats --format csv` writes: of its reports `nvtx_pushpop_trace`,
/// `nvtx_startend_trace` and `nvtx_gpu_proj_trace` each run, of `nvtx_sum`, `nvtx_pushpop_sum`, `nvtx_startend_sum` and
/// `nvtx_gpu_proj_sum` what they sum up. A range of the host ends when all of its work is launched; what the device ran
/// for it is in the reports with `gpu_proj`.
///
/// @param text    lines before the one that names the columns are skipped; the first such table counts, up to a blank line
/// @param source  what errors call the text: the name of its file
/// @param limits  how much is read
/// @return        runs of one name together, whatever the thread, the process and the style; at least one range
/// @throws        invalid_input with `SOURCE:LINE` for a line that has not as many fields as there are columns, a time that
///                is no number or negative, instances below 1; with `SOURCE` if there is no such table, nothing in it, and
///                beyond the limit
///
/// Lines without a name, or without a time as nothing ran on the device, are left out. Units are those that the columns
/// name. O(n log n) for n lines.
///
/// Source: NVIDIA Nsight Systems, Post-Collection Analysis Guide, statistical reports.
[[nodiscard]] STAGECUT_DECL nvtx_ranges read_nvtx_ranges(std::string_view text, std::string_view source,
                                                         const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/nvtx_ranges.ipp>
#endif
