// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/read_plan_or_profile.hpp>

#include <istream>
#include <string>
#include <string_view>

#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/graphs/dnn_partitioning.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/json/sapp_layers.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL plan_or_profile parse_plan_or_profile(std::string_view text, std::string_view source,
                                                    const read_limits& limits, const table_options& table) {
  detail::line_reader lines(text, source);
  if (!lines.next() || !detail::trimmed(lines.line()).starts_with('{'))
    return parse_profile(text, source, limits, table);
  const detail::json parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  const auto schema = parsed.find("schema");
  const bool is_plan = schema != parsed.end() && schema->is_string() &&
                       schema->get_ref<const std::string&>().starts_with("stagecut-plan");
  if (is_plan) return detail::read_json_plan(whole);
  if (detail::is_sapp_layers(parsed)) return detail::read_sapp_profile(whole);
  if (detail::is_dnn_partitioning(parsed)) return detail::read_dnn_partitioning(whole);
  return detail::read_json_profile(whole);
}

STAGECUT_DECL plan_or_profile read_plan_or_profile(std::istream& stream, std::string_view source,
                                                   const read_limits& limits, const table_options& table) {
  return parse_plan_or_profile(stream_text(stream, source, limits), source, limits, table);
}

STAGECUT_DECL plan_or_profile read_plan_or_profile(const std::string& path, const read_limits& limits,
                                                   const table_options& table) {
  return parse_plan_or_profile(file_text(path, limits), path, limits, table);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
