// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/json/architecture_names.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/transformer_training.hpp>

// The library's own format of architectures and trainings. Each list below names the members once, for readers and
// writers: `at(KEY, FIELD)`, with the smallest valid count, or with the words of a choice.
namespace stagecut::inline STAGECUT_ABI::io::detail {

template <class Architecture, class Visit>
void each_figure(Architecture& a, const Visit& at) {
  at("name", a.name);
  at("source", a.source);
  at("layers", a.layers);
  at("hidden", a.hidden);
  at("heads", a.heads);
  at("kv_heads", a.kv_heads, 1);
  at("head_dim", a.head_dim, 1);
  at("ffn", a.ffn);
  at("gated", a.gated);
  at("experts", a.experts);
  at("top_k", a.top_k);
  at("expert_ffn", a.expert_ffn, 1);
  at("shared_ffn", a.shared_ffn);
  at("shared_gate", a.shared_gate);
  at("router_bias", a.router_bias);
  at("vocabulary", a.vocabulary);
  at("positions", a.positions);
  at("token_types", a.token_types);
  at("tied", a.tied, tying_names);
  at("norm", a.norm, norm_names);
  at("norms", a.norms);
  at("parallel", a.parallel);
  at("query_norm", a.query_norm, qk_norm_names);
  at("sinks", a.sinks);
  at("biases", a.biases);
  at("qkv_bias", a.qkv_bias);
  at("output_bias", a.output_bias);
  at("ffn_bias", a.ffn_bias);
  at("head_bias", a.head_bias);
  at("dropout", a.dropout);
  at("encoder", a.encoder);
  at("causal", a.causal);
  at("mtp_layers", a.mtp_layers);
  at("expert_hidden", a.expert_hidden, 1);
  at("squared_relu", a.squared_relu);
  at("router_groups", a.router_groups, 1);
  at("top_groups", a.top_groups, 1);
  at("value_dim", a.value_dim, 1);
  at("attention_gate", a.attention_gate, attention_gate_names);
  at("idle_experts", a.idle_experts);
  at("embedding_norm", a.embedding_norm);
  at("head_dense", a.head_dense);
  at("pooler", a.pooler);
  at("query_rank", a.query_rank, 1);
  at("output_rank", a.output_rank, 1);
  at("output_groups", a.output_groups, 1);
  at("streams", a.streams, 1);
  at("sequence", a.sequence);
}

/// Of a layer's form.
template <class Form, class Visit>
void each_form_figure(Form& f, const Visit& at) {
  at("window", f.window);
  at("dense", f.dense);
  at("mixer", f.mixer, mixer_names);
  at("mixer_only", f.mixer_only);
  at("heads", f.heads);
  at("kv_heads", f.kv_heads);
  at("head_dim", f.head_dim);
  at("ffn", f.ffn);
  at("keys_are_values", f.keys_are_values);
  at("shares_indexer", f.shares_indexer);
  at("compression", f.compression);
}

template <class Mixer, class Visit>
void each_recurrence_figure(Mixer& m, const Visit& at) {
  at("heads", m.heads);
  at("head_dim", m.head_dim);
  at("state", m.state);
  at("groups", m.groups);
  at("convolution", m.convolution);
  at("kind", m.kind, recurrent_names);
  at("rank", m.rank);
  at("bias", m.bias);
  at("convolution_bias", m.convolution_bias);
  at("norm", m.norm);
}

template <class Indexer, class Visit>
void each_indexer_figure(Indexer& x, const Visit& at) {
  at("heads", x.heads);
  at("head_dim", x.head_dim);
  at("top_k", x.top_k);
}

template <class Latent, class Visit>
void each_latent_figure(Latent& l, const Visit& at) {
  at("query_rank", l.query_rank);
  at("kv_rank", l.kv_rank);
  at("plain_dim", l.plain_dim);
  at("rotary_dim", l.rotary_dim);
  at("value_dim", l.value_dim);
}

template <class Weights, class Visit>
void each_weights_figure(Weights& w, const Visit& at) {
  at("bytes", w.bytes);
  at("attention", w.attention);
  at("feed_forward", w.feed_forward);
  at("experts", w.experts);
  at("head", w.head);
}

template <class Tower, class Visit>
void each_vision_figure(Tower& v, const Visit& at) {
  at("layers", v.layers);
  at("hidden", v.hidden);
  at("heads", v.heads);
  at("ffn", v.ffn);
  at("gated", v.gated);
  at("biases", v.biases);
  at("norm", v.norm, norm_names);
  at("inputs", v.inputs);
  at("input_bias", v.input_bias);
  at("positions", v.positions);
  at("extra_norms", v.extra_norms);
  at("extra_tokens", v.extra_tokens);
  at("patches", v.patches);
  at("images", v.images);
  at("window", v.window);
  at("full_layers", v.full_layers, 0);
  at("merged", v.merged);
  at("projector_merges", v.projector_merges);
  at("projector", v.projector, 1);
  at("joined", v.joined, 1);
  at("projector_bias", v.projector_bias);
  at("projector_norm", v.projector_norm);
  at("projector_norm_kind", v.projector_norm_kind, norm_names);
  at("norms", v.norms);
  at("query_norm", v.query_norm, qk_norm_names);
  at("deepstack", v.deepstack);
}

template <class Training, class Visit>
void each_training_figure(Training& r, const Visit& at) {
  at("sequence", r.sequence, 1);
  at("microbatch", r.microbatch);
  at("precision", r.precision, transformer::precision_names);
  at("recomputation", r.recomputation, transformer::recomputation_names);
  at("recomputed_share", r.recomputed_share);
  at("tensor_parallel", r.tensor_parallel);
  at("sequence_parallel", r.sequence_parallel);
  at("context_parallel", r.context_parallel);
  at("expert_parallel", r.expert_parallel);
  at("data_parallel", r.data_parallel);
  at("zero", r.zero);
  at("overlap", r.overlap, transformer::overlap_names);
  at("exchange_hidden", r.exchange_hidden);
  at("gradient_bytes", r.gradient_bytes);
  at("state_bytes", r.state_bytes);
  at("parameter_bytes", r.parameter_bytes);
  at("flash", r.flash);
  at("variants", r.variants);
  at("recompute_modules", r.recompute_modules, transformer::module_names);
  at("dispatcher", r.dispatcher, transformer::dispatcher_names);
  at("expert_overlap", r.expert_overlap);
  at("cuda_graphs", r.cuda_graphs, transformer::graph_names);
  at("fused_experts", r.fused_experts);
  at("attention_fp8", r.attention_fp8);
  at("head_fp8", r.head_fp8);
  at("offload", r.offload);
  at("microbatches", r.microbatches, 1);
}

/// Required figures of a model, of narrow keys and values, of a recurrent mixer, of an indexer, of a tower.
inline constexpr std::initializer_list<const char*> required_figures = {"name", "layers",     "hidden",  "heads",
                                                                        "ffn",  "vocabulary", "sequence"};
inline constexpr std::initializer_list<const char*> required_latent = {"kv_rank", "plain_dim", "value_dim"};
inline constexpr std::initializer_list<const char*> required_recurrence = {"heads", "head_dim"};
inline constexpr std::initializer_list<const char*> required_indexer = {"heads", "head_dim", "top_k"};
inline constexpr std::initializer_list<const char*> required_vision = {"layers", "hidden", "heads",
                                                                       "ffn",    "inputs", "patches"};

/// Calls `visit(NAME, PART, FIGURES, REQUIRED)` for each optional part of an architecture.
template <class Architecture, class Visit>
void each_part_figures(Architecture& a, const Visit& visit) {
  visit(
      "latent", a.latent, [](auto&& of, const auto& at) { each_latent_figure(of, at); }, required_latent);
  visit(
      "recurrence", a.recurrence, [](auto&& of, const auto& at) { each_recurrence_figure(of, at); },
      required_recurrence);
  visit(
      "indexer", a.indexer, [](auto&& of, const auto& at) { each_indexer_figure(of, at); }, required_indexer);
  visit(
      "vision", a.vision, [](auto&& of, const auto& at) { each_vision_figure(of, at); }, required_vision);
}

/// Sets fields from the members of an object; a missing member leaves its field unchanged.
class figure_reader {
 public:
  explicit figure_reader(const json_value& from) : from_(&from) {}

