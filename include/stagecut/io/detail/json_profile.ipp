// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_profile.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_profile.hpp>
#include <stagecut/io/detail/json_layer.hpp>
#include <stagecut/io/detail/json_machine.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

STAGECUT_DECL std::vector<profile_edge> read_edges(const json_value& value) {
  std::vector<profile_edge> edges;
  for (const json_value& element : value.elements()) {
    const auto ends = element.elements();
    if (ends.size() != 2) element.fail(element.shown(), " is not [from, to]");
    edges.push_back({ends[0].count(), ends[1].count()});
  }
  if (edges.empty()) value.fail("holds no edge; a chain goes without \"edges\"");
  return edges;
}

STAGECUT_DECL profile read_json_profile(const json_value& value) {
  if (!value.find("schema") && (value.find("model_type") || value.find("vocabulary"))) {
    value.fail(
        "is a model's configuration, and a profile is wanted: stagecut profile transformer --config computes one");
  }
  if (!value.find("schema")) {
    value.fail("is neither a profile (\"schema\": \"", profile_schema,
               "\"), nor a plan, nor the config.json of a model (\"model_type\"): \"schema\" is missing");
  }
  const json_value schema = value.at("schema");
  if (is_plan_schema(schema.text())) schema.fail("is a plan; its member \"profile\" would be a profile");
  if (!is_profile_schema(schema.text())) {
    schema.fail(schema.shown(), " is not known; read are \"", first_profile_schema, "\" and \"", profile_schema, "\"");
  }
  const bool is_former = schema.text() == first_profile_schema;
  profile model;
  if (const auto name = value.find("name")) model.name = name->text();
  if (const auto weights = value.find("weights_only")) model.weights_only = weights->flag();
  if (const auto inference = value.find("inference")) model.inference = inference->flag();
  const json_value layers = value.at("layers");
  model.layers.reserve(layers.elements().size());
  for (const json_value& element : layers.elements())
    model.layers.push_back(read_layer(element, model.layers.size(), is_former));
  if (model.layers.empty()) layers.fail("names no layer");
  if (const auto edges = value.find("edges")) model.edges = read_edges(*edges);
  if (const auto machine = value.find("machine")) model.machine = read_machine(*machine);
  model.unknown_fields = value.unknown(profile_keys);
  check_profile(model, [&](std::string_view pointer, std::string_view what, std::string_view problem) {
    value.fail_at(pointer, what, " ", problem);
  });
  return model;
}

/// A profile without its layers and edges.
inline json profile_head(const profile& model, const std::string& place, written what) {
  json_object object(place);
  object.set("schema", what == written::former ? first_profile_schema : profile_schema);
  object.text_if_any("name", model.name);
  if (model.weights_only) object.set("weights_only", true);
  if (model.inference) object.set("inference", true);
  if (const stated_machine none; model.machine != none) {
    object.set("machine", machine_json(model.machine, object.at("machine")));
  }
  if (what == written::all) object.unknown(model.unknown_fields, profile_keys);
  return object.members();
}

inline json edges_json(const std::vector<profile_edge>& edges) {
  json result = json::array();
  for (const profile_edge& edge : edges) result.push_back(json::array({edge.from, edge.to}));
  return result;
}

STAGECUT_DECL std::string profile_hash(const profile& model, std::string_view schema) {
  const written what = schema == first_profile_schema ? written::former : written::known;
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  add(profile_head(model, "model#", what).dump());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    add(layer_json(model.layers[i], joined({"model#/layers/", i}), what).dump());
  }
  if (!model.edges.empty()) add(edges_json(model.edges).dump());
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4U) digits[i] = "0123456789abcdef"[hash & 15U];
  return digits;
}

STAGECUT_DECL std::string profile_text(const profile& model, const std::string& place) {
  if (model.layers.empty()) refuse_to_write(joined({place, "/layers"}), "{}", "must hold at least one layer");
  check_profile(model, [&](std::string_view pointer, std::string_view what, std::string_view problem) {
    refuse_to_write(joined({place, pointer}), what, problem);
  });
  std::string text = json_line(profile_head(model, place, written::all));
  text.back() = ',';
  text += " \"layers\": [";
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    text += i == 0 ? "\n  " : ",\n  ";
    text += json_line(layer_json(model.layers[i], joined({place, "/layers/", i}), written::all));
  }
  text += "\n]";
  if (!model.edges.empty()) text.append(", \"edges\": ").append(json_line(edges_json(model.edges)));
  return text += "}";
}

}  // namespace detail

STAGECUT_DECL profile parse_json_profile(std::string_view text, std::string_view source, const read_limits& limits) {
  const detail::json parsed = detail::parse_json(text, source, limits);
  return detail::read_json_profile(detail::json_value(parsed, source, limits));
}

STAGECUT_DECL std::string profile_hash(const profile& model) {
  return detail::profile_hash(model, detail::profile_schema);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
