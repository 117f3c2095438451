// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// The work of one device for a layer of a transformer in inference, term by term. transformer.hpp lists the sources.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// `base` to the power of a non-negative number: exact for integers, linear in between.
inline double power(double base, double exponent);

/// Adds the terms of a layer to a forward pass.
class served_terms {
 public:
  served_terms(const roofline& clock, const training& how, const microbatch& batch, std::vector<term>& into)
      : clock_(clock), how_(how), z_(batch), to_(into) {}

  /// Adds a layer without messages.
  void add(const block& b);

  /// `count` products of rows x inner and inner x outer.
  void product(const char* name, double rows, double inner, double outer, double count = 1, bool narrow = true);

  /// An operation on `count` numbers that moves `bytes` for each.
  void moves(const char* name, double count, double bytes);

 private:
  void add_attention(const block& b);
  void add_narrow_products(const block& b);
  void add_core(const block& b);

  // A prompt's scan in chunks; one token of each sample reads and writes the state, whose numbers have 4 bytes.
  void add_recurrence(const block& b);

  // Scores of an indexer with all keys, one byte a number.
  void add_indexer(const block& b);

  // One token of each sample, reading the keys and values of all previous tokens. Latent ones are not expanded: queries
  // are multiplied by the expansion matrices (DeepSeek-V2, section 2.1.2).
  void add_cached_core(const block& b);

  // The number of keys that a token sees, averaged over the tokens of a sample.
  [[nodiscard]] double keys_seen(const block& b) const;

  void activation(const char* name, double count, double gates) { moves(name, count, (gates + 1) * z_.bytes); }

  // Few tokens do not visit every expert: the expected number under independent choices.
  [[nodiscard]] static double experts_met(const block& b, double tokens) {
    return b.experts * (1 - detail::power(1 - b.visits / b.all_experts, tokens));
  }

  // A token is copied to each of its experts, whose outputs are weighted and summed. Assumes that the load is balanced.
  void add_experts(const block& b);

  const roofline& clock_;
  const training& how_;
  const microbatch& z_;
  std::vector<term>& to_;
  double stored_ = 0;  // bytes of a weight of the products that follow; 0: as the precision has it
};

inline double power(double base, double exponent) {
  double made = 1;
  const auto whole = static_cast<std::uint64_t>(exponent);
  auto left = whole;
  for (double square = base; left != 0; left /= 2, square *= square) made *= left % 2 == 1 ? square : 1;
  return made * (1 - (exponent - static_cast<double>(whole)) * (1 - base));
}

inline void served_terms::add(const block& b) {
  const stored_weights& w = z_.weights;
  stored_ = w.attention ? w.bytes : 0;
  if (b.attends) add_attention(b);
  if (b.recurrent != nullptr) add_recurrence(b);
  stored_ = w.feed_forward ? w.bytes : 0;
  if (b.feeds && b.all_experts == 0) {
    product(b.gates > 1 ? "gate, up" : "up", z_.tokens, b.hidden, b.gates * b.ffn);
    activation("activation", z_.tokens * b.ffn, b.gates);
    product("down", z_.tokens, b.ffn, b.hidden);
  } else if (b.feeds) {
    add_experts(b);
  }
  stored_ = 0;
  const double narrow = z_.rows * b.hidden;
  moves("norms", narrow * b.norms, 2 * z_.bytes);
  if (b.streams != 1) {
    product("mixing of streams", z_.rows, b.streams * b.hidden, (2 + b.streams) * b.streams, b.parts(), false);
    moves("streams", narrow * b.streams * b.parts(), 4 * z_.bytes);
  }
  moves("sums", narrow, (b.parallel && b.has_both() ? 4 : 3 * b.parts()) * z_.bytes);
}

inline void served_terms::product(const char* name, double rows, double inner, double outer, double count,
                                  bool narrow) {
  if (rows * inner * outer == 0) return;
  to_.push_back(clock_.served_product(name, rows, inner, outer, count, narrow, narrow ? stored_ : 0));
}

inline void served_terms::moves(const char* name, double count, double bytes) {
  if (count != 0) to_.push_back(clock_.movement(name, count * bytes, 0));
}

inline void served_terms::add_attention(const block& b) {
  const double n = z_.bytes;
  if (b.latent != nullptr) {
    add_narrow_products(b);
  } else {
    const double first = b.query_rank == 0 ? b.query : b.query_rank;
    product("queries, keys, values", z_.tokens, b.hidden, first + b.key + (b.keys_are_values ? 0 : b.value));
    product("queries", z_.tokens, b.query_rank, b.query);
    if (b.compression != 0) {
      product("compressed keys", z_.tokens, b.hidden, (b.indexer != nullptr ? 4 : 2) * b.key);
    }
  }
  if (b.rotary) moves("rotation", z_.tokens * (b.query + b.key), 2 * n);
  if (b.query_norm != qk_norm::none) moves("norms of q, k", z_.tokens * (b.query + b.key), 2 * n);
  if (b.indexer != nullptr) add_indexer(b);
  add_core(b);
  if (b.gate != 0) {
    product("gate of attention", z_.tokens, b.hidden, b.gate);
    moves("gated attention", z_.tokens * b.combined, 3 * n);
  }
  if (b.output_rank == 0) return product("back from heads", z_.tokens, b.combined, b.hidden);
  product("back from groups of heads", z_.tokens, b.combined, b.output_rank);
  product("back from heads", z_.tokens, b.output_groups * b.output_rank, b.hidden);
}

