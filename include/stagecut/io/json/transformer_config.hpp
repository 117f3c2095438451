// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/stored_weights.hpp>
#include <stagecut/profile/transformer_training.hpp>

// Architectures as JSON files, such as those in models/.
namespace stagecut::inline STAGECUT_ABI::io {

/// The content of a file: a model, and optionally its training.
struct transformer_config {
  transformer::architecture architecture;  ///< the model
  transformer::training training;          ///< defaults where unspecified
  std::string quantized{};                 ///< quantization of its published weights, `fp8`, `awq`; empty: none
  transformer::stored_weights weights{};   ///< what inference stores by that; `bytes` is 0 if it is not known

  /// Equal in all parts.
  friend bool operator==(const transformer_config&, const transformer_config&) = default;
};

namespace detail {

inline void require(const json_value& from, std::initializer_list<const char*> keys) {
  for (const char* const key : keys) (void)from.at(key);
}

}  // namespace detail

/// Whether a text is a model configuration, in our format or Hugging Face's, and not a profile or plan.
[[nodiscard]] STAGECUT_DECL bool is_transformer_config(std::string_view text, const read_limits& limits = {});

/// Reads an architecture: a JSON object whose members are the fields of `architecture`, and optionally `training`, an
/// object whose members are the fields of `training`, `quantized`, and `weights` with those of `stored_weights`. `forms` lists
/// `{"layers": N, "window": W, "dense": D}` in order, repeated from the start until all layers are covered. An object
/// with Hugging Face's names is read by `read_hugging_face_config`.
///
/// @param source     the text's name in errors: its file name
/// @param limits     limits on the input
/// @param as_family  read the text by `read_hugging_face_config` as this family; empty: detect the format
/// @throws           invalid_input at `SOURCE:LINE` for invalid JSON, else at `SOURCE#POINTER`: a member that is missing,
///                   unknown or of the wrong type; figures out of range or contradicting each other; argument_error for
///                   an unknown `as_family`
[[nodiscard]] STAGECUT_DECL transformer_config read_transformer_config(std::string_view text, std::string_view source,
                                                                       const read_limits& limits = {},
                                                                       std::string_view as_family = {});

/// Writes an architecture so that `read_transformer_config` reads it back equal: figures to edit, one member per line,
/// without defaults.
///
/// @throws argument_error if it could not be read back: figures that `check` rejects, no name, a text that is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_json(const transformer_config& config);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/transformer_config.ipp>
#endif
