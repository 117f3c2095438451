// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/column_words.hpp>
#include <stagecut/io/detail/text.hpp>

// The columns of tables of NVTX ranges.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A column of times: `Duration (ns)`.
struct nvtx_time {
  std::size_t field = 0;
  std::string title{};
  column_unit unit{};

  /// The seconds that a row has there.
  /// @throws invalid_input with the place if that is no number, negative or out of range
  [[nodiscard]] double operator()(const std::vector<std::string>& fields, const std::string& place) const {
    const double seconds = unit(amount(fields[field], title, place));
    if (!is_finite(seconds)) fail(invalid_input(place, joined({title, ": is out of range"})));
    return seconds;
  }
};

/// The column of that title and a unit of time in brackets; none: there is none.
[[nodiscard]] inline std::optional<nvtx_time> find_time(const std::vector<std::string>& fields,
                                                        std::string_view title) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::string_view text = fields[i];
    if (!text.starts_with(title) || !text.ends_with(')')) continue;
    text = trimmed(text.substr(title.size()));
    if (!text.starts_with('(')) continue;
    const column_unit* const unit = find_unit(text.substr(1, text.size() - 2));
    if (unit != nullptr && unit->part == part_seconds) return nvtx_time{i, fields[i], *unit};
  }
  return std::nullopt;
}

/// Likewise, a column without a unit.
[[nodiscard]] inline std::optional<std::size_t> find_title(const std::vector<std::string>& fields,
                                                           std::string_view title) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == title) return i;
  }
  return std::nullopt;
}

/// What a table's columns are.
struct nvtx_columns {
  std::size_t fields = 0;
  std::size_t name = 0;
  nvtx_time time{};                        ///< of a run of a range; of a summary, of all its runs
  bool on_device = false;                  ///< whether that is the time of the device's work
  std::optional<std::size_t> instances{};  ///< of a summary: how many
  std::optional<nvtx_time> median{};       ///< of a summary, likewise
  std::optional<nvtx_time> least{};
  std::optional<nvtx_time> most{};
};

/// The columns of a table that runs of ranges stand in, one a line: `nvtx_pushpop_trace`, `nvtx_gpu_proj_trace`. Kernels and
/// calls have a name and a duration as well, but neither an end nor the number of a range.
[[nodiscard]] inline std::optional<nvtx_columns> find_trace(const std::vector<std::string>& fields) {
  const auto name = find_title(fields, "Name");
  auto time = find_time(fields, "Projected Duration");
  const bool on_device = time.has_value();
  const bool of_ranges = on_device || find_title(fields, "RangeId") || find_time(fields, "End");
  if (!time) time = find_time(fields, "Duration");
  if (!name || !time || !of_ranges) return std::nullopt;
  return nvtx_columns{fields.size(), *name, *time, on_device};
}

/// The columns of a table with a line for each range: `nvtx_sum`, `nvtx_pushpop_sum`, `nvtx_gpu_proj_sum`.
[[nodiscard]] inline std::optional<nvtx_columns> find_summary(const std::vector<std::string>& fields) {
  const auto name = find_title(fields, "Range");
  if (!name) return std::nullopt;
  for (const bool on_device : {true, false}) {
    const auto time = find_time(fields, on_device ? "Total Proj Time" : "Total Time");
    const auto instances = find_title(fields, on_device ? "Range Instances" : "Instances");
    if (!time || !instances) continue;
    return nvtx_columns{fields.size(),
                        *name,
                        *time,
                        on_device,
                        instances,
                        find_time(fields, on_device ? "Proj Med" : "Med"),
                        find_time(fields, on_device ? "Proj Min" : "Min"),
                        find_time(fields, on_device ? "Proj Max" : "Max")};
  }
  return std::nullopt;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
