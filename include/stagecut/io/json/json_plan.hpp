// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/detail/json_messages.hpp>
#include <stagecut/io/detail/json_stages.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json.hpp>
#include <stagecut/io/json/json_object.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline v0::io {

namespace detail {

inline cuts read_cuts(const json_value& value) {
  std::vector<std::size_t> points;
  for (const json_value& element : value.elements()) {
    const std::size_t point = element.count();
    if (points.empty() && point != 0) element.fail(element.shown(), " is not 0");
    if (!points.empty() && point <= points.back()) element.fail(element.shown(), " is not above the point before it");
    points.push_back(point);
  }
  if (points.empty()) value.fail("holds no point");
  return cuts(std::move(points));
}

inline planned_stage read_stage(const json_value& value, const interval& layers) {
  for (const auto& [key, expected] : {std::pair("first", layers.first), std::pair("last", layers.last)}) {
    const json_value found = value.at(key);
    if (found.count() != expected)
      found.fail(found.shown(), " does not agree with the cuts: ", std::to_string(expected));
  }
  planned_stage stage;
  stage.cost = value.at("time").amount();
  stage.device = value.at("device").count();
  stage.forward = value.at("forward").amount();
  stage.backward = value.at("backward").amount();
  if (const auto in_flight = value.find("in_flight")) stage.in_flight = in_flight->count();
  if (const auto memory = value.find("memory")) {
    stage.memory.resident = memory->at("resident").amount();
    stage.memory.activations = memory->at("activations").amount();
    stage.memory.workspace = memory->at("workspace").amount();
    stage.memory.buffers = memory->at("buffers").amount();
    memory->only({"resident", "activations", "workspace", "buffers"});
  }
  value.only({"first", "last", "time", "device", "forward", "backward", "in_flight", "memory"});
  return stage;
}

inline objective_value read_objective(const json_value& value) {
  objective_value objective;
  objective.name = value.at("name").text();
  objective.of = value.at("of").text();
  objective.value = value.at("value").amount();
  objective.bound = value.at("bound").amount();
  const json_value found = value.at("state");
  const auto* const known = stagecut::find_name(state_words, found.text());
  if (known == nullptr) found.fail(found.shown(), " is neither ", stagecut::list_names(state_words, " nor "));
  objective.state = known->value;
  value.only({"name", "of", "value", "bound", "state"});
  return objective;
}

inline memory_model read_memory(const json_value& value) {
  memory_model memory;
  memory.optimizer = value.at("optimizer").text();
  memory.parameter_multiplier = value.at("parameter_multiplier").amount();
  memory.checkpoint = value.at("checkpoint").text();
  memory.boundary_buffers = value.at("boundary_buffers").amount();
  if (const auto bytes = value.find("per_device")) memory.per_device = bytes->amount();
  memory.buffer_fraction = value.at("buffer_fraction").amount();
  value.only({"optimizer", "parameter_multiplier", "checkpoint", "boundary_buffers", "per_device", "buffer_fraction"});
  return memory;
}

inline timed_pass read_pass(const json_value& value) {
  const auto parts = value.elements();
  if (parts.size() != 5) value.fail(value.shown(), " is not [stage, microbatch, \"F\", start, end]");
  const auto* const kind = stagecut::find_name(op_words, parts[2].text());
  if (kind == nullptr || !is_compute(kind->value)) {
    parts[2].fail(parts[2].shown(), R"( is neither "F", "B", "I" nor "W")");
  }
  return {parts[0].count(), parts[1].count(), kind->value, parts[3].amount(), parts[4].amount()};
}

inline plan read_json_plan(const json_value& value) {
  const json_value schema = value.at("schema");
  if (schema.text() == profile_schema) schema.fail("is a profile, and a plan is wanted");
  if (schema.text() != plan_schema) schema.fail(schema.shown(), " is not known; read is \"", plan_schema, "\"");
  plan made;
  made.profile = read_json_profile(value.at("profile"));
  const json_value hash = value.at("profile_hash");
  if (const std::string expected = profile_hash(made.profile); hash.text() != expected) {
    hash.fail(hash.shown(), " is not the hash of the profile, ", expected, ": it was changed after planning");
  }
  made.cuts = read_cuts(value.at("cuts"));
  made.objective = read_objective(value.at("objective"));
  made.devices = value.at("devices").count(1);
  if (const auto chunks = value.find("chunks")) made.chunks = chunks->count(1);
  const json_value stages = value.at("stages");
  const auto elements = stages.elements();
  for (std::size_t s = 0; s < elements.size(); ++s) {
    if (s >= made.cuts.stages()) elements[s].fail("the cuts make only ", std::to_string(s), " stages");
    made.stages.push_back(read_stage(elements[s], made.cuts.stage(s)));
  }
  if (const auto schedule = value.find("schedule")) {
    made.schedule = {schedule->at("name").text(), schedule->at("microbatches").count()};
    schedule->only({"name", "microbatches"});
  }
  if (const auto memory = value.find("memory")) made.memory = read_memory(*memory);
  if (const auto speeds = value.find("speeds")) made.speeds = read_speeds(*speeds);
  if (const auto messages = value.find("messages")) made.messages = read_messages(*messages);
  if (const auto makespan = value.find("makespan")) made.makespan = makespan->amount();
  if (const auto timeline = value.find("timeline")) {
    for (const json_value& pass : timeline->elements()) made.timeline.push_back(read_pass(pass));
  }
  made.unknown_fields = value.unknown(plan_keys);
  check_plan(made, [&](std::string_view pointer, std::string_view what, std::string_view problem) {
    value.fail_at(pointer, what, " ", problem);
  });
  return made;
}

inline json stage_json(const planned_stage& stage, const interval& layers, const std::string& place) {
  json_object object(place);
  object.set("first", layers.first);
  object.set("last", layers.last);
  object.amount("time", stage.cost);
  object.set("device", stage.device);
  object.amount("forward", stage.forward);
  object.amount("backward", stage.backward);
  if (stage.in_flight != 0) object.set("in_flight", stage.in_flight);
  if (stage.memory != stage_memory{}) {
    json_object memory(object.at("memory"));
    memory.amount("resident", stage.memory.resident);
    memory.amount("activations", stage.memory.activations);
    memory.amount("workspace", stage.memory.workspace);
    memory.amount("buffers", stage.memory.buffers);
    object.set("memory", memory.members());
  }
  return object.members();
}

inline json objective_json(const objective_value& objective) {
  json_object object("plan#/objective");
  object.text("name", objective.name);
  object.text("of", objective.of);
  object.amount("value", objective.value);
  object.amount("bound", objective.bound);
  object.set("state", to_string(objective.state));
  return object.members();
}

inline json schedule_json(const schedule_choice& schedule) {
  json_object object("plan#/schedule");
  object.text("name", schedule.name);
  object.set("microbatches", schedule.microbatches);
  return object.members();
}

inline json memory_json(const memory_model& memory) {
  json_object object("plan#/memory");
  object.text("optimizer", memory.optimizer);
  object.amount("parameter_multiplier", memory.parameter_multiplier);
  object.text("checkpoint", memory.checkpoint);
  object.amount("boundary_buffers", memory.boundary_buffers);
  object.amount("per_device", memory.per_device);
  object.amount("buffer_fraction", memory.buffer_fraction);
  return object.members();
}

inline json pass_json(const timed_pass& pass, const std::string& place) {
  json_object times(place);
  times.amount("3", pass.start);
  times.amount("4", pass.end);
  return {pass.stage, pass.microbatch, to_string(pass.kind), times.members()["3"], times.members()["4"]};
}

/// An array with one element a line.
template <class Element>
[[nodiscard]] std::string json_lines(std::size_t size, const std::string& place, const Element& element) {
  std::string text(1, '[');
  for (std::size_t i = 0; i < size; ++i) {
    text.append(i == 0 ? "\n  " : ",\n  ").append(json_line(element(i, joined(place, "/", std::to_string(i)))));
  }
  return text += "\n ]";
}

}  // namespace detail