inline void served_terms::add_narrow_products(const block& b) {
  const auto queries = static_cast<double>(b.latent->query_rank);
  const auto narrow = static_cast<double>(b.latent->kv_rank);
  const auto rotary = static_cast<double>(b.latent->rotary_dim);
  const double plain = b.heads * (b.query_dim - rotary);
  product("to narrow vectors", z_.rows, b.hidden, queries + narrow + rotary);
  moves("norms of narrow vectors", z_.rows * (queries + narrow), 2 * z_.bytes);
  product("queries", z_.tokens, queries == 0 ? b.hidden : queries, b.query);
  product("keys, values", z_.tokens, narrow, plain + b.value);
}

inline void served_terms::add_recurrence(const block& b) {
  const double n = z_.bytes;
  const recurrent_widths w = widths_of(b);
  product("into the state space", z_.tokens, b.hidden, w.in);
  if (w.narrow != 0) product("from narrow vectors", z_.tokens, w.narrow / w.inner, w.inner);
  moves("convolution", z_.tokens * w.convolved, 2 * n);
  if (z_.cached != 0) {
    moves("state", z_.samples * w.state, 8);
  } else if (w.state != 0) {
    to_.push_back(clock_.attention("scan", z_.tokens * scan_flops(b, w), 0.25, 0));
  }
  moves("gate, norm", z_.tokens * w.inner, 6 * n);
  product("back from the state space", z_.tokens, w.inner, b.hidden);
}

inline void served_terms::add_indexer(const block& b) {
  const auto heads = static_cast<double>(b.indexer->heads);
  const auto dim = static_cast<double>(b.indexer->head_dim);
  product("indexer: queries", z_.rows, narrow_queries(b), heads * dim);
  product("indexer: keys, weights", z_.rows, b.hidden, (b.compression == 0 ? 1 : 4) * dim + heads);
  const double seen = (z_.cached != 0 ? z_.cached : z_.sequence / 2) / (b.compression == 0 ? 1 : b.compression);
  const double flops = 2 * z_.tokens * seen * heads * dim;
  to_.push_back(clock_.attention("indexer: scores", flops, 1, z_.cached != 0 ? z_.tokens * seen * dim : 0));
}

inline void served_terms::add_core(const block& b) {
  if (z_.cached != 0) return add_cached_core(b);
  const double flops = 2 * z_.tokens * keys_seen(b) * b.heads * (b.query_dim + b.value_dim);
  to_.push_back(clock_.attention("core of attention", flops, roofline::attention_forward, 0));
}

inline void served_terms::add_cached_core(const block& b) {
  const double seen = keys_of(b, z_.cached);
  const double wide = b.latent == nullptr ? b.heads * (b.query_dim + b.value_dim)
                                          : b.heads * (cached_numbers(b) + static_cast<double>(b.latent->kv_rank));
  to_.push_back(clock_.attention("core of attention", 2 * z_.tokens * seen * wide, 1,
                                 z_.tokens * seen * cached_numbers(b) * z_.cached_bytes));
}

inline double served_terms::keys_seen(const block& b) const {
  const double window = keys_of(b, z_.sequence);
  return b.causal ? window * (1 - window / (2 * z_.sequence)) : window;
}

inline void served_terms::add_experts(const block& b) {
  const double n = z_.bytes;
  const double narrow = z_.rows * b.hidden;
  const bool whole = how_.expert_parallel > 1;  // a device's tokens then visit whole experts; else all visit parts
  const double visits = (whole ? z_.tokens / z_.tensor.members : z_.tokens) * b.visits;
  const double met = experts_met(b, whole ? z_.tokens / z_.tensor.members * z_.experts.members : z_.tokens);
  const double each = visits / met;
  product("router", z_.rows, b.hidden, b.all_experts, 1, false);
  if (b.latent_experts) {
    product("to the width of experts", z_.rows, b.hidden, b.expert_hidden);
    product("from the width of experts", z_.rows, b.expert_hidden, b.hidden);
  }
  const double shared = stored_;
  stored_ = z_.weights.experts ? z_.weights.bytes : 0;
  moves("to experts", visits * b.expert_hidden, 2 * n);
  product(b.gates > 1 ? "experts: gate, up" : "experts: up", each, b.expert_hidden, b.gates * b.ffn, met);
  activation("experts: activation", visits * b.ffn, b.gates);
  product("experts: down", each, b.ffn, b.expert_hidden, met);
  moves("from experts", visits * b.expert_hidden, n);
  moves("from experts", narrow, n);
  stored_ = shared;
  if (b.shared_ffn == 0) return;
  product("shared expert: in", z_.tokens, b.hidden, b.gates * b.shared_ffn);
  activation("shared expert: activation", z_.tokens * b.shared_ffn, b.gates);
  product("shared expert: down", z_.tokens, b.shared_ffn, b.hidden);
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail
