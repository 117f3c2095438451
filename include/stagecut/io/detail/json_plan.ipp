// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_plan.hpp>

#include <array>
#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_cuts.hpp>
#include <stagecut/io/detail/json_messages.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_schedule.hpp>
#include <stagecut/io/detail/json_stages.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/plan_fault.hpp>
#include <stagecut/io/detail/plan_parts.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The members that the first version of plans lacked.
inline constexpr std::array<std::string_view, 4> second_keys = {"assignment", "edges", "choices", "own_microbatches"};

/// @param is_former  whether the file is of an earlier schema
inline objective_value read_objective(const json_value& value, bool is_former) {
  objective_value objective;
  objective.name = value.at("name").text();
  if (is_former && objective.name == "pipeline-length") objective.name = to_string(plan_objective::pipeline_latency);
  objective.of = value.at("of").text();
  objective.value = value.at("value").amount();
  objective.bound = value.at("bound").amount();
  objective.state = value.at("state").one_of(state_names);
  value.only({"name", "of", "value", "bound", "state"});
  return objective;
}

/// Reads the limits of devices: one for all, or one for each.
inline memory_limit read_limits_of(const json_value& value) {
  if (!(*value).is_array()) return value.amount();
  std::vector<double> bytes;
  for (const json_value& element : value.elements()) bytes.push_back(element.amount());
  if (bytes.empty()) value.fail("holds no bytes");
  return bytes;
}

/// @param is_former  whether the file is of an earlier schema
inline memory_model read_memory(const json_value& value, bool is_former) {
  memory_model memory;
  memory.optimizer = value.at("optimizer").text();
  memory.parameter_multiplier = value.at("parameter_multiplier").amount();
  memory.checkpoint = value.at("checkpoint").text();
  memory.boundary_buffers = value.at("boundary_buffers").amount();
  if (const auto bytes = value.find_renamed("memory_limit", "per_device", is_former)) {
    memory.memory_limit = is_former ? memory_limit(bytes->amount()) : read_limits_of(*bytes);
  }
  if (const auto bytes = is_former ? value.find("of_devices") : std::nullopt) {
    if (memory.memory_limit) bytes->fail("does not agree with one limit for all");
    (void)bytes->elements();  // an array
    memory.memory_limit = read_limits_of(*bytes);
  }
  memory.buffer_fraction = value.at("buffer_fraction").amount();
  value.only({"optimizer", "parameter_multiplier", "checkpoint", "boundary_buffers", "buffer_fraction",
              is_former ? "per_device" : "memory_limit", is_former ? "of_devices" : "memory_limit"});
  return memory;
}

/// The pointer to a member of a plan under its name in earlier versions.
[[nodiscard]] inline std::string former_pointer(std::string pointer) {
  constexpr std::string_view degree = "/tensor_parallel";
  if (pointer == "/memory/memory_limit") return "/memory/of_devices";
  if (!pointer.ends_with(degree)) return pointer;
  return pointer.replace(pointer.size() - degree.size(), degree.size(), "/shards");
}

/// Rejects a plan with inconsistent parts.
/// @param is_former  whether the file is of an earlier schema
inline void check_read(const json_value& value, const plan_fault& fault, bool is_former) {
  if (!fault) return;
  value.fail_at(is_former ? former_pointer(fault.pointer) : fault.pointer, fault.what, " ", fault.problem);
}

/// Converts the figures of stages from the first version to the current one.
inline void upgrade(const json_value& value, plan& made) {
  check_read(value, cuts_fault(made), true);
  for (std::size_t s = 0; s < made.stages.size(); ++s) check_read(value, upgrade_stage(made, s), true);
}

/// Reads the layers of stages, and the stages' figures.
inline void read_stages(const json_value& value, plan_version version, plan& made) {
  const auto assignment = value.find("assignment");
  if (assignment) made.assignment = read_assignment(*assignment);
  if (assignment && value.find("cuts")) assignment->fail("does not agree with cuts: give one of both");
  if (!assignment) made.cuts = read_cuts(value.at("cuts"), made.stages_per_rank);
  const json_value stages = value.at("stages");
  const auto elements = stages.elements();
  for (std::size_t s = 0; s < elements.size(); ++s) {
    if (!assignment && s >= made.cuts.stages()) elements[s].fail("the cuts make only ", std::to_string(s), " stages");
    const interval layers = assignment ? interval{} : made.cuts.stage(s);
    made.stages.push_back(read_stage(elements[s], assignment ? nullptr : &layers, version));
  }
}

/// The version of a plan's file.
[[nodiscard]] inline plan_version read_version(const json_value& value) {
  if (!value.find("schema")) value.fail("is no plan: \"schema\" is missing, which is \"", plan_schema, "\" in one");
  const json_value schema = value.at("schema");
  if (is_profile_schema(schema.text())) schema.fail("is a profile, and a plan is wanted");
  if (!is_plan_schema(schema.text())) {
    schema.fail(schema.shown(), " is not known; read are \"", first_plan_schema, "\", \"", second_plan_schema,
                "\" and \"", plan_schema, "\"");
  }
  const auto version = schema.text() == plan_schema          ? plan_version::third
                       : schema.text() == second_plan_schema ? plan_version::second
                                                             : plan_version::first;
  for (const std::string_view key : second_keys) {
    const auto found = version == plan_version::first ? value.find(key) : std::nullopt;
    if (found) found->fail("is not of schema \"", first_plan_schema, "\"");
  }
  return version;
}

