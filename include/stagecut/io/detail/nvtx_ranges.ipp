// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/tables/nvtx_ranges.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/column_names.hpp>
#include <stagecut/io/detail/csv_fields.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>

// The columns of tables of NVTX ranges.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A column of times: `Duration (ns)`.
struct nvtx_time {
  std::size_t field = 0;
  std::string title{};
  column_unit unit{};

  /// The seconds of a row in this column.
  /// @throws invalid_input with the position if the field is no number, negative or out of range
  [[nodiscard]] double operator()(const std::vector<std::string>& fields, const std::string& place) const {
    const double seconds = unit(amount(fields[field], title, place));
    if (!is_finite(seconds)) fail(invalid_input(place, joined({title, ": is out of range"})));
    return seconds;
  }
};

/// The column with that title and a unit of time in parentheses; none if there is none.
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

/// The same for a column without a unit.
[[nodiscard]] inline std::optional<std::size_t> find_title(const std::vector<std::string>& fields,
                                                           std::string_view title) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == title) return i;
  }
  return std::nullopt;
}

/// The columns of a table.
struct nvtx_columns {
  std::size_t fields = 0;
  std::size_t name = 0;
  nvtx_time time{};                        ///< of a run of a range; in a summary, of all its runs
  bool on_device = false;                  ///< whether it is the time of the device's work
  std::optional<std::size_t> instances{};  ///< in a summary: number of runs
  std::optional<nvtx_time> median{};       ///< in a summary: median
  std::optional<nvtx_time> least{};
  std::optional<nvtx_time> most{};
};

/// The columns of a table with one run of a range per line: `nvtx_pushpop_trace`, `nvtx_gpu_proj_trace`. Tables of
/// kernels and calls also have a name and a duration, but neither an end nor a range number.
[[nodiscard]] inline std::optional<nvtx_columns> find_trace(const std::vector<std::string>& fields) {
  const auto name = find_title(fields, "Name");
  auto time = find_time(fields, "Projected Duration");
  const bool on_device = time.has_value();
  const bool of_ranges = on_device || find_title(fields, "RangeId") || find_time(fields, "End");
  if (!time) time = find_time(fields, "Duration");
  if (!name || !time || !of_ranges) return std::nullopt;
  return nvtx_columns{fields.size(), *name, *time, on_device};
}

/// The columns of a table with one line per range: `nvtx_sum`, `nvtx_pushpop_sum`, `nvtx_gpu_proj_sum`.
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

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL const range_times* nvtx_ranges::find(std::string_view name) const noexcept {
  for (const range_times& range : ranges) {
    if (range.name == name) return &range;
  }
  return nullptr;
}

namespace detail {

/// Skips to the line with the column names: earlier lines are not part of the table.
[[nodiscard]] inline nvtx_columns find_ranges(line_reader& lines, std::vector<std::string>& fields) {
  while (lines.next()) {
    if (lines.line().find(',') == std::string_view::npos || !csv_split(lines.line(), ',', fields).empty()) continue;
    if (const auto trace = find_trace(fields)) return *trace;
    if (const auto summary = find_summary(fields)) return *summary;
  }
  fail(invalid_input(lines.source(),
                     "has no line that names the columns of NVTX ranges, as the reports nvtx_sum, nvtx_pushpop_trace, "
                     "nvtx_gpu_proj_sum and nvtx_gpu_proj_trace of nsys stats have with --format csv"));
}

/// Collects ranges by name, line by line.
class range_reader {
 public:
  explicit range_reader(const nvtx_columns& columns) : columns_(columns) {}

  /// Adds the content of a line.
  void add(const std::vector<std::string>& fields, const std::string& place) {
    if (fields.size() != columns_.fields) {
      fail(invalid_input(place, joined({fields.size(), " fields, and the header names ", columns_.fields})));
    }
    std::string_view name = fields[columns_.name];
    if (name.starts_with(':')) name.remove_prefix(1);
    if (name.empty() || fields[columns_.time.field].empty()) return;  // all ranges together, or nothing ran for it
    const auto [at, is_new] = numbers_.try_emplace(std::string(name), made.size());
    if (is_new) made.emplace_back().name = name;
    range_times& range = made[at->second];
    const double time = columns_.time(fields, place);
    range.total += time;
    if (!is_finite(range.total)) fail(invalid_input(place, joined({in_quotes(name), ": the sum is out of range"})));
    if (!columns_.instances) {
      ++range.instances;
      range.samples.push_back(time);
      return;
    }
    range.instances += instances(fields, place);
    const auto other = [&](const std::optional<nvtx_time>& column) {
      return column ? std::optional((*column)(fields, place)) : std::nullopt;
    };
    const auto least = other(columns_.least);
    const auto most = other(columns_.most);
    // For two kinds of ranges with one name the median is unknown.
    range.median = is_new ? other(columns_.median) : std::nullopt;
    if (least) range.least = is_new ? *least : std::min(*range.least, *least);
    if (most) range.most = is_new ? *most : std::max(*range.most, *most);
  }

  /// Computes the medians of runs.
  void finish() {
    for (range_times& times : made) {
      if (times.samples.empty()) continue;
      std::vector<double> sorted = times.samples;
      std::sort(sorted.begin(), sorted.end());
      const std::size_t half = sorted.size() / 2;
      const double upper = sorted[half];
      const double lower = sorted.size() % 2 != 0 ? upper : sorted[half - 1];
      times.median = lower + (upper - lower) / 2;
      times.least = sorted.front();
      times.most = sorted.back();
    }
  }

  std::vector<range_times> made{};

 private:
  [[nodiscard]] std::size_t instances(const std::vector<std::string>& fields, const std::string& place) const {
    const std::string& text = fields[*columns_.instances];
    const double count = amount(text, "instances", place);
    if (!(count >= 1) || count != std::floor(count) || count > 1e15) {
      fail(invalid_input(place, joined({"instances: ", in_quotes(text), " is no whole number from 1 on"})));
    }
    return static_cast<std::size_t>(count);
  }

  const nvtx_columns& columns_;
  std::map<std::string, std::size_t> numbers_{};  // of names
};

}  // namespace detail

STAGECUT_DECL nvtx_ranges read_nvtx_ranges(std::string_view text, std::string_view source, const read_limits& limits) {
  detail::check_size(text, source, limits);
  detail::line_reader lines(text, source);
  std::vector<std::string> fields;
  const detail::nvtx_columns columns = detail::find_ranges(lines, fields);
  detail::range_reader reader(columns);
  for (std::size_t last = lines.number(); lines.next() && lines.number() == last + 1; ++last) {
    const std::string place = lines.place();
    detail::csv_fields(lines.line(), ',', place, fields);
    reader.add(fields, place);
  }
  if (reader.made.empty()) detail::fail(invalid_input(source, "names no range that ran"));
  reader.finish();
  return {std::move(reader.made), columns.on_device};
}

}  // namespace stagecut::inline STAGECUT_ABI::io
