// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/hugging_face_config.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/architecture_figures.hpp>
#include <stagecut/io/detail/families.hpp>
#include <stagecut/io/detail/family_reader.hpp>
#include <stagecut/io/detail/figure_formula.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string hugging_face_families() {
  return stagecut::detail::joined(
      {list_names(detail::text_families), ", ", list_names(detail::pair_families), ", plain"});
}

STAGECUT_DECL bool is_hugging_face_family(std::string_view name) noexcept {
  return find_name(detail::text_families, name) != nullptr || find_name(detail::pair_families, name) != nullptr ||
         name == "plain";
}

namespace detail {

/// The text's object within a model of several parts.
inline std::optional<json_value> text_within(const json_value& whole) {
  for (const char* const name : {"text_config", "llm_config", "language_config"}) {
    if (auto found = whole.find(name)) return found;
  }
  return std::nullopt;
}

/// The object that has the figures of the text: the one within, unless the whole has them itself.
inline json_value text_object(const json_value& whole) {
  if (whole.find("hidden_size") || whole.find("n_embd")) return whole;
  return text_within(whole).value_or(whole);
}

/// A member that is a text; empty for others.
inline std::string text_if_any(const json_value& of, const char* member) {
  const auto found = of.find(member);
  return found && (**found).is_string() ? found->text() : std::string();
}

/// Whether a member says nothing of a model's size: it is not there, or belongs to training, text or numbers.
inline bool is_remark(std::string_view name, const json_value& member) {
  if ((*member).is_null() || *member == json(false) || *member == json(0) || *member == json("")) return true;
  if (name.starts_with('_') || name.starts_with('$')) return true;
  for (const char* const part :
       {"token_id",    "rope",    "init",      "eps",     "drop",  "pdrop",         "hidden_act", "activation",
        "dtype",       "version", "use_cache", "scal",    "loss",  "architectures", "auto_map",   "model_type",
        "pretraining", "output_", "label",     "softcap", "theta", "temperature",   "norm_topk"}) {
    if (name.find(part) != name.npos) return true;
  }
  return false;
}

/// The names in the formulas of rows, sorted; those behind a point, too.
inline std::vector<std::string_view> names_in(const std::vector<family_row>& rows) {
  const auto in_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::vector<std::string_view> made;
  for (const family_row& row : rows) {
    const std::string_view text = row.formula;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t first = at;
      if (text[at] == '"' || text[at] == '\'') {  // a word
        at = std::min(text.find(text[at], at + 1), text.size() - 1) + 1;
        continue;
      }
      while (at < text.size() && in_name(text[at])) ++at;
      if (at != first) made.push_back(text.substr(first, at - first));
      if (at == first) ++at;
    }
  }
  std::sort(made.begin(), made.end());
  made.erase(std::unique(made.begin(), made.end()), made.end());
  return made;
}

/// Whether a member is one of these names.
inline bool names_member(const std::vector<std::string_view>& names, std::string_view member) {
  return std::binary_search(names.begin(), names.end(), member);
}

/// The family of text whose rows name most of an object's members.
inline const family& nearest_family(const json_value& of) {
  const family* const llama = find_name(text_families, "llama");
  const family* best = nullptr;
  std::size_t most = 0;
  std::size_t least = 0;
  for (const family& each : text_families) {
    const std::vector<std::string_view> names = names_in(rows_of(each));
    std::size_t named = 0;
    of.each_member([&](std::string_view name, const json_value&) { named += names_member(names, name) ? 1 : 0; });
    // Of several that name as many: Llama's, or the one with the fewest names.
    const bool first = best == nullptr || named > most;
    const bool simpler = best != llama && (&each == llama || names.size() < least);
    if (!first && (named != most || !simpler)) continue;
    most = named;
    least = names.size();
    best = &each;
  }
  return *best;
}

/// Rejects a file that names no family, or an unknown one: what is nearest, and what is in the way.
[[noreturn]] inline void refuse_family(const json_value& whole, const std::optional<json_value>& type) {
  const json_value at = text_object(whole);
  const family& nearest = nearest_family(at);
  const std::vector<std::string_view> names = names_in(rows_of(nearest));
  std::string others;
  std::size_t count = 0;
  at.each_member([&](std::string_view name, const json_value& member) {
    if (is_remark(name, member) || names_member(names, name) || ++count > 8) return;
    others.append(others.empty() ? "" : ", ").append(name);
  });
  if (count > 8) others += joined({" and ", count - 8, " more"});
  const std::string advice = joined(
      {"; the nearest that is known is ", nearest.name,
       others.empty() ? std::string(", which knows all of its members") : joined({", which does not know ", others}),
       "; --as ", nearest.name, ", in C++ as_family, reads it so unless its members contradict that"});
  if (type) type->fail(in_quotes(type->text()), " is no family that is known", advice);
  whole.fail("\"model_type\" is missing", advice);
}

