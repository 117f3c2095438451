// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// What one device does for a layer of a transformer, term by term: products of matrices, the core of attention, what moves
// bytes alone. The sources are those that transformer.hpp lists; messages stand in block_messages.hpp.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// `base` to the power of a number that is not negative: exact for whole ones, on a straight line between two of these.
STAGECUT_DECL double power(double base, double exponent);

/// Adds the terms of a layer to its passes.
class block_terms {
 public:
  static constexpr const char* core = "core of attention";  ///< what selective recomputation runs again

  block_terms(const roofline& clock, const training& how, const microbatch& batch, pass_terms& into)
      : clock_(clock), how_(how), z_(batch), to_(into) {}

  /// A layer without recomputation, without messages.
  void add(const block& b);

  /// `count` products of rows x inner and inner x outer: the same again for either gradient (Narayanan, appendix).
  void product(const char* name, double rows, double inner, double outer, double count = 1, bool narrow = true);

  /// An operation on `count` numbers that moves so many bytes of each.
  void moves(const char* name, double count, double forward, double backward);

 private:
  void add_attention(const block& b);

  // DeepSeek-V2, section 2.1.2: to narrow vectors, a norm of each, and from them to heads.
  void add_narrow_products(const block& b);

  // Scores of queries with keys and the sum of values that they weigh. Without scores in memory the backward pass computes
  // them again: five products where the forward has two (Dao, section 4.1), and masked blocks are left out. With scores in
  // memory all are computed; scaling, mask, softmax and dropout move some bytes of each.
  void add_core(const block& b);

  // A token of each sample and the keys and values of all before it, which are read. Latent ones are not made wide: queries
  // are multiplied by what would widen them (DeepSeek-V2, section 2.1.2).
  void add_cached_core(const block& b);

  // The mean over the tokens of a sample of how many keys each looks at.
  [[nodiscard]] double keys_seen(const block& b) const;

  void add_feed_forward(const block& b);

  // x to y; or x and its gate to y: backward from two or three to one or two.
  void activation(const char* name, double count, double gates) {
    moves(name, count, (gates + 1) * z_.bytes, (2 * gates + 1) * z_.bytes);
  }

  // Of few tokens not every expert is visited: as many as independent choices meet. In training all are.
  [[nodiscard]] double experts_met(const block& b, double tokens) const;

  // A token is copied to each of its experts; what they make of it is weighed and summed, whose backward pass reads dy and
  // each y (for the gradient of its weight), writes each dy. The router's load is taken to be even.
  void add_experts(const block& b);

  const roofline& clock_;
  const training& how_;
  const microbatch& z_;
  pass_terms& to_;
};

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/block_terms.ipp>
#endif