/// Reads the profile of a plan, and checks its hash.
[[nodiscard]] inline profile read_planned_profile(const json_value& value) {
  const json_value planned = value.at("profile");
  profile model = read_json_profile(planned);
  const json_value hash = value.at("profile_hash");
  const std::string expected = profile_hash(model, planned.at("schema").text());
  if (hash.text() != expected) {
    hash.fail(hash.shown(), " is not the hash of the profile, ", expected, ": it was changed after planning");
  }
  return model;
}

STAGECUT_DECL plan read_json_plan(const json_value& value) {
  const plan_version version = read_version(value);
  const bool is_former = version != plan_version::third;
  plan made;
  made.profile = read_planned_profile(value);
  made.objective = read_objective(value.at("objective"), is_former);
  made.devices = value.at("devices").count(1);
  if (const auto each = value.find_renamed("stages_per_rank", "chunks", is_former)) made.stages_per_rank = each->count(1);
  read_stages(value, version, made);
  if (const auto edges = value.find("edges")) made.edges = read_stage_edges(*edges);
  if (const auto choices = value.find("choices")) made.choices = read_choices(*choices);
  if (const auto own = value.find("own_microbatches")) made.own_microbatches = own->flag();
  if (const auto schedule = value.find("schedule")) {
    made.schedule = read_schedule(*schedule, version != plan_version::first);
  }
  if (const auto memory = value.find("memory")) made.memory = read_memory(*memory, is_former);
  if (const auto speeds = value.find("speeds")) made.speeds = read_speeds(*speeds);
  if (const auto messages = value.find("messages")) made.messages = read_messages(*messages);
  if (const auto makespan = value.find("makespan")) made.makespan = makespan->amount();
  if (const auto timeline = value.find("timeline")) {
    for (const json_value& pass : timeline->elements()) made.timeline.push_back(read_pass(pass));
  }
  made.unknown_fields = value.unknown(plan_keys);
  if (version == plan_version::first) upgrade(value, made);
  check_read(value, find_plan_fault(made), is_former);
  return made;
}

STAGECUT_DECL json objective_json(const objective_value& objective) {
  json_object object("plan#/objective");
  object.text("name", objective.name);
  object.text("of", objective.of);
  object.amount("value", objective.value);
  object.amount("bound", objective.bound);
  object.set("state", to_string(objective.state));
  return object.members();
}

inline json memory_json(const memory_model& memory) {
  json_object object("plan#/memory");
  object.text("optimizer", memory.optimizer);
  object.amount("parameter_multiplier", memory.parameter_multiplier);
  object.text("checkpoint", memory.checkpoint);
  object.amount("boundary_buffers", memory.boundary_buffers);
  object.amount("memory_limit", memory.memory_limit.for_all());
  if (!memory.memory_limit.of_ranks().empty()) {
    object.set("memory_limit", amounts_json("plan#/memory/memory_limit", memory.memory_limit.of_ranks()));
  }
  object.amount("buffer_fraction", memory.buffer_fraction);
  return object.members();
}

}  // namespace detail

STAGECUT_DECL plan parse_json_plan(std::string_view text, std::string_view source, const read_limits& limits) {
  const detail::json parsed = detail::parse_json(text, source, limits);
  return detail::read_json_plan(detail::json_value(parsed, source, limits));
}

STAGECUT_DECL plan read_plan(std::istream& stream, std::string_view source, const read_limits& limits) {
  return parse_json_plan(stream_text(stream, source, limits), source, limits);
}

STAGECUT_DECL plan read_plan(const std::string& path, const read_limits& limits) {
  return parse_json_plan(file_text(path, limits), path, limits);
}

STAGECUT_DECL std::string as_json(const plan& made) {
  using namespace detail;
  if (const plan_fault fault = find_plan_fault(made)) {
    refuse_to_write(joined({"plan#", fault.pointer}), fault.what, fault.problem);
  }
  std::string text = joined({"{\"schema\": \"", plan_schema, "\""});
  const auto put = [&](std::string_view key, const std::string& value) {
    text.append(",\n ").append(json(key).dump()).append(": ").append(value);
  };
  const bool chain = made.assignment.empty();
  const auto points = made.cuts.points();
  if (chain) put("cuts", json_line(json(std::vector<std::size_t>(points.begin(), points.end()))));
  if (!chain) put("assignment", json_line(json(made.assignment)));
  put("objective", json_line(objective_json(made.objective)));
  put("devices", std::to_string(made.devices));
  put("stages_per_rank", std::to_string(made.stages_per_rank));
  put("stages", json_lines(made.stages.size(), "plan#/stages", [&](std::size_t s, const std::string& place) {
        const interval layers = chain ? made.cuts.stage(s) : interval{};
        return stage_json(made.stages[s], chain ? &layers : nullptr, place);
      }));
  if (!made.edges.empty()) put("edges", json_line(stage_edges_json(made.edges)));
  if (!made.choices.empty()) put("choices", json_line(choices_json(made.choices)));
  if (made.own_microbatches) put("own_microbatches", "true");
  if (made.schedule != schedule_choice{}) put("schedule", schedule_text(made.schedule));
  if (const memory_model none; made.memory != none) put("memory", json_line(memory_json(made.memory)));
  if (!made.speeds.empty()) put("speeds", json_line(amounts_json("plan#/speeds", made.speeds)));
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
  put("profile_hash", joined({"\"", profile_hash(made.profile), "\""}));
  put("profile", profile_text(made.profile, "plan#/profile"));
  return text += "}";
}

}  // namespace stagecut::inline STAGECUT_ABI::io