/// A model's name by where its file lies: `models--NAME--MODEL` in a cache of Hugging Face, the folder of a `config.json`,
/// or the file's own name; empty if none is one.
inline std::string name_in(std::string_view source) {
  if (const auto cached = source.find("models--"); cached != source.npos) {
    std::string made(source.substr(cached + 8, source.find('/', cached) - cached - 8));
    if (const auto owner = made.find("--"); owner != made.npos) made.replace(owner, 2, "/");
    return is_utf8(made) ? made : std::string();
  }
  const auto last = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  std::string_view name = last(source);
  if (name == "config.json") {
    source.remove_suffix(name.size());
    if (!source.empty()) source.remove_suffix(1);
    name = last(source);
  }
  if (name.ends_with(".json")) name.remove_suffix(5);
  return name == "-" || name == "." || name == ".." || !is_utf8(name) ? std::string() : std::string(name);
}

/// Reads text and images.
inline transformer::architecture read_pair(const json_value& whole, const family& of) {
  family_reader pair(of, whole, false);
  const figure_value inner = pair.value("text_object");
  const std::string usual = shown_figure(pair.value("text_family"));
  const auto type = inner.nothing() ? std::nullopt : inner.member()->find("model_type");
  const std::string name = type ? type->text() : usual;
  const family* const known = find_name(text_families, name);
  if (known == nullptr) type->fail(in_quotes(name), " is none of ", list_names(text_families));
  family_reader text(*known, inner.nothing() ? whole : *inner.member(), !inner.nothing(),
                     inner.nothing() ? std::nullopt : std::optional(whole));
  transformer::architecture made = read_text_figures(text);
  const figure_value vision = pair.value("tower_object");
  if (vision.nothing()) return made;
  const auto know_text = [&](family_reader& at) {
    at.know_all("text.", [&](const auto& each) { each_figure(std::as_const(made), each); });
  };
  family_reader tower(*find_name(tower_families, shown_figure(pair.value("tower_family"))), *vision.member(), true);
  know_text(tower);
  transformer::vision_tower v = read_tower_figures(tower);
  know_text(pair);
  pair.know_all("tower.", [&](const auto& each) { each_vision_figure(std::as_const(v), each); });
  pair.check();
  pair.read([&](const auto& set) { each_vision_figure(v, set); }, "vision.");
  made.vision = std::move(v);
  return made;
}

/// Reads a file of plain names.
/// @param only  reject others
inline transformer::architecture read_plain(const json_value& whole, bool only) {
  family_reader at(plain_family, whole, false);
  transformer::architecture made = read_text_figures(at);
  if (only) {  // its other members would be lost
    at.refuse_unasked({"name", "source", "version", "note", "description", "comment", "license", "published_total"},
                      "is no plain name, or belongs to a part that is not there; --as, in C++ as_family, gives the "
                      "family a file without \"model_type\" is, and as plain ignores such members");
  }
  return made;
}

/// Reads an object as a family, regardless of its own.
inline transformer::architecture read_as_family(const json_value& whole, std::string_view name) {
  if (const auto* const pair = find_name(pair_families, name)) return read_pair(whole, *pair);
  const family& of = *find_name(text_families, name);
  const auto* const around = find_name(pair_families, text_if_any(whole, "model_type"));
  const auto inner = text_within(whole);
  const bool own =
      around != nullptr && inner && shown_figure(family_reader(*around, whole, false).value("text_family")) == name;
  const json_value at = own ? *inner : text_object(whole);
  const bool within = &*at != &*whole;
  // The object of an unknown class has no defaults.
  family_reader text(of, at, own, within ? std::optional(whole) : std::nullopt);
  return read_text_figures(text);
}

/// Whether a name is one of experts, with a number above 1.
inline bool is_of_experts(std::string_view name, const json_value& member) {
  const bool named = name.find("expert") != name.npos || name.find("moe") != name.npos;
  return named && (*member).is_number() && (*member).get<double>() > 1;
}

/// Whether a name is one of layers other than attention and feed-forward parts: state spaces, linear attention, patterns
/// of several kinds of layers.
inline bool is_of_other_layers(std::string_view name) {
  return name == "hybrid_override_pattern" || name == "attn_layer_period" || name == "mlp_type" ||
         name == "linear_attn_config" || name.starts_with("linear_num_") || name.starts_with("mamba_") ||
         name.starts_with("ssm_");
}

