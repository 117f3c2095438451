// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// How the weights of a model are stored in inference, if not as numbers of its precision. Embedding, norms and router are
/// always such numbers.
struct stored_weights {
  double bytes = 0;          ///< of a weight, with its share of scales; 0: as the precision has it
  bool attention = true;     ///< whether matrices of attention and of recurrent mixers are stored so
  bool feed_forward = true;  ///< whether those of feed-forward parts and of shared experts are
  bool experts = true;       ///< whether those of experts are
  bool head = false;         ///< whether the head's matrix is stored so

  /// Equal in every part.
  friend bool operator==(const stored_weights&, const stored_weights&) = default;
};

/// The words for formats of weights and the bytes of one. `int4`: a scale of 2 bytes and a zero of half a byte for each 128.
/// `mxfp4`, `nvfp4`: a scale of one byte for each 32 or 16 (OCP Microscaling Formats, 2023; NVIDIA).
inline constexpr named<double> weight_format_names[] = {
    {"fp8", 1}, {"int8", 1}, {"int4", 0.5 + 2.5 / 128}, {"mxfp4", 0.5 + 1. / 32}, {"nvfp4", 0.5 + 1. / 16}};

/// The words for formats of keys and values and the bytes of a number.
inline constexpr named<double> cache_format_names[] = {{"fp8", 1}, {"int8", 1}};

}  // namespace stagecut::inline STAGECUT_ABI::transformer