  void operator()(std::string_view key, std::size_t& into, std::size_t least = 0) const {
    if (const auto found = from_->find(key)) into = found->count(least);
  }
  void operator()(std::string_view key, bool& into) const {
    if (const auto found = from_->find(key)) into = found->flag();
  }
  void operator()(std::string_view key, std::optional<bool>& into) const {
    if (const auto found = from_->find(key)) into = found->flag();
  }
  void operator()(std::string_view key, std::optional<double>& into) const {
    if (const auto found = from_->find(key)) into = found->amount();
  }
  void operator()(std::string_view key, double& into) const {
    if (const auto found = from_->find(key)) into = found->amount();
  }
  void operator()(std::string_view key, std::string& into) const {
    if (const auto found = from_->find(key)) into = found->text();
  }
  void operator()(std::string_view key, std::vector<std::size_t>& into, std::size_t least) const {
    const auto found = from_->find(key);
    if (!found) return;
    for (const json_value& element : found->elements()) into.push_back(element.count(least));
  }
  template <class Field, class Choice, std::size_t n>
  void operator()(std::string_view key, Field& into, const named<Choice> (&words)[n]) const {
    if (const auto found = from_->find(key)) into = found->one_of(words);
  }
  template <std::size_t n>
  void operator()(std::string_view key, transformer::module_set& into,
                  const named<bool transformer::module_set::*> (&words)[n]) const {
    const auto found = from_->find(key);
    if (!found) return;
    for (const json_value& element : found->elements()) into.*element.one_of(words) = true;
  }

