// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/sapp_layers.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/sapp_choices.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The types of layers in SAPP's files, and their kinds here.
enum class sapp_part : std::uint8_t { head, body, tail };

inline constexpr named<sapp_part> sapp_part_names[] = {
    {"HEAD", sapp_part::head}, {"BODY", sapp_part::body}, {"TAIL", sapp_part::tail}};

inline constexpr const char* sapp_kinds[] = {"embedding", "decoder", "head"};

/// Layers are copied with their names: a short text must not create an endless profile.
inline constexpr std::size_t most_sapp_layers = 10'000;

inline constexpr std::size_t longest_sapp_name = 1000;

/// A finite number, possibly negative.
inline double signed_number(const json_value& value) {
  if (!(*value).is_number()) value.fail(value.shown(), " is not a number");
  const double number = (*value).get<double>();
  if (!is_finite(number)) value.fail(value.shown(), " is out of range");
  return number;
}

STAGECUT_DECL double converted(const json_value& value, double unit) {
  const double number = value.amount() * unit;
  if (!is_finite(number)) value.fail(value.shown(), " is out of range");
  return number;
}

/// Reads a layer of such a file; for a body, one of its copies.
class sapp_layer_reader {
 public:
  sapp_layer_reader(const json_value& from, sapp_time meaning)
      : from_(from), part_(from.at("type").one_of(sapp_part_names)) {
    refuse_unknown();
    made_.name = from.at("name").text();
    if (made_.name.size() > longest_sapp_name) {
      from.at("name").fail("is longer than ", std::to_string(longest_sapp_name), " bytes");
    }
    made_.kind = sapp_kinds[static_cast<std::size_t>(part_)];
    made_.forward = forward(meaning);
    made_.parameters = converted(from.at("memory_parameter"), sapp_megabyte);
    made_.resident = made_.parameters;
    if (part_ == sapp_part::body) {
      read_choices();
    } else {
      made_.backward = backward(sapp_types[0]);
      if (const auto kept = from.find(sapp_types[0].memory)) made_.activations = converted(*kept, sapp_megabyte);
    }
  }

  [[nodiscard]] sapp_part part() const noexcept { return part_; }
  [[nodiscard]] const layer& made() const noexcept { return made_; }

  /// The multiplicity of the layer in the model.
  [[nodiscard]] std::size_t copies() const {
    if (part_ == sapp_part::body) return from_.at("nb_layer").count(1);
    if (const auto number = from_.find("nb_layer"); number && number->count(1) != 1) {
      number->fail(number->shown(), " of them: of HEAD and of TAIL there is one");
    }
    return 1;
  }

 private:
  void refuse_unknown() const {
    std::vector<std::string_view> known{"name",         "type",     "model_name",      "time",
                                        "forward_time", "nb_layer", "memory_parameter"};
    if (part_ == sapp_part::body) known.push_back("recompute_time ");
    for (const sapp_type& type : sapp_types) {
      if (part_ != sapp_part::body && type.choice != sapp_choice::none) break;
      known.insert(known.end(), {type.memory, type.time, type.coefficient});
    }
    from_.only(known);
  }

  [[nodiscard]] double forward(sapp_time meaning) const {
    if (const auto said = from_.find("forward_time")) return converted(*said, sapp_millisecond);
    const double seconds = converted(from_.at("time"), sapp_millisecond);
    return meaning == sapp_time::both ? seconds / 3 : seconds;
  }

  /// The member with the time of a backward pass; 0 means none. SAPP's reader looks for a name with a trailing blank.
  [[nodiscard]] std::optional<json_value> time_of(const sapp_type& type) const {
    auto said = from_.find(type.time);
    if (type.choice == sapp_choice::full) {
      auto blank = from_.find("recompute_time ");
      if (said && blank) blank->fail("is given without a blank behind its name, too");
      if (!said) said = blank;
    }
    if (said && said->amount() == 0) said.reset();
    return said;
  }

