// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/transformer_architecture.hpp>

// Architectures as JSON files, such as those in models/.
namespace stagecut::inline v0::io {

/// The words for where tied embeddings lie, in files and on the command line.
inline constexpr word<transformer::tying> tying_words[] = {{"none", transformer::tying::none},
                                                           {"replicate", transformer::tying::replicate},
                                                           {"colocate", transformer::tying::colocate}};
/// Likewise, for what normalises.
inline constexpr word<transformer::normalization> norm_words[] = {{"layernorm", transformer::normalization::layernorm},
                                                                  {"rmsnorm", transformer::normalization::rmsnorm}};
/// Likewise, for numbers.
inline constexpr word<transformer::number> precision_words[] = {{"bf16", transformer::number::bf16},
                                                                {"fp16", transformer::number::fp16},
                                                                {"fp32", transformer::number::fp32}};
/// Likewise, for what is computed again.
inline constexpr word<transformer::recomputing> recomputation_words[] = {
    {"none", transformer::recomputing::none},
    {"selective", transformer::recomputing::selective},
    {"full", transformer::recomputing::full}};

/// What a file says: a model, and how it is trained where that is left open.
struct transformer_config {
  transformer::architecture architecture;  ///< the model
  transformer::training training;          ///< what is not said stays at its default
};

namespace detail {

/// Sets fields from the members of an object; a field whose member is missing stays as it is.
class fields {
 public:
  explicit fields(json_value from) : from_(std::move(from)) {}

  void read(std::string_view key, std::size_t& into, std::size_t least = 0) const {
    if (const auto found = from_.find(key)) into = found->count(least);
  }
  void read(std::string_view key, bool& into) const {
    if (const auto found = from_.find(key)) into = found->flag();
  }
  void read(std::string_view key, std::optional<bool>& into) const {
    if (const auto found = from_.find(key)) into = found->flag();
  }
  void read(std::string_view key, std::optional<double>& into) const {
    if (const auto found = from_.find(key)) into = found->amount();
  }
  void read(std::string_view key, std::string& into) const {
    if (const auto found = from_.find(key)) into = found->text();
  }
  template <class Choice, std::size_t n>
  void read(std::string_view key, Choice& into, const word<Choice> (&words)[n]) const {
    if (const auto found = from_.find(key)) into = found->one_of(words);
  }

 private:
  json_value from_;
};

inline transformer::architecture read_architecture(const json_value& from) {
  from.object().only({"name",     "source",     "layers",   "hidden",  "heads",     "kv_heads",
                      "head_dim", "ffn",        "gated",    "experts", "top_k",     "tied",
                      "norm",     "vocabulary", "biases",   "dropout", "positions", "token_types",
                      "qkv_bias", "encoder",    "sequence", "training"});
  for (const auto* key : {"name", "layers", "hidden", "heads", "ffn", "vocabulary", "sequence"}) (void)from.at(key);
  const fields at(from);
  transformer::architecture a;
  at.read("name", a.name);
  if (a.name.empty()) from.at("name").fail("is empty");
  at.read("source", a.source);
  at.read("layers", a.layers);
  at.read("hidden", a.hidden);
  at.read("heads", a.heads);
  at.read("kv_heads", a.kv_heads, 1);
  at.read("head_dim", a.head_dim, 1);
  at.read("ffn", a.ffn);
  at.read("gated", a.gated);
  at.read("experts", a.experts);
  at.read("top_k", a.top_k);
  at.read("vocabulary", a.vocabulary);
  at.read("positions", a.positions);
  at.read("token_types", a.token_types);
  at.read("tied", a.tied, tying_words);
  at.read("norm", a.norm, norm_words);
  at.read("biases", a.biases);
  at.read("qkv_bias", a.qkv_bias);
  at.read("dropout", a.dropout);
  at.read("encoder", a.encoder);
  at.read("sequence", a.sequence);
  return a;
}

inline transformer::training read_training(const json_value& from) {
  from.object().only({"sequence", "microbatch", "precision", "recomputation", "tensor_parallel", "sequence_parallel",
                      "data_parallel", "zero", "gradient_bytes", "state_bytes", "flash", "variants"});
  const fields at(from);
  transformer::training r;
  at.read("sequence", r.sequence, 1);
  at.read("microbatch", r.microbatch);
  at.read("precision", r.precision, precision_words);
  at.read("recomputation", r.recomputation, recomputation_words);
  at.read("tensor_parallel", r.tensor_parallel);
  at.read("sequence_parallel", r.sequence_parallel);
  at.read("data_parallel", r.data_parallel);
  at.read("zero", r.zero);
  at.read("gradient_bytes", r.gradient_bytes);
  at.read("state_bytes", r.state_bytes);
  at.read("flash", r.flash);
  at.read("variants", r.variants);
  return r;
}

}  // namespace detail

/// Reads an architecture: a JSON object whose members are the fields of `architecture`, and optionally `training`, an
/// object whose members are those of `training`.
///
/// @param source  what errors call the text: the name of its file
/// @param limits  how much is read
/// @throws        invalid_input at `SOURCE:LINE` where it is no JSON, else at `SOURCE#POINTER`: a member that
///                is missing, not known, or not of its type; figures out of range, or that do not go together
[[nodiscard]] inline transformer_config read_transformer_config(std::string_view text, std::string_view source,
                                                                const read_limits& limits = {}) {
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  transformer_config made;
  made.architecture = detail::read_architecture(whole);
  if (const auto given = whole.find("training")) made.training = detail::read_training(*given);
  if (const auto fault = transformer::detail::find_fault(made.architecture, made.training)) {
    stagecut::detail::fail(invalid_input(
        stagecut::detail::joined({source, fault->training ? "#/training/" : "#/", fault->field}), fault->problem));
  }
  return made;
}

}  // namespace stagecut::inline v0::io
