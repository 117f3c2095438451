// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline v0::io {

namespace detail {

/// Splits a line at its commas. A field in double quotes may hold commas, and quotes written twice.
/// @param fields  where they go; that of a line before serves again
inline void csv_fields(std::string_view line, const std::string& place, std::vector<std::string>& fields) {
  fields.resize(1);
  fields[0].clear();
  bool inside = false;
  bool closed = false;  // the field was quoted, and its quotes are closed
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inside) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        inside = false;
        closed = true;
      }
    } else if (c == ',') {
      fields.emplace_back();
      closed = false;
    } else if (c == '"' && !closed && trimmed(fields.back()).empty()) {
      fields.back().clear();
      inside = true;
    } else if (closed && c != ' ' && c != '\t') {
      fail(invalid_input(place, joined({"text after the closing quote of field ", fields.size()})));
    } else if (!closed) {
      fields.back() += c;
    }
  }
  if (inside) fail(invalid_input(place, joined({"the quote of field ", fields.size(), " is not closed"})));
}

/// How many lines are still to be read.
[[nodiscard]] inline std::size_t lines_left(line_reader lines) {
  std::size_t left = 0;
  while (lines.next()) ++left;
  return left;
}

inline constexpr std::array<std::string_view, 7> csv_columns = {"name",       "kind",        "forward", "backward",
                                                                "parameters", "activations", "output"};

/// The position of every one of `csv_columns` in a header line.
inline std::array<std::size_t, csv_columns.size()> csv_header(const std::vector<std::string>& header,
                                                              const std::string& place) {
  std::array<std::size_t, csv_columns.size()> position;
  position.fill(header.size());
  for (std::size_t field = 0; field < header.size(); ++field) {
    const std::string_view name = trimmed(header[field]);
    std::size_t column = 0;
    while (column < csv_columns.size() && csv_columns[column] != name) ++column;
    if (column == csv_columns.size()) fail(invalid_input(place, joined({"column ", in_quotes(name), " is not known"})));
    if (position[column] != header.size())
      fail(invalid_input(place, joined({"column ", in_quotes(name), " stands twice"})));
    position[column] = field;
  }
  for (std::size_t column = 0; column < csv_columns.size(); ++column) {
    if (position[column] == header.size()) {
      fail(invalid_input(place, joined({"column ", in_quotes(csv_columns[column]), " is missing"})));
    }
  }
  return position;
}

}  // namespace detail

/// Reads a profile from comma-separated values, one layer a line, blank lines skipped.
///
/// @param text    the content: either a plain list of weights (one number a line, below the header `time` or none), or
///                the columns `name`, `kind`, `forward`, `backward` (seconds), `parameters`, `activations`, `output`
///                (bytes), all of them, in any order, below a header that names them
/// @param source  what errors call the text
/// @param limits  how much is read
/// @return        the layers in the order of the lines; of a plain list, each weight as the forward time of a layer
///                named by its number from 0, and `weights_only`
/// @throws        invalid_input with `SOURCE:LINE`, the field and its value; with `SOURCE` beyond the limit
///
/// Needs no memory but that of the profile and of a line.
[[nodiscard]] inline profile parse_csv(std::string_view text, std::string_view source, const read_limits& limits = {}) {
  detail::check_size(text, source, limits);
  detail::line_reader lines(text, source);
  if (!lines.next()) detail::fail(invalid_input(lines.source(), "is empty"));
  profile result;
  result.layers.reserve(detail::lines_left(lines) + 1);
  std::vector<std::string> fields;
  detail::csv_fields(lines.line(), lines.place(), fields);
  const std::string_view first = detail::trimmed(fields[0]);
  if (fields.size() == 1 && (first == "time" || detail::is_number(first))) {
    result.weights_only = true;
    bool more = first == "time" ? lines.next() : true;
    for (; more; more = lines.next()) {
      layer& next = result.layers.emplace_back();
      next.name = std::to_string(result.layers.size() - 1);
      next.forward = detail::amount(lines.line(), "time", lines.place());
    }
  } else {
    const auto column = detail::csv_header(fields, lines.place());
    while (lines.next()) {
      const std::string place = lines.place();
      detail::csv_fields(lines.line(), place, fields);
      if (fields.size() != column.size()) {
        detail::fail(
            invalid_input(place, detail::joined({fields.size(), " fields, and the header names ", column.size()})));
      }
      const auto number = [&](std::size_t i) {
        return detail::amount(fields[column[i]], detail::csv_columns[i], place);
      };
      layer& next = result.layers.emplace_back();
      next.name.assign(fields[column[0]]);
      next.kind.assign(fields[column[1]]);
      next.forward = number(2);
      next.backward = number(3);
      next.parameters = number(4);
      next.activations = number(5);
      next.output = number(6);
      detail::check_time(next, place);
    }
  }
  if (result.layers.empty()) detail::fail(invalid_input(lines.source(), "names no layer"));
  return result;
}

namespace detail {

/// A field of a CSV, in quotes where it needs them. A line feed would end the line, quoted or not: it becomes a space.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos && trimmed(text) == text) return std::string(text);
  std::string field(1, '"');
  for (const char c : text) {
    if (c == '"') field += c;
    field += c == '\n' ? ' ' : c;
  }
  return field += '"';
}

/// The shortest text that is read as the same number.
inline std::string csv_number(double value) {
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), written.ptr};
}

}  // namespace detail

/// Writes the layers of a profile as comma-separated values, in the form that `parse_csv` reads: of a profile of
/// weights the plain list, the time of each layer, below `time`; of any other the columns.
///
/// Parameters that layers share count in the first of them. All other fields are left out: see `as_json`. Numbers are
/// read back bit for bit; a line break in a text becomes a space.
///
/// @throws argument_error for a graph or a module tree
[[nodiscard]] inline std::string as_csv(const profile& model) {
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
  text += '\n';
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
    text += '\n';
  }
  return text;
}

}  // namespace stagecut::inline v0::io
