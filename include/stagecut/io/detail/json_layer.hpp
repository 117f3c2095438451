// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/profile/layer.hpp>

// A layer of a profile in JSON.
namespace stagecut::inline STAGECUT_ABI::io::detail {

inline constexpr std::array<std::string_view, 25> layer_keys = {"name",
                                                                "kind",
                                                                "forward",
                                                                "backward",
                                                                "backward_input",
                                                                "backward_weight",
                                                                "parameters",
                                                                "resident",
                                                                "activations",
                                                                "output",
                                                                "workspace",
                                                                "recomputed",
                                                                "update",
                                                                "group",
                                                                "tied",
                                                                "modules",
                                                                "recomputation",
                                                                "recomputations",
                                                                "shardings",
                                                                "children",
                                                                "cpu",
                                                                "stage",
                                                                "accelerator",
                                                                 "pass",
                                                                 "whole_backward"};
/// The last is the name of `tensor_parallel` in the first schema.
inline constexpr std::array<std::string_view, 15> variant_keys = {
    "name",       "tensor_parallel", "forward",     "backward", "backward_input", "backward_weight",
    "parameters", "resident",        "activations", "output",   "workspace",      "recomputed",
    "update",     "recomputation",   "ways"};

/// The default of `backward`.
template <class Each>
[[nodiscard]] double usual_backward(const Each& each) {
  return each.backward_input && each.backward_weight ? *each.backward_input + *each.backward_weight : 0;
}

/// Reads the figures of a layer or a variant; false if there are none.
template <class Each>
bool read_figures(const json_value& value, Each& each) {
  bool any = false;
  stagecut::detail::each_figure(each, [&](std::string_view key, auto& figure) {
    const auto found = value.find(key);
    if (!found) return;
    figure = found->amount();
    any = true;
  });
  if (!value.find("backward")) each.backward = usual_backward(each);
  return any;
}

/// Writes the figures of a layer or a variant that differ from the defaults.
template <class Each>
void write_figures(json_object& object, const Each& each) {
  stagecut::detail::each_figure(each, [&](std::string_view key, const auto& figure) {
    if constexpr (std::is_same_v<std::decay_t<decltype(figure)>, double>) {
      if (figure == 0 && (key != "backward" || usual_backward(each) == 0)) return;
    }
    object.amount(key, figure);
  });
}

/// @param is_former  whether the file is of the first schema
inline std::vector<layer_variant> read_variants(const json_value& value, bool is_former) {
  std::vector<layer_variant> result;
  for (const json_value& element : value.elements()) {
    layer_variant& variant = result.emplace_back();
    variant.name = element.at("name").text();
    if (const auto degree = element.find_renamed("tensor_parallel", "ways", is_former)) {
      variant.tensor_parallel = degree->count(1);
    }
    if (const auto again = element.find("recomputation")) variant.recomputation = again->text();
    (void)read_figures(element, variant);
    variant.unknown_fields = element.unknown(variant_keys);
  }
  return result;
}

inline tied_parameters read_tied(const json_value& value) {
  tied_parameters tie;
  tie.name = value.at("name").text();
  tie.bytes = value.at("bytes").amount();
  if (const auto resident = value.find("resident")) tie.resident = resident->amount();
  if (const auto where = value.find("placement")) tie.where = where->one_of(placement_names);
  value.only({"name", "bytes", "resident", "placement"});
  return tie;
}

/// The words for the pass of an operator that has one of the two alone: the other is the usual case, and has no word.
inline constexpr named<bool> one_pass_names[] = {{"backward", true}};

/// The number of a stage.
[[nodiscard]] inline std::uint32_t read_stage(const json_value& value) {
  const std::size_t stage = value.count();
  if (stage > std::numeric_limits<std::uint32_t>::max()) value.fail(value.shown(), " is no stage: it must be below 2^32");
  return static_cast<std::uint32_t>(stage);
}

/// Reads where a layer may be placed, and in which pass it is.
inline void read_places(const json_value& value, layer& each) {
  if (const auto cpu = value.find("cpu")) each.cpu = cpu->amount();
  if (const auto stage = value.find("stage")) each.stage = read_stage(*stage);
  if (const auto accelerator = value.find("accelerator")) each.accelerator = accelerator->flag();
  if (const auto pass = value.find("pass")) each.is_backward = pass->one_of(one_pass_names);
  if (const auto whole = value.find("whole_backward")) each.whole_backward = whole->flag();
}

/// @param is_former  whether the file is of the first schema
inline layer read_layer(const json_value& value, std::size_t number, bool is_former) {
  layer each;
  const auto name = value.find("name");
  each.name = name ? name->text() : std::to_string(number);
  read_places(value, each);
  if (!read_figures(value, each) && !each.cpu && !name) value.fail("a layer without a name and without a figure");
  const auto text = [&](std::string_view key, auto& to) {
    if (const auto found = value.find(key)) to = found->text();
  };
  text("kind", each.kind);
  text("group", each.group);
  text("recomputation", each.recomputation);
  if (const auto tied = value.find("tied")) {
    for (const json_value& element : tied->elements()) each.tied.push_back(read_tied(element));
  }
  if (const auto modules = value.find("modules")) {
    for (const json_value& element : modules->elements()) each.modules.push_back(element.text());
  }
  if (const auto variants = value.find("recomputations")) each.recomputations = read_variants(*variants, is_former);
  if (const auto variants = value.find("shardings")) each.shardings = read_variants(*variants, is_former);
  if (const auto children = value.find("children")) {
    for (const json_value& element : children->elements()) each.children.push_back(element.count());
  }
  each.unknown_fields = value.unknown(layer_keys);
  return each;
}

/// Which members are written: all, those that are known, or these under their names in the first schema.
enum class written { all, known, former };

inline json variants_json(const std::vector<layer_variant>& variants, const std::string& place, written what) {
  json result = json::array();
  for (const layer_variant& variant : variants) {
    json_object object(joined({place, "/", result.size()}));
    object.text("name", variant.name);
    if (variant.tensor_parallel != 1) {
      object.set(what == written::former ? "ways" : "tensor_parallel", variant.tensor_parallel);
    }
    object.text_if_any("recomputation", variant.recomputation);
    write_figures(object, variant);
    if (what == written::all) object.unknown(variant.unknown_fields, variant_keys);
    result.push_back(object.members());
  }
  return result;
}

inline json tied_json(const std::vector<tied_parameters>& tied, const std::string& place) {
  json result = json::array();
  for (const tied_parameters& tie : tied) {
    json_object object(joined({place, "/", result.size()}));
    object.text("name", tie.name);
    object.amount("bytes", tie.bytes);
    object.amount("resident", tie.resident);
    if (tie.where == tied_parameters::placement::colocated) {
      object.set("placement", stagecut::name_of(placement_names, tie.where));
    }
    result.push_back(object.members());
  }
  return result;
}

/// Writes where a layer may be placed, and in which pass it is, unless these are the defaults.
inline void write_places(json_object& object, const layer& each) {
  object.amount("cpu", each.cpu);
  if (each.stage) object.set("stage", *each.stage);
  if (!each.accelerator) object.set("accelerator", false);
  if (each.is_backward) object.set("pass", stagecut::name_of(one_pass_names, true));
  if (each.whole_backward) object.set("whole_backward", true);
}

inline json layer_json(const layer& each, const std::string& place, written what) {
  json_object object(place);
  object.text("name", each.name);
  object.text_if_any("kind", each.kind);
  write_figures(object, each);
  object.text_if_any("group", each.group);
  if (!each.tied.empty()) object.set("tied", tied_json(each.tied, object.at("tied")));
  json modules = json::array();
  for (const std::string& module : each.modules) {
    if (!is_utf8(module)) refuse_to_write(object.at("modules"), in_quotes(module), "must be UTF-8");
    modules.push_back(module);
  }
  if (!modules.empty()) object.set("modules", std::move(modules));
  object.text_if_any("recomputation", each.recomputation);
  for (const auto& [key, variants] :
       {std::pair("recomputations", &each.recomputations), std::pair("shardings", &each.shardings)}) {
    if (!variants->empty()) object.set(key, variants_json(*variants, object.at(key), what));
  }
  if (!each.children.empty()) object.set("children", each.children.get());
  write_places(object, each);
  if (what == written::all) object.unknown(each.unknown_fields, layer_keys);
  return object.members();
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
