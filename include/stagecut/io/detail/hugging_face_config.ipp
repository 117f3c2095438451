// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/hugging_face_config.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/hf_families.hpp>
#include <stagecut/io/detail/hf_figures.hpp>
#include <stagecut/io/detail/hf_vision.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Default tokens of a sample in a plain file.
inline constexpr std::size_t plain_sequence = 4096;

/// Keys and values as one narrow vector, if `kv_lora_rank` is present.
inline void read_plain_latent(hf_figures& at, transformer::architecture& a) {
  if (!at.find({"kv_lora_rank"})) return;
  transformer::latent_attention& l = a.latent.emplace();
  l.query_rank = at.count({"q_lora_rank"}, 0);
  l.kv_rank = at.needed({"kv_lora_rank"});
  l.plain_dim = at.needed({"qk_nope_head_dim"});
  l.rotary_dim = at.count({"qk_rope_head_dim"}, 0);
  l.value_dim = at.needed({"v_head_dim"});
  a.kv_heads = a.head_dim = 0;
}

/// Experts, if `num_experts` is present and above 0.
inline void read_plain_experts(hf_figures& at, transformer::architecture& a) {
  a.experts = at.count({"num_experts"}, 0);
  if (a.experts == 0) return;
  a.top_k = at.needed({"num_experts_per_tok"});
  a.expert_ffn = at.count({"moe_intermediate_size"}, 0, 1);
  a.shared_ffn = at.count({"shared_intermediate_size"}, 0);
  a.shared_gate = at.flag("shared_gate", false);
  a.router_bias = at.flag("router_bias", false);
  a.router_groups = at.count({"n_group"}, 0);
  a.top_groups = at.count({"topk_group"}, 0);
  if (a.router_groups < 2) a.router_groups = a.top_groups = 0;  // all experts are one group
  const std::size_t dense = at.count({"first_k_dense"}, 0);
  if (dense != 0) set_dense(a, [&](std::size_t i) { return i < dense; });
}

