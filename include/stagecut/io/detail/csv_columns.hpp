// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/column_meaning.hpp>
#include <stagecut/io/detail/column_names.hpp>
#include <stagecut/io/detail/csv_fields.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/profile/layer.hpp>

// The header of a table of layers, and the interpretation of the fields of a line.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The columns that `as_csv` writes.
inline constexpr std::array<std::string_view, 7> csv_columns = {"name",       "kind",        "forward", "backward",
                                                                "parameters", "activations", "output"};

/// A column that is read.
struct csv_column {
  column what = column::unknown;
  std::size_t field = 0;
  std::string name{};  ///< in the header
  column_meaning meaning{};
  double each = 1;  ///< value of one of its numbers: bytes of a parameter
};

/// The header of a table: how to split its lines, and the meaning of each field.
struct csv_header {
  char separator = ',';
  std::size_t fields = 0;
  std::vector<csv_column> columns{};  ///< at most one of each kind
  std::vector<std::string> unread{};  ///< names of the first few other columns
  std::size_t others = 0;             ///< their number

  [[nodiscard]] const csv_column* find(column what) const noexcept {
    for (const csv_column& each : columns) {
      if (each.what == what) return &each;
    }
    return nullptr;
  }

  /// Whether any column is a figure of a layer.
  [[nodiscard]] bool has_figure() const noexcept {
    for (const csv_column& each : columns) {
      if (each.what != column::name && each.what != column::kind) return true;
    }
    return false;
  }
};

/// `columns "a", "b" and 3 more`.
[[nodiscard]] inline std::string unread_text(const csv_header& header) {
  std::string text = header.others == 1 ? "column " : "columns ";
  for (std::size_t i = 0; i < header.unread.size(); ++i)
    text += joined({i == 0 ? "" : ", ", in_quotes(header.unread[i])});
  const std::size_t more = header.others - header.unread.size();
  return more == 0 ? text : text + joined({" and ", more, " more"});
}

/// The number of fields of a header line that name known columns, with the best separator.
/// @param separator  output: comma, semicolon or tab, whichever gives most known columns; on ties the first of these
/// @param fields     output: the fields of the line
/// @return           0 if the line cannot be split
inline std::size_t split_header(std::string_view line, char& separator, std::vector<std::string>& fields) {
  std::size_t most = 0;
  separator = ',';
  for (const char each : {',', ';', '\t'}) {
    if (!csv_split(line, each, fields).empty()) continue;
    std::size_t known = 0;
    for (const std::string& name : fields) known += meaning_of(name).what != column::unknown ? 1 : 0;
    if (known <= most) continue;
    most = known;
    separator = each;
  }
  (void)csv_split(line, separator, fields);
  return most;
}

/// Adds a column, unless it duplicates another.
inline void add_column(csv_header& header, csv_column next, const std::string& place) {
  const auto leave = [&](std::string name) {
    ++header.others;
    if (header.unread.size() < 8) header.unread.push_back(std::move(name));
  };
  if (next.meaning.ambiguous) {
    fail(invalid_input(place, joined({"column ", in_quotes(next.name), ": bytes or billions? Call it ",
                                      "parameters_bytes or parameter_count_bn"})));
  }
  if (next.what == column::unknown) return leave(std::move(next.name));
  for (csv_column& each : header.columns) {
    if (each.what != next.what) continue;
    if (each.name == next.name) {
      fail(invalid_input(place, joined({"column ", in_quotes(next.name), " stands twice"})));
    }
    // `name` takes precedence over `layer`, and `kind` over `type`.
    if (each.meaning.calls_it_name != next.meaning.calls_it_name) {
      if (next.meaning.calls_it_name) std::swap(each, next);
      return leave(std::move(next.name));
    }
    fail(invalid_input(place, joined({"columns ", in_quotes(each.name), " and ", in_quotes(next.name), " are both ",
                                      column_name(next.what)})));
  }
  header.columns.push_back(std::move(next));
}

