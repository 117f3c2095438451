// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/tables/csv.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/column_names.hpp>
#include <stagecut/io/detail/csv_columns.hpp>
#include <stagecut/io/detail/csv_fields.hpp>
#include <stagecut/io/detail/csv_notes.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The number of lines still to be read.
[[nodiscard]] inline std::size_t lines_left(line_reader lines) {
  std::size_t left = 0;
  while (lines.next()) ++left;
  return left;
}

/// Rejects invalid options.
inline void check_table_options(const table_options& options) {
  const double bytes = options.bytes_per_parameter;
  if (is_finite(bytes) && bytes > 0) return;
  fail(argument_error("io::parse_csv", "options.bytes_per_parameter", std::to_string(bytes),
                      "must be finite and above 0"));
}

/// Assigns a figure to its field.
inline void set_figure(layer& each, column what, double value) {
  switch (what) {
    case column::forward: each.forward = value; break;
    case column::backward: each.backward = value; break;
    case column::backward_input: each.backward_input = value; break;
    case column::backward_weight: each.backward_weight = value; break;
    case column::parameters: each.parameters = value; break;
    case column::resident: each.resident = value; break;
    case column::activations: each.activations = value; break;
    case column::output: each.output = value; break;
    case column::workspace: each.workspace = value; break;
    case column::recomputed: each.recomputed = value; break;
    default: break;
  }
}

/// Reads the numbers below `time`, or all lines.
inline void read_weights(line_reader& lines, bool more, profile& model) {
  model.weights_only = true;
  for (; more; more = lines.next()) {
    layer& next = model.layers.emplace_back();
    next.name = std::to_string(model.layers.size() - 1);
    next.forward = amount(lines.line(), "time", lines.place());
  }
}

/// Reads a line of a table from its fields.
inline void read_row(const csv_header& header, const std::vector<std::string>& fields, const std::string& place,
                     std::size_t number, layer& next, count_watch& watch) {
  bool named = false;
  for (const csv_column& each : header.columns) {
    const std::string& field = fields[each.field];
    if (each.what == column::name) {
      next.name.assign(field);
      named = true;
    } else if (each.what == column::kind) {
      next.kind.assign(field);
    } else {
      const double value = csv_value(field, each, place);
      set_figure(next, each.what, value);
      if (each.what == column::parameters) watch(value, field);
    }
  }
  if (!named) next.name = std::to_string(number);
  if (next.backward_input && next.backward_weight) {
    const double both = *next.backward_input + *next.backward_weight;
    if (!is_finite(both)) fail(invalid_input(place, "backward_input + backward_weight is out of range"));
    if (header.find(column::backward) == nullptr) next.backward = both;
  }
  check_time(next, place);
}

/// Reads the lines of a table after its header, the current position of `lines`.
inline void read_table(line_reader& lines, std::vector<std::string>& fields, const table_options& options,
                       profile& model) {
  const std::string place = lines.place();
  const csv_header header = read_header(lines.line(), place, options, fields);
  count_watch watch(header);
  while (lines.next()) {
    const std::string here = lines.place();
    csv_fields(lines.line(), header.separator, here, fields);
    if (fields.size() != header.fields) {
      fail(invalid_input(here, joined({fields.size(), " fields, and the header names ", header.fields})));
    }
    const std::size_t number = model.layers.size();
    read_row(header, fields, here, number, model.layers.emplace_back(), watch);
  }
  if (!model.layers.empty()) note_table(header, watch, model, place, options);
}

/// Whether a line begins a plain list of weights: `time`, or a number; `header` is set if it is `time`.
[[nodiscard]] inline bool begins_list(std::string_view line, bool& header) {
  std::vector<std::string> fields;
  const std::string_view word = csv_split(line, ',', fields).empty() ? trimmed(fields[0]) : std::string_view();
  header = fields.size() == 1 && word == "time";
  return header || (fields.size() == 1 && is_number(word));
}

STAGECUT_DECL bool begins_csv(std::string_view line) {
  bool header = false;
  char separator = ',';
  std::vector<std::string> fields;
  return line.find(',') != std::string_view::npos || begins_list(line, header) ||
         split_header(line, separator, fields) != 0;
}

}  // namespace detail

STAGECUT_DECL profile parse_csv(std::string_view text, std::string_view source, const read_limits& limits,
                                const table_options& options) {
  detail::check_table_options(options);
  detail::check_size(text, source, limits);
  detail::line_reader lines(text, source);
  if (!lines.next()) detail::fail(invalid_input(lines.source(), "is empty"));
  profile result;
  result.layers.reserve(detail::lines_left(lines) + 1);
  bool header = false;
  if (detail::begins_list(lines.line(), header)) {
    detail::read_weights(lines, !header || lines.next(), result);
  } else {
    std::vector<std::string> fields;
    detail::read_table(lines, fields, options, result);
  }
  if (result.layers.empty()) detail::fail(invalid_input(lines.source(), "names no layer"));
  return result;
}

namespace detail {

STAGECUT_DECL std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos && trimmed(text) == text) return std::string(text);
  std::string field(1, '"');
  for (const char c : text) {
    if (c == '"') field += c;
    field += c == '\n' ? ' ' : c;
  }
  return field += '"';
}

STAGECUT_DECL std::string csv_number(double value) {
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), written.ptr};
}

}  // namespace detail

STAGECUT_DECL std::string as_csv(const profile& model) {
  const bool tree =
      std::any_of(model.layers.begin(), model.layers.end(), [](const layer& each) { return !each.children.empty(); });
  if (tree || !model.edges.empty()) {
    detail::fail(argument_error("io::as_csv", tree ? "model.layers" : "model.edges", tree ? "a tree" : "a graph",
                                "must be a chain"));
  }
  std::string text;
  if (model.weights_only) {
    text = "time\n";
    for (const layer& each : model.layers) text.append(detail::csv_number(each.time())).append("\n");
    return text;
  }
  for (const std::string_view column : detail::csv_columns) text.append(text.empty() ? "" : ",").append(column);
  const bool recomputes =
      std::any_of(model.layers.begin(), model.layers.end(), [](const layer& each) { return each.recomputed != 0; });
  text += recomputes ? ",recomputed\n" : "\n";
  std::set<std::string_view> counted;
  for (const layer& each : model.layers) {
    double parameters = each.parameters;
    for (const tied_parameters& tied : each.tied) {
      if (counted.insert(tied.name).second) parameters += tied.bytes;
    }
    text.append(detail::csv_field(each.name)).append(",").append(detail::csv_field(each.kind));
    for (const double x : {each.forward, each.backward, parameters, each.activations, each.output}) {
      text.append(",").append(detail::csv_number(x));
    }
    if (recomputes) text.append(",").append(detail::csv_number(each.recomputed));
    text += '\n';
  }
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
