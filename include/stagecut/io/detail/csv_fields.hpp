// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Splits a line at its separators. A field in double quotes may contain separators, and doubled quotes; other fields are
/// trimmed.
/// @param fields  output, reusing the memory of a previous line
/// @return        the problem with the line; empty: none
[[nodiscard]] inline std::string csv_split(std::string_view line, char separator, std::vector<std::string>& fields) {
  fields.resize(1);
  fields[0].clear();
  bool inside = false;
  bool closed = false;  // the field was quoted, and its quotes are closed
  const auto end_field = [&] {
    const std::string_view kept = trimmed(fields.back());
    if (!closed && kept.size() != fields.back().size()) fields.back() = std::string(kept);
    closed = false;
  };
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
    } else if (c == separator) {
      end_field();
      fields.emplace_back();
    } else if (c == '"' && !closed && trimmed(fields.back()).empty()) {
      fields.back().clear();
      inside = true;
    } else if (closed && c != ' ' && c != '\t') {
      return joined({"text after the closing quote of field ", fields.size()});
    } else if (!closed) {
      fields.back() += c;
    }
  }
  if (inside) return joined({"the quote of field ", fields.size(), " is not closed"});
  end_field();
  return {};
}

/// Splits a line of a table in the same way.
/// @throws invalid_input with the position and the problem
inline void csv_fields(std::string_view line, char separator, const std::string& place,
                       std::vector<std::string>& fields) {
  if (const std::string problem = csv_split(line, separator, fields); !problem.empty()) {
    fail(invalid_input(place, problem));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