/// Reads a plan from JSON: an object of `docs/plan.schema.json`.
///
/// @param text    the content
/// @param source  what errors call it
/// @param limits  how much is read; members that are not known may be nested half as deep
/// @return        the plan; what this version does not know of it or of its profile is kept in `unknown_fields`
/// @throws        invalid_input with `SOURCE:LINE` where the text is no JSON, with `SOURCE` beyond the limit of bytes,
///                else with `SOURCE#POINTER`; also if the profile is not the one that was planned
[[nodiscard]] inline plan parse_json_plan(std::string_view text, std::string_view source,
                                          const read_limits& limits = {}) {
  const detail::json parsed = detail::parse_json(text, source, limits);
  return detail::read_json_plan(detail::json_value(parsed, source, limits));
}

/// Reads a plan from a stream up to its end; see `parse_json_plan`.
/// @throws invalid_input with the place, also if the stream cannot be read or holds more than the limit
[[nodiscard]] inline plan read_plan(std::istream& stream, std::string_view source, const read_limits& limits = {}) {
  return parse_json_plan(stream_text(stream, source, limits), source, limits);
}

/// Reads a plan from a file; see `parse_json_plan`.
/// @throws invalid_input with the path, also if the file cannot be read or holds more than the limit
[[nodiscard]] inline plan read_plan(const std::string& path, const read_limits& limits = {}) {
  return parse_json_plan(file_text(path, limits), path, limits);
}