  [[nodiscard]] double backward(const sapp_type& type) const {
    double seconds = 0;
    const auto said = time_of(type);
    if (said) {
      seconds = converted(*said, sapp_millisecond);
    } else {
      const auto share = from_.find(type.coefficient);
      seconds = 2 * made_.forward * (1 + (share ? signed_number(*share) : type.usual));
      if (is_negative(seconds)) share->fail(share->shown(), " makes a negative time of the backward pass");
    }
    if (!is_finite(made_.forward + seconds)) (said ? *said : from_).fail("forward and backward pass are out of range");
    return seconds;
  }

  /// Reads the choices: figures of the layer as it is, and variants.
  void read_choices() {
    for (const sapp_type& type : sapp_types) {
      const auto kept = from_.find(type.memory);
      const bool considered = kept && signed_number(*kept) > 0;
      if (type.choice == sapp_choice::none) {
        if (!kept) from_.fail(in_quotes(type.memory), " is missing: what it keeps without recomputation");
        if (!considered)
          kept->fail(kept->shown(), " is not above 0: what it keeps without recomputation has to be known");
        made_.activations = converted(*kept, sapp_megabyte);
        made_.backward = backward(type);
      } else if (considered) {
        layer_variant& variant = made_.recomputations.emplace_back();
        variant.name = stagecut::name_of(sapp_choice_names, type.choice);
        variant.forward = made_.forward;
        variant.backward = backward(type);
        variant.parameters = made_.parameters;
        variant.resident = made_.resident;
        variant.activations = converted(*kept, sapp_megabyte);
      }
    }
  }

  const json_value& from_;
  sapp_part part_;
  layer made_;
};

/// Adds the layers of one part, in the order of the file.
inline void add_sapp_part(const json_value& layers, sapp_part part, sapp_time meaning, std::set<std::string>& names,
                          std::vector<layer>& made) {
  bool any = false;
  for (const json_value& each : layers.elements()) {
    if (each.at("type").one_of(sapp_part_names) != part) continue;
    if (any && part != sapp_part::body) each.at("type").fail(each.at("type").shown(), " stands twice");
    any = true;
    const sapp_layer_reader read(each, meaning);
    const std::size_t copies = read.copies();
    if (copies > most_sapp_layers - made.size()) {
      each.fail("more than ", std::to_string(most_sapp_layers), " layers in all");
    }
    for (std::size_t i = 0; i < copies; ++i) {
      layer& next = made.emplace_back(read.made());
      if (part == sapp_part::body) next.name = joined({next.name, ".", i});
      if (!names.insert(next.name).second) each.at("name").fail("there are two layers ", in_quotes(next.name));
    }
  }
  if (!any && part == sapp_part::body) layers.fail("names no layer of type \"BODY\"");
}

STAGECUT_DECL sapp_layers read_sapp_layers(const json_value& whole, sapp_time meaning) {
  sapp_layers made;
  if (const auto name = whole.object().find("name")) made.profile.name = name->text();
  const auto layers = whole.at("layers_description");
  std::set<std::string> names;
  for (const auto& part : sapp_part_names) add_sapp_part(layers, part.value, meaning, names, made.profile.layers);
  if (const auto constant = whole.find("stage_const_mem")) {
    made.constant = signed_number(*constant) * sapp_megabyte;
    if (!is_finite(made.constant)) constant->fail(constant->shown(), " is out of range");
  }
  return made;
}

STAGECUT_DECL bool is_sapp_layers(const json& object) {
  const auto layers = object.find("layers_description");
  return layers != object.end() && layers->is_array();
}

STAGECUT_DECL profile read_sapp_profile(const json_value& whole) {
  sapp_layers made = read_sapp_layers(whole, sapp_time::forward);
  if (made.constant != 0) made.profile.unknown_fields = json{{"memory_constant", json_number(made.constant)}}.dump();
  return std::move(made.profile);
}

}  // namespace detail

STAGECUT_DECL sapp_layers read_sapp_layers(std::string_view text, std::string_view source, sapp_time meaning,
                                           const read_limits& limits) {
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  return detail::read_sapp_layers(whole, meaning);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