/// Treats a time of an unnamed pass as the forward time; drops it if the forward pass has a column.
inline void place_time(csv_header& header, const std::string& place) {
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    csv_column& each = header.columns[i];
    if (each.what != column::time) continue;
    if (header.find(column::forward) != nullptr) {
      ++header.others;
      if (header.unread.size() < 8) header.unread.push_back(each.name);
      header.columns.erase(header.columns.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    for (const column pass : {column::backward, column::backward_input, column::backward_weight}) {
      const csv_column* const other = header.find(pass);
      if (other == nullptr) continue;
      fail(invalid_input(place, joined({"column ", in_quotes(each.name), " beside ", in_quotes(other->name),
                                        ": of the forward pass, or of both?"})));
    }
    each.what = column::forward;
  }
}

/// Reads the header of a table.
/// @throws invalid_input with the position if it has no figure, or one twice
[[nodiscard]] inline csv_header read_header(std::string_view line, const std::string& place,
                                            const table_options& options, std::vector<std::string>& fields) {
  csv_header header;
  (void)split_header(line, header.separator, fields);
  csv_fields(line, header.separator, place, fields);
  header.fields = fields.size();
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const std::string_view name = trimmed(fields[field]);
    const column_meaning meaning = meaning_of(name);
    add_column(header,
               {meaning.what, field, std::string(name), meaning, meaning.counts ? options.bytes_per_parameter : 1},
               place);
  }
  if (!header.has_figure()) {
    const std::string others =
        header.others == 0 ? std::string()
                           : joined({", and ", unread_text(header), header.others == 1 ? " is none" : " are none"});
    fail(invalid_input(
        place,
        joined({"no column is a figure of a layer, as forward, backward_ms, parameters or memory_mb are", others})));
  }
  place_time(header, place);
  const csv_column* const input = header.find(column::backward_input);
  const csv_column* const weight = header.find(column::backward_weight);
  if ((input == nullptr) != (weight == nullptr)) {
    fail(invalid_input(place, joined({"column ", in_quotes((input != nullptr ? input : weight)->name),
                                      " stands without its other half"})));
  }
  return header;
}

/// The unit after a number, as in `12 MB`; null if there is no such unit for the column.
[[nodiscard]] inline const column_unit* unit_behind(std::string_view text, const csv_column& of) {
  text = trimmed(text);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool begins = !text.empty() && (is_letter(text.front()) || static_cast<unsigned char>(text.front()) >= 0x80);
  if (!begins || !is_letter(text.back())) return nullptr;
  const column_unit* const unit = find_unit(take_word(text));
  const bool pass = of.what == column::forward || of.what == column::backward || of.what == column::backward_input ||
                    of.what == column::backward_weight;
  if (unit == nullptr || !text.empty() || unit->part != (pass ? part_seconds : part_bytes)) return nullptr;
  return of.what == column::parameters && unit->word == "b" ? nullptr : unit;  // for parameters, it may mean billions
}

/// The number in a field: seconds or bytes. If the header names no unit and the numbers are no counts, the field may.
/// @throws invalid_input with the position, the column and the field
[[nodiscard]] inline double csv_value(std::string_view text, const csv_column& of, const std::string& place) {
  text = trimmed(text);
  const column_unit* unit = &of.meaning.unit;
  std::size_t number = text.size();
  if (unit->word.empty() && !of.meaning.counts) {
    while (number > 0 && (text[number - 1] < '0' || text[number - 1] > '9') && text[number - 1] != '.') --number;
    const column_unit* const behind = number == 0 ? nullptr : unit_behind(text.substr(number), of);
    if (behind == nullptr) {
      number = text.size();
    } else {
      unit = behind;
    }
  }
  const double value = (*unit)(amount(text.substr(0, number), of.name, place)) * of.each;
  if (!is_finite(value)) fail(invalid_input(place, joined({of.name, ": ", in_quotes(text), " is out of range"})));
  return value;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