/// Writes a plan as JSON, one stage a line, its profile last, with all `unknown_fields`.
///
/// Whatever is written is read back as an equal plan, bit for bit; for `unknown_fields` see the form for a profile.
///
/// @throws argument_error with the place of what could not be read back: as for a profile, and cuts, stages, devices
///         and passes that contradict each other, or an empty stage
[[nodiscard]] inline std::string as_json(const plan& made) {
  using namespace detail;
  check_plan(made, [](std::string_view pointer, std::string_view what, std::string_view problem) {
    refuse_to_write(joined("plan#", pointer), what, problem);
  });
  std::string text = joined("{\"schema\": \"", plan_schema, "\"");
  const auto put = [&](std::string_view key, const std::string& value) {
    text.append(",\n ").append(json(key).dump()).append(": ").append(value);
  };
  put("cuts", json_line(json(std::vector<std::size_t>(made.cuts.points().begin(), made.cuts.points().end()))));
  put("objective", json_line(objective_json(made.objective)));
  put("devices", std::to_string(made.devices));
  put("chunks", std::to_string(made.chunks));
  put("stages", json_lines(made.stages.size(), "plan#/stages", [&](std::size_t s, const std::string& place) {
        return stage_json(made.stages[s], made.cuts.stage(s), place);
      }));
  if (made.schedule != schedule_choice{}) put("schedule", json_line(schedule_json(made.schedule)));
  if (const memory_model none; made.memory != none) put("memory", json_line(memory_json(made.memory)));
  if (!made.speeds.empty()) put("speeds", json_line(speeds_json(made.speeds)));
  if (!made.messages.links.empty()) put("messages", json_line(messages_json(made.messages)));
  json_object makespan("plan#");
  makespan.amount("makespan", made.makespan);
  if (made.makespan) put("makespan", json_line(makespan.members()["makespan"]));
  if (!made.timeline.empty()) {
    put("timeline", json_lines(made.timeline.size(), "plan#/timeline", [&](std::size_t i, const std::string& place) {
          return pass_json(made.timeline[i], place);
        }));
  }
  json_object others("plan#");
  others.unknown(made.unknown_fields, plan_keys);
  for (const auto& [key, value] : others.members().items()) put(key, json_line(value));
  put("profile_hash", joined("\"", profile_hash(made.profile), "\""));
  put("profile", profile_text(made.profile, "plan#/profile"));
  return text += "}";
}

}  // namespace stagecut::inline v0::io