/// Rejects a model whose file describes parts that the family does not read: the result would be far too small.
inline void refuse_unread(const json_value& of, const transformer::architecture& made,
                          const std::vector<std::string_view>& names, std::string_view family) {
  of.each_member([&](std::string_view name, const json_value& member) {
    if (names_member(names, name)) return;
    if (made.experts == 0 && is_of_experts(name, member)) member.fail("read as ", family, " a model has no experts");
    if (!made.latent && name == "kv_lora_rank" && (*member).is_number() && *member != json(0)) {
      member.fail("read as ", family, " a model has no narrow keys and values");
    }
    const bool there = !(*member).is_null() && *member != json(false) && *member != json(0) && *member != json("") &&
                       *member != json("default");
    if (!made.recurrence && there && is_of_other_layers(name)) {
      member.fail("read as ", family, " all layers have attention and the same feed-forward part");
    }
    if ((*member).is_object()) refuse_unread(member, made, names, family);
  });
}

/// Rejects a file that is read as another family than its own if it has members that are figures of a third one.
inline void refuse_contradictions(const json_value& whole, std::string_view as_family) {
  const family* const own = find_name(text_families, as_family);
  if (own == nullptr || text_if_any(whole, "model_type") == as_family) return;
  std::vector<std::vector<std::string_view>> names;
  for (const family& each : text_families) names.push_back(names_in(rows_of(each)));
  const std::vector<std::string_view>& known = names[static_cast<std::size_t>(own - text_families)];
  text_object(whole).each_member([&](std::string_view name, const json_value& member) {
    const bool one = (*member).is_number() && (*member).get<double>() == 1;  // of something: as good as none
    if (one || is_remark(name, member) || names_member(known, name)) return;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names_member(names[i], name)) continue;
      member.fail("is a figure of ", text_families[i].name, ", and ", as_family, " has none of that name");
    }
  });
}

STAGECUT_DECL bool is_hugging_face(const json_value& from) {
  for (const char* const name :
       {"model_type", "architectures", "hidden_size", "num_hidden_layers", "n_embd", "n_layer", "text_config"}) {
    if ((*from.object()).contains(name)) return true;
  }
  return false;
}

/// The family of an object that names none: `plain`, unless it is one of Hugging Face's.
inline std::string family_of(const json_value& whole) {
  const auto type = whole.find("model_type");
  if (type && is_hugging_face_family(type->text()) && type->text() != "plain") return type->text();
  if (type || whole.find("architectures") || text_within(whole)) refuse_family(whole, type);
  return "plain";
}

STAGECUT_DECL transformer::architecture read_hugging_face(const json_value& from, std::string_view source,
                                                          std::string_view as_family) {
  if (!as_family.empty() && !is_hugging_face_family(as_family)) {
    fail(argument_error("io::read_hugging_face_config", "as_family", as_family,
                        joined({"must be one of ", hugging_face_families()})));
  }
  const std::string family = as_family.empty() ? family_of(from) : std::string(as_family);
  transformer::architecture made =
      family == "plain" ? read_plain(from, as_family.empty()) : read_as_family(from, family);
  if (const detail::family* const text = find_name(text_families, family)) {
    refuse_unread(text_object(from), made, names_in(rows_of(*text)), family);
  } else {
    refuse_unread(text_object(from), made, {}, family);
  }
  if (!as_family.empty()) refuse_contradictions(from, as_family);
  made.name = text_if_any(from, family == "plain" ? "name" : "_name_or_path");
  if (made.name.empty()) made.name = name_in(source);
  if (made.name.empty()) made.name = family;
  if (family == "plain") made.source = text_if_any(from, "source");
  if (made.source.empty()) {
    const bool alone = find_name(pair_families, family) != nullptr && !made.vision;
    made.source = joined({"config.json, read as ", family, alone ? ", without \"vision_config\": text alone" : ""});
  }
  if (made.vision && transformer::tokens_of_images(*made.vision) > made.sequence)
    made.sequence = transformer::tokens_of_images(*made.vision);
  if (const auto fault = transformer::detail::find_fault(made, {})) {
    const bool named = fault->problem.starts_with(fault->field);  // `heads = 3 does not divide ...`
    fail(invalid_input(source, named ? fault->problem : joined({fault->field, ": ", fault->problem})));
  }
  return made;
}

}  // namespace detail

STAGECUT_DECL transformer::architecture read_hugging_face_config(std::string_view text, std::string_view source,
                                                                 std::string_view as_family,
                                                                 const read_limits& limits) {
  const auto parsed = detail::parse_python_json(text, source, limits);
  return detail::read_hugging_face(detail::json_value(parsed, source, limits), source, as_family);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
