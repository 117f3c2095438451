// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/graphs/assignment_json.hpp>

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/graph_plan.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/stage_messages.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/graphs/vertex_ids.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A member `"KEY": VALUE` of an object written on several lines.
inline void put_member(std::string& to, const std::string& key, const std::string& value, std::string_view indent) {
  const bool first = to.ends_with('{');
  to += joined({first ? "\n" : ",\n", indent, json(key).dump(), ": ", value});
}

STAGECUT_DECL std::string stages_text(const plan& made, const std::vector<std::string>& names,
                                      std::string_view function, std::string_view indent) {
  const std::vector<std::size_t> stages = stage_of_layers(made);
  std::string text = "{";
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!is_utf8(names[i])) {
      fail(argument_error(joined({"io::", function}), joined({"plan#/profile/layers/", i, "/name"}),
                          in_quotes(names[i]), "must be UTF-8"));
    }
    put_member(text, names[i], std::to_string(stages[i]), indent);
  }
  return text.append("\n").append(indent.substr(indent.empty() ? 0 : 1)).append("}");
}

}  // namespace detail

STAGECUT_DECL std::string as_assignment_json(const plan& made) {
  detail::check_graph_plan("as_assignment_json", made);
  const std::vector<std::string> ids = vertex_ids(made.profile);
  const std::vector<std::size_t> stages = stage_of_layers(made);
  const std::vector<double> communication = detail::communication_of(made);
  std::vector<detail::json> vertices(made.stages.size(), detail::json::array());
  for (std::size_t i = 0; i < ids.size(); ++i) vertices[stages[i]].push_back(ids[i]);
  std::string text = "{\"assignment\": ";
  text += detail::stages_text(made, ids, "as_assignment_json", "  ");
  text +=
      detail::joined({",\n \"objective\": ", json_line(detail::objective_json(made.objective)), ",\n \"stages\": ["});
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    const planned_stage& each = made.stages[s];
    detail::json_object object(detail::joined({"plan#/stages/", s}));
    object.amount("time", each.forward + each.backward);
    object.amount("communication", communication[s]);
    object.amount("memory", each.total_memory());
    if (each.on_cpu) object.set("cpu", true);
    object.set("vertices", vertices[s]);
    text += detail::joined({s == 0 ? "\n  " : ",\n  ", json_line(object.members())});
  }
  return text += "\n ]}";
}

STAGECUT_DECL std::string as_stage_map(const plan& made) {
  detail::check_graph_plan("as_stage_map", made);
  return detail::stages_text(made, detail::unique_names(made.profile), "as_stage_map", " ");
}

STAGECUT_DECL std::vector<std::size_t> parse_assignment_json(std::string_view text, std::string_view source,
                                                             const profile& model, const read_limits& limits) {
  const detail::json parsed = detail::parse_json(text, source, limits);
  const detail::json_value assignment = detail::json_value(parsed, source, limits).at("assignment").object();
  const std::vector<std::string> ids = vertex_ids(model);
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < ids.size(); ++i) numbers.emplace(ids[i], i);
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> result(ids.size(), none);
  for (const auto& [id, value] : (*assignment).items()) {
    const std::string step = detail::json_step(id);
    const auto found = numbers.find(id);
    if (found == numbers.end()) assignment.fail_at(step, "the profile has no vertex ", detail::in_quotes(id));
    const detail::json_value stage(value, source, limits);
    if (!value.is_number_unsigned()) assignment.fail_at(step, stage.shown(), " is no stage: a whole number from 0 on");
    result[found->second] = value.get<std::size_t>();
    if (result[found->second] < ids.size()) continue;
    assignment.fail_at(step, stage.shown(), " is not below the number of vertices, ", std::to_string(ids.size()));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (result[i] == none) assignment.fail("vertex ", detail::in_quotes(ids[i]), " is missing");
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
