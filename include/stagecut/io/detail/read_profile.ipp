// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/read_profile.hpp>

#include <istream>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/dot_lexer.hpp>
#include <stagecut/io/detail/dot_reader.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/graphs/dnn_partitioning.hpp>
#include <stagecut/io/graphs/piper.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/json/sapp_layers.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/io/tables/csv.hpp>
#include <stagecut/io/tables/pipedream.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL profile read_profile(std::istream& stream, std::string_view source, const read_limits& limits,
                                   const table_options& table) {
  return parse_profile(stream_text(stream, source, limits), source, limits, table);
}

STAGECUT_DECL profile read_profile(const std::string& path, const read_limits& limits, const table_options& table) {
  return parse_profile(file_text(path, limits), path, limits, table);
}

STAGECUT_DECL profile parse_profile(std::string_view text, std::string_view source, const read_limits& limits,
                                    const table_options& table) {
  detail::line_reader lines(text, source);
  if (!lines.next()) detail::fail(invalid_input(lines.source(), "is empty"));
  const std::string_view line = lines.line();
  if (detail::trimmed(line).starts_with('{')) {
    const detail::json parsed = detail::parse_json(text, source, limits);
    const detail::json_value whole(parsed, source, limits);
    if (detail::is_sapp_layers(parsed)) return detail::read_sapp_profile(whole);
    if (detail::is_piper(parsed))
      whole.fail("is a graph of Piper's, whose layers have several ways to run, and no profile");
    return detail::is_dnn_partitioning(parsed) ? detail::read_dnn_partitioning(whole)
                                               : detail::read_json_profile(whole);
  }
  if (detail::is_dot(text, source)) {
    detail::check_size(text, source, limits);
    return detail::dot_reader(text, source).read();
  }
  if (line.find(detail::pipedream_separator) != std::string_view::npos) return parse_pipedream(text, source, limits);
  if (!detail::begins_csv(line)) {
    detail::fail(invalid_input(
        lines.place(),
        detail::joined({detail::in_quotes(detail::trimmed(line)),
                        " begins no known format: a JSON object, a CSV with the column time, a CSV with columns like "
                        "name,kind,forward,backward,parameters,activations,output, "
                        "a PipeDream graph.txt, or a digraph in DOT"})));
  }
  return parse_csv(text, source, limits, table);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