/// A file that is self-contained: its names do not refer to a class, and the only defaults are those of most models: RMS
/// norms and a gate, no biases, rotary positions.
inline transformer::architecture read_plain_model(hf_figures& at) {
  constexpr named<transformer::normalization> norms[] = {{"rmsnorm", transformer::normalization::rmsnorm},
                                                        {"layernorm", transformer::normalization::layernorm}};
  transformer::architecture a;
  a.layers = at.needed({"num_hidden_layers"}, 0, most_layers);
  a.hidden = at.needed({"hidden_size"});
  a.heads = at.needed({"num_attention_heads"});
  a.ffn = at.needed({"intermediate_size"});
  a.vocabulary = at.needed({"vocab_size"});
  a.kv_heads = at.count({"num_key_value_heads"}, 0, 1);
  a.head_dim = at.count({"head_dim"}, 0, 1);
  a.gated = at.flag("gated", true);
  const auto norm = at.find({"norm"});
  a.norm = norm ? norm->one_of(norms) : transformer::normalization::rmsnorm;
  a.norms = at.count({"norms_per_layer"}, 2, 1, 4);
  a.parallel = a.norms == 1;
  a.biases = false;
  a.qkv_bias = at.flag("qkv_bias", false);
  a.output_bias = at.flag("o_bias", false);
  a.ffn_bias = at.flag("mlp_bias", false);
  a.dropout = at.flag("dropout", false);
  a.sinks = at.flag("attention_sinks", false);
  if (at.flag("qk_norm", false)) a.query_norm = transformer::qk_norm::head;
  if (at.flag("tie_word_embeddings", false)) a.tied = transformer::tying::replicate;
  a.positions = at.count({"learned_positions"}, 0);
  a.mtp_layers = at.count({"num_nextn_predict_layers"}, 0, 0, 1000);
  a.sequence = at.count({"max_position_embeddings", "learned_positions"}, plain_sequence, 1, std::size_t{1} << 53U);
  read_plain_latent(at, a);
  const std::size_t window = at.count({"sliding_window"}, 0);
  const std::size_t period = at.count({"sliding_window_pattern"}, 0);
  if (!set_listed_windows(at, a, window, "sliding_window")) set_windows(a, window, period);
  read_plain_experts(at, a);
  at.refuse_missing("a file of plain names");
  settle(a);
  return a;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string hugging_face_families() {
  return stagecut::detail::joined(
      {list_names(detail::hf_families), ", ", list_names(detail::hf_vision_families), ", plain"});
}

STAGECUT_DECL bool is_hugging_face_family(std::string_view name) noexcept {
  return find_name(detail::hf_families, name) != nullptr || find_name(detail::hf_vision_families, name) != nullptr ||
         name == "plain";
}

namespace detail {

/// The text's object within a model of images and text.
inline std::optional<hf_figures> text_within(const hf_figures& whole) {
  for (const char* const name : {"text_config", "llm_config", "language_config"}) {
    if (auto found = whole.within(name)) return found;
  }
  return std::nullopt;
}

/// Suggests families for a file that names none, or an unknown one.
[[noreturn]] inline void refuse_family(const hf_figures& whole, const std::optional<json_value>& type) {
  const auto text = whole.find({"hidden_size", "n_embd"}) ? std::nullopt : text_within(whole);
  const hf_figures& at = text ? *text : whole;
  std::string has;
  std::string lacks;
  for (const figure_names names : {figure_names{"num_hidden_layers", "n_layer"}, figure_names{"hidden_size", "n_embd"},
                                   figure_names{"num_attention_heads", "n_head"},
                                   figure_names{"intermediate_size", "n_inner"}, figure_names{"vocab_size"}}) {
    const char* shown = *names.begin();
    for (const char* const name : names) {
      if (at.find({name})) shown = name;
    }
    std::string& list = at.find(names) ? has : lacks;
    list.append(list.empty() ? "" : ", ").append(shown);
  }
  const std::string what =
      joined({has.empty() ? "nothing" : has, lacks.empty() ? "" : joined({", but lacks ", lacks})});
  const std::string advice = joined({"; of what all families need the file has ", what,
                                     "; --as FAMILY, in C++ as_family, reads it as one of ", hugging_face_families()});
  if (type) type->fail(in_quotes(type->text()), " is no family that is known", advice);
  whole.object().fail("\"model_type\" is missing", advice);
}

/// Reads text and images.
inline transformer::architecture read_vision_model(hf_figures& whole, const hf_vision_family& family) {
  std::optional<hf_figures> inner = text_within(whole);
  hf_figures& text = inner ? *inner : whole;
  const auto type = inner ? inner->find({"model_type"}) : std::nullopt;
  const std::string name = type ? type->text() : family.text;
  const hf_family* const known = find_name(hf_families, name);
  if (known == nullptr) type->fail(in_quotes(name), " is none of ", list_names(hf_families));
  transformer::architecture made = read_text_model(text, *known, inner ? &whole : nullptr);
  std::optional<hf_figures> vision = whole.within("vision_config");
  if (!vision) whole.object().fail("\"vision_config\" is missing, which ", family.name, " needs");
  family.rules(whole, *vision, made);
  return made;
}

/// Reads an object as a family, regardless of its own.
inline transformer::architecture read_as_family(hf_figures& whole, std::string_view name) {
  if (name == "plain") return read_plain_model(whole);
  if (const auto* const family = find_name(hf_vision_families, name)) return read_vision_model(whole, *family);
  const hf_family& family = *find_name(hf_families, name);
  const auto* const around = find_name(hf_vision_families, whole.text("model_type", ""));
  if (around != nullptr && around->text == name) {
    if (auto inner = text_within(whole)) return read_text_model(*inner, family, &whole);
  }
  if (!whole.find({"hidden_size", "n_embd"})) {
    if (const auto inner = text_within(whole)) {
      hf_figures text(inner->object());  // of an unknown class: it has no defaults
      return read_text_model(text, family, &whole);
    }
  }
  return read_text_model(whole, family, nullptr);
}

/// Rejects numbers above 1 in members named after experts, in the object or nested ones.
inline void refuse_experts(const json_value& of, std::string_view family) {
  of.each_member([&](std::string_view name, const json_value& member) {
    if ((*member).is_object()) return refuse_experts(member, family);
    const bool named = name.find("expert") != name.npos || name.find("moe") != name.npos;
    if (named && (*member).is_number() && (*member).get<double>() > 1) {
      member.fail("read as ", family, " a model has no experts");
    }
  });
}

/// Rejects members of layers other than attention and feed-forward parts: state spaces, linear attention, patterns of
/// several kinds of layers. No family reads them.
inline void refuse_other_layers(const json_value& of, std::string_view family) {
  of.each_member([&](std::string_view name, const json_value& member) {
    const bool there = !(*member).is_null() && *member != json(false) && *member != json(0) && *member != json("");
    const bool named = name == "hybrid_override_pattern" || name == "attn_layer_period" || name == "mlp_type" ||
                       name == "linear_attn_config" || name.starts_with("linear_num_") || name.starts_with("mamba_") ||
                       name.starts_with("ssm_");
    if (named && there) member.fail("read as ", family, " all layers have attention and the same feed-forward part");
  });
}

/// Rejects a model whose file describes parts that the family lacks: the result would be far too small.
inline void refuse_unread(const hf_figures& whole, const transformer::architecture& made, std::string_view family) {
  const auto text = whole.find({"hidden_size", "n_embd"}) ? std::nullopt : text_within(whole);
  const hf_figures& at = text ? *text : whole;
  if (!made.latent) {
    if (const auto found = at.find({"kv_lora_rank"}); found && found->count() > 0) {
      found->fail("read as ", family, " a model has no narrow keys and values");
    }
  }
  if (made.experts == 0) refuse_experts(at.object(), family);
  refuse_other_layers(at.object(), family);
}

STAGECUT_DECL bool is_hugging_face(const json_value& from) {
  for (const char* const name :
       {"model_type", "architectures", "hidden_size", "num_hidden_layers", "n_embd", "n_layer", "text_config"}) {
    if ((*from.object()).contains(name)) return true;
  }
  return false;
}

/// The family of an object that names none: `plain`, unless it is one of Hugging Face's.
inline std::string family_of(const hf_figures& whole) {
  const auto type = whole.find({"model_type"});
  if (type && is_hugging_face_family(type->text()) && type->text() != "plain") return type->text();
  if (type || whole.find({"architectures"}) || text_within(whole)) refuse_family(whole, type);
  return "plain";
}

STAGECUT_DECL transformer::architecture read_hugging_face(const json_value& from, std::string_view source,
                                                          std::string_view as_family) {
  if (!as_family.empty() && !is_hugging_face_family(as_family)) {
    fail(argument_error("io::read_hugging_face_config", "as_family", as_family,
                        joined({"must be one of ", hugging_face_families()})));
  }
  hf_figures whole(from);
  const std::string family = as_family.empty() ? family_of(whole) : std::string(as_family);
  transformer::architecture made = read_as_family(whole, family);
  if (as_family.empty() && family == "plain") {  // its other members would be lost
    whole.refuse_unasked({"name", "source", "version", "note", "description", "comment", "license", "published_total"},
                         "is no plain name, or belongs to a part that is not there; --as, in C++ as_family, gives the "
                         "family a file without \"model_type\" is, and as plain ignores such members");
  }
  refuse_unread(whole, made, family);
  const auto text_if_any = [&](const char* member) {
    const auto found = whole.find({member});
    return found && (**found).is_string() ? found->text() : std::string();
  };
  made.name = text_if_any(family == "plain" ? "name" : "_name_or_path");
  if (made.name.empty()) made.name = family;
  if (family == "plain") made.source = text_if_any("source");
  if (made.source.empty()) made.source = joined({"config.json, read as ", family});
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
  const auto parsed = detail::parse_json(text, source, limits);
  return detail::read_hugging_face(detail::json_value(parsed, source, limits), source, as_family);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
