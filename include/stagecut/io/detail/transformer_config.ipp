// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/transformer_config.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/architecture_figures.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/quantization_config.hpp>
#include <stagecut/io/json/architecture_names.hpp>
#include <stagecut/io/json/hugging_face_config.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_architecture.hpp>
#include <stagecut/profile/stored_weights.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Layers in order: their number (`layers`, default 1) with a form, then the number with the next form; repeated from the
/// start until all have one.
inline std::vector<transformer::layer_form> read_forms(const json_value& from, const transformer::architecture& a) {
  constexpr std::size_t most = 100'000;  // of layers, as in `check`
  constexpr std::size_t widest = transformer::detail::most_of_a_count;
  std::vector<transformer::layer_form> pattern;
  for (const json_value& element : from.elements()) {
    transformer::layer_form form;
    only_figures(element, [&](const auto& key) { each_form_figure(form, key); }, {"layers"});
    std::size_t layers = 1;
    const figure_reader at(element);
    at("layers", layers, 1);
    each_form_figure(form, at);
    if (form.window > widest)
      element.at("window").fail(std::to_string(form.window), " is above ", std::to_string(widest));
    if (layers > most || pattern.size() + layers > most) element.fail("more than ", std::to_string(most), " layers");
    pattern.insert(pattern.end(), layers, form);
  }
  if (pattern.empty()) from.fail("is empty");
  const std::size_t all = a.layers <= most && a.mtp_layers <= most ? a.layers + a.mtp_layers : most;
  if (pattern.size() == all) return pattern;
  if (pattern.size() > a.layers) {
    from.fail("of ", std::to_string(pattern.size()), " layers, and there are ", std::to_string(a.layers));
  }
  std::vector<transformer::layer_form> made(a.layers <= most ? a.layers : pattern.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = pattern[i % pattern.size()];
  return made;
}

/// The shortest prefix of forms that, repeated, yields all of them.
inline std::size_t period_of(const std::vector<transformer::layer_form>& forms) {
  std::vector<std::size_t> border(forms.size() + 1, 0);  // of each prefix: longest suffix that is a prefix too
  std::size_t length = 0;
  for (std::size_t i = 1; i < forms.size(); ++i) {
    while (length != 0 && forms[i] != forms[length]) length = border[length];
    if (forms[i] == forms[length]) ++length;
    border[i + 1] = length;
  }
  return forms.size() - border[forms.size()];
}

/// The members of an object that differ from the defaults or are required.
/// @param figures  calls the list of its figures, of the object or of another one, with a visitor
template <class Figures, class Object>
json changed_figures(const Object& of, const Figures& figures, const std::string& place,
                     std::initializer_list<const char*> required = {}) {
  json_object all(place);
  json_object usual(place);
  figures(of, figure_writer(all));
  figures(Object{}, figure_writer(usual));
  json made = json::object();
  for (const auto& [key, value] : all.members().items()) {
    bool said = value != usual.members().at(key);
    for (const std::string_view each : required) said = said || each == key;
    if (said) made[key] = value;
  }
  return made;
}

/// The same, for writing.
inline json written_forms(const std::vector<transformer::layer_form>& forms) {
  json made = json::array();
  const std::size_t period = period_of(forms);
  for (std::size_t first = 0; first < period;) {
    std::size_t last = first;
    while (last < period && forms[last] == forms[first]) ++last;
    json each = json::object();
    each["layers"] = last - first;
    each.update(changed_figures(
        forms[first], [](const auto& of, const auto& at) { each_form_figure(of, at); }, "config#/forms"));
    made.push_back(std::move(each));
    first = last;
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Reads an object of one of the parts below.
/// @param figures   calls the list of a part's figures with a visitor
/// @param required  names that it must have
template <class Part, class Figures>
Part read_part(const json_value& from, const Figures& figures, std::initializer_list<const char*> required) {
  Part made;
  only_figures(from, [&](const auto& at) { figures(made, at); });
  require(from, required);
  figures(made, figure_reader(from));
  return made;
}

inline transformer::architecture read_architecture(const json_value& from) {
  transformer::architecture a;
  only_figures(from, [&](const auto& at) { each_figure(a, at); },
               {"latent", "recurrence", "mamba", "indexer", "forms", "vision", "training", "quantized", "weights"});
  require(from, required_figures);
  each_figure(a, figure_reader(from));
  if (a.name.empty()) from.at("name").fail("is empty");
  each_part_figures(a, [&]<class Part>(const char* name, std::optional<Part>& into, const auto& figures,
                                       std::initializer_list<const char*> required) {
    auto found = from.find(name);
    if (!found && std::string_view(name) == "recurrence") found = from.find("mamba");  // its former name
    if (found) into = read_part<Part>(*found, figures, required);
  });
  if (const auto forms = from.find("forms")) a.forms = read_forms(*forms, a);
  return a;
}

inline transformer::training read_training(const json_value& from) {
  transformer::training r;
  only_figures(from, [&](const auto& at) { each_training_figure(r, at); });
  each_training_figure(r, figure_reader(from));
  return r;
}

/// Reads the quantization of weights in one of Hugging Face's files: its `quantization_config`, or the nested model's.
inline void read_quantized(const json_value& whole, transformer_config& into) {
  for (const char* const around : {"", "text_config", "llm_config", "language_config"}) {
    const auto at = *around == '\0' ? std::optional(whole) : whole.find(around);
    if (!at || !(**at).is_object()) continue;
    for (const char* const name : {"quantization_config", "compression_config"}) {
      const auto found = at->find(name);
      if (!found) continue;
      const auto method = (**found).is_object() ? found->find("quant_method") : std::nullopt;
      const bool named = method && (**method).is_string() && !method->text().empty();
      into.quantized = named ? method->text() : "some method";
      if (!(**found).is_object()) return;
      const auto expert = at->find("expert_dtype");  // DeepSeek-V4: its experts have a format of their own
      if (expert && **expert == json("fp4")) return;
      into.weights = read_quantization(*found, named ? method->text() : "", into.architecture.layers);
      return;
    }
  }
}

/// Whether an object has members of the library's own format.
inline bool is_own_config(const json& of) {
  for (const char* const name : {"layers", "hidden", "heads", "ffn", "vocabulary"}) {
    if (of.contains(name)) return true;
  }
  return false;
}

}  // namespace detail

STAGECUT_DECL bool is_transformer_config(std::string_view text, const read_limits& limits) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{' || text.size() > limits.bytes) return false;
  const detail::json parsed = detail::read_python_json(text, detail::most_depth(limits)).value;
  if (!parsed.is_object() || parsed.contains("schema")) return false;
  const bool own = parsed.contains("layers") && parsed["layers"].is_number() && parsed.contains("vocabulary");
  return own || detail::is_hugging_face(detail::json_value(parsed, "", limits));
}

STAGECUT_DECL transformer_config read_transformer_config(std::string_view text, std::string_view source,
                                                         const read_limits& limits, std::string_view as_family) {
  const auto parsed = detail::parse_python_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  transformer_config made;
  if (!as_family.empty() || detail::is_hugging_face(whole)) {
    made.architecture = detail::read_hugging_face(whole, source, as_family);
    detail::read_quantized(whole, made);
    return made;
  }
  if (!detail::is_own_config(*whole.object())) {
    whole.fail(
        "is no model's configuration: it has neither members of Hugging Face's config.json, as \"model_type\", nor "
        "of ours, as \"layers\" and \"hidden\"");
  }
  made.architecture = detail::read_architecture(whole);
  if (const auto given = whole.find("training")) made.training = detail::read_training(*given);
  if (const auto given = whole.find("quantized")) made.quantized = given->text();
  if (const auto given = whole.find("weights")) {
    made.weights = detail::read_part<transformer::stored_weights>(
        *given, [](auto& of, const auto& at) { detail::each_weights_figure(of, at); }, {});
    if (!(made.weights.bytes <= 16)) given->at("bytes").fail("is not from 0 to 16");
  }
  if (const auto fault = transformer::detail::find_fault(made.architecture, made.training)) {
    stagecut::detail::fail(invalid_input(
        stagecut::detail::joined({source, fault->training ? "#/training/" : "#/", fault->field}), fault->problem));
  }
  return made;
}

STAGECUT_DECL std::string as_json(const transformer_config& config) {
  const transformer::architecture& a = config.architecture;
  if (const auto fault = transformer::detail::find_fault(a, config.training)) {
    detail::refuse_to_write(fault->field, fault->problem, "must be what check accepts");
  }
  if (a.name.empty()) detail::refuse_to_write("name", "\"\"", "must not be empty");
  const auto set = [](detail::json& into, const char* key, detail::json value) {
    if (!value.empty()) into[key] = std::move(value);
  };
  detail::json made = detail::changed_figures(
      a, [](const auto& of, const auto& at) { detail::each_figure(of, at); }, "config#", detail::required_figures);
  detail::each_part_figures(
      a, [&](const char* name, const auto& part, const auto& figures, std::initializer_list<const char*> required) {
        const std::string place = stagecut::detail::joined({"config#/", name});
        if (part) set(made, name, detail::changed_figures(*part, figures, place, required));
      });
  if (!a.forms.empty()) set(made, "forms", detail::written_forms(a.forms));
  if (!config.quantized.empty()) made["quantized"] = config.quantized;
  set(made, "weights",
      detail::changed_figures(
          config.weights, [](const auto& of, const auto& at) { detail::each_weights_figure(of, at); }, "config#"));
  set(made, "training",
      detail::changed_figures(
          config.training, [](const auto& of, const auto& at) { detail::each_training_figure(of, at); },
          "config#/training"));
  return made.dump(2);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