 private:
  const json_value* from_;
};

/// Collects the keys of a list.
class key_reader {
 public:
  explicit key_reader(std::vector<std::string_view>& into) : into_(&into) {}
  template <class... Field>
  void operator()(std::string_view key, const Field&...) const {
    into_->push_back(key);
  }

 private:
  std::vector<std::string_view>* into_;
};

/// Sets members from fields.
class figure_writer {
 public:
  explicit figure_writer(json_object& into) : into_(&into) {}

  template <class Value>
  void operator()(std::string_view key, const Value& value, std::size_t /*least*/ = 0) const {
    into_->set(key, value);
  }
  template <class Value>
  void operator()(std::string_view key, const std::optional<Value>& value) const {
    into_->set(key, value ? json(*value) : json());
  }
  void operator()(std::string_view key, const std::string& value) const { into_->text(key, value); }
  template <class Choice, std::size_t n>
  void operator()(std::string_view key, const Choice& value, const named<Choice> (&words)[n]) const {
    into_->set(key, name_of(words, value));
  }
  template <std::size_t n>
  void operator()(std::string_view key, const transformer::module_set& value,
                  const named<bool transformer::module_set::*> (&words)[n]) const {
    json names = json::array();
    for (const auto& [name, field] : words) {
      if (value.*field) names.push_back(name);
    }
    into_->set(key, std::move(names));
  }
  template <class Choice, std::size_t n>
  void operator()(std::string_view key, const std::optional<Choice>& value, const named<Choice> (&words)[n]) const {
    into_->set(key, value ? json(name_of(words, *value)) : json());
  }

 private:
  json_object* into_;
};

/// Rejects members that are neither in the list nor in `others`.
template <class Figures>
void only_figures(const json_value& from, const Figures& figures, std::vector<std::string_view> others = {}) {
  figures(key_reader(others));
  from.only(others);
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
